// SPDX-License-Identifier: MIT
// godwit finetune: a classifier from a pretrained (or fresh) encoder and a labelled set.
#include "run/finetune.h"
#include "base/parse.h"
#include "model/task.h"
#include "run/summarize.h"
#include "run/text_judge.h"
#include "tools/checkpoints.h"
#include "tools/cli.h"
#include "tools/common.h"
#include "tools/density.h"
#include "tools/device.h"
#include "tools/inference.h"
#include "tools/loss_picture.h"
#include "tools/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *task, *model, *schedule, *attention, *fasta, *output, *config, *size, *stem, *tokenizer, *pattern,
        *checkpoints, *pooling, *device, *dtype, *preset, *metric, *baseline, *positive_weight, *labels, *source,
        *target, *optimiser;
    gw_string_list sets, valid, negatives, valid_negatives;
    gw_texts_arguments texts;
    gw_questions_arguments questions;
    gw_density_arguments density;
    bool frozen, from_scratch, both_strands, one_strand, recompute, resume;
    int64_t length, epochs, steps, batch, tokens, warmup, seed, window, tss_offset, shift, save_every, report_every,
        patience, most_source, most_target;
    double rate, decay, clip, dropout, average, smoothing;
} finetune_arguments;

enum { GRACE_SECONDS = 60 };

static const finetune_arguments defaults = {.epochs = 10,
                                            .batch = 32,
                                            .tokens = 8192,
                                            .schedule = "linear",
                                            .warmup = -1,
                                            .labels = "one",
                                            .source = "source",
                                            .target = "target",
                                            .optimiser = "adam",
                                            .patience = 5,
                                            .seed = 1,
                                            .tss_offset = -1,
                                            .report_every = 10,
                                            .decay = 0.01,
                                            .clip = 1,
                                            .dropout = -1,
                                            .density = GW_DENSITY_DEFAULTS};

#define GW_TASK(NAME, name, help, ...) "|" #name
static const char tasks[] =
#include "model/tasks.def"
    ;
#undef GW_TASK

#define FIELD(name) offsetof(finetune_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_CHOICE, 0, "task", "TASK", FIELD(task), "what the labels are", .choices = tasks + 1, .required = true},
    {GW_OPTION_LIST, 'd', "data", "SET", FIELD(sets), "training set; may be repeated", .required = true},
    {GW_OPTION_LIST, 0, "valid", "SET", FIELD(valid), "validation set; may be repeated, and may be the training set"},
    {GW_OPTION_LIST, 0, "negatives-fasta", "FILE", FIELD(negatives),
     "sequences without the label; -d is FASTA then, of those with it; may be repeated"},
    {GW_OPTION_LIST, 0, "valid-negatives-fasta", "FILE", FIELD(valid_negatives),
     "the same of --valid (where that is -d itself: a tenth of all sequences validates, the others train)"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "reference genome of sets of regions"},
    {GW_OPTION_STRING, 'o', "output", "FOLDER", FIELD(output), "model folder to write", .required = true,
     .writes = true},
    GW_OPTION_ROWS_TEXTS(FIELD(texts)),
    {GW_OPTION_CHOICE, 0, "labels", "KIND", FIELD(labels),
     "of --task classify: one class a text, many (names between commas, a JSON list, or columns of 0 and 1), or "
     "numbers",
     .choices = "one|many|numbers"},
    GW_OPTION_ROWS_QUESTIONS(FIELD(questions)),
    {GW_OPTION_GROUP, .help = "Texts about texts (--task summarize)"},
    {GW_OPTION_STRING, 0, "source", "NAME", FIELD(source), "column of the texts that are read"},
    {GW_OPTION_STRING, 0, "target", "NAME", FIELD(target), "column of the texts that are written"},
    {GW_OPTION_INT, 0, "max-source", "N", FIELD(most_source), "tokens that sources are cut to (0: the positions)",
     .min = 0, .max = 1e7},
    {GW_OPTION_INT, 0, "max-target", "N", FIELD(most_target),
     "tokens that targets are cut to, their end kept (0: "
     "the positions)",
     .min = 0, .max = 1e7},
    {GW_OPTION_REAL, 0, "label-smoothing", "S", FIELD(smoothing),
     "probability that is spread over all tokens but the right one", .min = 0, .max = 0.9},
    {GW_OPTION_CHOICE, 0, "optimiser", "NAME", FIELD(optimiser),
     "adafactor: as Big Bird and Pegasus use it; its rate is relative to each tensor's size, without weight decay and "
     "--clip",
     .choices = "adam|adafactor"},
    {GW_OPTION_GROUP, .help = "Encoder"},
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(model),
     "pretrained model, or one that has the set's labels already, whose head goes on"},
    {GW_OPTION_ROW_ATTENTION(FIELD(attention))},
    {GW_OPTION_FLAG, 0, "from-scratch", NULL, FIELD(from_scratch), "a fresh encoder instead, by the options below"},
    {GW_OPTION_CHOICE, 0, "size", "SIZE", FIELD(size),
     "of a fresh encoder; dna-...: of single bases; pegasus-...: with a decoder, for texts about texts",
     .choices = GW_CONFIG_SIZES "|" GW_CONFIG_DECODER_SIZES},
    {GW_OPTION_STRING, 0, "stem", "TEXT", FIELD(stem), "convolutional stem of a fresh dna- encoder (see graph)"},
    {GW_OPTION_STRING, 'c', "config", "FILE", FIELD(config), "config.json of a fresh encoder, instead of --size"},
    {GW_OPTION_STRING, 't', "tokenizer", "FILE", FIELD(tokenizer),
     "tokenizer.json of a fresh encoder (single letters)"},
    {GW_OPTION_INT, 0, "length", "N", FIELD(length),
     "positions of a fresh encoder, or of a model whose positions are rotary (0: its own)", .min = 0,
     .max = GW_MOST_ROTATED},
    {GW_OPTION_STRING, 'p', "pattern", "SPEC", FIELD(pattern), "attention pattern of a fresh encoder"},
    {GW_OPTION_GROUP, .help = "Training"},
    {GW_OPTION_CHOICE, 0, "preset", "NAME", FIELD(preset),
     "what BigBird's Table 21 (paper-...), Table 14 or fairseq's GLUE settings have, where nothing else is said, and "
     "the columns of the official files. Of summaries BigBird's Table 17: of xsum, cnn or longer texts (long) 1024, "
     "2048 or 3072 tokens to 64, 128 or 256, batch 128, dropout and smoothing 0.1, warm-up 10000, decay by the root; "
     "base: Adam with 1e-5, large: Adafactor with 1e-4; pegasus: Adafactor with 1e-4 for 10000 steps and decay by the "
     "root, smoothing 0.1",
     .choices = "paper-promoter|paper-profiles|" GW_TEXT_PRESETS
                "|xsum-base|xsum-large|cnn-base|cnn-large|long-base|long-large|pegasus"},
    {GW_OPTION_INT, 0, "epochs", "N", FIELD(epochs), "passes over the training set", .min = 1, .max = 1e6},
    {GW_OPTION_INT, 0, "steps", "N", FIELD(steps), "updates, instead of --epochs (0)", .min = 0, .max = 4e9},
    {GW_OPTION_INT, 0, "batch", "N", FIELD(batch), "examples of an update", .min = 1, .max = 1e6},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(tokens), "tokens computed at a time (memory)", .min = 0, .max = 1e8,
     .alias = "tokens-per-pass"},
    {GW_OPTION_ROW_DTYPE(FIELD(dtype))},
    {GW_OPTION_FLAG, 0, "recompute", NULL, FIELD(recompute),
     "keep of each layer its result alone and compute it again: less memory, the same bits"},
    {GW_OPTION_REAL, 0, "lr", "RATE", FIELD(rate),
     "largest learning rate (0: 0.001 for a fresh encoder of single bases, otherwise 0.0001)", .min = 0, .max = 10},
    {GW_OPTION_ROW_SCHEDULE(FIELD(schedule))},
    {GW_OPTION_ROW_WARMUP(FIELD(warmup))},
    {GW_OPTION_ROW_AVERAGE(FIELD(average))},
    {GW_OPTION_REAL, 0, "weight-decay", "X", FIELD(decay), "decoupled weight decay of matrices", .min = 0, .max = 10},
    {GW_OPTION_REAL, 0, "clip", "NORM", FIELD(clip), "largest norm of the gradient (0: any)", .min = 0, .max = 1e9},
    {GW_OPTION_STRING, 0, "positive-weight", "W", FIELD(positive_weight),
     "weight of positives in the loss (0: the task's); balanced: of each label its negatives over its positives in the "
     "training set, 0.01 to 100"},
    {GW_OPTION_CHOICE, 0, "pooling", "WHICH", FIELD(pooling),
     "what labels of a sequence are made of: its first token, the mean of all, that and a learned weight for each "
     "place in the window, or their mean by a learned query (the model's; places for a fresh encoder of single bases)",
     .choices = "first|mean|places|attention"},
    {GW_OPTION_REAL, 0, "dropout", "P", FIELD(dropout), "dropout probability (-1: the model's)", .min = -1,
     .max = 0.95},
    {GW_OPTION_FLAG, 0, "freeze-encoder", NULL, FIELD(frozen), "train the head alone"},
    {GW_OPTION_CHOICE, 0, "metric", "NAME", FIELD(metric),
     "figure of the validation set that the best epoch has (auroc; of texts accuracy, micro-f1, spearman or f1)",
     .choices = "auroc|auprc|" GW_TEXT_CRITERIA},
    {GW_OPTION_CHOICE, 0, "baseline", "WHICH", FIELD(baseline),
     "a logistic regression on k-mers of windows, or on words of texts, beside the model (where bases, or words, times "
     "labels are 15 million at most, else none)",
     .choices = "kmer|words|none"},
    {GW_OPTION_INT, 0, "patience", "N", FIELD(patience),
     "stop after N epochs without a better validation (0: go on to the end)", .min = 0, .max = 1e6},
    {GW_OPTION_FLAG, 0, "both-strands", NULL, FIELD(both_strands),
     "reverse complement half of the examples at random (the default, where the task reads both)"},
    {GW_OPTION_FLAG, 0, "one-strand", NULL, FIELD(one_strand),
     "train on the strand given (the default, where the task reads one)"},
    {GW_OPTION_INT, 0, "shift", "BP", FIELD(shift),
     "each epoch reads a window up to BP bases from where it is, at random; what a set lacks is N", .min = 0,
     .max = 1e6},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(seed), "seed of weights, order, strands, shifts and dropout", .min = 0,
     .max = 9e15},
    {GW_OPTION_ROW_DEVICE(FIELD(device))},
    GW_OPTION_ROWS_DENSITY(FIELD(density)),
    {GW_OPTION_GROUP, .help = "Kept in the model"},
    {GW_OPTION_INT, 0, "window", "BP", FIELD(window), "width of a window (0: that of the training set)", .min = 0,
     .max = 1e9},
    {GW_OPTION_INT, 0, "tss-offset", "BP", FIELD(tss_offset), "bases before the TSS (-1: as the training set says)",
     .min = -1, .max = 1e9},
    {GW_OPTION_GROUP, .help = "Checkpoints and metrics"},
    {GW_OPTION_ROW_CHECKPOINTS(FIELD(checkpoints), "removed once the model is there")},
    {GW_OPTION_INT, 0, "save-every", "N", FIELD(save_every),
     "updates between saves (0: at the end alone); the training state is saved every ten minutes in any case", .min = 0,
     .max = 4e9},
    {GW_OPTION_ROW_RESUME(FIELD(resume))},
    {GW_OPTION_INT, 0, "report-every", "N", FIELD(report_every), "updates between lines of metrics.jsonl", .min = 1,
     .max = 4e9},
    {.help = NULL},
};

static bool writes_texts(const finetune_arguments *a) {
    return gw_task_by_name(a->task) == GW_TASK_SUMMARIZE;
}

// Kinds of tasks, as far as they take options that others have no use for.
enum {
    OF_SUMMARIES = 1,
    OF_CLASSES = 2, // of texts
    OF_WORDS = 4,
    OF_BINS = 8,
    OF_SITES = 16,
    OF_ANSWERS = 32,
    OF_TEXTS = OF_CLASSES | OF_WORDS,
    OF_WINDOWS = OF_BINS | OF_SITES,
    OF_LABELS = OF_TEXTS | OF_WINDOWS | OF_ANSWERS,
};

static const struct {
    size_t field;
    int kinds;
} options_of_tasks[] = {
    {FIELD(fasta), OF_WINDOWS},
    {FIELD(negatives), OF_WINDOWS},
    {FIELD(valid_negatives), OF_WINDOWS},
    {FIELD(texts.text), OF_TEXTS},
    {FIELD(texts.second), OF_TEXTS},
    {FIELD(texts.label), OF_TEXTS},
    {FIELD(texts.choices), OF_TEXTS},
    {FIELD(texts.headless), OF_TEXTS},
    {FIELD(texts.words), OF_TEXTS},
    {FIELD(texts.longest), OF_TEXTS | OF_ANSWERS},
    {FIELD(questions.stride), OF_ANSWERS},
    {FIELD(questions.most_question), OF_ANSWERS},
    {FIELD(questions.longest_answer), OF_ANSWERS},
    {FIELD(labels), OF_CLASSES},
    {FIELD(source), OF_SUMMARIES},
    {FIELD(target), OF_SUMMARIES},
    {FIELD(most_source), OF_SUMMARIES},
    {FIELD(most_target), OF_SUMMARIES},
    {FIELD(smoothing), OF_SUMMARIES},
    {FIELD(positive_weight), OF_CLASSES | OF_WINDOWS},
    {FIELD(pooling), OF_CLASSES | OF_WINDOWS},
    {FIELD(frozen), OF_LABELS},
    {FIELD(metric), OF_LABELS},
    {FIELD(baseline), OF_LABELS},
    {FIELD(both_strands), OF_WINDOWS},
    {FIELD(one_strand), OF_WINDOWS},
    {FIELD(shift), OF_WINDOWS},
    {FIELD(density.weight), OF_LABELS},
    {FIELD(density.expected), OF_LABELS},
    {FIELD(density.exploration), OF_LABELS},
    {FIELD(density.gradient), OF_LABELS},
    {FIELD(window), OF_WINDOWS},
    {FIELD(tss_offset), OF_SITES},
};

static int kind_of(gw_task task) {
    const gw_task_row *row = gw_task_of(task);
    if (row->head == GW_HEAD_GENERATION) return OF_SUMMARIES;
    if (row->head == GW_HEAD_SPAN) return OF_ANSWERS;
    if (row->texts) return row->head == GW_HEAD_TOKEN ? OF_WORDS : OF_CLASSES;
    return row->keeps_tss ? OF_SITES : OF_BINS;
}

// "classify, token": the tasks of these kinds.
static void name_tasks(int kinds, char *text, size_t size) {
    char name[32];
    size_t used = 0;
    for (const char *at = tasks + 1, *end; *at && used < size; at = end + (*end == '|')) {
        end = at + strcspn(at, "|");
        snprintf(name, sizeof name, "%.*s", (int)(end - at), at);
        if (kind_of(gw_task_by_name(name)) & kinds)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
    }
}

// An option that the task has no use for is a mistake: it would be passed over in silence.
static gw_status check_task(const finetune_arguments *a) {
    char takers[256];
    const int kind = kind_of(gw_task_by_name(a->task));
    for (size_t i = 0; i < sizeof options_of_tasks / sizeof *options_of_tasks; i++) {
        if (!gw_option_given(options_of_tasks[i].field) || options_of_tasks[i].kinds & kind) continue;
        name_tasks(options_of_tasks[i].kinds, takers, sizeof takers);
        return gw_usage_error("--%s goes with --task %s", gw_option_name_of(options, options_of_tasks[i].field),
                              takers);
    }
    if (kind != OF_CLASSES || !a->positive_weight) return GW_OK;
    if (strcmp(a->labels, "many") != 0) return gw_usage_error("--positive-weight goes with --labels many");
    if (strcmp(a->positive_weight, "balanced") == 0)
        return gw_usage_error("--positive-weight balanced is of windows; of texts it is a number");
    return GW_OK;
}

static gw_status check_baseline(const finetune_arguments *a) {
    if (!a->baseline || strcmp(a->baseline, "none") == 0) return GW_OK;
    const bool words = strcmp(a->baseline, "words") == 0;
    const int kind = kind_of(gw_task_by_name(a->task));
    if (!(kind & (words ? OF_CLASSES : OF_WINDOWS)) || (words && strcmp(a->labels, "numbers") == 0))
        return gw_usage_error("--baseline %s is of %s", a->baseline,
                              words ? "classes of texts: --task classify, with --labels one or many"
                                    : "windows, not of --task classify and token");
    if (a->valid.count > 0) return GW_OK;
    return gw_usage_error("--baseline %s needs --valid, by which %s is chosen", a->baseline,
                          words ? "its penalty" : "k");
}

static bool same_files(const gw_string_list *a, const gw_string_list *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0) return false;
    return true;
}

static gw_status check_negatives(const finetune_arguments *a) {
    const bool valid = a->valid_negatives.count > 0;
    if (valid && (a->negatives.count == 0 || a->valid.count == 0))
        return gw_usage_error("--valid-negatives-fasta goes with --valid and --negatives-fasta");
    if (a->negatives.count == 0 || a->valid.count == 0 || valid || same_files(&a->sets, &a->valid)) return GW_OK;
    return gw_usage_error("--valid has sequences of its own: give those without the label too, by "
                          "--valid-negatives-fasta");
}

static gw_status check_usage(const finetune_arguments *a) {
    GW_TRY(check_task(a));
    GW_TRY(check_negatives(a));
    if (a->from_scratch == (a->model != NULL)) return gw_usage_error("give either a model (-m) or --from-scratch");
    if (a->from_scratch && (a->size != NULL) == (a->config != NULL))
        return gw_usage_error("--from-scratch needs either --size or a config (-c)");
    if (!a->from_scratch && (a->size || a->config || a->stem || a->tokenizer || a->pattern))
        return gw_usage_error("--size, -c, --stem, -t and -p describe a fresh encoder: they go with --from-scratch");
    if (!a->from_scratch && a->length && writes_texts(a))
        return gw_usage_error("--length goes with --from-scratch where the task writes texts");
    if (a->from_scratch && a->attention)
        return gw_usage_error("--attention is of the model given by -m; a fresh encoder's pattern (-p) says it");
    if (a->both_strands && a->one_strand) return gw_usage_error("--both-strands and --one-strand exclude each other");
    if (!writes_texts(a) && strcmp(a->optimiser, "adam") != 0)
        return gw_usage_error("--optimiser %s goes with --task summarize", a->optimiser);
    return GW_OK;
}

static gw_status fresh_config(const finetune_arguments *a, gw_config *config) {
    GW_TRY(a->config ? gw_config_load(a->config, config) : gw_config_preset(a->size, config));
    if (a->length > 0) config->positions = a->length;
    gw_status status = a->pattern ? gw_pattern_parse(a->pattern, &config->pattern) : GW_OK;
    if (status == GW_OK && a->stem) status = gw_config_use_stem(config, a->stem);
    if (status == GW_OK && (config->decoder_layers > 0) != writes_texts(a))
        status = gw_usage_error("--task summarize needs a model with a decoder (--size pegasus-...), other tasks one "
                                "without");
    if (status != GW_OK) gw_config_free(config);
    return status;
}

#define UNLESS_GIVEN(field, value)                                                                                     \
    do {                                                                                                               \
        if (!gw_option_given(FIELD(field))) a->field = (value);                                                        \
    } while (0)

static gw_status apply_text_preset(finetune_arguments *a, const gw_text_preset *preset) {
    if (strcmp(a->task, "classify") != 0) return gw_usage_error("--preset %s goes with --task classify", a->preset);
    UNLESS_GIVEN(batch, preset->batch);
    UNLESS_GIVEN(dropout, 0.1);
    UNLESS_GIVEN(rate, preset->rate);
    UNLESS_GIVEN(decay, preset->decay);
    UNLESS_GIVEN(metric, preset->metric);
    if (preset->labels == GW_TEXT_NUMBERS) UNLESS_GIVEN(labels, "numbers");
    if (gw_option_given(FIELD(steps)) || gw_option_given(FIELD(epochs))) return GW_OK;
    a->epochs = preset->epochs;
    a->steps = preset->steps;
    UNLESS_GIVEN(warmup, preset->warmup);
    return GW_OK;
}

// BigBird's Table 17, and the released Pegasus, whose rate does not rise.
static gw_status apply_summaries_preset(finetune_arguments *a) {
    static const struct {
        const char *name;
        int64_t source, target;
    } lengths[] = {{"xsum-", 1024, 64}, {"cnn-", 2048, 128}, {"long-", 3072, 256}};
    if (!writes_texts(a)) return gw_usage_error("--preset %s goes with --task summarize", a->preset);
    const bool pegasus = strcmp(a->preset, "pegasus") == 0, base = strstr(a->preset, "-base") != NULL;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        if (strncmp(a->preset, lengths[i].name, strlen(lengths[i].name)) != 0) continue;
        UNLESS_GIVEN(most_source, lengths[i].source);
        UNLESS_GIVEN(most_target, lengths[i].target);
        UNLESS_GIVEN(batch, 128);
        UNLESS_GIVEN(dropout, 0.1);
    }
    UNLESS_GIVEN(smoothing, 0.1);
    UNLESS_GIVEN(warmup, 10000);
    if (!base) UNLESS_GIVEN(optimiser, "adafactor");
    UNLESS_GIVEN(schedule, gw_schedule_name(pegasus ? GW_SCHEDULE_HOLD_SQRT : GW_SCHEDULE_SQRT));
    if (base) UNLESS_GIVEN(rate, 1e-5);
    return GW_OK;
}

// BigBird's Table 21; rates, warm-up (a tenth, at most 10,000 steps) and the weight of positives are the defaults.
// Options that were given stay, steps also where there are epochs.
static gw_status apply_preset(finetune_arguments *a) {
    if (!a->preset) return GW_OK;
    const gw_text_preset *texts = gw_text_preset_by_name(a->preset);
    if (texts) return apply_text_preset(a, texts);
    if (strncmp(a->preset, "paper-", strlen("paper-")) != 0) return apply_summaries_preset(a);
    const char *task = a->preset + strlen("paper-");
    if (strcmp(a->task, task) != 0) return gw_usage_error("--preset %s goes with --task %s", a->preset, task);
    UNLESS_GIVEN(batch, 256);
    UNLESS_GIVEN(dropout, 0.1);
    if (!gw_option_given(FIELD(epochs))) UNLESS_GIVEN(steps, strcmp(task, "promoter") == 0 ? 711 : 500000);
    return GW_OK;
}

static gw_text_options read_texts(const finetune_arguments *a, const gw_text_preset *preset) {
    gw_text_options texts = gw_texts_read(&a->texts, preset);
    texts.labels = strcmp(a->task, "token") == 0       ? GW_TEXT_WORDS
                   : strcmp(a->labels, "many") == 0    ? GW_TEXT_MANY
                   : strcmp(a->labels, "numbers") == 0 ? GW_TEXT_NUMBERS
                                                       : GW_TEXT_ONE;
    if (texts.labels == GW_TEXT_WORDS) texts.words = true;
    if (kind_of(gw_task_by_name(a->task)) == OF_ANSWERS) gw_questions_apply(&a->questions, &texts);
    return texts;
}

static int count_classes(const gw_text_preset *preset) {
    int count = 0;
    while (preset && count < GW_PRESET_CLASSES && preset->classes[count]) count++;
    return count;
}

static gw_status check_metric(const finetune_arguments *a, bool texts) {
    const bool answers = kind_of(gw_task_by_name(a->task)) == OF_ANSWERS;
    const int figure = a->metric ? gw_figure_by_name(a->metric) : -1;
    if (a->metric && (answers ? figure != GW_FIGURE_F1 && figure != GW_FIGURE_EXACT && figure != GW_FIGURE_LOSS
                              : figure == GW_FIGURE_EXACT))
        return gw_usage_error("--metric %s is not one of --task %s", a->metric, a->task);
    const bool windows = !a->metric || gw_criterion_by_name(a->metric) != GW_BY_LOSS || strcmp(a->metric, "loss") == 0;
    if (texts ? !a->metric || gw_figure_by_name(a->metric) >= 0 : windows) return GW_OK;
    return gw_usage_error("--metric %s is not one of --task %s", a->metric, a->task);
}

static gw_status read_weight(const char *text, double *out) {
    *out = 0;
    if (!text) return GW_OK;
    *out = GW_BALANCED;
    if (strcmp(text, "balanced") == 0) return GW_OK;
    if (gw_parse_double(text, 0, 1e6, out) == GW_OK) return GW_OK;
    return gw_usage_error("--positive-weight is '%s', expected a number from 0 to 1e6, or balanced", text);
}

// What narrow models of single bases learn well by, and what pretrained encoders bear.
static double usual_rate(const gw_config *fresh) {
    return fresh && fresh->stem.count > 0 ? 1e-3 : 1e-4;
}

static gw_optimiser_options optimiser_of(const finetune_arguments *a) {
    gw_optimiser_options o = gw_optimiser_adafactor();
    if (strcmp(a->optimiser, "adafactor") == 0) return o;
    o = gw_optimiser_defaults();
    o.decay = a->decay;
    o.clip = a->clip;
    return o;
}

static gw_tuning tuning_of(const finetune_arguments *a, const gw_config *fresh, gw_precision precision,
                           const char *checkpoints) {
    return (gw_tuning){
        .model = a->model,
        .attention = a->attention,
        .fresh = fresh,
        .tokenizer = a->tokenizer,
        .sets = a->sets.items,
        .set_count = a->sets.count,
        .valid = a->valid.items,
        .valid_count = a->valid.count,
        .epochs = a->epochs,
        .steps = a->steps,
        .batch = a->batch,
        .tokens = a->tokens,
        .recompute = a->recompute,
        .precision = precision,
        .rate = a->rate > 0 ? a->rate : usual_rate(fresh),
        .schedule = gw_schedule_by_name(a->schedule),
        .warmup = a->warmup,
        .optimiser = optimiser_of(a),
        .dropout = a->dropout,
        .average_decay = a->average,
        .patience = a->patience,
        .seed = (uint64_t)a->seed,
        .command = gw_command_line(),
        .output = a->output,
        .checkpoints = checkpoints,
        .checkpoints_pass = !a->checkpoints,
        .save_every = a->save_every,
        .report_every = a->report_every,
        .resume = a->resume,
    };
}

static gw_status train_summaries(const finetune_arguments *a, const gw_tuning *tuning) {
    const gw_summarize_options o = {
        .tuning = *tuning,
        .pairs = {.source = a->source,
                  .target = a->target,
                  .most_source = a->most_source,
                  .most_target = a->most_target},
        .smoothing = a->smoothing,
        .density = gw_density_of(&a->density),
    };
    return gw_summarize(&o);
}

static gw_status train_labels(const finetune_arguments *a, const gw_tuning *tuning) {
    double positive_weight;
    const gw_text_preset *preset = a->preset ? gw_text_preset_by_name(a->preset) : NULL;
    const gw_text_options texts = read_texts(a, preset);
    const bool of_texts = gw_task_of(gw_task_by_name(a->task))->texts;
    GW_TRY(check_metric(a, of_texts));
    GW_TRY(read_weight(a->positive_weight, &positive_weight));
    const gw_finetune_options o = {
        .tuning = *tuning,
        .task = gw_task_by_name(a->task),
        .fasta = a->fasta,
        .negatives = a->negatives.items,
        .negative_count = a->negatives.count,
        .valid_negatives = a->valid_negatives.items,
        .valid_negative_count = a->valid_negatives.count,
        .texts = of_texts ? &texts : NULL,
        .classes = preset ? preset->classes : NULL,
        .class_count = count_classes(preset),
        .figure = of_texts ? a->metric : NULL,
        .frozen = a->frozen,
        .positive_weight = positive_weight,
        .pooling = a->pooling,
        .shift = a->shift,
        .strands = a->both_strands ? GW_STRANDS_BOTH
                   : a->one_strand ? GW_STRANDS_ONE
                                   : GW_STRANDS_BY_TASK,
        .density = gw_density_of(&a->density),
        .criterion = gw_criterion_by_name(a->metric ? a->metric : "auroc"),
        .baseline = !a->baseline                        ? GW_BASELINE_OF_SMALL_SETS
                    : strcmp(a->baseline, "kmer") == 0  ? GW_BASELINE_KMER
                    : strcmp(a->baseline, "words") == 0 ? GW_BASELINE_WORDS
                                                        : GW_BASELINE_NONE,
        .positions = a->from_scratch ? 0 : a->length,
        .window = a->window,
        .tss_offset = a->tss_offset,
    };
    return gw_finetune(&o);
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)operands, (void)count;
    const finetune_arguments *a = arguments;
    GW_TRY(check_usage(a));
    GW_TRY(apply_preset(arguments));
    GW_TRY(check_baseline(a));
    GW_TRY(gw_device_apply(a->device));
    gw_config config = {0};
    gw_precision precision;
    GW_TRY(gw_training_precision(a->dtype, &precision));
    char *checkpoints;
    GW_TRY(gw_checkpoints_folder(a->checkpoints, a->output, a->resume, &checkpoints));
    if (a->from_scratch) GW_TRY(fresh_config(a, &config));
    const gw_tuning tuning = tuning_of(a, a->from_scratch ? &config : NULL, precision, checkpoints);
    gw_grace_seconds = GRACE_SECONDS; // to finish a step and save the state
    gw_status status = writes_texts(a) ? train_summaries(a, &tuning) : train_labels(a, &tuning);
    if (status == GW_OK) status = gw_draw_run(a->output, "Fine-tuning");
    gw_config_free(&config);
    free(checkpoints);
    return status;
}

const gw_command gw_command_finetune = {
    .name = "finetune",
    .group = "Models",
    .summary = "train a classifier on a labelled set",
    .usage = "(-m MODEL | --from-scratch --size tiny) --task TASK -d SET [--valid SET] -o FOLDER [options]",
    .description =
        "Puts a classifier head on [CLS], or on the mean of all tokens (models of single bases), and trains it with "
        "the encoder by binary cross entropy, each label its own. "
        "Tasks on texts read tables by the names of their columns instead (--text, --text2, --label ...), and train by "
        "cross entropy, or squared errors of numbers. "
        "The window, the labels, the TSS offset or bin, the weight of positives, the MD5 of the reference and this "
        "command are kept in the model folder.\n\n"
#define GW_TASK(NAME, name, help, ...) "Task " #name ": " help ".\n\n"
#include "model/tasks.def"
#undef GW_TASK
        "Of sets with splits the rows `train` train and, under --valid, the rows `valid` validate; other sets are "
        "taken whole. Sequences in FASTA make a set, too: -d of those with the label (positive), --negatives-fasta "
        "of those without it; under --valid with the same files a tenth of all, drawn by their letters, validates. "
        "With --valid a line of a table is shown after every epoch (figures are means over targets; "
        "the loss is that of training, with its weights), the weights of the best epoch by --metric make the model, "
        "and the run stops where --patience epochs brought nothing better; otherwise the last weights make it. A "
        "training loss that stays at that of knowing nothing but how frequent each label is gets a warning. "
        "With --valid the number is fitted, too, that the logits of labels are best divided by: a temperature, under "
        "which the validation set is likeliest (Guo et al. 2017). It is kept in the folder, and predict, eval and "
        "score divide by it (--temperature 1: they do not). "
        "Where the set is small, or under --baseline kmer, a logistic regression on frequencies of 3- to 6-mers (a "
        "k-mer and its reverse complement are one where both strands are read) is trained on the same examples, its "
        "k and penalty chosen by --metric on the same validation set, and stands as the table's first line; a model "
        "that does no better is warned of. Of many labels it takes as many as keep this to a minute or so. Classes of "
        "texts have a logistic regression on the words that occur in them (--baseline words), and a model that is no "
        "better than knowing how frequent each label is gets a warning. "
        "Task qa reads question sets in the layout of SQuAD 1.1 and 2.0 as they are, long contexts in windows, and is "
        "rated by F1 and exact answers of whole questions. "
        "Texts are cut to the model's positions (--max-length: less). A class that is met in validation alone is an "
        "error that tells file and line. --preset NAME of a known set of texts says its columns, its classes and the "
        "settings that it was published with.\n\n"
        "metrics.jsonl in the model folder (in the checkpoint folder while it runs) holds loss, rate, gradient norm "
        "and validation, and loss.png its curves.\n\n"
        "Task summarize reads tables too (fields of JSON objects may be lists of texts), "
        "and trains a model with a decoder to write --target about --source, each token "
        "from those before it. The weights of the epoch with the lowest loss on --valid make the model.\n\n"
        "A run that was stopped or killed goes on with --resume, bit for bit as if it had not been: its training state "
        "is saved in OUTPUT.checkpoints every ten minutes and when it is stopped, and goes once the model is there. A "
        "folder that --checkpoints names stays. One run at a time writes an output folder, by OUTPUT.lock. "
        "--dtype bf16 rounds what the linear layers (forward and backward) and attention (forward) multiply; weights "
        "and moments stay f32.",
    .examples =
        "godwit finetune -m yeast --task profiles -d set --valid set -f yeast.fa.gz -o profiles\n"
        "godwit finetune -m roberta --task classify --preset rte -d train.tsv --valid dev.tsv -o rte\n"
        "godwit finetune -m bert --task classify --text body --label topic -d train.csv --valid dev.csv -o topics\n"
        "godwit finetune -m roberta --task qa -d train-v2.0.json --valid dev-v2.0.json -o qa\n"
        "godwit finetune --from-scratch --size tiny --task promoter -d fold_1.csv -d fold_2.csv --valid fold_3.csv "
        "-o promoter\n"
        "godwit finetune -m yeast --task promoter -d bound.fa --negatives-fasta rest.fa --valid bound.fa -o binding\n"
        "godwit finetune -m pegasus --task summarize --preset long-large --source article --target abstract "
        "-d train.jsonl --valid valid.jsonl -o summaries",
    .options = options,
    .defaults = &defaults,
    .arguments_size = sizeof defaults,
    .least_operands = 0,
    .most_operands = 0,
    .run = run,
};
