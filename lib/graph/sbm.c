// SPDX-License-Identifier: MIT
// Sampling of token graphs: pairs are drawn in any order, then sorted by two counting passes and collapsed.
#include "graph/sbm.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MOST = 1 - 1e-6; // probability of an edge

uint64_t gw_sbm_seed(uint64_t seed, uint32_t step, int layer, int head) {
    gw_random random = gw_random_at(seed, GW_SITE_SBM, step | (uint64_t)layer << 32, (uint32_t)head);
    const uint64_t high = gw_random_u32(&random);
    return high << 32 | gw_random_u32(&random);
}

void gw_sbm_memory_free(gw_sbm_memory *memory) {
    free(memory->row_start);
    free(memory->column);
}

void gw_sbm_work_free(gw_sbm_work *work) {
    free(work->pair);
    free(work->memory);
    free(work->by_column);
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

static gw_status add_pair(gw_sbm_work *work, int64_t query, int64_t key) {
    if (work->pairs == work->pair_room)
        GW_TRY(gw_reserve(&work->pair, &work->pair_room, work->pairs + 1, sizeof *work->pair));
    work->pair[work->pairs++] = (gw_sbm_pair){(int32_t)query, (int32_t)key};
    return GW_OK;
}

// Whether a number below 2^32 is below p 2^32.
static bool happens(gw_random *random, double p) {
    return (double)gw_random_u32(random) < p * 0x1p32;
}

// The smaller one; p where that is no number.
static double at_most(double p, double most) {
    return p > most ? most : p;
}

static double probability(const gw_sbm *sbm, int64_t i, int64_t j) {
    return product(sbm->product + i * sbm->stride, sbm->key + j * sbm->stride, sbm->clusters) + sbm->exploration;
}

static gw_status draw_each(const gw_sbm *sbm, int64_t i, gw_random *random, gw_sbm_work *work) {
    for (int64_t j = 0; j < sbm->keys; j++)
        if (happens(random, at_most(probability(sbm, i, j), MOST))) GW_TRY(add_pair(work, i, j));
    return GW_OK;
}

// What is known of the columns of a matrix of memberships; column K is that of exploration.
typedef struct {
    gw_alias *column; // [K]
    float *largest;   // [K]
    double *sum;      // [K + 1] of weights so far, of a query
} tables;

// The columns of a matrix of `count` rows, in memory of the work.
static void make_columns(const float *matrix, int64_t count, const gw_sbm *sbm, gw_arena *arena, tables *out) {
    const int64_t clusters = sbm->clusters;
    out->column = gw_arena_take(arena, clusters, sizeof *out->column);
    out->largest = gw_arena_take(arena, clusters, sizeof *out->largest);
    out->sum = gw_arena_take(arena, clusters + 1, sizeof *out->sum);
    uint32_t *keep = gw_arena_take(arena, clusters * count, sizeof *keep);
    int32_t *other = gw_arena_take(arena, clusters * count, sizeof *other),
            *stack = gw_arena_take(arena, count, sizeof *stack);
    double *share = gw_arena_take(arena, count, sizeof *share);
    for (int64_t c = 0; arena->memory && c < clusters; c++) {
        out->column[c] = (gw_alias){.count = count, .keep = keep + c * count, .other = other + c * count};
        gw_alias_make(&out->column[c], matrix + c, sbm->stride, share, stack);
        out->largest[c] = 0;
        for (int64_t r = 0; r < count; r++) out->largest[c] = fmaxf(out->largest[c], matrix[r * sbm->stride + c]);
    }
}

// The first of `count` running sums that is above a uniform share of the last one.
static int64_t draw_sum(const double *sum, int64_t count, gw_random *random) {
    const double at = gw_random_open(random) * sum[count - 1];
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (sum[middle] > at) high = middle;
        else low = middle + 1;
    }
    return low;
}

static int64_t draw_key(const gw_sbm *sbm, const tables *t, int64_t cluster, gw_random *random) {
    if (cluster == sbm->clusters) return (int64_t)gw_random_below(random, (uint64_t)sbm->keys);
    return gw_alias_draw(&t->column[cluster], random);
}

// -ln(1 - p)
static double rate(double p) {
    return -log1p(-p);
}

static gw_status draw_candidates(const gw_sbm *sbm, const tables *t, int64_t i, double c, double total,
                                 gw_random *random, gw_sbm_work *work) {
    for (int64_t left = gw_random_poisson(random, c * total); left > 0; left--) {
        const int64_t j = draw_key(sbm, t, draw_sum(t->sum, sbm->clusters + 1, random), random);
        const double p = probability(sbm, i, j);
        if (happens(random, rate(at_most(p, MOST)) / (c * p))) GW_TRY(add_pair(work, i, j));
    }
    return GW_OK;
}

static gw_status draw_exact(const gw_sbm *sbm, const tables *t, int64_t i, gw_random *random, gw_sbm_work *work) {
    const float *u = sbm->product + i * sbm->stride;
    double bound = sbm->exploration, total = 0;
    for (int64_t v = 0; v < sbm->clusters; v++) {
        bound += (double)u[v] * (double)t->largest[v];
        t->sum[v] = total += (double)u[v] * t->column[v].total;
    }
    t->sum[sbm->clusters] = total += sbm->exploration * (double)sbm->keys;
    bound = at_most(bound, MOST);
    if (!(total > 0 && bound > 0)) return GW_OK;
    const double c = rate(bound) / bound;
    if (c * total >= (double)sbm->keys / 2) return draw_each(sbm, i, random, work);
    return draw_candidates(sbm, t, i, c, total, random, work);
}

static gw_status draw_rows(const gw_sbm *sbm, const tables *t, gw_sbm_work *work) {
    for (int64_t i = 0; i < sbm->queries; i++) {
        gw_random random = gw_random_at(sbm->seed, GW_SITE_SBM, (uint64_t)(sbm->first_query + i), 0);
        GW_TRY(sbm->draws == GW_SBM_EXACT ? draw_exact(sbm, t, i, &random, work) : draw_each(sbm, i, &random, work));
    }
    return GW_OK;
}

// Algorithm 1: B-bar of all pairs of clusters, and exploration as one more.
static gw_status draw_fastrg(const gw_sbm *sbm, const tables *queries, const tables *keys, double *sum,
                             gw_sbm_work *work) {
    const int64_t clusters = sbm->clusters, pairs = clusters * clusters;
    gw_random random = gw_random_at(sbm->seed, GW_SITE_SBM, (uint64_t)sbm->first_query, 1);
    double total = 0;
    for (int64_t p = 0; p < pairs; p++)
        sum[p] = total +=
            queries->column[p / clusters].total * (double)sbm->block[p] * keys->column[p % clusters].total;
    sum[pairs] = total += sbm->exploration * (double)sbm->queries * (double)sbm->keys;
    if (!(total > 0)) return GW_OK;
    for (int64_t left = gw_random_poisson(&random, total); left > 0; left--) {
        const int64_t p = draw_sum(sum, pairs + 1, &random);
        const int64_t i = p == pairs ? (int64_t)gw_random_below(&random, (uint64_t)sbm->queries)
                                     : gw_alias_draw(&queries->column[p / clusters], &random);
        GW_TRY(add_pair(work, i, draw_key(sbm, keys, p == pairs ? clusters : p % clusters, &random)));
    }
    return GW_OK;
}

// Runs twice: the tables' memory is measured, then placed in that of the work.
gw_status gw_sbm_draw_pairs(const gw_sbm *sbm, gw_sbm_work *work) {
    const bool fastrg = sbm->draws == GW_SBM_FASTRG;
    tables queries = {0}, keys = {0};
    double *sum = NULL;
    gw_arena arena = {0};
    work->pairs = 0;
    for (int round = 0; round < 2 && sbm->draws != GW_SBM_BERNOULLI; round++) {
        if (round == 1) {
            GW_TRY(gw_reserve(&work->memory, &work->memory_room, arena.used, 1));
            arena = (gw_arena){.memory = work->memory, .size = arena.used};
        }
        make_columns(sbm->key, sbm->keys, sbm, &arena, &keys);
        if (fastrg) make_columns(sbm->query, sbm->queries, sbm, &arena, &queries);
        if (fastrg) sum = gw_arena_take(&arena, (int64_t)sbm->clusters * sbm->clusters + 1, sizeof *sum);
    }
    return fastrg ? draw_fastrg(sbm, &queries, &keys, sum, work) : draw_rows(sbm, &keys, work);
}

static gw_status add_fixed(const gw_sbm *sbm, gw_sbm_work *work) {
    for (int64_t i = 0; sbm->fixed >= 0 && i < sbm->queries; i++) {
        const int64_t last = i + sbm->fixed < sbm->keys ? i + sbm->fixed : sbm->keys - 1;
        for (int64_t j = i > sbm->fixed ? i - sbm->fixed : 0; j <= last; j++) GW_TRY(add_pair(work, i, j));
    }
    return GW_OK;
}

// Sorts the pairs by column, then, in that order, into their rows, where what recurs comes together. `room` counts
// [larger of queries and keys, + 1].
static void sort_pairs(const gw_sbm *sbm, const gw_sbm_work *work, int64_t *place, gw_sbm_memory *memory) {
    int64_t *start = memory->row_start;
    memset(place, 0, (size_t)(sbm->keys + 1) * sizeof *place);
    memset(start, 0, (size_t)(sbm->queries + 1) * sizeof *start);
    for (int64_t e = 0; e < work->pairs; e++) {
        place[work->pair[e].key + 1]++;
        start[work->pair[e].query + 1]++;
    }
    for (int64_t j = 0; j < sbm->keys; j++) place[j + 1] += place[j];
    for (int64_t i = 0; i < sbm->queries; i++) start[i + 1] += start[i];
    for (int64_t e = 0; e < work->pairs; e++) work->by_column[place[work->pair[e].key]++] = work->pair[e].query;
    // place[j] is now the end of column j, and start[i] becomes the end of row i.
    for (int64_t j = 0, e = 0; j < sbm->keys; j++)
        for (; e < place[j]; e++) memory->column[start[work->by_column[e]]++] = (int32_t)j;
    memmove(start + 1, start, (size_t)sbm->queries * sizeof *start);
    start[0] = 0;
}

static void collapse(int64_t queries, gw_sbm_memory *memory) {
    int64_t used = 0, begin = 0;
    for (int64_t i = 0; i < queries; i++) {
        const int64_t end = memory->row_start[i + 1], first = used;
        for (int64_t e = begin; e < end; e++)
            if (used == first || memory->column[used - 1] != memory->column[e])
                memory->column[used++] = memory->column[e];
        begin = end;
        memory->row_start[i + 1] = used;
    }
}

gw_status gw_sbm_draw(const gw_sbm *sbm, gw_sbm_work *work, gw_sbm_memory *memory, gw_token_graph *graph) {
    GW_TRY(gw_sbm_draw_pairs(sbm, work));
    GW_TRY(add_fixed(sbm, work));
    GW_TRY(gw_reserve(&work->memory, &work->memory_room, (sbm->keys + 1) * (int64_t)sizeof(int64_t), 1));
    GW_TRY(gw_reserve(&work->by_column, &work->by_column_room, work->pairs + 1, sizeof *work->by_column));
    GW_TRY(gw_reserve(&memory->row_start, &memory->rows, sbm->queries + 1, sizeof *memory->row_start));
    GW_TRY(gw_reserve(&memory->column, &memory->columns, work->pairs + 1, sizeof *memory->column));
    sort_pairs(sbm, work, (int64_t *)(void *)work->memory, memory);
    collapse(sbm->queries, memory);
    *graph = (gw_token_graph){sbm->queries, sbm->keys, memory->row_start, memory->column};
    return GW_OK;
}
