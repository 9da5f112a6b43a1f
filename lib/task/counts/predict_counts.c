// SPDX-License-Identifier: MIT
// Profiles of counts as a kind of data: predictions for sets of regions (logarithms of counts, one row each), and for
// every base of regions or of a genome, as tracks of expected counts. Each run of bases is divided into windows of the
// model's profile length, end to end.
#include "base/memory.h"
#include "base/number.h"
#include "file/table_writer.h"
#include "seq/genes/genes.h"
#include "seq/genome/regions.h"
#include "seq/track/track.h"
#include "task/counts/count_set.h"
#include "task/counts/evaluate_counts.h"
#include "task/data_kind.h"
#include "task/trained_on.h"
#include "task/windows/tracks.h"

#include <math.h>
#include <stdlib.h>

static gw_status check_model(gw_model *const *models, int count, gw_tracks *tracks) {
    if (count > 1) return gw_fail(GW_ERR_USAGE, "profiles of counts are predicted by one model at a time");
    return gw_check_profiles(&models[0]->config, 0, tracks);
}

static gw_status evaluate(gw_model *const *models, int count, const gw_eval_options *o) {
    gw_tracks tracks;
    if (o->negatives.count > 0 || o->without.count > 0 || o->per_target || o->curves || o->groups || o->within ||
        o->scatter || o->missing || o->orfs || o->in.strands != GW_STRANDS_BY_TASK)
        return gw_fail(
            GW_ERR_USAGE,
            "of the options for labelled sets, profiles of counts take only --split, --track, --replicate and "
            "--baseline");
    GW_TRY(check_model(models, count, &tracks));
    return gw_eval_counts(models[0], o);
}

// --- a table

typedef struct {
    const gw_count_set *set;
    gw_table_writer *out;
} table_writer;

static gw_status write_window(void *context, int64_t i, const double *profile, double counts) {
    const table_writer *w = context;
    const gw_region *window = &w->set->windows[i];
    (void)profile;
    gw_cell_printf(w->out, "%s:%lld-%lld", gw_genome_name(w->set->genome, window->contig), (long long)window->begin + 1,
                   (long long)window->end);
    gw_cell_printf(w->out, "%c", window->strand);
    gw_cell_real(w->out, counts);
    return gw_row_end(w->out);
}

static gw_status predict_table(gw_count_network *network, const gw_predict_options *o) {
    static const gw_string_list none = {0};
    gw_count_set set = {0};
    table_writer w = {.set = &set};
    gw_columns columns = {0};
    gw_status status = gw_count_set_open(&o->in.sets, &none, network->genome, o->split, &network->tracks, &set);
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "region");
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "strand");
    gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6g", "log_counts");
    if (status == GW_OK) status = gw_table_writer_open(o->in.output, &columns, ".", &w.out);
    else gw_columns_free(&columns);
    if (status == GW_OK)
        status = gw_count_network_run(network, set.windows, set.count,
                                      (gw_count_sink){.take = write_window, .context = &w, .progress = "predict"});
    status = gw_table_writer_end(status, w.out);
    gw_count_set_close(&set);
    return status;
}

// --- tracks

// Windows that hold the tiles, of a base each, of all runs; beyond a contig they read N.
typedef struct {
    gw_track_folder folder;
    gw_region *windows;
    int64_t *first, *taken; // tile of each window, and how many of its bases are taken
    int64_t count, rows, strands;
    float *values; // [rows][strands]
} track_writer;

static gw_status add_window(void *context, int64_t i, const double *profile, double counts) {
    track_writer *w = context;
    const double expected = expm1(fmax(counts, 0));
    for (int64_t k = 0; k < w->taken[i] * w->strands; k++) w->values[k] = (float)(profile[k] * expected);
    return gw_track_folder_add(&w->folder, w->first[i], w->taken[i], w->values);
}

static gw_status cut_windows(track_writer *w) {
    const gw_tiles *tiles = w->folder.tiles;
    for (int64_t r = 0; r < tiles->run_count; r++) w->count += (tiles->runs[r].count + w->rows - 1) / w->rows;
    w->windows = gw_alloc(w->count, sizeof *w->windows);
    w->first = gw_alloc(w->count, sizeof *w->first);
    w->taken = gw_alloc(w->count, sizeof *w->taken);
    w->values = gw_alloc(w->rows * w->strands, sizeof *w->values);
    if (!w->windows || !w->first || !w->taken || !w->values) return GW_ERR_MEMORY;
    int64_t i = 0;
    for (int64_t r = 0; r < tiles->run_count; r++)
        for (int64_t at = 0; at < tiles->runs[r].count; at += w->rows, i++) {
            const int64_t begin = tiles->runs[r].first + at;
            w->windows[i] =
                (gw_region){.contig = tiles->runs[r].contig, .begin = begin, .end = begin + w->rows, .strand = '+'};
            w->first[i] = tiles->runs[r].before + at;
            w->taken[i] = gw_min(w->rows, tiles->runs[r].count - at);
        }
    return GW_OK;
}

static gw_status predict_tracks(gw_count_network *network, const gw_tiles *tiles, const gw_predict_options *o) {
    static const char *const usual[] = {"plus", "minus"};
    const gw_config *config = &network->model->config;
    const bool named = config->label_names && config->labels == network->tracks.strands;
    track_writer w = {.rows = network->tracks.rows,
                      .strands = network->tracks.strands,
                      .folder = {.folder = o->bigwig ? o->bigwig : o->bedgraph,
                                 .suffix = o->bigwig ? ".bw" : ".bedgraph.gz",
                                 .tiles = tiles,
                                 .genome = network->genome,
                                 .names = named ? (const char *const *)config->label_names : usual,
                                 .labels = network->tracks.strands}};
    gw_status status = cut_windows(&w);
    if (status == GW_OK) status = gw_track_folder_open(&w.folder);
    if (status == GW_OK)
        status = gw_count_network_run(network, w.windows, w.count,
                                      (gw_count_sink){.take = add_window, .context = &w, .progress = "predict"});
    if (status == GW_OK) status = gw_track_folder_write(&w.folder);
    gw_track_folder_free(&w.folder);
    free(w.windows);
    free(w.first);
    free(w.taken);
    free(w.values);
    return status;
}

static gw_status check(const gw_predict_options *o) {
    const bool tracks = o->bigwig || o->bedgraph, regions = o->regions || o->regions_file;
    if (!o->in.fasta) return gw_fail(GW_ERR_USAGE, "profiles of counts need a genome: give -f ref.fa");
    if (tracks == (o->in.sets.count > 0) || (!tracks && regions) || (tracks && o->in.output) ||
        (o->bigwig && o->bedgraph))
        return gw_fail(
            GW_ERR_USAGE,
            "give either a set (-d), to write the logarithms of counts of its windows, or --bigwig or --bedgraph, "
            "with or without regions (-r, -R)");
    if (o->step > 1 || (o->genes && !gw_regions_name_genes(o->regions)) || o->in.strands != GW_STRANDS_BY_TASK)
        return gw_fail(
            GW_ERR_USAGE,
            "profiles of counts have a value for each base: remove --step, --genes, --both-strands and --one-strand");
    return o->bigwig ? gw_track_check("--bigwig DIR/*.bw") : GW_OK;
}

static gw_status predict(gw_model *const *models, int count, const gw_predict_options *o) {
    gw_tracks tracks;
    gw_genome *genome;
    gw_count_network network = {0};
    gw_regions regions = {0};
    gw_tiles tiles = {0};
    GW_TRY(check_model(models, count, &tracks));
    GW_TRY(check(o));
    GW_TRY(gw_genome_open(o->in.fasta, &genome));
    gw_status status = o->aliases ? gw_genome_read_aliases(genome, o->aliases) : GW_OK;
    if (status == GW_OK) status = gw_trained_on_check(o->in.models.items[0], models[0], genome);
    if (status == GW_OK) status = gw_count_network_make(&network, models[0], genome, o->in.tokens);
    if (status == GW_OK) status = gw_controls_open(models[0], genome, &o->controls, &network.controls);
    if (status == GW_OK && o->regions) status = gw_regions_parse_genes(&regions, genome, o->regions, o->genes);
    if (status == GW_OK && o->regions_file) status = gw_regions_read_bed(&regions, genome, o->regions_file);
    if (status == GW_OK && o->in.sets.count > 0) status = predict_table(&network, o);
    else if (status == GW_OK)
        status = gw_tiles_make(&tiles, genome, o->regions || o->regions_file ? &regions : NULL, 1);
    if (status == GW_OK && o->in.sets.count == 0) status = predict_tracks(&network, &tiles, o);
    gw_tiles_free(&tiles);
    gw_regions_free(&regions);
    gw_count_network_free(&network);
    gw_genome_close(genome);
    return status;
}

const gw_data_kind gw_data_counts = {.evaluate = evaluate, .predict = predict};
