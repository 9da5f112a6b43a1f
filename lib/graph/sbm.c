// SPDX-License-Identifier: MIT
// Sampling of token graphs: alias tables and Poisson numbers, three ways of drawing, and the graph in blocks.
#include "graph/sbm.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Items whose share is below the mean lend the rest of their cell to one above it. Both kinds wait on one stack, the
// small ones from its beginning, the large ones from its end.
void gw_alias_make(gw_alias *table, const float *weight, int64_t stride, double *share, int32_t *stack) {
    const int64_t count = table->count;
    int64_t small = 0, large = count;
    table->total = 0;
    for (int64_t i = 0; i < count; i++) table->total += (double)weight[i * stride];
    if (!(table->total > 0)) return;
    for (int64_t i = 0; i < count; i++) {
        share[i] = (double)weight[i * stride] * (double)count / table->total;
        if (share[i] < 1) stack[small++] = (int32_t)i;
        else stack[--large] = (int32_t)i;
    }
    while (small > 0 && large < count) {
        const int32_t least = stack[--small], lender = stack[large];
        table->keep[least] = (uint32_t)(share[least] * 0x1p32);
        table->other[least] = lender;
        share[lender] -= 1 - share[least];
        if (share[lender] >= 1) continue;
        large++;
        stack[small++] = lender;
    }
    // What is left differs from 1 by rounding alone.
    while (small > 0) small--, table->other[stack[small]] = stack[small];
    for (; large < count; large++) table->other[stack[large]] = stack[large];
}

int64_t gw_alias_draw(const gw_alias *table, gw_random *random) {
    const int64_t cell = (int64_t)gw_random_below(random, (uint64_t)table->count);
    return table->other[cell] == cell || gw_random_u32(random) < table->keep[cell] ? cell : table->other[cell];
}

double gw_random_open(gw_random *random) {
    const uint64_t high = gw_random_u32(random) >> 5, low = gw_random_u32(random) >> 6; // 27 and 26 bits
    return ((double)(high << 26 | low) + 0.5) * 0x1p-53;
}

static int64_t large_poisson(gw_random *random, double mean) {
    const double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4),
                 sure = 0.9277 - 3.6224 / (b - 2), log_mean = log(mean);
    for (;;) {
        const double u = gw_random_open(random) - 0.5, v = gw_random_open(random), edge = 0.5 - fabs(u);
        const double k = floor((2 * a / edge + b) * u + mean + 0.43);
        int sign;
        if (edge >= 0.07 && v <= sure) return (int64_t)k;
        if (k < 0 || (edge < 0.013 && v > edge)) continue;
        if (log(v * inverse / (a / (edge * edge) + b)) <= k * log_mean - mean - lgamma_r(k + 1, &sign))
            return (int64_t)k;
    }
}

int64_t gw_random_poisson(gw_random *random, double mean) {
    if (mean >= 10) return large_poisson(random, mean);
    const double stop = exp(-mean);
    int64_t count = 0;
    for (double product = gw_random_open(random); product > stop; product *= gw_random_open(random)) count++;
    return count;
}

// A query's keys are collected as bits, in any order and as often as they are drawn, and then
// listed.

static const double MOST = 1 - 1e-6; // probability of an edge
enum { ROWS = 256 };                 // queries drawn together

uint64_t gw_sbm_seed(uint64_t seed, uint32_t step, int layer, int head) {
    gw_random random = gw_random_at(seed, GW_SITE_SBM, step | (uint64_t)layer << 32, (uint32_t)head);
    const uint64_t high = gw_random_u32(&random);
    return high << 32 | gw_random_u32(&random);
}

void gw_sbm_memory_free(gw_sbm_memory *memory) {
    free(memory->row_start);
    free(memory->column);
    free(memory->bits);
}

void gw_sbm_work_free(gw_sbm_work *work) {
    free(work->pair);
    free(work->table);
    free(work->cell);
    free(work->listed);
    free(work->bits);
    free(work->scratch);
}

// Sums of eight lanes: the order is the same whatever the compiler makes of it.
enum { LANES = 8 };
typedef float lanes __attribute__((vector_size(4 * LANES)));

static double product(const float *a, const float *b, int count) {
    lanes sum = {0}, x, y;
    float rest = 0;
    int i = 0;
    for (; i + LANES <= count; i += LANES) {
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        sum += x * y;
    }
    for (; i < count; i++) rest += a[i] * b[i];
    return (double)(((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7])) + rest);
}

// The gw_min one; p where that is no number.
static double at_most(double p, double most) {
    return p > most ? most : p;
}

// The columns of a matrix of memberships. Tables are made of those that something is drawn from.
typedef struct {
    const float *matrix;
    int64_t count, stride;
    int clusters;
    double *total;    // [K]
    float *largest;   // [K]
    gw_alias *column; // [K] keep NULL: not made
    uint32_t *cell;   // [2 K][count] of tables
    double *share;    // [count], to make one in
    int32_t *stack;   // [count]
} columns;

static void place_columns(gw_arena *arena, const gw_sbm *sbm, const float *matrix, int64_t count, columns *out) {
    *out = (columns){.matrix = matrix, .count = count, .stride = sbm->stride, .clusters = sbm->clusters};
    out->total = gw_arena_alloc(arena, sbm->clusters, sizeof *out->total);
    out->largest = gw_arena_alloc(arena, sbm->clusters, sizeof *out->largest);
    out->column = gw_arena_alloc(arena, sbm->clusters, sizeof *out->column);
    out->share = gw_arena_alloc(arena, count, sizeof *out->share);
    out->stack = gw_arena_alloc(arena, count, sizeof *out->stack);
}

static void measure_columns(columns *of) {
    for (int64_t r = 0; r < of->count; r++) {
        const float *row = of->matrix + r * of->stride;
        for (int c = 0; c < of->clusters; c++) {
            of->total[c] += (double)row[c];
            of->largest[c] = row[c] > of->largest[c] ? row[c] : of->largest[c];
        }
    }
}

// Draws from column c, or from all alike where c is the number of columns: the cluster of exploration.
static int64_t draw_from(const columns *of, int64_t c, gw_random *random) {
    if (c == of->clusters) return (int64_t)gw_random_below(random, (uint64_t)of->count);
    gw_alias *table = &of->column[c];
    if (!table->keep) {
        uint32_t *cell = of->cell + 2 * c * of->count;
        *table = (gw_alias){.count = of->count, .keep = cell, .other = (int32_t *)(cell + of->count)};
        gw_alias_make(table, of->matrix + c, of->stride, of->share, of->stack);
    }
    return gw_alias_draw(table, random);
}

// Memory of the work for what the arena measured, of zeros.
static gw_status reserve_table(gw_sbm_work *work, gw_arena *arena) {
    GW_TRY(gw_reserve(&work->table, &work->table_capacity, arena->used, 1));
    memset(work->table, 0, (size_t)arena->used);
    *arena = (gw_arena){.memory = work->table, .size = arena->used};
    return GW_OK;
}

// -ln(1 - p)
static double rate(double p) {
    return -log1p(-p);
}

// Candidates of query i: c sum_j p_ij of them; `sum` the running sums of its clusters, with that of exploration.
typedef struct {
    double c, count;
} candidates;

static candidates candidates_of(const gw_sbm *sbm, const columns *keys, int64_t i, double *sum) {
    const float *u = sbm->product + i * sbm->stride;
    double bound = sbm->exploration, total = 0;
    for (int64_t v = 0; v < sbm->clusters; v++) {
        bound += (double)u[v] * (double)keys->largest[v];
        sum[v] = total += (double)u[v] * keys->total[v];
    }
    sum[sbm->clusters] = total += sbm->exploration * (double)sbm->keys;
    bound = at_most(bound, MOST);
    if (!(total > 0 && bound > 0)) return (candidates){0, 0};
    const double c = rate(bound) / bound;
    return (candidates){c, c * total};
}

static void set_bit(uint64_t *bits, int64_t key) {
    bits[key / 64] |= (uint64_t)1 << key % 64;
}

static void draw_candidates(const gw_sbm *sbm, const columns *keys, int64_t i, double *sum, gw_sbm_work *work,
                            uint64_t *bits) {
    gw_random random = gw_random_at(sbm->seed, GW_SITE_SBM, (uint64_t)(sbm->first_query + i), 0);
    const candidates of = candidates_of(sbm, keys, i, sum);
    for (int64_t left = gw_random_poisson(&random, of.count); left > 0; left--) {
        // The first cluster whose running sum is above a uniform share of all.
        const double at = gw_random_open(&random) * sum[sbm->clusters];
        const int64_t cluster = GW_FIRST_NOT(c, sbm->clusters, !(sum[c] > at)), j = draw_from(keys, cluster, &random);
        const double p =
            product(sbm->product + i * sbm->stride, sbm->key + j * sbm->stride, sbm->clusters) + sbm->exploration;
        const double stays = rate(at_most(p, MOST)) / (of.c * p);
        if (!((double)gw_random_u32(&random) < stays * 0x1p32)) continue;
        set_bit(bits, j);
        work->candidates++;
    }
}

static void list_bits(const uint64_t *bits, int64_t words, int32_t *column) {
    for (int64_t w = 0; w < words; w++)
        for (uint64_t left = bits[w]; left != 0; left &= left - 1)
            *column++ = (int32_t)(w * 64 + __builtin_ctzll(left));
}

// The keys that query i reads whatever is drawn.
typedef struct {
    int64_t begin, end;
} fixed_keys;

static fixed_keys fixed_of(const gw_sbm *sbm, int64_t i) {
    if (sbm->fixed < 0) return (fixed_keys){0, 0};
    return (fixed_keys){gw_max(i - sbm->fixed, 0), gw_min(i + sbm->fixed + 1, sbm->keys)};
}

// Keeps the query's keys, those of its bits and those that are fixed.
static gw_status keep_keys(const gw_sbm *sbm, int64_t i, uint64_t *bits, gw_sbm_memory *memory) {
    const int64_t words = gw_bit_words(sbm->keys), used = memory->row_start[i];
    const fixed_keys fixed = fixed_of(sbm, i);
    for (int64_t j = fixed.begin; j < fixed.end; j++) set_bit(bits, j);
    memory->row_start[i + 1] = used;
    for (int64_t w = 0; w < words; w++) memory->row_start[i + 1] += __builtin_popcountll(bits[w]);
    if (sbm->as_bits) {
        memcpy(memory->bits + i * words, bits, (size_t)words * sizeof *bits);
        return GW_OK;
    }
    GW_TRY(gw_reserve(&memory->column, &memory->columns, used + sbm->keys, sizeof *memory->column));
    list_bits(bits, words, memory->column + used);
    return GW_OK;
}

// Queries [begin, end), at most ROWS: those with many candidates key by key, the others by candidates.
static gw_status draw_rows(const gw_sbm *sbm, const columns *keys, double *sum, int64_t begin, int64_t end,
                           gw_sbm_work *work, gw_sbm_memory *memory) {
    const int64_t words = gw_bit_words(sbm->keys);
    const double many = sbm->each * (double)sbm->keys;
    uint64_t *bits = work->bits, *own = work->bits + ROWS * words;
    int64_t listed = 0;
    for (int64_t i = begin; i < end; i++)
        if (sbm->draws == GW_SBM_BERNOULLI || candidates_of(sbm, keys, i, sum).count >= many)
            work->listed[listed++] = (int32_t)i;
    gw_draw_edges_args args = {.listed = listed,
                               .keys = sbm->keys,
                               .query = work->listed,
                               .clusters = sbm->clusters,
                               .product = sbm->product,
                               .key = sbm->key,
                               .stride = sbm->stride,
                               .exploration = (float)sbm->exploration,
                               .most = (float)MOST,
                               .seed = sbm->seed,
                               .first_query = (uint64_t)sbm->first_query,
                               .site = GW_SITE_SBM,
                               .bits = bits};
    const int64_t floats = sbm->kernels->scratch(GW_OP_draw_edges, &args);
    GW_TRY(gw_reserve(&work->scratch, &work->scratch_capacity, floats, sizeof *work->scratch));
    args.scratch = work->scratch;
    if (listed > 0) GW_TRY(sbm->kernels->draw_edges(&args));
    work->listed[listed] = -1;
    for (int64_t i = begin, at = 0; i < end; i++)
        if (i == work->listed[at]) GW_TRY(keep_keys(sbm, i, bits + at++ * words, memory));
        else {
            memset(own, 0, (size_t)words * sizeof *own);
            draw_candidates(sbm, keys, i, sum, work, own);
            GW_TRY(keep_keys(sbm, i, own, memory));
        }
    return GW_OK;
}

// exact and bernoulli. Runs twice: tables are measured, then placed.
static gw_status draw_all_rows(const gw_sbm *sbm, gw_sbm_work *work, gw_sbm_memory *memory) {
    columns keys;
    double *sum = NULL;
    gw_arena arena = {0};
    for (int round = 0; round < 2; round++) {
        if (round == 1) GW_TRY(reserve_table(work, &arena));
        place_columns(&arena, sbm, sbm->key, sbm->keys, &keys);
        sum = gw_arena_alloc(&arena, sbm->clusters + 1, sizeof *sum);
    }
    if (sbm->draws == GW_SBM_EXACT) measure_columns(&keys);
    GW_TRY(gw_reserve(&work->cell, &work->cell_capacity, 2 * sbm->clusters * sbm->keys, sizeof *work->cell));
    GW_TRY(gw_reserve(&work->listed, &work->listed_capacity, ROWS + 1, sizeof *work->listed));
    GW_TRY(gw_reserve(&work->bits, &work->bits_capacity, (ROWS + 1) * (gw_bit_words(sbm->keys)), sizeof *work->bits));
    keys.cell = work->cell;
    work->candidates = 0;
    for (int64_t i = 0; i < sbm->queries; i += ROWS)
        GW_TRY(draw_rows(sbm, &keys, sum, i, gw_min(i + ROWS, sbm->queries), work, memory));
    return GW_OK;
}

// Algorithm 1.
gw_status gw_sbm_draw_pairs(const gw_sbm *sbm, gw_sbm_work *work) {
    const int64_t clusters = sbm->clusters, pairs = clusters * clusters;
    columns queries, keys;
    gw_alias block = {.count = pairs + 1}; // B-bar: pairs of clusters, and exploration as one more
    float *weight = NULL;
    double *share = NULL;
    int32_t *stack = NULL;
    gw_arena arena = {0};
    work->pairs = 0;
    for (int round = 0; round < 2; round++) {
        if (round == 1) GW_TRY(reserve_table(work, &arena));
        place_columns(&arena, sbm, sbm->query, sbm->queries, &queries);
        place_columns(&arena, sbm, sbm->key, sbm->keys, &keys);
        weight = gw_arena_alloc(&arena, pairs + 1, sizeof *weight);
        share = gw_arena_alloc(&arena, pairs + 1, sizeof *share);
        stack = gw_arena_alloc(&arena, pairs + 1, sizeof *stack);
        block.keep = gw_arena_alloc(&arena, pairs + 1, sizeof *block.keep);
        block.other = gw_arena_alloc(&arena, pairs + 1, sizeof *block.other);
    }
    measure_columns(&queries);
    measure_columns(&keys);
    GW_TRY(
        gw_reserve(&work->cell, &work->cell_capacity, 2 * clusters * (sbm->queries + sbm->keys), sizeof *work->cell));
    queries.cell = work->cell;
    keys.cell = work->cell + 2 * clusters * sbm->queries;
    gw_random random = gw_random_at(sbm->seed, GW_SITE_SBM, (uint64_t)sbm->first_query, 1);
    for (int64_t p = 0; p < pairs; p++)
        weight[p] = (float)(queries.total[p / clusters] * (double)sbm->block[p] * keys.total[p % clusters]);
    weight[pairs] = (float)(sbm->exploration * (double)sbm->queries * (double)sbm->keys);
    gw_alias_make(&block, weight, 1, share, stack);
    if (!(block.total > 0)) return GW_OK;
    const int64_t count = gw_random_poisson(&random, block.total);
    GW_TRY(gw_reserve(&work->pair, &work->pair_capacity, count, sizeof *work->pair));
    for (; work->pairs < count; work->pairs++) {
        const int64_t p = gw_alias_draw(&block, &random);
        const int64_t i = draw_from(&queries, p == pairs ? clusters : p / clusters, &random);
        const int64_t j = draw_from(&keys, p == pairs ? clusters : p % clusters, &random);
        work->pair[work->pairs] = (gw_sbm_pair){(int32_t)i, (int32_t)j};
    }
    return GW_OK;
}

// The drawn pairs by their queries.
static gw_status list_pairs(const gw_sbm *sbm, gw_sbm_work *work, gw_sbm_memory *memory) {
    const int64_t words = gw_bit_words(sbm->keys);
    GW_TRY(gw_reserve(&work->table, &work->table_capacity, (sbm->queries + 1) * (int64_t)sizeof(int64_t), 1));
    GW_TRY(gw_reserve(&work->listed, &work->listed_capacity, work->pairs + 1, sizeof *work->listed));
    GW_TRY(gw_reserve(&work->bits, &work->bits_capacity, words, sizeof *work->bits));
    int64_t *place = memset(work->table, 0, (size_t)(sbm->queries + 1) * sizeof *place);
    for (int64_t e = 0; e < work->pairs; e++) place[work->pair[e].query + 1]++;
    for (int64_t i = 0; i < sbm->queries; i++) place[i + 1] += place[i];
    for (int64_t e = 0; e < work->pairs; e++) work->listed[place[work->pair[e].query]++] = work->pair[e].key;
    // place[i] is now the end of query i.
    for (int64_t i = 0, e = 0; i < sbm->queries; i++) {
        memset(work->bits, 0, (size_t)words * sizeof *work->bits);
        for (; e < place[i]; e++) set_bit(work->bits, work->listed[e]);
        GW_TRY(keep_keys(sbm, i, work->bits, memory));
    }
    return GW_OK;
}

double gw_sbm_expected_edges(const gw_sbm *sbm) {
    const double pairs = (double)sbm->queries * (double)sbm->keys;
    double drawn = sbm->exploration * pairs, fixed = 0;
    for (int64_t i = 0; i < sbm->queries; i++) {
        const fixed_keys of = fixed_of(sbm, i);
        if (of.end > of.begin) fixed += (double)(of.end - of.begin);
    }
    for (int64_t c = 0; c < sbm->clusters; c++) {
        double queries = 0, keys = 0;
        for (int64_t i = 0; i < sbm->queries; i++) queries += (double)sbm->product[i * sbm->stride + c];
        for (int64_t j = 0; j < sbm->keys; j++) keys += (double)sbm->key[j * sbm->stride + c];
        drawn += queries * keys;
    }
    drawn = at_most(drawn, pairs);
    return drawn + fixed - drawn * fixed / pairs;
}

gw_status gw_sbm_draw(const gw_sbm *sbm, gw_sbm_work *work, gw_sbm_memory *memory, gw_token_graph *graph) {
    const int64_t words = sbm->as_bits ? sbm->queries * gw_bit_words(sbm->keys) : 0;
    GW_TRY(gw_reserve(&memory->row_start, &memory->rows, sbm->queries + 1, sizeof *memory->row_start));
    GW_TRY(gw_reserve(&memory->bits, &memory->words, words, sizeof *memory->bits));
    memory->row_start[0] = 0;
    if (sbm->draws == GW_SBM_FASTRG) {
        GW_TRY(gw_sbm_draw_pairs(sbm, work));
        GW_TRY(list_pairs(sbm, work, memory));
    } else GW_TRY(draw_all_rows(sbm, work, memory));
    *graph = (gw_token_graph){.queries = sbm->queries,
                              .keys = sbm->keys,
                              .row_start = memory->row_start,
                              .column = sbm->as_bits ? NULL : memory->column,
                              .bits = sbm->as_bits ? memory->bits : NULL};
    return GW_OK;
}

gw_status gw_sbm_list(gw_sbm_memory *memory, gw_token_graph *graph) {
    const int64_t words = gw_bit_words(graph->keys);
    if (!graph->bits) return GW_OK;
    GW_TRY(gw_reserve(&memory->column, &memory->columns, graph->row_start[graph->queries] + 1, sizeof *memory->column));
    for (int64_t i = 0; i < graph->queries; i++)
        list_bits(graph->bits + i * words, words, memory->column + graph->row_start[i]);
    graph->column = memory->column;
    return GW_OK;
}

// Token graphs as block graphs: every pair of blocks has a place for its bits; those with any become edges.

enum { BLOCK = GW_TOKEN_BLOCK };

void gw_token_blocks_free(gw_token_blocks *blocks) {
    free(blocks->row_start);
    free(blocks->bits_index);
    free(blocks->column);
    free(blocks->kind);
    free(blocks->bits);
}

// The bits of queries [begin, end) for block c of keys; their number.
static int64_t copy_bits(const gw_token_graph *tokens, int64_t begin, int64_t end, int64_t c, uint64_t *bits) {
    const int64_t words = gw_bit_words(tokens->keys);
    int64_t count = 0;
    for (int64_t i = 0; i < BLOCK; i++) {
        bits[i] = begin + i < end ? tokens->bits[(begin + i) * words + c] : 0;
        count += __builtin_popcountll(bits[i]);
    }
    return count;
}

gw_status gw_token_blocks_make(gw_token_blocks *blocks, const gw_token_graph *tokens) {
    const int64_t rows = (tokens->queries + BLOCK - 1) / BLOCK, key_blocks = gw_bit_words(tokens->keys);
    gw_graph *graph = &blocks->graph;
    GW_TRY(gw_reserve(&blocks->row_start, &blocks->rows, rows + 1, sizeof *blocks->row_start));
    GW_TRY(gw_reserve(&blocks->bits_index, &blocks->indices, rows * key_blocks, sizeof *blocks->bits_index));
    GW_TRY(gw_reserve(&blocks->column, &blocks->columns, rows * key_blocks, sizeof *blocks->column));
    GW_TRY(gw_reserve(&blocks->kind, &blocks->kinds, rows * key_blocks, sizeof *blocks->kind));
    GW_TRY(gw_reserve(&blocks->bits, &blocks->words, rows * key_blocks * BLOCK, sizeof *blocks->bits));
    *graph = (gw_graph){.block = BLOCK, .query_blocks = (int32_t)rows, .key_blocks = (int32_t)key_blocks};
    blocks->row_start[0] = 0;
    for (int64_t r = 0; r < rows; r++) {
        const int64_t begin = r * BLOCK, end = gw_min(begin + BLOCK, tokens->queries);
        for (int64_t c = 0; c < key_blocks; c++) {
            const int64_t cell = r * key_blocks + c;
            const int64_t count = copy_bits(tokens, begin, end, c, blocks->bits + cell * BLOCK);
            const int64_t pairs = (end - begin) * gw_min(tokens->keys - c * BLOCK, BLOCK);
            if (count == 0) continue;
            blocks->column[graph->edges] = (int32_t)c;
            blocks->kind[graph->edges] = count == pairs ? GW_EDGE_FULL : GW_EDGE_BITS;
            blocks->bits_index[graph->edges++] = cell;
        }
        blocks->row_start[r + 1] = graph->edges;
    }
    graph->row_start = blocks->row_start;
    graph->column = blocks->column;
    graph->kind = blocks->kind;
    graph->bits = blocks->bits;
    graph->bits_index = blocks->bits_index;
    return GW_OK;
}
