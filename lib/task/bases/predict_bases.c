// SPDX-License-Identifier: MIT
// Labels of bases as a kind of data: predictions for sets and for regions of a genome, as intervals in BED or as
// tracks. Each run of bases is divided into windows of the training length, and each window is read on + and on -.
#include "base/memory.h"
#include "base/number.h"
#include "file/table_writer.h"
#include "label/base_classes.h"
#include "network/base_network.h"
#include "seq/genes/genes.h"
#include "task/bases/base_set.h"
#include "task/bases/evaluate_bases.h"
#include "task/data_kind.h"
#include "task/trained_on.h"
#include "task/windows/tracks.h"

#include <stdlib.h>
#include <string.h>

enum { STRANDS = 2, WIDTH = 4000 }; // of windows of models that do not say

// --- every base of regions, on both strands

// Bases [first, first + count) of the tiles, of a single base each, from `begin` of a contig on:
// values[count][strands][classes]. Runs come in order.
typedef gw_status tile_sink(void *context, int contig, int64_t begin, int64_t first, int64_t count,
                            const float *values);

typedef struct {
    const gw_tiles *tiles;
    int64_t width, classes;
    int64_t *first_window; // [runs + 1] of each run, both strands counted as one
    float *values;         // [width][strands][classes] of a window
    tile_sink *sink;
    void *context;
} tile_pass;

static const gw_tile_run *run_of(const tile_pass *p, int64_t window, int64_t *offset, int64_t *count) {
    const int64_t run = GW_FIRST_NOT(i, p->tiles->run_count, p->first_window[i] <= window) - 1;
    const gw_tile_run *of = &p->tiles->runs[run];
    *offset = (window - p->first_window[run]) * p->width;
    *count = gw_min(of->count - *offset, p->width);
    return of;
}

static gw_region window_of(const void *context, int64_t i) {
    int64_t offset, count;
    const gw_tile_run *run = run_of(context, i / STRANDS, &offset, &count);
    return (gw_region){.contig = run->contig,
                       .begin = run->first + offset,
                       .end = run->first + offset + count,
                       .strand = i % STRANDS ? '-' : '+'};
}

static gw_status take(void *context, int64_t i, const gw_region *window, const float *rows) {
    tile_pass *p = context;
    int64_t offset, count;
    const gw_tile_run *run = run_of(p, i / STRANDS, &offset, &count);
    const int64_t strand = i % STRANDS;
    for (int64_t b = 0; b < count; b++)
        memcpy(p->values + (b * STRANDS + strand) * p->classes, rows + b * p->classes,
               (size_t)p->classes * sizeof *rows);
    if (strand + 1 < STRANDS) return GW_OK;
    return p->sink(p->context, window->contig, window->begin, run->before + offset, count, p->values);
}

static gw_status predict_tiles(gw_model *model, gw_genome *genome, const gw_tiles *tiles, int64_t batch_tokens,
                               tile_sink *sink, void *context) {
    const int64_t flank = gw_base_flank(model), bin = model->config.bin, runs = tiles->run_count;
    tile_pass p = {.tiles = tiles,
                   .width = bin > 0 ? bin : WIDTH,
                   .classes = model->config.labels,
                   .sink = sink,
                   .context = context};
    const gw_base_network_options options = {.tokens = batch_tokens, .longest = p.width + 2 * flank, .flank = flank};
    gw_base_network *network;
    GW_TRY(gw_base_network_new(model, &options, &network));
    p.first_window = gw_alloc(runs + 1, sizeof *p.first_window);
    p.values = gw_alloc(p.width * STRANDS * p.classes, sizeof *p.values);
    gw_status status = p.first_window && p.values ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < runs; i++)
        p.first_window[i + 1] = p.first_window[i] + (tiles->runs[i].count + p.width - 1) / p.width;
    const gw_base_pass pass = {.genome = genome,
                               .count = p.first_window ? STRANDS * p.first_window[runs] : 0,
                               .longest = p.width,
                               .window = window_of,
                               .take = take,
                               .context = &p,
                               .progress = "predict"};
    if (status == GW_OK) status = gw_base_pass_run(network, &pass);
    free(p.first_window);
    free(p.values);
    gw_base_network_free(network);
    return status;
}

// --- stretches

// Probabilities come run by run: stretches are closed at a run's end and written in order.

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
    gw_table_writer *out;
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
        gw_cell_text(w->out, gw_genome_name(w->genome, w->contig));
        gw_cell_integer(w->out, s->begin);
        gw_cell_integer(w->out, s->end);
        gw_cell_text(w->out, w->model->config.label_names[s->class]);
        gw_cell_integer(w->out, (int)(1000 * mean + 0.5));
        gw_cell_text(w->out, s->strand == 0 ? "+" : "-");
        gw_cell_real(w->out, mean);
        GW_TRY(gw_row_end(w->out));
    }
    w->count = 0;
    for (int64_t i = 0; i < STRANDS * w->model->config.labels; i++) w->open[i] = -1;
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
        for (int strand = 0; strand < STRANDS; strand++)
            GW_TRY(add_base(w, begin + b, strand, values + (b * STRANDS + strand) * classes));
    return GW_OK;
}

// A BED file has no line of names; Parquet has those of BED.
static gw_status open_bed(const char *path, gw_table_writer **out) {
    gw_columns columns = {0};
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "chrom");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "chromStart");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "chromEnd");
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "name");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "score");
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "strand");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6g", "probability");
    columns.headless = true;
    return gw_table_writer_open(path, &columns, ".", out);
}

// Contig, begin, end, class, 1,000 times the mean probability, strand, and that probability. A class is called where it
// has the least probability that is asked for; where none is, where it is the most probable one, or, where classes
// overlap, has 0.5.
static gw_status write_bed(gw_model *model, gw_genome *genome, const gw_tiles *tiles, const gw_predict_options *o) {
    const int64_t open = STRANDS * model->config.labels;
    bed_writer w = {.model = model, .genome = genome, .least = o->least, .contig = -1};
    GW_TRY(open_bed(o->in.output, &w.out));
    w.open = gw_alloc(open, sizeof *w.open);
    gw_status status = w.open ? write_run(&w) : GW_ERR_MEMORY; // nothing is open
    if (status == GW_OK) status = predict_tiles(model, genome, tiles, o->in.tokens, add_bed, &w);
    if (status == GW_OK) status = write_run(&w);
    free(w.stretches);
    free(w.open);
    return gw_table_writer_end(status, w.out);
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
    GW_TRY(gw_reserve(&w->values, &w->capacity, count * STRANDS * labels, sizeof *w->values));
    for (int64_t i = 0; i < count * STRANDS; i++)
        for (int64_t c = 0; c < labels; c++) w->values[i * labels + c] = values[i * w->classes + 1 + c];
    return gw_track_folder_add(&w->folder, first, count, w->values);
}

// CLASS.plus of all classes but none, and then CLASS.minus.
static gw_status write_tracks(gw_model *model, gw_genome *genome, const gw_tiles *tiles, const gw_predict_options *o) {
    const int64_t labels = model->config.labels - 1, all = STRANDS * labels;
    char **names = gw_alloc(all, sizeof *names);
    if (!names) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < all; i++) {
        names[i] = gw_strprintf("%s.%s", model->config.label_names[1 + i % labels], i < labels ? "plus" : "minus");
        if (!names[i]) status = GW_ERR_MEMORY;
    }
    track_writer w = {.classes = model->config.labels,
                      .folder = {.folder = o->bigwig ? o->bigwig : o->bedgraph,
                                 .suffix = o->bigwig ? ".bw" : ".bedgraph.gz",
                                 .tiles = tiles,
                                 .genome = genome,
                                 .names = (const char *const *)names,
                                 .labels = all}};
    if (status == GW_OK) status = gw_track_folder_open(&w.folder);
    if (status == GW_OK) status = predict_tiles(model, genome, tiles, o->in.tokens, add_tracks, &w);
    if (status == GW_OK) status = gw_track_folder_write(&w.folder);
    gw_track_folder_free(&w.folder);
    for (int64_t i = 0; i < all; i++) free(names[i]);
    free(names);
    free(w.values);
    return status;
}

// --- the kind of data

static gw_status check_model(gw_model *const *models, int count) {
    if (count > 1)
        return gw_fail(GW_ERR_USAGE, "labels of bases are predicted by one model at a time, which may be an ensemble");
    if (gw_model_labels_bases(models[0])) return GW_OK;
    if (gw_model_reads_signals(models[0]))
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "a model of polyadenylation labels no bases: `godwit score` scores variants");
    return gw_fail(GW_ERR_UNSUPPORTED, "the model cannot label single bases: it has %lld classes, of 2 to %d",
                   (long long)models[0]->config.labels, GW_BASE_CLASSES + 1);
}

static gw_status evaluate(gw_model *const *models, int count, const gw_eval_options *o) {
    if (o->negatives.count > 0 || o->without.count > 0 || o->per_target || o->curves || o->groups || o->within ||
        o->scatter || o->missing || o->in.strands != GW_STRANDS_BY_TASK)
        return gw_fail(GW_ERR_USAGE, "of the options for labelled sets, labels of bases take only --split and --orfs");
    GW_TRY(check_model(models, count));
    return gw_eval_bases(models[0], o);
}

// Of regions, or of the whole genome.
static gw_status predict(gw_model *const *models, int count, const gw_predict_options *o) {
    gw_model *model = models[0];
    const bool some = o->regions || o->regions_file;
    gw_genome *genome;
    gw_regions regions = {0};
    gw_tiles tiles = {0};
    GW_TRY(check_model(models, count));
    if (!o->in.fasta || o->in.sets.count > 0)
        return gw_fail(GW_ERR_USAGE, "labels of bases need a genome: give -f ref.fa, and regions with -r or -R");
    if (o->step > 1 || (o->genes && !gw_regions_name_genes(o->regions)) || o->in.strands != GW_STRANDS_BY_TASK)
        return gw_fail(
            GW_ERR_USAGE,
            "labels of bases have a value for each base of both strands: remove --step, --genes, --both-strands and "
            "--one-strand");
    if (o->bigwig && (o->bedgraph || o->in.output))
        return gw_fail(GW_ERR_USAGE, "--bigwig, --bedgraph and -o exclude each other");
    GW_TRY(gw_genome_open(o->in.fasta, &genome));
    gw_status status = gw_trained_on_check(o->in.models.items[0], model, genome);
    if (status == GW_OK && o->aliases) status = gw_genome_read_aliases(genome, o->aliases);
    if (status == GW_OK && o->regions) status = gw_regions_parse_genes(&regions, genome, o->regions, o->genes);
    if (status == GW_OK && o->regions_file) status = gw_regions_read_bed(&regions, genome, o->regions_file);
    if (status == GW_OK && !model->config.label_names)
        status = gw_fail(GW_ERR_UNSUPPORTED, "the model does not name its classes");
    if (status == GW_OK) status = gw_tiles_make(&tiles, genome, some ? &regions : NULL, 1);
    if (status == GW_OK) status = (o->bigwig || o->bedgraph ? write_tracks : write_bed)(model, genome, &tiles, o);
    gw_tiles_free(&tiles);
    gw_regions_free(&regions);
    gw_genome_close(genome);
    return status;
}

const gw_data_kind gw_data_bases = {.evaluate = evaluate, .predict = predict};
