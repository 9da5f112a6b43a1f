// SPDX-License-Identifier: MIT
// Makes tiles run by run, and predicts them chunk by chunk: the readable windows of a chunk go through the models
// together, and their values are stored at their tiles.
#include "task/windows/tracks.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/string.h"
#include "file/lines.h"
#include "seq/track/track.h"
#include "seq/vcf/variant.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

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
        GW_TRY(add_run(tiles, r->contig, r->begin / tiles->step, gw_min(end, most)));
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

static gw_status predict_run(tile_reader *r, const gw_tile_run *run, gw_tiles_sink *sink, void *context) {
    for (int64_t done = 0; done < run->count; done += CHUNK) {
        const int64_t count = gw_min(run->count - done, CHUNK);
        gw_status status = gw_check_interrupt();
        if (status != GW_OK) return status;
        for (int64_t v = 0; v < count * r->strands * r->labels; v++) r->values[v] = NAN;
        for (int strand = 0; status == GW_OK && strand < r->strands; strand++)
            status = predict_strand(r, run->contig, run->first + done, count, strand);
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

// The spool is written chunk by chunk at each label's place and read back label by label.

static gw_status cannot(const gw_track_folder *tracks, const char *verb) {
    return gw_fail(GW_ERR_IO, "cannot %s values in %s: %s", verb, tracks->folder, strerror(errno));
}

gw_status gw_track_folder_open(gw_track_folder *tracks) {
    tracks->spool = NULL;
    tracks->with_value = 0;
    GW_TRY(gw_make_directory(tracks->folder));
    char *name = gw_join_path(tracks->folder, ".values.XXXXXX");
    if (!name) return GW_ERR_MEMORY;
    const int file = mkstemp(name);
    if (file >= 0) unlink(name);
    free(name);
    tracks->spool = file >= 0 ? fdopen(file, "w+b") : NULL;
    if (tracks->spool) return GW_OK;
    if (file >= 0) close(file);
    return cannot(tracks, "keep");
}

void gw_track_folder_free(gw_track_folder *tracks) {
    if (tracks->spool) fclose(tracks->spool);
    tracks->spool = NULL;
}

// Place of a label's tile in the spool.
static off_t place(const gw_track_folder *tracks, int64_t label, int64_t tile) {
    return (off_t)((label * tracks->tiles->count + tile) * (int64_t)sizeof(float));
}

gw_status gw_track_folder_add(void *context, int64_t first, int64_t count, const float *values) {
    gw_track_folder *tracks = context;
    float *column = gw_alloc(count, sizeof *column);
    gw_status status = column ? GW_OK : GW_ERR_MEMORY;
    for (int64_t l = 0; status == GW_OK && l < tracks->labels; l++) {
        for (int64_t i = 0; i < count; i++) column[i] = values[i * tracks->labels + l];
        const char *at = (const char *)column;
        off_t to = place(tracks, l, first);
        for (int64_t left = count * (int64_t)sizeof *column; status == GW_OK && left > 0;) {
            const ssize_t put = pwrite(fileno(tracks->spool), at, (size_t)left, to);
            if (put <= 0) status = cannot(tracks, "keep");
            else at += put, to += put, left -= put;
        }
    }
    for (int64_t i = 0; status == GW_OK && i < count * tracks->labels; i++) tracks->with_value += !isnan(values[i]);
    free(column);
    return status;
}

// The label's name with anything but letters, digits and ._+- as _, and its number where another label comes to the
// same (behind a ~, so that it is not another label's).
static char *file_stem(const gw_track_folder *tracks, int64_t label) {
    char *stem = gw_strdup(tracks->names[label]);
    for (char *c = stem; c && *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._+-", *c)) *c = '_';
    if (stem && (stem[0] == '.' || stem[0] == '-' || stem[0] == 0)) {
        char *longer = gw_strprintf("_%s", stem);
        free(stem);
        stem = longer;
    }
    return stem;
}

typedef struct {
    char *stem;
    int64_t label;
} named_label;

static int by_stem(const void *a, const void *b) {
    const named_label *x = a, *y = b;
    const int order = strcasecmp(x->stem, y->stem); // file systems that fold case
    return order ? order : (x->label > y->label) - (x->label < y->label);
}

// Sets names[label] to the label's file, "<stem><suffix>".
static gw_status name_files(const gw_track_folder *tracks, char **names) {
    named_label *sorted = gw_alloc(tracks->labels, sizeof *sorted);
    if (!sorted) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    for (int64_t l = 0; status == GW_OK && l < tracks->labels; l++) {
        sorted[l] = (named_label){file_stem(tracks, l), l};
        if (!sorted[l].stem) status = GW_ERR_MEMORY;
    }
    if (status == GW_OK) qsort(sorted, (size_t)tracks->labels, sizeof *sorted, by_stem);
    for (int64_t i = 0; status == GW_OK && i < tracks->labels; i++) {
        const bool again = i > 0 && strcasecmp(sorted[i].stem, sorted[i - 1].stem) == 0;
        char **name = &names[sorted[i].label];
        *name = again ? gw_strprintf("%s~%lld%s", sorted[i].stem, (long long)sorted[i].label, tracks->suffix)
                      : gw_strprintf("%s%s", sorted[i].stem, tracks->suffix);
        if (!*name) status = GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < tracks->labels; i++) free(sorted[i].stem);
    free(sorted);
    return status;
}

static gw_status write_track(const gw_track_folder *tracks, int64_t label, const char *name, gw_track_piece *pieces,
                             float *column) {
    char *at = (char *)column;
    int64_t left = tracks->tiles->count * (int64_t)sizeof *column;
    off_t from = place(tracks, label, 0);
    while (left > 0) {
        const ssize_t got = pread(fileno(tracks->spool), at, (size_t)left, from);
        if (got == 0) errno = ENODATA;
        if (got <= 0) return cannot(tracks, "read");
        at += got, from += got, left -= got;
    }
    char *path = gw_join_path(tracks->folder, name);
    if (!path) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < tracks->tiles->run_count; i++) {
        const gw_tile_run *run = &tracks->tiles->runs[i];
        const int64_t step = tracks->tiles->step;
        pieces[i] = (gw_track_piece){run->contig, run->first * step, step, run->count, column + run->before};
    }
    const gw_status status = gw_track_write(path, tracks->genome, pieces, tracks->tiles->run_count);
    free(path);
    return status;
}

gw_status gw_track_folder_write(gw_track_folder *tracks) {
    if (tracks->with_value == 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "no tile of the regions has a value: their windows leave the contig or are N");
    char **names = gw_alloc(tracks->labels, sizeof *names);
    gw_track_piece *pieces = gw_alloc(tracks->tiles->run_count, sizeof *pieces);
    float *column = gw_alloc(tracks->tiles->count, sizeof *column);
    gw_status status = names && pieces && column ? name_files(tracks, names) : GW_ERR_MEMORY;
    for (int64_t l = 0; status == GW_OK && l < tracks->labels; l++) {
        status = write_track(tracks, l, names[l], pieces, column);
        gw_progress("write", l + 1, tracks->labels, "tracks", NULL);
    }
    gw_progress_end();
    gw_string list = {0};
    gw_string_puts(&list, "label\tfile\n");
    for (int64_t l = 0; status == GW_OK && l < tracks->labels; l++)
        gw_string_printf(&list, "%s\t%s\n", tracks->names[l], names[l]);
    char *path = gw_join_path(tracks->folder, "tracks.tsv");
    if (status == GW_OK) status = path ? gw_string_status(&list) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_write_file(path, list.data, list.length);
    free(path);
    gw_string_free(&list);
    for (int64_t l = 0; names && l < tracks->labels; l++) free(names[l]);
    free(names);
    free(pieces);
    free(column);
    return status;
}
