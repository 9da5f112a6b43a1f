// SPDX-License-Identifier: MIT
// Windows of bases as a kind of data: predictions for labelled sets, for regions of a genome and for sequences, as a
// table in the order of the rows, or as tracks.
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/string.h"
#include "file/table_writer.h"
#include "model/task.h"
#include "seq/genes/genes.h"
#include "seq/track/track.h"
#include "task/data_kind.h"
#include "task/trained_on.h"
#include "task/windows/evaluate_set.h"
#include "task/windows/predict.h"
#include "task/windows/tracks.h"

#include <stdlib.h>

// --- a table

// Columns `region` (contig:begin-end, 1-based inclusive), `name` (of a record) or `row`, with `genes` (NULL: none; for
// regions alone) `gene`, those that the window overlaps, then one for each of the model's labels.
static gw_status open_table(const char *path, const gw_model *model, const gw_labelled_set *set, bool genes,
                            gw_table_writer **out) {
    const gw_config *config = &model->config;
    gw_columns columns = {0};
    gw_labelled_set_columns(set, &columns);
    if (genes) gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "gene");
    for (int64_t l = 0; l < config->labels; l++) {
        if (config->label_names) gw_columns_add(&columns, GW_COLUMN_FLOAT, "%.7g", "%s", config->label_names[l]);
        else gw_columns_add(&columns, GW_COLUMN_FLOAT, "%.7g", "label_%lld", (long long)l);
    }
    return gw_table_writer_open(path, &columns, ".", out);
}

static gw_status write_table(const gw_ensemble *ensemble, gw_labelled_set *set, const gw_genes *genes,
                             gw_table_writer *out) {
    const int64_t count = gw_labelled_set_count(set), labels = gw_label_predictor_labels(ensemble->items[0]);
    float *probabilities = gw_alloc(GW_PREDICT_CHUNK * labels, sizeof *probabilities);
    gw_string names = {0};
    gw_status status = probabilities ? GW_OK : GW_ERR_MEMORY;
    for (int64_t first = 0; status == GW_OK && first < count; first += GW_PREDICT_CHUNK) {
        const int64_t size = gw_min(GW_PREDICT_CHUNK, count - first);
        status = gw_check_interrupt();
        if (status == GW_OK) status = gw_predict_examples(ensemble, set, first, size, probabilities);
        for (int64_t i = 0; status == GW_OK && i < size; i++) {
            gw_labelled_set_cells(set, first + i, out);
            if (genes) {
                const gw_region window = gw_labelled_set_region(set, first + i);
                gw_string_clear(&names);
                const bool any = gw_genes_at(genes, window.contig, window.begin, window.end, &names);
                gw_cell_text(out, any ? names.data : NULL);
            }
            for (int64_t l = 0; l < labels; l++) gw_cell_real(out, (double)probabilities[i * labels + l]);
            status = gw_first_failure(gw_row_end(out), gw_string_status(&names));
        }
        if (status == GW_OK) gw_progress("predict", first + size, count, "windows", NULL);
    }
    gw_progress_end();
    gw_string_free(&names);
    free(probabilities);
    return status;
}

static bool has_regions(const gw_predict_options *o) {
    return o->regions || o->regions_file;
}

static bool to_tracks(const gw_predict_options *o) {
    return o->bigwig || o->bedgraph;
}

// FASTA without regions is sequences, unless a whole genome is tiled.
static bool of_records(const gw_predict_options *o) {
    return o->in.sets.count == 0 && !has_regions(o) && !to_tracks(o);
}

static gw_status read_regions(const gw_predict_options *o, gw_genome *genome, gw_regions *regions) {
    gw_status status = GW_OK;
    if (o->regions) status = gw_regions_parse_genes(regions, genome, o->regions, o->genes);
    if (status == GW_OK && o->regions_file) status = gw_regions_read_bed(regions, genome, o->regions_file);
    return status;
}

static gw_status set_of_regions(const gw_predict_options *o, gw_genome *genome, const gw_model *model,
                                gw_labelled_set **set) {
    gw_regions regions = {0};
    int64_t left_out = 0;
    gw_status status = read_regions(o, genome, &regions);
    const gw_config *config = &model->config;
    if (status == GW_OK)
        status =
            gw_labelled_set_of_regions(genome, &regions, config->window,
                                       gw_task_of(config->task)->keeps_tss ? config->tss_offset : -1, &left_out, set);
    if (status == GW_OK && left_out > 0)
        gw_warn("%lld windows leave their contig and were left out", (long long)left_out);
    gw_regions_free(&regions);
    return status;
}

static gw_status read_set(const gw_predict_options *o, gw_genome *genome, const gw_model *model,
                          gw_labelled_set **set) {
    if (of_records(o)) return gw_labelled_set_of_fasta(o->in.fasta, gw_model_longest_window(model), set);
    if (o->in.sets.count == 0) return set_of_regions(o, genome, model, set);
    const bool numbers = gw_config_has_numbers(&model->config);
    const gw_labelled_options read = {
        .genome = genome, .split = o->split, .split_required = true, .numbers = numbers, .unlabelled = numbers};
    return gw_labelled_set_open(o->in.sets.items, o->in.sets.count, &read, set);
}

static gw_status predict_table(const gw_predict_options *o, const gw_ensemble *ensemble, const gw_model *model,
                               gw_genome *genome) {
    gw_labelled_set *set;
    gw_genes genes = {0};
    gw_table_writer *out;
    GW_TRY(read_set(o, genome, model, &set));
    gw_status status = GW_OK;
    if (o->genes && !gw_labelled_set_has_regions(set))
        status = gw_fail(GW_ERR_UNSUPPORTED, "--genes: the rows of %s are sequences, which have no place on a genome",
                         o->in.sets.items[0]);
    else if (o->genes) status = gw_genes_read(o->genes, genome, &genes);
    if (status == GW_OK) status = gw_check_set_windows(model, set);
    if (status == GW_OK) status = open_table(o->in.output, model, set, o->genes != NULL, &out);
    if (status == GW_OK) status = gw_table_writer_end(write_table(ensemble, set, o->genes ? &genes : NULL, out), out);
    if (o->genes) gw_genes_free(&genes);
    gw_labelled_set_close(set);
    return status;
}

// --- tracks

static void free_names(char **names, int64_t count) {
    for (int64_t i = 0; names && i < count; i++) free(names[i]);
    free(names);
}

// What the tracks are called: the labels, or "LABEL.plus" of all and then "LABEL.minus".
static char **name_tracks(const gw_config *config, int strands) {
    static const char *const ends[] = {".plus", ".minus"};
    char **names = gw_alloc(strands * config->labels, sizeof *names);
    for (int64_t i = 0; names && i < strands * config->labels; i++) {
        const int64_t label = i % config->labels;
        const char *end = strands > 1 ? ends[i / config->labels] : "";
        names[i] = config->label_names ? gw_strprintf("%s%s", config->label_names[label], end)
                                       : gw_strprintf("label_%lld%s", (long long)label, end);
        if (names[i]) continue;
        free_names(names, i);
        return NULL;
    }
    return names;
}

static gw_status predict_tracks(const gw_predict_options *o, const gw_ensemble *ensemble, const gw_model *model,
                                gw_genome *genome) {
    const gw_config *config = &model->config;
    const int64_t tss = gw_task_of(config->task)->keeps_tss ? config->tss_offset : -1;
    // a TSS has a strand, so that each tile is read on both, apart; unless the user has them averaged
    const int strands = tss >= 0 && o->in.strands != GW_STRANDS_BOTH ? 2 : 1;
    if (config->window == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s does not record the length of its training windows",
                       o->in.models.items[0]);
    // the bin that the profiles are of, or less than what is read
    const int64_t step = o->step > 0 ? o->step : config->bin > 0 ? config->bin : (config->window + 9) / 10;
    gw_regions regions = {0};
    gw_tiles tiles = {0};
    gw_tiles_left_out left_out;
    char **names = name_tracks(config, strands);
    gw_track_folder tracks = {.folder = o->bigwig ? o->bigwig : o->bedgraph,
                              .suffix = o->bigwig ? ".bw" : ".bedgraph.gz",
                              .tiles = &tiles,
                              .genome = genome,
                              .names = (const char *const *)names,
                              .labels = strands * config->labels};
    gw_status status = names ? read_regions(o, genome, &regions) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_tiles_make(&tiles, genome, has_regions(o) ? &regions : NULL, step);
    if (status == GW_OK) status = gw_check_window(model, config->window);
    if (status == GW_OK) status = gw_track_folder_open(&tracks);
    if (status == GW_OK)
        status = gw_predict_tiles(ensemble, genome, &tiles, config->window, tss, strands, gw_track_folder_add, &tracks,
                                  &left_out);
    if (status == GW_OK) status = gw_track_folder_write(&tracks);
    if (status == GW_OK && left_out.beyond + left_out.n_rich > 0)
        gw_note(
            "%lld of %lld tiles%s have no value: the windows of %lld leave their contig, those of %lld are more than "
            "half N",
            (long long)(left_out.beyond + left_out.n_rich), (long long)tiles.count * strands,
            strands > 1 ? ", of both strands," : "", (long long)left_out.beyond, (long long)left_out.n_rich);
    gw_track_folder_free(&tracks);
    free_names(names, tracks.labels);
    gw_tiles_free(&tiles);
    gw_regions_free(&regions);
    return status;
}

// --- either

static gw_status check(const gw_predict_options *o) {
    const bool regions = has_regions(o), tracks = to_tracks(o);
    if (o->bigwig && o->bedgraph) return gw_fail(GW_ERR_USAGE, "--bigwig and --bedgraph exclude each other");
    if (tracks && (o->in.sets.count > 0 || o->in.output))
        return gw_fail(GW_ERR_USAGE, "--bigwig and --bedgraph take regions or a whole genome; remove -d and -o");
    if (tracks && o->genes && !gw_regions_name_genes(o->regions))
        return gw_fail(GW_ERR_USAGE, "with --bigwig and --bedgraph, --genes is only for gene:NAME in -r");
    if (o->step > 0 && !tracks) return gw_fail(GW_ERR_USAGE, "--step is for --bigwig and --bedgraph");
    if (!tracks && (regions ? o->in.sets.count > 0 : o->in.sets.count == 0 && !o->in.fasta))
        return gw_fail(GW_ERR_USAGE, "give either a set (-d), regions of a genome (-r, -R) or sequences (-f)");
    if (of_records(o) && (o->genes || o->aliases))
        return gw_fail(GW_ERR_USAGE, "--genes and --chr-map are for regions of a genome (-r, -R)");
    if (tracks && !o->in.fasta) return gw_fail(GW_ERR_USAGE, "tracks need their genome: -f ref.fa");
    if (regions && !o->in.fasta) return gw_fail(GW_ERR_USAGE, "regions need their genome: -f ref.fa");
    if (o->genes && !o->in.fasta) return gw_fail(GW_ERR_USAGE, "--genes needs the genome: -f ref.fa");
    return o->bigwig ? gw_track_check("--bigwig DIR/*.bw") : GW_OK;
}

static gw_status predict(gw_model *const *models, int count, const gw_predict_options *o) {
    gw_genome *genome = NULL;
    gw_ensemble ensemble = {0};
    GW_TRY(check(o));
    if (o->in.fasta && !of_records(o)) GW_TRY(gw_genome_open(o->in.fasta, &genome));
    gw_status status = genome && o->aliases ? gw_genome_read_aliases(genome, o->aliases) : GW_OK;
    if (status == GW_OK && genome) status = gw_trained_on_check(o->in.models.items[0], models[0], genome);
    if (status == GW_OK) status = gw_ensemble_open(models, count, &o->in, &ensemble);
    if (status == GW_OK) status = (to_tracks(o) ? predict_tracks : predict_table)(o, &ensemble, models[0], genome);
    gw_ensemble_close(&ensemble);
    gw_genome_close(genome);
    return status;
}

const gw_data_kind gw_data_windows = {.evaluate = gw_eval_set, .predict = predict};
