// SPDX-License-Identifier: MIT
// Windows of bases as a kind of data: what models say of labelled sets, of regions of a genome and of sequences, as a
// table or as tracks.
#include "base/log.h"
#include "base/memory.h"
#include "model/task.h"
#include "seq/genes/genes.h"
#include "seq/track/track.h"
#include "task/data_kind.h"
#include "task/trained_on.h"
#include "task/windows/evaluate_set.h"
#include "task/windows/predict.h"
#include "task/windows/track_folder.h"

#include <stdlib.h>

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

static gw_status read_set(const gw_predict_options *o, gw_genome *genome, const gw_model *model,
                          gw_labelled_set **set) {
    if (of_records(o)) return gw_labelled_set_of_fasta(o->in.fasta, gw_model_longest_window(model), set);
    if (o->in.sets.count == 0) return set_of_regions(o, genome, model, set);
    const bool numbers = gw_config_has_numbers(&model->config);
    const gw_labelled_options read = {
        .genome = genome, .split = o->split, .split_required = true, .numbers = numbers, .unlabelled = numbers};
    return gw_labelled_set_open(o->in.sets.items, o->in.sets.count, &read, set);
}

static gw_status write_table(const gw_predict_options *o, const gw_ensemble *ensemble, const gw_model *model,
                             gw_labelled_set *set, const gw_genes *genes) {
    gw_text_writer *out;
    GW_TRY(gw_check_set_windows(model, set));
    GW_TRY(gw_writer_open(o->output, &out));
    return gw_writers_close(gw_predict_write(ensemble, model, set, genes, out), out, NULL);
}

static gw_status table_with_genes(const gw_predict_options *o, const gw_ensemble *ensemble, const gw_model *model,
                                  gw_genome *genome, gw_labelled_set *set) {
    gw_genes genes;
    if (!o->genes) return write_table(o, ensemble, model, set, NULL);
    if (!gw_labelled_set_has_regions(set))
        return gw_fail(GW_ERR_UNSUPPORTED, "--genes: the rows of %s are sequences, which have no place on a genome",
                       o->in.sets.items[0]);
    GW_TRY(gw_genes_read(o->genes, genome, &genes));
    const gw_status status = write_table(o, ensemble, model, set, &genes);
    gw_genes_free(&genes);
    return status;
}

static gw_status predict_table(const gw_predict_options *o, const gw_ensemble *ensemble, const gw_model *model,
                               gw_genome *genome) {
    gw_labelled_set *set;
    GW_TRY(read_set(o, genome, model, &set));
    const gw_status status = table_with_genes(o, ensemble, model, genome, set);
    gw_labelled_set_close(set);
    return status;
}

// How wide a tile is, where the user says nothing: the bin that the profiles are of, or less than what is read.
static gw_status choose_step(const gw_predict_options *o, const gw_config *config, int64_t *step) {
    if (config->window == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s does not say what windows it was trained on", o->in.models.items[0]);
    *step = o->step > 0 ? o->step : config->bin > 0 ? config->bin : (config->window + 9) / 10;
    return GW_OK;
}

// A TSS has a strand, so that each tile is read on both, apart; unless the user has them averaged.
static int strands_of_tracks(const gw_predict_options *o, const gw_config *config) {
    return gw_task_of(config->task)->keeps_tss && config->tss_offset >= 0 && o->in.strands != GW_STRANDS_BOTH ? 2 : 1;
}

static void say_left_out(const gw_track_folder *tracks, int strands, const gw_tiles_left_out *left_out) {
    const int64_t without = left_out->beyond + left_out->n_rich;
    if (without > 0)
        gw_note(
            "%lld of %lld tiles%s have no value: the windows of %lld leave their contig, those of %lld are more than "
            "half N",
            (long long)without, (long long)tracks->tiles->count * strands, strands > 1 ? ", of both strands," : "",
            (long long)left_out->beyond, (long long)left_out->n_rich);
}

static gw_status write_tracks(const gw_ensemble *ensemble, const gw_model *model, gw_genome *genome, int strands,
                              gw_track_folder *tracks) {
    const gw_config *config = &model->config;
    const int64_t tss = gw_task_of(config->task)->keeps_tss ? config->tss_offset : -1;
    gw_tiles_left_out left_out;
    GW_TRY(gw_check_window(model, config->window));
    GW_TRY(gw_track_folder_open(tracks));
    gw_status status = gw_predict_tiles(ensemble, genome, tracks->tiles, config->window, tss, strands,
                                        gw_track_folder_add, tracks, &left_out);
    if (status == GW_OK) status = gw_track_folder_write(tracks);
    if (status == GW_OK) say_left_out(tracks, strands, &left_out);
    gw_track_folder_free(tracks);
    return status;
}

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
    gw_regions regions = {0};
    gw_tiles tiles = {0};
    int64_t step = 0;
    const int strands = strands_of_tracks(o, &model->config);
    GW_TRY(choose_step(o, &model->config, &step));
    char **names = name_tracks(&model->config, strands);
    gw_status status = names ? read_regions(o, genome, &regions) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_tiles_make(&tiles, genome, has_regions(o) ? &regions : NULL, step);
    gw_track_folder tracks = {.folder = o->bigwig ? o->bigwig : o->bedgraph,
                              .suffix = o->bigwig ? ".bw" : ".bedgraph.gz",
                              .tiles = &tiles,
                              .genome = genome,
                              .names = (const char *const *)names,
                              .labels = strands * model->config.labels};
    if (status == GW_OK) status = write_tracks(ensemble, model, genome, strands, &tracks);
    free_names(names, tracks.labels);
    gw_tiles_free(&tiles);
    gw_regions_free(&regions);
    return status;
}

static gw_status check(const gw_predict_options *o) {
    const bool regions = has_regions(o), tracks = to_tracks(o);
    if (o->bigwig && o->bedgraph) return gw_fail(GW_ERR_USAGE, "--bigwig and --bedgraph exclude each other");
    if (tracks && (o->in.sets.count > 0 || o->output))
        return gw_fail(GW_ERR_USAGE,
                       "--bigwig and --bedgraph take regions or a whole genome, and go without -d and -o");
    if (tracks && o->genes && !gw_regions_name_genes(o->regions))
        return gw_fail(GW_ERR_USAGE, "--genes has no use for tracks, but for gene:NAME in -r");
    if (o->step > 0 && !tracks) return gw_fail(GW_ERR_USAGE, "--step is of --bigwig and --bedgraph");
    if (!tracks && (regions ? o->in.sets.count > 0 : o->in.sets.count == 0 && !o->in.fasta))
        return gw_fail(GW_ERR_USAGE, "give either a set (-d), regions of a genome (-r, -R) or sequences (-f)");
    if (of_records(o) && (o->genes || o->aliases))
        return gw_fail(GW_ERR_USAGE, "--genes and --chr-map are of regions of a genome (-r, -R)");
    if (tracks && !o->in.fasta) return gw_fail(GW_ERR_USAGE, "tracks need their genome: -f ref.fa");
    if (regions && !o->in.fasta) return gw_fail(GW_ERR_USAGE, "regions need their genome: -f ref.fa");
    if (o->genes && !o->in.fasta) return gw_fail(GW_ERR_USAGE, "--genes needs the genome: -f ref.fa");
    return o->bigwig ? gw_track_check("--bigwig DIR/*.bw") : GW_OK;
}

static gw_status open_genome(const gw_predict_options *o, gw_genome **genome) {
    *genome = NULL;
    if (!o->in.fasta || of_records(o)) return GW_OK;
    GW_TRY(gw_genome_open(o->in.fasta, genome));
    return o->aliases ? gw_genome_read_aliases(*genome, o->aliases) : GW_OK;
}

static gw_status predict(gw_model *const *models, int count, const gw_predict_options *o) {
    gw_genome *genome = NULL;
    gw_ensemble ensemble = {0};
    GW_TRY(check(o));
    gw_status status = open_genome(o, &genome);
    if (status == GW_OK && genome) status = gw_trained_on_check(o->in.models.items[0], models[0], genome);
    if (status == GW_OK) status = gw_ensemble_open(models, count, &o->in, &ensemble);
    if (status == GW_OK) status = (to_tracks(o) ? predict_tracks : predict_table)(o, &ensemble, models[0], genome);
    gw_ensemble_close(&ensemble);
    gw_genome_close(genome);
    return status;
}

const gw_data_kind gw_data_windows = {.evaluate = gw_eval_set, .predict = predict};
