// SPDX-License-Identifier: MIT
// godwit predict: probabilities of a fine-tuned model for a set or for regions of a genome.
#include "task/windows/predict.h"
#include "base/log.h"
#include "base/memory.h"
#include "model/task.h"
#include "seq/genome/regions.h"
#include "seq/track/track.h"
#include "task/texts/predict_questions.h"
#include "task/windows/evaluate_set.h"
#include "tools/cli/cli.h"
#include "tools/inference.h"
#include "tools/texts.h"
#include "tools/track_folder.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_predict_texts_options of; // sets, what is written and how much at a time: of windows too
    const char *fasta, *regions, *regions_file, *aliases, *genes, *split, *bigwig, *bedgraph, *preset;
    gw_string_list models;
    gw_strands strands;
    int64_t step;
    gw_inference_arguments inference;
} predict_arguments;

static const predict_arguments defaults = {.split = "all", .of = {.best = 1}};

#define FIELD(name) offsetof(predict_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_LIST, 'm', "model", "FOLDER", FIELD(models),
     "fine-tuned model; may be repeated, and probabilities are averaged", .required = true},
    {GW_OPTION_LIST, 'd', "data", "SET", FIELD(of.sets),
     "set: a table with sequences, or PREFIX of regions; may be repeated"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta),
     "reference genome of regions; without any, sequences: a row for each record"},
    {GW_OPTION_STRING, 'r', "regions", "LIST", FIELD(regions), "regions chr:beg-end, comma separated (1-based)"},
    {GW_OPTION_STRING, 'R', "regions-file", "FILE", FIELD(regions_file), "regions of a BED file"},
    {GW_OPTION_CHOICE, 0, "split", "NAME", FIELD(split), "part of a set with splits",
     .choices = "train|valid|test|all"},
    {GW_OPTION_STRING, 0, "genes", "FILE", FIELD(genes),
     "GFF3, GTF or SGD's table: a column with the genes that a window overlaps"},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(aliases), "two columns: name in the regions, name in the genome"},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(of.output),
     "table to write (standard output); BGZF where it ends in .gz", .writes = true},
    {GW_OPTION_GROUP, .help = "Tracks"},
    {GW_OPTION_STRING, 0, "bigwig", "DIR", FIELD(bigwig),
     "tile the regions, or the whole genome, and write a bigWig for each label instead of the table", .writes = true},
    {GW_OPTION_STRING, 0, "bedgraph", "DIR", FIELD(bedgraph), "the same as bedGraph, compressed by BGZF",
     .writes = true},
    {GW_OPTION_INT, 0, "step", "N", FIELD(step), "bp of a tile (0: the model's bin, or a tenth of its window)",
     .min = 0, .max = INT32_MAX},
    GW_OPTION_ROWS_TEXTS(FIELD(of.texts), 0, 0, 0),
    {GW_OPTION_CHOICE, 0, "preset", "NAME", FIELD(preset), "the columns of a known set's official files",
     .choices = GW_TEXT_PRESETS},
    {GW_OPTION_NAMED, 'O', "format", "FORMAT", FIELD(of.format), "of predictions for texts",
     .choices = GW_ROWS_FORMATS},
    {GW_OPTION_FLAG, 0, "logits", NULL, FIELD(of.logits), "logits of texts instead of probabilities"},
    {GW_OPTION_FLAG, 0, "submission", NULL, FIELD(of.submission), "index and prediction alone, as GLUE takes them"},
    GW_OPTION_ROWS_QUESTIONS(FIELD(of.texts), 0),
    {GW_OPTION_STRING, 0, "predictions", "FILE", FIELD(of.predictions),
     "write the best answers too, as the set's official script and eval --predictions take them", .writes = true},
    {GW_OPTION_STRING, 0, "no-answer", "FILE", FIELD(of.no_answer),
     "write how much more the model is for no answer than for the best, {id: number}", .writes = true},
    {GW_OPTION_REAL, 0, "no-answer-threshold", "X", FIELD(of.no_answer_threshold),
     "above it a question has no answer (0 where the set says that there may be none, else never)", .min = -1e9,
     .max = 1e9},
    {GW_OPTION_REAL, 0, "support-threshold", "X", FIELD(of.support),
     "of HotpotQA: sentences are supporting facts above it, in logits", .min = -1e9, .max = 1e9},
    {GW_OPTION_INT, 0, "n-best", "N", FIELD(of.best), "answers to each question in the table", .min = 1, .max = 1000},
    {GW_OPTION_GROUP, .help = "Prediction"},
    {GW_OPTION_ROW_TEMPERATURE(FIELD(inference))},
    {GW_OPTION_SETS, 0, "both-strands", NULL, FIELD(strands),
     "average over both strands (default: as the model's task has it)", .min = GW_STRANDS_BOTH},
    {GW_OPTION_SETS, 0, "one-strand", NULL, FIELD(strands), "the given strand alone (default: as its task has it)",
     .min = GW_STRANDS_ONE},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(of.tokens),
     "tokens computed at a time (0: 8192, or the longest input)", .min = 0, .max = 1e8, .alias = "tokens-per-pass"},
    GW_OPTION_ROWS_INFERENCE(FIELD(inference)),
    {.help = NULL},
};

static gw_status read_regions(const predict_arguments *a, gw_genome *genome, gw_regions *regions) {
    gw_status status = GW_OK;
    if (a->regions) status = gw_regions_parse(regions, genome, a->regions);
    if (status == GW_OK && a->regions_file) status = gw_regions_read_bed(regions, genome, a->regions_file);
    return status;
}

static gw_status set_of_regions(const predict_arguments *a, gw_genome *genome, const gw_model *model,
                                gw_labelled_set **set) {
    gw_regions regions = {0};
    int64_t left_out = 0;
    gw_status status = read_regions(a, genome, &regions);
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

static bool has_regions(const predict_arguments *a) {
    return a->regions || a->regions_file;
}

static bool to_tracks(const predict_arguments *a) {
    return a->bigwig || a->bedgraph;
}

// FASTA without regions is sequences, unless a whole genome is tiled.
static bool of_records(const predict_arguments *a) {
    return a->of.sets.count == 0 && !has_regions(a) && !to_tracks(a);
}

static gw_status read_set(const predict_arguments *a, gw_genome *genome, const gw_model *model, gw_labelled_set **set) {
    if (of_records(a)) return gw_labelled_set_of_fasta(a->fasta, gw_model_longest_window(model), set);
    if (a->of.sets.count == 0) return set_of_regions(a, genome, model, set);
    const bool numbers = gw_config_has_numbers(&model->config);
    const gw_labelled_options read = {
        .genome = genome, .split = a->split, .split_required = true, .numbers = numbers, .unlabelled = numbers};
    return gw_labelled_set_open(a->of.sets.items, a->of.sets.count, &read, set);
}

static gw_status make_predictors(const predict_arguments *a, gw_model *const *models, gw_label_predictor **predictors) {
    for (int m = 0; m < a->models.count; m++) {
        const gw_label_predictor_options one = {.tokens = a->of.tokens,
                                                .both_strands = gw_reads_both_strands(a->strands, models[m])};
        GW_TRY(gw_label_predictor_new(models[m], &one, &predictors[m]));
    }
    return GW_OK;
}

static gw_status write_table(const predict_arguments *a, const gw_ensemble *ensemble, const gw_model *model,
                             gw_labelled_set *set, const gw_genes *genes) {
    gw_text_writer *out;
    GW_TRY(gw_check_set_windows(model, set));
    GW_TRY(gw_writer_open(a->of.output, &out));
    return gw_writers_close(gw_predict_write(ensemble, model, set, genes, out), out, NULL);
}

static gw_status table_with_genes(const predict_arguments *a, const gw_ensemble *ensemble, const gw_model *model,
                                  gw_genome *genome, gw_labelled_set *set) {
    gw_genes genes;
    if (!a->genes) return write_table(a, ensemble, model, set, NULL);
    if (!gw_labelled_set_has_regions(set))
        return gw_fail(GW_ERR_UNSUPPORTED, "--genes: the rows of %s are sequences, which have no place on a genome",
                       a->of.sets.items[0]);
    GW_TRY(gw_genes_read(a->genes, genome, &genes));
    const gw_status status = write_table(a, ensemble, model, set, &genes);
    gw_genes_free(&genes);
    return status;
}

static gw_status predict_table(const predict_arguments *a, const gw_ensemble *ensemble, const gw_model *model,
                               gw_genome *genome) {
    gw_labelled_set *set;
    GW_TRY(read_set(a, genome, model, &set));
    const gw_status status = table_with_genes(a, ensemble, model, genome, set);
    gw_labelled_set_close(set);
    return status;
}

// How wide a tile is, where the user says nothing: the bin that the profiles are of, or less than what is read.
static gw_status choose_step(const predict_arguments *a, const gw_config *config, int64_t *step) {
    if (config->window == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s does not say what windows it was trained on", a->models.items[0]);
    *step = a->step > 0 ? a->step : config->bin > 0 ? config->bin : (config->window + 9) / 10;
    return GW_OK;
}

// A TSS has a strand, so that each tile is read on both, apart; unless the user has them averaged.
static int strands_of_tracks(const predict_arguments *a, const gw_config *config) {
    return gw_task_of(config->task)->keeps_tss && config->tss_offset >= 0 && a->strands != GW_STRANDS_BOTH ? 2 : 1;
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

static gw_status predict_tracks(const predict_arguments *a, const gw_ensemble *ensemble, const gw_model *model,
                                gw_genome *genome) {
    gw_regions regions = {0};
    gw_tiles tiles = {0};
    int64_t step = 0;
    const int strands = strands_of_tracks(a, &model->config);
    GW_TRY(choose_step(a, &model->config, &step));
    char **names = name_tracks(&model->config, strands);
    gw_status status = names ? read_regions(a, genome, &regions) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_tiles_make(&tiles, genome, a->regions || a->regions_file ? &regions : NULL, step);
    gw_track_folder tracks = {.folder = a->bigwig ? a->bigwig : a->bedgraph,
                              .suffix = a->bigwig ? ".bw" : ".bedgraph.gz",
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

static gw_status predict_texts(const predict_arguments *a, gw_model *model) {
    gw_predict_texts_options o = a->of;
    if (a->models.count > 1) return gw_fail(GW_ERR_USAGE, "texts are predicted by one model at a time");
    o.threshold_given = gw_option_given(FIELD(of.no_answer_threshold));
    if (gw_reads_questions(&model->config, &o.texts, o.sets.items[0])) return gw_predict_questions(model, &o);
    if (o.predictions || o.no_answer)
        return gw_fail(GW_ERR_USAGE,
                       "--predictions and --no-answer are of question sets and models that answer questions");
    o.texts = gw_texts_complete(&o.texts, a->preset ? gw_text_preset_by_name(a->preset) : NULL);
    return gw_predict_texts(model, &o);
}

// Windows are what regions and strands are of.
static bool is_of_texts(const predict_arguments *a, const gw_config *config) {
    if (a->of.sets.count == 0 || a->fasta || a->strands != GW_STRANDS_BY_TASK) return false;
    return gw_reads_texts(config, &a->of.texts, a->preset != NULL, a->of.sets.items[0]);
}

static gw_status predict(const predict_arguments *a, gw_model *const *models, gw_genome *genome) {
    if (is_of_texts(a, &models[0]->config)) return predict_texts(a, models[0]);
    gw_label_predictor **predictors = gw_alloc(a->models.count, sizeof *predictors);
    if (!predictors) return GW_ERR_MEMORY;
    const gw_ensemble ensemble = {predictors, a->models.count};
    gw_status status = make_predictors(a, models, predictors);
    if (status == GW_OK) status = (to_tracks(a) ? predict_tracks : predict_table)(a, &ensemble, models[0], genome);
    for (int m = 0; m < a->models.count; m++) gw_label_predictor_free(predictors[m]);
    free(predictors);
    return status;
}

static gw_status check_arguments(const predict_arguments *a) {
    const bool regions = has_regions(a), tracks = to_tracks(a);
    if (a->bigwig && a->bedgraph) return gw_fail(GW_ERR_USAGE, "--bigwig and --bedgraph exclude each other");
    if (tracks && (a->of.sets.count > 0 || a->of.output || a->genes))
        return gw_fail(GW_ERR_USAGE,
                       "--bigwig and --bedgraph take regions or a whole genome, and go without -d, -o and --genes");
    if (a->step > 0 && !tracks) return gw_fail(GW_ERR_USAGE, "--step is of --bigwig and --bedgraph");
    if (!tracks && (regions ? a->of.sets.count > 0 : a->of.sets.count == 0 && !a->fasta))
        return gw_fail(GW_ERR_USAGE, "give either a set (-d), regions of a genome (-r, -R) or sequences (-f)");
    if (of_records(a) && (a->genes || a->aliases))
        return gw_fail(GW_ERR_USAGE, "--genes and --chr-map are of regions of a genome (-r, -R)");
    if (tracks && !a->fasta) return gw_fail(GW_ERR_USAGE, "tracks need their genome: -f ref.fa");
    if (regions && !a->fasta) return gw_fail(GW_ERR_USAGE, "regions need their genome: -f ref.fa");
    if (a->genes && !a->fasta) return gw_fail(GW_ERR_USAGE, "--genes needs the genome: -f ref.fa");
    return a->bigwig ? gw_track_check("--bigwig DIR/*.bw") : GW_OK;
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)operands, (void)count;
    const predict_arguments *a = arguments;
    GW_TRY(check_arguments(a));
    GW_TRY(gw_device_apply(a->inference.device));
    gw_model **models = NULL;
    gw_genome *genome = NULL;
    gw_status status = gw_inference_load(&a->inference, &a->models, &models);
    if (status == GW_OK) status = gw_check_ensemble(models, a->models.items, a->models.count);
    if (status == GW_OK && a->fasta && !of_records(a)) status = gw_genome_open(a->fasta, &genome);
    if (status == GW_OK && genome && a->aliases) status = gw_genome_read_aliases(genome, a->aliases);
    if (status == GW_OK) status = predict(a, models, genome);
    gw_genome_close(genome);
    gw_inference_unload(&a->models, models);
    return status;
}

const gw_command gw_command_predict = {
    .name = "predict",
    .group = "Models",
    .summary = "probabilities of a fine-tuned model for windows of bases",
    .usage = "-m FOLDER (-d SET | -f ref.fa -R regions.bed | -f sequences.fa | -f ref.fa --bigwig DIR) [options]",
    .description =
        "Writes a TSV: the column `region` (contig:begin-end of the window, 1-based) or, for tables of sequences, "
        "`row` (1-based), or for FASTA without regions `name` (of the record), "
        "then one column for each label with its probability. With --genes a column `gene` stands "
        "before them: the genes that the window overlaps, joined by &. The weight of positives in training is taken "
        "off, and logits are divided by the temperature that finetune has fitted (--temperature 1: they are not).\n\n"
        "A region as wide as the model's window is read as it is. Any other stands for its middle, around which the "
        "window is centred, or, for a promoter model, for its TSS, which is put where the model was trained to see it. "
        "Regions on the - strand are reverse complemented. Windows that leave their contig are left out with a "
        "warning. Records of FASTA are read whole: one longer than what fits the model is an error.\n\n"
        "Strands are read as the model's task has it (see finetune); --both-strands and --one-strand say "
        "otherwise.\n\n"
        "Tables of texts (-d with a column `text` or `sentence`, --text, or a model whose labels are not of "
        "windows): a line for each row, counted from 1, with the prediction and a column for each label; numbers "
        "have their columns alone. A token head gives a line for each token, or each word where texts are lists of "
        "words (--words). A head that answers questions (--text question --text2 context) gives the first and last "
        "token of the best answer, from 0, the sum of their logits and its text. Of a multiple choice --choices "
        "names the columns of the answers, which are numbered from 0. Texts longer than the positions are cut, with "
        "a note. Folders made elsewhere are read on one strand.\n\n"
        "Question sets (SQuAD, HotpotQA, Natural Questions, TriviaQA, WikiHop), for a model that answers questions: a "
        "line for each answer, with the columns "
        "id, rank, score (the sum of the logits of its ends), no_answer (how much more the model is for none than for "
        "the best), begin and end (characters of the context, from 0) and answer; '.' where it has none. Long contexts "
        "are read in windows. --predictions and --no-answer write the official script's files.\n\n"
        "Tracks: --bigwig and --bedgraph write a file for each label into a folder, and tracks.tsv, which says which "
        "is whose. A contig is cut into tiles of --step bp from its begin on; those that overlap the regions are "
        "predicted, from windows centred on their middle, or with the middle where the TSS was in training: then each "
        "label has a track of either strand, LABEL.plus and LABEL.minus, unless --both-strands averages over a "
        "window and its reverse complement. Tiles whose window leaves the contig or is more than half N have no "
        "value.\n\n" GW_INFERENCE_HELP,
    .examples = "godwit predict -m model -d set.tsv.gz --split test\n"
                "godwit predict -m model -f sequences.fa\n"
                "godwit predict -m rte --preset rte -d test.tsv --submission -o RTE.tsv\n"
                "godwit predict -m qa -d dev-v2.0.json --predictions answers.json -o answers.tsv\n"
                "godwit predict -m model -f ref.fa -r chrII:1001-2000\n"
                "godwit predict -m model -f ref.fa -r chrII --bigwig tracks",
    .options = options,
    .defaults = &defaults,
    .arguments_size = sizeof defaults,
    .least_operands = 0,
    .most_operands = 0,
    .run = run,
};
