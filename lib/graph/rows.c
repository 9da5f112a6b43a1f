// SPDX-License-Identifier: MIT
// Pattern -> block lists -> graph. The window, the band and the global blocks of a row are a set (each listed once);
// random blocks follow: distinct new ones by Philox, or those of BigBird's tables, whose repeats stay.
#include "graph/pattern.h"

#include "base/memory.h"
#include "base/random.h"
#include "graph/bigbird.h"
#include "graph/lists.h"
#include "graph/structure.h"

#include <stdlib.h>

enum { GOOGLE_FULL = 512 }; // tokens (modeling.py, BertModel)

int64_t gw_pattern_blocks(const gw_pattern *pattern, int64_t tokens) {
    return (tokens + pattern->block - 1) / pattern->block;
}

gw_pattern gw_pattern_of_layer(const gw_pattern *pattern, int layer) {
    gw_pattern own = *pattern;
    own.every = 0;
    if (pattern->every == 0 || gw_pattern_is_local(pattern, layer)) return own;
    return (gw_pattern){.block = pattern->block, .full = true, .causal = pattern->causal};
}

bool gw_pattern_is_full(const gw_pattern *pattern, int64_t tokens) {
    const int64_t blocks = gw_pattern_blocks(pattern, tokens);
    if (pattern->full) return true;
    if (pattern->tables == GW_TABLES_GOOGLE) return tokens <= GOOGLE_FULL;
    if (pattern->tables != GW_TABLES_OWN) return blocks <= 5 + 2 * (int64_t)pattern->random;
    return pattern->band == 0 && blocks < (int64_t)pattern->window + pattern->global + pattern->random;
}

bool gw_pattern_differs_by_head(const gw_pattern *pattern) {
    return pattern->random > 0 && pattern->tables != GW_TABLES_HF_EVAL;
}

// Global blocks are those below the head's end and from the tail on.
static int64_t head_end(const gw_pattern *p) {
    return p->at_start ? p->global : (p->global + 1) / 2;
}

static int64_t tail_begin(const gw_pattern *p, int64_t blocks) {
    return p->at_start ? blocks : blocks - p->global / 2;
}

static bool is_global(const gw_pattern *p, int64_t blocks, int64_t block) {
    return block < head_end(p) || block >= tail_begin(p, blocks);
}

static bool in_window(const gw_pattern *p, int64_t row, int64_t column) {
    return p->window > 0 && llabs(row - column) <= p->window / 2;
}

// Blocks on either side of a row's own that hold tokens of its band.
static int64_t band_reach(const gw_pattern *p) {
    return ((int64_t)p->band + p->block - 1) / p->block;
}

gw_part gw_pattern_part(const gw_pattern *pattern, int64_t blocks, int64_t row, int64_t column) {
    if (in_window(pattern, row, column)) return GW_PART_WINDOW;
    if (is_global(pattern, blocks, row) || is_global(pattern, blocks, column)) return GW_PART_GLOBAL;
    return pattern->band > 0 && llabs(row - column) <= band_reach(pattern) ? GW_PART_BAND : GW_PART_RANDOM;
}

static int64_t list_range(int32_t *list, int64_t count, int64_t first, int64_t end) {
    for (int64_t block = first; block < end; block++) list[count++] = (int32_t)block;
    return count;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

// The window's, the band's and the global blocks of a row that is not itself global, sorted, each once.
static int64_t list_fixed(const gw_pattern *p, int64_t blocks, int64_t row, int32_t *list) {
    const int64_t head = head_end(p), tail = tail_begin(p, blocks);
    const int64_t reach = p->band > 0 && band_reach(p) > p->window / 2 ? band_reach(p) : p->window / 2;
    const int64_t begin = clamp(row - reach, head, tail);
    const int64_t end = p->window > 0 || p->band > 0 ? clamp(row + reach + 1, begin, tail) : begin;
    int64_t count = list_range(list, 0, 0, head);
    count = list_range(list, count, begin, end);
    return list_range(list, count, tail, blocks);
}

// Adds `wanted` blocks, or all that are left, each uniform among those that the sorted list does not hold yet, and
// keeps it sorted: the k-th free block is found by stepping over the listed ones.
static int64_t list_random(gw_random *random, int64_t blocks, int64_t wanted, int32_t *list, int64_t count) {
    for (int64_t i = 0; i < wanted && count < blocks; i++) {
        int64_t block = (int64_t)gw_random_below(random, (uint64_t)(blocks - count)), at = 0;
        for (; at < count && list[at] <= block; at++) block++;
        for (int64_t k = count; k > at; k--) list[k] = list[k - 1];
        list[at] = (int32_t)block;
        count++;
    }
    return count;
}

typedef struct {
    const gw_pattern *pattern;
    int64_t blocks;
    bool full;
    int layer, head;
    const int32_t *table; // BigBird's, of this head; NULL: block 0 in the place of all
} row_source;

static bool is_listed(const int32_t *list, int64_t count, int32_t block) {
    while (count > 0 && list[count - 1] != block) count--;
    return count > 0;
}

// The tables have rows 1 .. blocks - 2; row 0 is always global, the last one where the globals stand at both ends.
static int64_t list_table(const row_source *s, int64_t row, int32_t *list, int64_t count) {
    const gw_pattern *p = s->pattern;
    if (row > s->blocks - 2) return count;
    for (int k = 0; k < p->random; k++) {
        const int32_t block = s->table ? s->table[(row - 1) * p->random + k] : 0;
        if (p->tables != GW_TABLES_SET || !is_listed(list, count, block)) list[count++] = block;
    }
    return count;
}

// Row's list into `list`, which has room for blocks + random.
static int64_t list_row(const row_source *s, int64_t row, int32_t *list) {
    const gw_pattern *p = s->pattern;
    if (s->full || is_global(p, s->blocks, row)) return list_range(list, 0, 0, s->blocks);
    const int64_t count = list_fixed(p, s->blocks, row, list);
    if (p->tables != GW_TABLES_OWN) return list_table(s, row, list, count);
    gw_random random =
        gw_random_at(p->seed, GW_SITE_PATTERN, (uint64_t)s->layer << 32 | (uint64_t)row, (uint32_t)s->head);
    return list_random(&random, s->blocks, p->random, list, count);
}

// ---- From rows of the square pattern to those of the queries

static gw_status put_row(const row_source *s, gw_block_lists *lists, int64_t row, int64_t reads, int32_t *list) {
    const int64_t count = list_row(s, row, list);
    gw_status status = GW_OK;
    for (int64_t k = 0; status == GW_OK && k < count; k++) {
        const bool banded = !s->full && gw_pattern_part(s->pattern, s->blocks, row, list[k]) == GW_PART_BAND;
        status = gw_block_lists_put(lists, list[k], banded ? GW_READS_BAND : reads);
    }
    return status;
}

// Bits of which queries [begin, end) of a block read all keys.
static gw_status some_queries(gw_block_lists *lists, int64_t begin, int64_t end, int64_t *index) {
    GW_TRY(gw_block_lists_bits(lists, index));
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = 0; j < lists->block; j++) gw_block_lists_set(lists, *index, i, j);
    return GW_OK;
}

// The pattern's rows of all blocks of queries. Where the offset lies within a block, the first queries of each are of
// one row of the pattern and the others of the next.
static gw_status put_rows(const row_source *s, const gw_graph_shape *shape, const gw_structure *structure,
                          gw_block_lists *lists, int32_t *list) {
    const int64_t block = lists->block, first = shape->offset / block, within = s->full ? 0 : shape->offset % block;
    int64_t upper = GW_READS_ALL, lower = GW_READS_ALL;
    if (within > 0) GW_TRY(some_queries(lists, 0, block - within, &upper));
    if (within > 0) GW_TRY(some_queries(lists, block - within, block, &lower));
    for (int64_t row = first; row < first + gw_pattern_blocks(s->pattern, shape->queries); row++) {
        GW_TRY(put_row(s, lists, row, upper, list));
        if (within > 0 && row + 1 < s->blocks) GW_TRY(put_row(s, lists, row + 1, lower, list));
        GW_TRY(gw_structure_put(structure, lists));
        GW_TRY(gw_block_lists_end_row(lists));
    }
    return GW_OK;
}

static gw_status build_head(const row_source *source, const gw_graph_shape *shape, gw_graph **out) {
    const gw_pattern *p = source->pattern;
    *out = NULL;
    gw_block_lists lists = {
        .block = p->block, .blocks = source->blocks, .offset = shape->offset, .band = p->band, .causal = p->causal};
    int32_t *list = gw_alloc(source->blocks + p->random, sizeof *list);
    gw_structure structure;
    gw_status status = gw_structure_make(shape, &lists, &structure);
    if (status == GW_OK) status = list ? put_rows(source, shape, &structure, &lists, list) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_graph_build(&lists, out);
    gw_structure_free(&structure);
    gw_block_lists_free(&lists);
    free(list);
    return status;
}

// The table of all heads, NULL where the pattern has none; fails where BigBird's implementation would.
static gw_status draw_table(const row_source *source, int heads, int64_t max_positions, int32_t **table) {
    const gw_pattern *p = source->pattern;
    *table = NULL;
    if (source->full || p->tables == GW_TABLES_OWN) return GW_OK;
    const gw_bigbird_shape shape = {.block = p->block,
                                    .blocks = (int)source->blocks,
                                    .random = p->random,
                                    .layer = source->layer,
                                    .heads = heads,
                                    .max_positions = max_positions,
                                    .google = p->tables == GW_TABLES_GOOGLE};
    return p->tables == GW_TABLES_HF_EVAL ? gw_bigbird_check(&shape) : gw_bigbird_table(&shape, table);
}

gw_status gw_pattern_check(const gw_pattern *pattern, const gw_graph_shape *shape) {
    const long long queries = shape->queries, keys = shape->keys, offset = shape->offset;
    if (queries < 1 || keys < 1 || offset < 0 || gw_pattern_blocks(pattern, keys) > INT32_MAX ||
        gw_pattern_blocks(pattern, queries) > INT32_MAX)
        return gw_fail(GW_ERR_RANGE, "no attention graph for %lld tokens that read %lld, from %lld on", queries, keys,
                       offset);
    if (gw_pattern_is_full(pattern, keys)) return GW_OK;
    if (offset + queries > keys)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "%lld queries from position %lld on read %lld keys: only full attention reads keys that it does "
                       "not stand among",
                       queries, offset, keys);
    if (offset % pattern->block == 0 || pattern->tables == GW_TABLES_OWN || pattern->tables == GW_TABLES_SET)
        return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "itc lists blocks twice: its queries begin a block of %d, not at position %lld",
                   pattern->block, offset);
}

// Builds the graphs of heads first .. end - 1 into graphs[0 .. end - first).
static gw_status build_heads(const gw_pattern *whole, const gw_graph_shape *shape, int layer, int heads,
                             int64_t max_positions, int first, int end, gw_graph **graphs) {
    const gw_pattern own = gw_pattern_of_layer(whole, layer), *pattern = &own;
    GW_TRY(gw_pattern_check(pattern, shape));
    const int64_t blocks = gw_pattern_blocks(pattern, shape->keys);
    row_source source = {
        .pattern = pattern, .blocks = blocks, .full = gw_pattern_is_full(pattern, shape->keys), .layer = layer};
    int32_t *table;
    GW_TRY(draw_table(&source, heads, max_positions, &table));
    gw_status status = GW_OK;
    int done = 0;
    for (; status == GW_OK && first + done < end; done++) {
        source.head = first + done;
        source.table = table ? table + (blocks - 2) * pattern->random * source.head : NULL;
        status = build_head(&source, shape, &graphs[done]);
    }
    free(table);
    if (status == GW_OK) return GW_OK;
    while (done-- > 0) gw_graph_free(graphs[done]);
    return status;
}

gw_status gw_pattern_graph(const gw_pattern *pattern, const gw_graph_shape *shape, int layer, int head, int heads,
                           int64_t max_positions, gw_graph **out) {
    *out = NULL;
    if (layer < 0 || head < 0 || head >= heads)
        return gw_fail(GW_ERR_RANGE, "layer %d, head %d of %d: no such head", layer, head, heads);
    return build_heads(pattern, shape, layer, heads, max_positions, head, head + 1, out);
}

gw_status gw_pattern_layer(const gw_pattern *pattern, const gw_graph_shape *shape, int layer, int heads,
                           int64_t max_positions, gw_graph **graphs) {
    return build_heads(pattern, shape, layer, heads, max_positions, 0, heads, graphs);
}
