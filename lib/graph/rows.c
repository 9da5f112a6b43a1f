// SPDX-License-Identifier: MIT
// Pattern -> block lists -> graph. The window and the global blocks of a row are a set (each listed once); random
// blocks follow: distinct new ones by Philox, or those of BigBird's tables, whose repeats stay.
#include "graph/pattern.h"

#include "base/memory.h"
#include "base/random.h"
#include "graph/bigbird.h"
#include "graph/lists.h"

#include <stdlib.h>

enum { GOOGLE_FULL = 512 }; // tokens (modeling.py, BertModel)

int64_t gw_pattern_blocks(const gw_pattern *pattern, int64_t tokens) {
    return (tokens + pattern->block - 1) / pattern->block;
}

bool gw_pattern_is_full(const gw_pattern *pattern, int64_t tokens) {
    const int64_t blocks = gw_pattern_blocks(pattern, tokens);
    if (pattern->full) return true;
    if (pattern->tables == GW_TABLES_GOOGLE) return tokens <= GOOGLE_FULL;
    if (pattern->tables != GW_TABLES_OWN) return blocks <= 5 + 2 * (int64_t)pattern->random;
    return blocks < (int64_t)pattern->window + pattern->global + pattern->random;
}

bool gw_pattern_differs_by_head(const gw_pattern *pattern) {
    return pattern->random > 0 && pattern->tables != GW_TABLES_HF_EVAL;
}

static bool is_global(const gw_pattern *p, int64_t blocks, int64_t block) {
    return block < (p->global + 1) / 2 || block >= blocks - p->global / 2;
}

static bool in_window(const gw_pattern *p, int64_t row, int64_t column) {
    return p->window > 0 && llabs(row - column) <= p->window / 2;
}

gw_part gw_pattern_part(const gw_pattern *pattern, int64_t blocks, int64_t row, int64_t column) {
    if (in_window(pattern, row, column)) return GW_PART_WINDOW;
    if (is_global(pattern, blocks, row) || is_global(pattern, blocks, column)) return GW_PART_GLOBAL;
    return GW_PART_RANDOM;
}

static int64_t list_range(int32_t *list, int64_t count, int64_t first, int64_t end) {
    for (int64_t block = first; block < end; block++) list[count++] = (int32_t)block;
    return count;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

// The window's and the global blocks of a row that is not itself global, sorted, each once.
static int64_t list_fixed(const gw_pattern *p, int64_t blocks, int64_t row, int32_t *list) {
    const int64_t head = (p->global + 1) / 2, tail = blocks - p->global / 2; // globals are below head and from tail on
    const int64_t reach = p->window / 2, begin = clamp(row - reach, head, tail);
    const int64_t end = p->window > 0 ? clamp(row + reach + 1, begin, tail) : begin;
    int64_t count = list_range(list, 0, 0, head);
    count = list_range(list, count, begin, end);
    return list_range(list, count, tail, blocks);
}

// Adds `wanted` blocks, each uniform among those that the sorted list does not hold yet, and keeps it sorted: the k-th
// free block is found by stepping over the listed ones.
static int64_t list_random(gw_random *random, int64_t blocks, int64_t wanted, int32_t *list, int64_t count) {
    for (int64_t i = 0; i < wanted; i++) {
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

static int64_t list_table(const row_source *s, int64_t row, int32_t *list, int64_t count) {
    const gw_pattern *p = s->pattern;
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

static gw_status build_head(const row_source *source, gw_graph **out) {
    *out = NULL;
    gw_block_lists lists = {.blocks = source->blocks};
    int32_t *list = gw_alloc(source->blocks + source->pattern->random, sizeof *list);
    gw_status status = list ? GW_OK : GW_ERR_MEMORY;
    for (int64_t row = 0; status == GW_OK && row < source->blocks; row++)
        status = gw_block_lists_add(&lists, list, list_row(source, row, list));
    if (status == GW_OK) status = gw_graph_build(source->pattern->block, &lists, out);
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

// Builds the graphs of heads first .. end - 1 into graphs[0 .. end - first).
static gw_status build_heads(const gw_pattern *pattern, int64_t tokens, int layer, int heads, int64_t max_positions,
                             int first, int end, gw_graph **graphs) {
    const int64_t blocks = gw_pattern_blocks(pattern, tokens);
    if (tokens < 1 || blocks > INT32_MAX)
        return gw_fail(GW_ERR_RANGE, "no attention graph for %lld tokens", (long long)tokens);
    row_source source = {
        .pattern = pattern, .blocks = blocks, .full = gw_pattern_is_full(pattern, tokens), .layer = layer};
    int32_t *table;
    GW_TRY(draw_table(&source, heads, max_positions, &table));
    gw_status status = GW_OK;
    int done = 0;
    for (; status == GW_OK && first + done < end; done++) {
        source.head = first + done;
        source.table = table ? table + (blocks - 2) * pattern->random * source.head : NULL;
        status = build_head(&source, &graphs[done]);
    }
    free(table);
    if (status == GW_OK) return GW_OK;
    while (done-- > 0) gw_graph_free(graphs[done]);
    return status;
}

gw_status gw_pattern_graph(const gw_pattern *pattern, int64_t tokens, int layer, int head, int heads,
                           int64_t max_positions, gw_graph **out) {
    *out = NULL;
    if (layer < 0 || head < 0 || head >= heads)
        return gw_fail(GW_ERR_RANGE, "layer %d, head %d of %d: no such head", layer, head, heads);
    return build_heads(pattern, tokens, layer, heads, max_positions, head, head + 1, out);
}

gw_status gw_pattern_layer(const gw_pattern *pattern, int64_t tokens, int layer, int heads, int64_t max_positions,
                           gw_graph **graphs) {
    return build_heads(pattern, tokens, layer, heads, max_positions, 0, heads, graphs);
}
