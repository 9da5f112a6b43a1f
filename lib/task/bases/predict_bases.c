// SPDX-License-Identifier: MIT
// Probabilities come run by run: stretches are closed at a run's end and written in order.
#include "task/bases/predict_bases.h"

#include "base/memory.h"
#include "file/lines.h"
#include "task/bases/base_tiles.h"

#include <stdlib.h>

// Bases of one class on a strand.
typedef struct {
    int64_t begin, end;
    int strand;
    int64_t class;
    double sum; // of probabilities
} stretch;

typedef struct {
    const gw_model *model;
    gw_genome *genome;
    double least;
    gw_text_writer *out;
    stretch *stretches; // of the run at hand
    int64_t count, capacity;
    int64_t *open; // [strands][classes] index of the stretch that goes on; -1: none
    int contig;
    int64_t end; // of the run so far
} bed_writer;

static int by_begin(const void *a, const void *b) {
    const stretch *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->strand != y->strand) return x->strand - y->strand;
    return (x->class > y->class) - (x->class < y->class);
}

static gw_status write_run(bed_writer *w) {
    if (w->count > 1) qsort(w->stretches, (size_t)w->count, sizeof *w->stretches, by_begin);
    for (int64_t i = 0; i < w->count; i++) {
        const stretch *s = &w->stretches[i];
        const double mean = s->sum / (double)(s->end - s->begin);
        GW_TRY(gw_writer_printf(w->out, "%s\t%lld\t%lld\t%s\t%d\t%c\t%.6g\n", gw_genome_name(w->genome, w->contig),
                                (long long)s->begin, (long long)s->end, w->model->config.label_names[s->class],
                                (int)(1000 * mean + 0.5), "+-"[s->strand], mean));
    }
    w->count = 0;
    for (int64_t i = 0; i < GW_BASE_STRANDS * w->model->config.labels; i++) w->open[i] = -1;
    return GW_OK;
}

static bool is_called(const bed_writer *w, const float *p, int64_t class) {
    if (w->least > 0 || w->model->config.overlap) return (double)p[class] >= (w->least > 0 ? w->least : 0.5);
    for (int64_t c = 0; c < w->model->config.labels; c++)
        if (p[c] > p[class] || (p[c] == p[class] && c < class)) return false;
    return true;
}

static gw_status add_base(bed_writer *w, int64_t base, int strand, const float *p) {
    const int64_t classes = w->model->config.labels;
    for (int64_t c = 1; c < classes; c++) {
        int64_t *open = &w->open[strand * classes + c];
        if (!is_called(w, p, c)) {
            *open = -1;
            continue;
        }
        if (*open < 0) {
            GW_TRY(gw_reserve(&w->stretches, &w->capacity, w->count + 1, sizeof *w->stretches));
            w->stretches[ *open = w->count++] = (stretch){.begin = base, .strand = strand, .class = c};
        }
        w->stretches[*open].end = base + 1;
        w->stretches[*open].sum += (double)p[c];
    }
    return GW_OK;
}

static gw_status add_bed(void *context, int contig, int64_t begin, int64_t first, int64_t count, const float *values) {
    bed_writer *w = context;
    const int64_t classes = w->model->config.labels;
    (void)first;
    if (contig != w->contig || begin != w->end) GW_TRY(write_run(w));
    w->contig = contig;
    w->end = begin + count;
    for (int64_t b = 0; b < count; b++)
        for (int strand = 0; strand < GW_BASE_STRANDS; strand++)
            GW_TRY(add_base(w, begin + b, strand, values + (b * GW_BASE_STRANDS + strand) * classes));
    return GW_OK;
}

static gw_status write_bed(gw_model *model, gw_genome *genome, const gw_tiles *tiles,
                           const gw_predict_bases_options *o) {
    const int64_t open = GW_BASE_STRANDS * model->config.labels;
    bed_writer w = {.model = model, .genome = genome, .least = o->least, .contig = -1};
    GW_TRY(gw_writer_open(o->output, &w.out));
    w.open = gw_alloc(open, sizeof *w.open);
    gw_status status = w.open ? write_run(&w) : GW_ERR_MEMORY; // nothing is open
    if (status == GW_OK) status = gw_predict_bases(model, genome, tiles, o->batch_tokens, add_bed, &w);
    if (status == GW_OK) status = write_run(&w);
    free(w.stretches);
    free(w.open);
    return gw_writers_close(status, w.out, NULL);
}

// --- tracks --------------------------------------------------------------------------------------------------------

typedef struct {
    gw_track_folder folder;
    int64_t classes;
    float *values; // of the call at hand, without those of none
    int64_t capacity;
} track_writer;

static gw_status add_tracks(void *context, int contig, int64_t begin, int64_t first, int64_t count,
                            const float *values) {
    track_writer *w = context;
    const int64_t labels = w->classes - 1;
    (void)contig, (void)begin;
    GW_TRY(gw_reserve(&w->values, &w->capacity, count * GW_BASE_STRANDS * labels, sizeof *w->values));
    for (int64_t i = 0; i < count * GW_BASE_STRANDS; i++)
        for (int64_t c = 0; c < labels; c++) w->values[i * labels + c] = values[i * w->classes + 1 + c];
    return gw_track_folder_add(&w->folder, first, count, w->values);
}

static gw_status write_tracks(gw_model *model, gw_genome *genome, const gw_tiles *tiles,
                              const gw_predict_bases_options *o) {
    const int64_t labels = model->config.labels - 1, all = GW_BASE_STRANDS * labels;
    char **names = gw_alloc(all, sizeof *names);
    if (!names) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < all; i++) {
        names[i] = gw_strprintf("%s.%s", model->config.label_names[1 + i % labels], i < labels ? "plus" : "minus");
        if (!names[i]) status = GW_ERR_MEMORY;
    }
    track_writer w = {.classes = model->config.labels,
                      .folder = {.folder = o->tracks,
                                 .suffix = o->suffix,
                                 .tiles = tiles,
                                 .genome = genome,
                                 .names = (const char *const *)names,
                                 .labels = all}};
    if (status == GW_OK) status = gw_track_folder_open(&w.folder);
    if (status == GW_OK) status = gw_predict_bases(model, genome, tiles, o->batch_tokens, add_tracks, &w);
    if (status == GW_OK) status = gw_track_folder_write(&w.folder);
    gw_track_folder_free(&w.folder);
    for (int64_t i = 0; i < all; i++) free(names[i]);
    free(names);
    free(w.values);
    return status;
}

gw_status gw_write_bases(gw_model *model, gw_genome *genome, const gw_predict_bases_options *options) {
    gw_tiles tiles;
    if (!model->config.label_names) return gw_fail(GW_ERR_UNSUPPORTED, "the model does not name its classes");
    GW_TRY(gw_tiles_make(&tiles, genome, options->regions, 1));
    const gw_status status = (options->tracks ? write_tracks : write_bed)(model, genome, &tiles, options);
    gw_tiles_free(&tiles);
    return status;
}
