// SPDX-License-Identifier: MIT
// Graphs of a pattern or of a checkpoint's layout, and the source that keeps them. The window, the band and the global
// blocks of a row are a set (each listed once). Random blocks follow: distinct new ones by Philox, or those of
// BigBird's tables with their repetitions.
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "graph/bigbird.h"
#include "graph/build.h"
#include "graph/pattern.h"
#include "graph/source.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

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

// Blocks on either side of a row's own that hold tokens of its band.
static int64_t band_reach(const gw_pattern *p) {
    return ((int64_t)p->band + p->block - 1) / p->block;
}

gw_part gw_pattern_part(const gw_pattern *pattern, int64_t blocks, int64_t row, int64_t column) {
    if (pattern->window > 0 && llabs(row - column) <= pattern->window / 2) return GW_PART_WINDOW;
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

// Row's list into `list`, which has room for blocks + random: first the window's, the band's and the global blocks,
// sorted, each once; then random ones. BigBird's tables have rows 1 .. blocks - 2; row 0 is always global, the last one
// where the globals stand at both ends.
static int64_t list_row(const row_source *s, int64_t row, int32_t *list) {
    const gw_pattern *p = s->pattern;
    if (s->full || is_global(p, s->blocks, row)) return list_range(list, 0, 0, s->blocks);
    const int64_t head = head_end(p), tail = tail_begin(p, s->blocks);
    const int64_t reach = gw_max(p->band > 0 ? band_reach(p) : 0, p->window / 2);
    const int64_t begin = clamp(row - reach, head, tail);
    const int64_t end = p->window > 0 || p->band > 0 ? clamp(row + reach + 1, begin, tail) : begin;
    int64_t count = list_range(list, 0, 0, head);
    count = list_range(list, count, begin, end);
    count = list_range(list, count, tail, s->blocks);
    if (p->tables == GW_TABLES_OWN) {
        gw_random random =
            gw_random_at(p->seed, GW_SITE_PATTERN, (uint64_t)s->layer << 32 | (uint64_t)row, (uint32_t)s->head);
        return list_random(&random, s->blocks, p->random, list, count);
    }
    for (int k = 0; k < p->random && row <= s->blocks - 2; k++) {
        const int32_t block = s->table ? s->table[(row - 1) * p->random + k] : 0;
        int64_t at = p->tables == GW_TABLES_SET ? 0 : count; // a set has no block twice
        while (at < count && list[at] != block) at++;
        if (at == count) list[count++] = block;
    }
    return count;
}

// From rows of the square pattern to those of the queries. Global tokens are bits: those of a block of keys are the
// same in every row, those of a block of queries in every column.

// Bits of a block whose tokens begin at position `first`: its global queries read every key or, by_key, every query
// reads its global keys. -1 where it has none.
static gw_status global_bits(const gw_graph_shape *shape, gw_block_lists *lists, int64_t first, bool by_key,
                             int64_t *index) {
    const int64_t block = lists->block;
    *index = -1;
    for (int64_t t = 0; t < block && first + t < shape->flags; t++) {
        if (!shape->global[first + t]) continue;
        if (*index < 0) GW_TRY(gw_block_lists_bits(lists, index));
        for (int64_t other = 0; other < block; other++)
            gw_block_lists_set(lists, *index, by_key ? other : t, by_key ? t : other);
    }
    return GW_OK;
}

static gw_status put_row(const row_source *s, gw_block_lists *lists, int64_t row, int64_t reads, int32_t *list) {
    const int64_t count = list_row(s, row, list);
    gw_status status = GW_OK;
    for (int64_t k = 0; status == GW_OK && k < count; k++) {
        const bool banded = !s->full && gw_pattern_part(s->pattern, s->blocks, row, list[k]) == GW_PART_BAND;
        status = gw_block_lists_put(lists, list[k], banded ? GW_READS_BAND : reads);
    }
    return status;
}

// Adds the blocks that the global tokens of a row's queries read, and those of global keys; columns [key blocks]: the
// bits of a block's global keys, -1 where it has none.
static gw_status put_globals(const gw_graph_shape *shape, const int64_t *columns, gw_block_lists *lists) {
    int64_t row;
    GW_TRY(global_bits(shape, lists, shape->offset + lists->rows * lists->block, false, &row));
    for (int64_t c = 0; c < lists->blocks; c++) {
        if (columns[c] >= 0) GW_TRY(gw_block_lists_put(lists, c, columns[c]));
        if (row >= 0) GW_TRY(gw_block_lists_put(lists, c, row));
    }
    return GW_OK;
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
static gw_status put_rows(const row_source *s, const gw_graph_shape *shape, const int64_t *columns,
                          gw_block_lists *lists, int32_t *list) {
    const int64_t block = lists->block, first = shape->offset / block, within = s->full ? 0 : shape->offset % block;
    int64_t upper = GW_READS_ALL, lower = GW_READS_ALL;
    if (within > 0) GW_TRY(some_queries(lists, 0, block - within, &upper));
    if (within > 0) GW_TRY(some_queries(lists, block - within, block, &lower));
    for (int64_t row = first; row < first + gw_pattern_blocks(s->pattern, shape->queries); row++) {
        GW_TRY(put_row(s, lists, row, upper, list));
        if (within > 0 && row + 1 < s->blocks) GW_TRY(put_row(s, lists, row + 1, lower, list));
        if (shape->global) GW_TRY(put_globals(shape, columns, lists));
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
    int64_t *columns = gw_alloc(shape->global ? source->blocks : 0, sizeof *columns);
    gw_status status = list && columns ? GW_OK : GW_ERR_MEMORY;
    for (int64_t c = 0; shape->global && status == GW_OK && c < source->blocks; c++)
        status = global_bits(shape, &lists, c * lists.block, true, &columns[c]);
    if (status == GW_OK) status = put_rows(source, shape, columns, &lists, list);
    if (status == GW_OK) status = gw_graph_build(&lists, out);
    gw_block_lists_free(&lists);
    free(columns);
    free(list);
    return status;
}

// Fails where a graph of this shape has no meaning: queries that do not stand among the keys, but for full attention;
// an offset within a block for tables that list blocks twice.
static gw_status check_shape(const gw_pattern *pattern, const gw_graph_shape *shape) {
    const long long queries = shape->queries, keys = shape->keys, offset = shape->offset;
    if (queries < 1 || keys < 1 || offset < 0 || gw_pattern_blocks(pattern, keys) > INT32_MAX ||
        gw_pattern_blocks(pattern, queries) > INT32_MAX)
        return gw_fail(GW_ERR_RANGE, "no attention graph for %lld tokens that read %lld, from %lld on", queries, keys,
                       offset);
    if (gw_pattern_is_full(pattern, keys)) return GW_OK;
    if (offset + queries > keys)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "%lld queries from position %lld on read %lld keys: only full attention allows queries that are not "
            "among the keys",
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
    GW_TRY(check_shape(pattern, shape));
    const int64_t blocks = gw_pattern_blocks(pattern, shape->keys);
    row_source source = {
        .pattern = pattern, .blocks = blocks, .full = gw_pattern_is_full(pattern, shape->keys), .layer = layer};
    // BigBird's tables of all heads; the implementations fail for some shapes.
    const gw_bigbird_shape tables = {.block = pattern->block,
                                     .blocks = (int)blocks,
                                     .random = pattern->random,
                                     .layer = layer,
                                     .heads = heads,
                                     .max_positions = max_positions,
                                     .google = pattern->tables == GW_TABLES_GOOGLE};
    int32_t *table = NULL;
    gw_status status = GW_OK;
    if (!source.full && pattern->tables == GW_TABLES_HF_EVAL) status = gw_bigbird_check(&tables);
    else if (!source.full && pattern->tables != GW_TABLES_OWN) status = gw_bigbird_table(&tables, &table);
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

// The graph of one head of a checkpoint's layout: a set of blocks a row, nothing counted twice.
static gw_status build_layout_head(const gw_layout *layout, const gw_pattern *pattern, const gw_graph_shape *shape,
                                   int layer, int head, gw_graph **out) {
    const int64_t blocks = gw_pattern_blocks(pattern, shape->keys), first = shape->offset / pattern->block;
    const int64_t end = first + gw_pattern_blocks(pattern, shape->queries), n = layout->blocks;
    const uint8_t *cell = layout->cell + ((int64_t)layer * layout->heads + head) * n * n;
    gw_block_lists lists = {
        .block = pattern->block, .blocks = blocks, .offset = shape->offset, .causal = pattern->causal};
    gw_status status = GW_OK;
    for (int64_t row = first; status == GW_OK && row < end; row++) {
        const int64_t before = lists.count;
        for (int64_t column = 0; status == GW_OK && column < blocks; column++)
            if (cell[row * n + column]) status = gw_block_lists_put(&lists, column, GW_READS_ALL);
        if (status == GW_OK && lists.count == before)
            status = gw_fail(GW_ERR_FORMAT,
                             "the checkpoint's layout: layer %d, head %d: row %lld reads none of the first %lld blocks",
                             layer, head, (long long)row, (long long)blocks);
        if (status == GW_OK) status = gw_block_lists_end_row(&lists);
    }
    if (status == GW_OK) status = gw_graph_build(&lists, out);
    gw_block_lists_free(&lists);
    return status;
}

// The graphs of a layer's heads: graphs[heads] of the caller. An input longer than the layout, a row that reads
// nothing, and queries that do not begin a block are errors.
static gw_status build_layout(const gw_layout *layout, const gw_pattern *pattern, const gw_graph_shape *shape,
                              int layer, gw_graph **graphs) {
    const int64_t blocks = gw_pattern_blocks(pattern, shape->keys);
    if (blocks > layout->blocks)
        return gw_fail(GW_ERR_RANGE, "an input of %lld blocks of %d tokens; the checkpoint's layout has %d",
                       (long long)blocks, pattern->block, layout->blocks);
    if (shape->offset % pattern->block != 0 || shape->offset + shape->queries > shape->keys || shape->global)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "the checkpoint's layout: queries begin one of its blocks of %d tokens, are among their keys and have no "
            "global tokens; found %lld of %lld keys, from position %lld on",
            pattern->block, (long long)shape->queries, (long long)shape->keys, (long long)shape->offset);
    for (int head = 0; head < layout->heads; head++) {
        const gw_status status = build_layout_head(layout, pattern, shape, layer, head, &graphs[head]);
        while (status != GW_OK && head > 0) gw_graph_free(graphs[--head]);
        GW_TRY(status);
    }
    return GW_OK;
}

// The source keeps graphs by the shape and the layer that they were made for. Full attention is the same
// in all layers and heads, and so is a pattern without anything drawn in all layers that do not read every block.

enum { KEPT_BYTES = 1 << 28 }; // ten lengths of 65,536 tokens, all of those up to 8,192

enum { EVERY_LAYER = -1, FULL = -2 };

typedef struct {
    int64_t query_blocks, key_blocks, offset;
    int layer;       // or EVERY_LAYER, FULL
    int64_t flags;   // of `global`
    uint8_t *global; // by structure, or NULL
    int heads;       // that have a graph
    gw_graph **graphs;
} entry;

typedef struct pattern_source {
    gw_graph_source source; // first: the interface's functions find the rest behind it
    gw_pattern pattern;
    const gw_layout *layout; // or NULL
    int layers, heads;
    int64_t max_positions;
    void *kept; // entries, a tree of search.h
} pattern_source;

static int compare(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int compare_entries(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->key_blocks != y->key_blocks) return compare(x->key_blocks, y->key_blocks);
    if (x->query_blocks != y->query_blocks) return compare(x->query_blocks, y->query_blocks);
    if (x->offset != y->offset) return compare(x->offset, y->offset);
    if (x->layer != y->layer) return compare(x->layer, y->layer);
    if (x->flags != y->flags) return compare(x->flags, y->flags);
    return x->flags > 0 ? memcmp(x->global, y->global, (size_t)x->flags) : 0;
}

static void free_entry(void *freed) {
    entry *e = freed;
    for (int h = 0; e->graphs && h < e->heads; h++) gw_graph_free(e->graphs[h]);
    free(e->graphs);
    free(e->global);
    free(e);
}

// Adds the key's entry to those kept.
static gw_status make_entry(pattern_source *s, const gw_graph_request *request, const entry *key, entry **out) {
    entry *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    *e = *key;
    e->graphs = gw_alloc(e->heads, sizeof *e->graphs);
    e->global = gw_alloc(e->flags, 1);
    gw_status status = e->graphs && e->global ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && e->flags > 0) memcpy(e->global, request->shape.global, (size_t)e->flags);
    if (status == GW_OK && s->layout && e->layer != FULL)
        status = build_layout(s->layout, &s->pattern, &request->shape, e->layer, e->graphs);
    else if (status == GW_OK)
        status = build_heads(&s->pattern, &request->shape, request->layer, e->heads, s->max_positions, 0, e->heads,
                             e->graphs);
    if (status != GW_OK) e->heads = 0; // none was left
    for (int h = 0; s->source.kernels && status == GW_OK && h < e->heads; h++)
        status = gw_graph_to_device(e->graphs[h], s->source.kernels);
    if (status == GW_OK && !tsearch(e, &s->kept, compare_entries)) status = gw_fail(GW_ERR_MEMORY, "out of memory");
    if (status != GW_OK) {
        free_entry(e);
        return status;
    }
    for (int h = 0; h < e->heads; h++) s->source.bytes += gw_graph_bytes(e->graphs[h]);
    *out = e;
    return GW_OK;
}

static gw_status get(gw_graph_source *source, const gw_graph_request *request, const gw_graph *const **graphs,
                     int *graph_step) {
    pattern_source *s = (pattern_source *)source;
    if (request->layer < 0 || request->layer >= s->layers)
        return gw_fail(GW_ERR_RANGE, "no attention graph in layer %d of %d", request->layer, s->layers);
    const gw_pattern own = gw_pattern_of_layer(&s->pattern, request->layer);
    GW_TRY(check_shape(&own, &request->shape));
    const gw_graph_shape *shape = &request->shape;
    const bool full = s->layout ? s->pattern.full : gw_pattern_is_full(&own, shape->keys);
    const bool shared = full || !(s->layout || gw_pattern_differs_by_head(&own));
    const int of_all = full ? FULL : EVERY_LAYER;
    const entry key = {.query_blocks = gw_pattern_blocks(&s->pattern, shape->queries),
                       .key_blocks = gw_pattern_blocks(&s->pattern, shape->keys),
                       .offset = shape->offset,
                       .layer = shared ? of_all : request->layer,
                       .flags = shape->global ? shape->flags : 0,
                       .global = (uint8_t *)shape->global, // borrowed
                       .heads = shared ? 1 : s->heads};
    void *found = tfind(&key, &s->kept, compare_entries);
    entry *e = found ? *(entry **)found : NULL;
    if (!e) GW_TRY(make_entry(s, request, &key, &e));
    *graphs = (const gw_graph *const *)e->graphs;
    *graph_step = e->layer >= 0;
    return GW_OK;
}

static void forget(pattern_source *s) {
    tdestroy(s->kept, free_entry);
    s->kept = NULL;
    s->source.bytes = 0;
}

static void release_graphs(gw_graph_source *source) {
    if (source->bytes > source->budget) forget((pattern_source *)source);
}

static void free_source(gw_graph_source *source) {
    forget((pattern_source *)source);
    free(source);
}

gw_status gw_pattern_source_new(const gw_pattern *pattern, const gw_layout *layout, int layers, int heads,
                                int64_t max_positions, gw_graph_source **out) {
    *out = NULL;
    if (layout && (layout->layers != layers || layout->heads != heads))
        return gw_fail(GW_ERR_MISMATCH,
                       "the checkpoint's layout is of %d layers with %d heads, the model has %d with %d",
                       layout->layers, layout->heads, layers, heads);
    pattern_source *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    *s = (pattern_source){.source = {get, release_graphs, free_source, pattern->block, .budget = KEPT_BYTES},
                          .pattern = *pattern,
                          .layout = layout,
                          .layers = layers,
                          .heads = heads,
                          .max_positions = max_positions};
    *out = &s->source;
    return GW_OK;
}
