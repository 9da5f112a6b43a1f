// SPDX-License-Identifier: MIT
// Each run of bases is cut into windows as wide as those of training, and each window is read on + and on -.
#include "task/bases/base_tiles.h"

#include "base/memory.h"
#include "task/bases/base_set.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 4000 }; // of windows of models that do not say

typedef struct {
    const gw_tiles *tiles;
    int64_t width, classes;
    int64_t *first_window; // [runs + 1] of each run, both strands counted as one
    float *values;         // [width][strands][classes] of a window
    gw_base_tiles_sink *sink;
    void *context;
} tile_pass;

static const gw_tile_run *run_of(const tile_pass *p, int64_t window, int64_t *offset, int64_t *count) {
    int64_t run = 0, high = p->tiles->run_count - 1;
    while (run < high) {
        const int64_t middle = (run + high + 1) / 2;
        if (window >= p->first_window[middle]) run = middle;
        else high = middle - 1;
    }
    const gw_tile_run *of = &p->tiles->runs[run];
    *offset = (window - p->first_window[run]) * p->width;
    *count = of->count - *offset < p->width ? of->count - *offset : p->width;
    return of;
}

static gw_region window_of(const void *context, int64_t i) {
    int64_t offset, count;
    const gw_tile_run *run = run_of(context, i / GW_BASE_STRANDS, &offset, &count);
    return (gw_region){.contig = run->contig,
                       .begin = run->first + offset,
                       .end = run->first + offset + count,
                       .strand = i % GW_BASE_STRANDS ? '-' : '+'};
}

static gw_status take(void *context, int64_t i, const gw_region *window, const float *rows) {
    tile_pass *p = context;
    int64_t offset, count;
    const gw_tile_run *run = run_of(p, i / GW_BASE_STRANDS, &offset, &count);
    const int64_t strand = i % GW_BASE_STRANDS;
    for (int64_t b = 0; b < count; b++)
        memcpy(p->values + (b * GW_BASE_STRANDS + strand) * p->classes, rows + b * p->classes,
               (size_t)p->classes * sizeof *rows);
    if (strand + 1 < GW_BASE_STRANDS) return GW_OK;
    return p->sink(p->context, window->contig, window->begin, run->before + offset, count, p->values);
}

static gw_status run_pass(gw_base_network *network, gw_genome *genome, tile_pass *p) {
    const int64_t runs = p->tiles->run_count;
    p->first_window = gw_alloc(runs + 1, sizeof *p->first_window);
    p->values = gw_alloc(p->width * GW_BASE_STRANDS * p->classes, sizeof *p->values);
    if (!p->first_window || !p->values) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < runs; i++)
        p->first_window[i + 1] = p->first_window[i] + (p->tiles->runs[i].count + p->width - 1) / p->width;
    const gw_base_pass pass = {.genome = genome,
                               .count = GW_BASE_STRANDS * p->first_window[runs],
                               .longest = p->width,
                               .window = window_of,
                               .take = take,
                               .context = p,
                               .progress = "predict"};
    return gw_base_pass_run(network, &pass);
}

gw_status gw_predict_bases(gw_model *model, gw_genome *genome, const gw_tiles *tiles, int64_t batch_tokens,
                           gw_base_tiles_sink *sink, void *context) {
    const int64_t flank = gw_base_flank(model), bin = model->config.bin;
    tile_pass p = {.tiles = tiles,
                   .width = bin > 0 ? bin : WIDTH,
                   .classes = model->config.labels,
                   .sink = sink,
                   .context = context};
    const gw_base_network_options options = {.tokens = batch_tokens, .longest = p.width + 2 * flank, .flank = flank};
    gw_base_network *network;
    GW_TRY(gw_base_network_new(model, &options, &network));
    const gw_status status = run_pass(network, genome, &p);
    free(p.first_window);
    free(p.values);
    gw_base_network_free(network);
    return status;
}
