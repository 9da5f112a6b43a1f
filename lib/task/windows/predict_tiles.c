// SPDX-License-Identifier: MIT
// Tiles are made run by run, and predicted chunk by chunk: the windows of a chunk that can be read go through the
// models together, and their values to the places of their tiles.
#include "task/windows/track_folder.h"

#include "base/log.h"
#include "base/memory.h"
#include "seq/vcf/variant.h"

#include <math.h>
#include <stdlib.h>

enum { CHUNK = 256 }; // tiles whose windows are held at a time

static gw_status add_run(gw_tiles *tiles, int contig, int64_t first, int64_t end) {
    gw_tile_run *last = tiles->run_count > 0 ? &tiles->runs[tiles->run_count - 1] : NULL;
    if (last && last->contig == contig && first <= last->first + last->count) {
        if (end <= last->first + last->count) return GW_OK;
        tiles->count += end - last->first - last->count;
        last->count = end - last->first;
        return GW_OK;
    }
    if (first >= end) return GW_OK;
    GW_TRY(gw_reserve(&tiles->runs, &tiles->capacity, tiles->run_count + 1, sizeof *tiles->runs));
    tiles->runs[tiles->run_count++] = (gw_tile_run){contig, first, end - first, tiles->count};
    tiles->count += end - first;
    return GW_OK;
}

static gw_status add_regions(gw_tiles *tiles, const gw_genome *genome, gw_regions *regions) {
    gw_regions_merge(regions);
    for (int64_t i = 0; i < regions->count; i++) {
        const gw_region *r = &regions->items[i];
        const int64_t most = gw_genome_length(genome, r->contig) / tiles->step;
        const int64_t end = (r->end + tiles->step - 1) / tiles->step;
        GW_TRY(add_run(tiles, r->contig, r->begin / tiles->step, end < most ? end : most));
    }
    return GW_OK;
}

gw_status gw_tiles_make(gw_tiles *tiles, const gw_genome *genome, gw_regions *regions, int64_t step) {
    *tiles = (gw_tiles){.step = step};
    gw_status status = GW_OK;
    if (regions) status = add_regions(tiles, genome, regions);
    for (int c = 0; status == GW_OK && !regions && c < gw_genome_contigs(genome); c++)
        status = add_run(tiles, c, 0, gw_genome_length(genome, c) / step);
    if (status == GW_OK && tiles->count == 0)
        status = gw_fail(GW_ERR_UNSUPPORTED, "no tile of %lld bp lies in the regions", (long long)step);
    if (status != GW_OK) gw_tiles_free(tiles);
    return status;
}

void gw_tiles_free(gw_tiles *tiles) {
    free(tiles->runs);
    *tiles = (gw_tiles){0};
}

typedef struct {
    const gw_ensemble *ensemble;
    gw_genome *genome;
    const gw_tiles *tiles;
    int64_t window, before, labels; // bp of a window, and those before a tile's middle on the + strand
    int strands;
    char *bases;              // [CHUNK][window]
    const char **windows;     // [CHUNK]
    int64_t *lengths, *place; // [CHUNK]; place: tile of the chunk
    char *forward;            // [window]
    float *found, *scratch;   // [CHUNK][labels]
    float *values;            // [CHUNK][strands][labels]
    gw_tiles_left_out *left_out;
} tile_reader;

// The window of a tile of the contig, behind the `count` that are held; *taken says whether it is to be run. Read in
// reverse, on the other strand, the middle has r->before bases on its right.
static gw_status read_window(tile_reader *r, int contig, int64_t number, bool reverse, int64_t count, bool *taken) {
    const int64_t middle = number * r->tiles->step + r->tiles->step / 2;
    const int64_t begin = reverse ? middle + r->before + 1 - r->window : middle - r->before;
    char *bases = r->bases + count * r->window, *read = reverse ? r->forward : bases;
    *taken = begin >= 0 && begin + r->window <= gw_genome_length(r->genome, contig);
    r->left_out->beyond += !*taken;
    if (!*taken) return GW_OK;
    GW_TRY(gw_genome_fetch(r->genome, contig, begin, begin + r->window, read));
    if (reverse) gw_reverse_complement(read, r->window, bases);
    *taken = !gw_window_is_n_rich(bases, r->window);
    r->left_out->n_rich += !*taken;
    r->windows[count] = bases;
    r->lengths[count] = r->window;
    return GW_OK;
}

// One strand of tiles [first, first + count) of a contig into r->values.
static gw_status predict_strand(tile_reader *r, int contig, int64_t first, int64_t count, int strand) {
    int64_t held = 0;
    for (int64_t i = 0; i < count; i++) {
        bool taken;
        GW_TRY(read_window(r, contig, first + i, strand > 0, held, &taken));
        if (taken) r->place[held++] = i;
    }
    if (held > 0) GW_TRY(gw_ensemble_run(r->ensemble, r->windows, r->lengths, held, r->scratch, r->found));
    for (int64_t i = 0; i < held; i++) {
        float *values = r->values + (r->place[i] * r->strands + strand) * r->labels;
        for (int64_t l = 0; l < r->labels; l++) values[l] = r->found[i * r->labels + l];
    }
    return GW_OK;
}

static gw_status predict_chunk(tile_reader *r, int contig, int64_t first, int64_t count) {
    for (int64_t v = 0; v < count * r->strands * r->labels; v++) r->values[v] = NAN;
    for (int strand = 0; strand < r->strands; strand++) GW_TRY(predict_strand(r, contig, first, count, strand));
    return GW_OK;
}

static gw_status predict_run(tile_reader *r, const gw_tile_run *run, gw_tiles_sink *sink, void *context) {
    for (int64_t done = 0; done < run->count; done += CHUNK) {
        const int64_t count = run->count - done < CHUNK ? run->count - done : CHUNK;
        GW_TRY(gw_check_interrupt());
        const gw_status status = predict_chunk(r, run->contig, run->first + done, count);
        if (status != GW_OK)
            return gw_fail_in(status, "%s, tiles from %lld on", gw_genome_name(r->genome, run->contig),
                              (long long)((run->first + done) * r->tiles->step + 1));
        GW_TRY(sink(context, run->before + done, count, r->values));
        gw_progress("predict", run->before + done + count, r->tiles->count, "tiles", NULL);
    }
    return GW_OK;
}

gw_status gw_predict_tiles(const gw_ensemble *ensemble, gw_genome *genome, const gw_tiles *tiles, int64_t window,
                           int64_t tss_offset, int strands, gw_tiles_sink *sink, void *context,
                           gw_tiles_left_out *left_out) {
    const int64_t labels = gw_label_predictor_labels(ensemble->items[0]);
    tile_reader r = {.ensemble = ensemble,
                     .genome = genome,
                     .tiles = tiles,
                     .window = window,
                     .before = tss_offset >= 0 ? tss_offset : window / 2,
                     .labels = labels,
                     .strands = strands,
                     .forward = gw_alloc(window, 1),
                     .bases = gw_alloc(CHUNK, window),
                     .windows = gw_alloc(CHUNK, sizeof *r.windows),
                     .lengths = gw_alloc(CHUNK, sizeof *r.lengths),
                     .place = gw_alloc(CHUNK, sizeof *r.place),
                     .found = gw_alloc(CHUNK * labels, sizeof *r.found),
                     .values = gw_alloc(CHUNK * labels * strands, sizeof *r.values),
                     .scratch = gw_alloc(CHUNK * labels, sizeof *r.scratch),
                     .left_out = left_out};
    *left_out = (gw_tiles_left_out){0};
    const bool capacity = r.bases && r.forward && r.windows && r.lengths && r.place && r.found && r.values && r.scratch;
    gw_status status = capacity ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < tiles->run_count; i++)
        status = predict_run(&r, &tiles->runs[i], sink, context);
    gw_progress_end();
    free(r.bases);
    free(r.forward);
    free(r.windows);
    free(r.lengths);
    free(r.place);
    free(r.found);
    free(r.values);
    free(r.scratch);
    return status;
}
