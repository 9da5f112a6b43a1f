// SPDX-License-Identifier: MIT
// godwit finetune: a classifier from a pretrained (or fresh) encoder and a labelled set.
#include "task/finetune.h"
#include "base/parse.h"
#include "model/task.h"
#include "task/pairs/summarize.h"
#include "task/questions/question_format.h"
#include "task/texts/text_judge.h"
#include "tools/cli/checkpoints.h"
#include "tools/cli/cli.h"
#include "tools/cli/common.h"
#include "tools/cli/device.h"
#include "tools/inference.h"
#include "tools/picture/loss_picture.h"
#include "tools/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_finetune_options of;
    const char *config, *size, *stem, *pattern, *device, *preset, *positive_weight;
    bool from_scratch;
    int64_t length;
} finetune_arguments;

enum { GRACE_SECONDS = 60 };

static const finetune_arguments defaults = {.of = {.tuning = {.epochs = 10,
                                                              .batch = 32,
                                                              .tokens = 8192,
                                                              .warmup = -1,
                                                              .optimiser = GW_OPTIMISER_DEFAULTS,
                                                              .dropout = -1,
                                                              .patience = 5,
                                                              .seed = 1,
                                                              .report_every = 10,
                                                              .mixer = GW_MIXER_OPTIONS_DEFAULTS},
                                                   .texts = {.labels = GW_TEXT_ONE},
                                                   .pairs = {.source = "source", .target = "target"},
                                                   .tss_offset = -1}};

#define GW_TASK(NAME, name, help, ...) "|" #name
static const char tasks[] =
#include "model/tasks.def"
    ;
#undef GW_TASK

#define FIELD(name) offsetof(finetune_arguments, name)
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

static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_NAMED, 0, "task", "TASK", FIELD(of.task),
     "what the labels are; with --help: the options of that task alone", .min = 1, .choices = tasks + 1,
     .required = true},
    {GW_OPTION_LIST, 'd', "data", "SET", FIELD(of.tuning.sets), "training set; may be repeated", .required = true},
    {GW_OPTION_LIST, 0, "valid", "SET", FIELD(of.tuning.valid),
     "validation set; may be repeated, and may be the training set"},
    {GW_OPTION_LIST, 0, "negatives-fasta", "FILE", FIELD(of.negatives),
     "sequences without the label; -d is FASTA then, of those with it; may be repeated", .of = OF_WINDOWS},
    {GW_OPTION_LIST, 0, "valid-negatives-fasta", "FILE", FIELD(of.valid_negatives),
     "the same of --valid (where that is -d itself: a tenth of all sequences validates, the others train)",
     .of = OF_WINDOWS},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(of.fasta), "reference genome of sets of regions", .of = OF_WINDOWS},
    {GW_OPTION_STRING, 'o', "output", "FOLDER", FIELD(of.tuning.output), "model folder to write", .required = true,
     .writes = true},
    GW_OPTION_ROWS_TEXTS(FIELD(of.texts), OF_TEXTS, OF_TEXTS | OF_ANSWERS),
    {GW_OPTION_NAMED, 0, "labels", "KIND", FIELD(of.texts.labels),
     "of --task classify: one class a text, many (names between commas, a JSON list, or columns of 0 and 1), or "
     "numbers",
     .min = GW_TEXT_ONE, .choices = "one|many|numbers", .of = OF_CLASSES},
    GW_OPTION_ROWS_QUESTIONS(FIELD(of.texts), OF_ANSWERS),
    {GW_OPTION_REAL, 0, "drop-windows", "SHARE", FIELD(of.texts.dropped),
     "of the training windows without an answer, which most of a long context are", .min = 0, .max = 1,
     .of = OF_ANSWERS},
    {GW_OPTION_GROUP, .help = "Texts about texts (--task summarize)"},
    {GW_OPTION_STRING, 0, "source", "NAME", FIELD(of.pairs.source), "column of the texts that are read",
     .of = OF_SUMMARIES},
    {GW_OPTION_STRING, 0, "target", "NAME", FIELD(of.pairs.target), "column of the texts that are written",
     .of = OF_SUMMARIES},
    {GW_OPTION_INT, 0, "max-source", "N", FIELD(of.pairs.most_source),
     "tokens that sources are cut to (0: the positions)", .min = 0, .max = 1e7, .of = OF_SUMMARIES},
    {GW_OPTION_INT, 0, "max-target", "N", FIELD(of.pairs.most_target),
     "tokens that targets are cut to, their end kept (0: "
     "the positions)",
     .min = 0, .max = 1e7, .of = OF_SUMMARIES},
    {GW_OPTION_REAL, 0, "label-smoothing", "S", FIELD(of.smoothing),
     "probability that is spread over all tokens but the right one", .min = 0, .max = 0.9, .of = OF_SUMMARIES},
    {GW_OPTION_NAMED, 0, "optimiser", "NAME", FIELD(of.tuning.optimiser.kind),
     "adafactor: as Big Bird and Pegasus use it; its rate is relative to each tensor's size, without weight decay and "
     "--clip",
     .choices = GW_OPTIMISERS, .of = OF_SUMMARIES},
    {GW_OPTION_GROUP, .help = "Encoder"},
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(of.tuning.model),
     "pretrained model, or one that has the set's labels already, whose head goes on"},
    {GW_OPTION_ROW_ATTENTION(FIELD(of.tuning.attention))},
    {GW_OPTION_FLAG, 0, "from-scratch", NULL, FIELD(from_scratch), "a fresh encoder instead, by the options below"},
    {GW_OPTION_CHOICE, 0, "size", "SIZE", FIELD(size),
     "of a fresh encoder; dna-...: of single bases; pegasus-...: with a decoder, for texts about texts",
     .choices = GW_CONFIG_SIZES "|" GW_CONFIG_DECODER_SIZES},
    {GW_OPTION_STRING, 0, "stem", "TEXT", FIELD(stem), "convolutional stem of a fresh dna- encoder (see graph)"},
    {GW_OPTION_STRING, 'c', "config", "FILE", FIELD(config), "config.json of a fresh encoder, instead of --size"},
    {GW_OPTION_STRING, 't', "tokenizer", "FILE", FIELD(of.tuning.tokenizer),
     "tokenizer.json of a fresh encoder (single letters)"},
    {GW_OPTION_INT, 0, "length", "N", FIELD(length),
     "positions of a fresh encoder, or of a model whose positions are rotary (0: its own)", .min = 0,
     .max = GW_MOST_ROTATED},
    {GW_OPTION_STRING, 'p', "pattern", "SPEC", FIELD(pattern),
     "attention pattern of a fresh encoder, or another mixer such as linear"},
    {GW_OPTION_GROUP, .help = "Training"},
    {GW_OPTION_CHOICE, 0, "preset", "NAME", FIELD(preset),
     "what BigBird's Table 21 (paper-...), Table 14 or fairseq's GLUE settings have, where nothing else is said, and "
     "the columns of the official files. Of question sets Table 12 (batch, 4096 tokens, stride 2048) and the middle of "
     "Table 13's rates and epochs; squad: BERT's. Of summaries BigBird's Table 17: of xsum, cnn or longer texts (long) "
     "1024, 2048 or 3072 tokens to 64, 128 or 256, batch 128, dropout and smoothing 0.1, warm-up 10000, decay by the "
     "root; base: Adam with 1e-5, large: Adafactor with 1e-4; pegasus: Adafactor with 1e-4 for 10000 steps and decay "
     "by the root, smoothing 0.1",
     .choices = "paper-promoter|paper-profiles|" GW_TEXT_PRESETS "|" GW_QA_KINDS
                "|xsum-base|xsum-large|cnn-base|cnn-large|long-base|long-large|pegasus"},
    {GW_OPTION_INT, 0, "epochs", "N", FIELD(of.tuning.epochs), "passes over the training set", .min = 1, .max = 1e6},
    {GW_OPTION_INT, 0, "steps", "N", FIELD(of.tuning.steps), "updates, instead of --epochs (0)", .min = 0, .max = 4e9},
    {GW_OPTION_INT, 0, "batch", "N", FIELD(of.tuning.batch), "examples of an update", .min = 1, .max = 1e6},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(of.tuning.tokens), "tokens computed at a time (memory)", .min = 0,
     .max = 1e8, .alias = "tokens-per-pass"},
    {GW_OPTION_ROW_DTYPE(FIELD(of.tuning.precision))},
    {GW_OPTION_FLAG, 0, "recompute", NULL, FIELD(of.tuning.recompute),
     "keep of each layer its result alone and compute it again: less memory, the same bits"},
    {GW_OPTION_REAL, 0, "lr", "RATE", FIELD(of.tuning.rate),
     "largest learning rate (0: 0.001 for a fresh encoder of single bases, otherwise 0.0001)", .min = 0, .max = 10},
    {GW_OPTION_ROW_SCHEDULE(FIELD(of.tuning.schedule))},
    {GW_OPTION_ROW_WARMUP(FIELD(of.tuning.warmup))},
    {GW_OPTION_ROW_AVERAGE(FIELD(of.tuning.average_decay))},
    {GW_OPTION_REAL, 0, "weight-decay", "X", FIELD(of.tuning.optimiser.decay), "decoupled weight decay of matrices",
     .min = 0, .max = 10},
    {GW_OPTION_REAL, 0, "clip", "NORM", FIELD(of.tuning.optimiser.clip), "largest norm of the gradient (0: any)",
     .min = 0, .max = 1e9},
    {GW_OPTION_STRING, 0, "positive-weight", "W", FIELD(positive_weight),
     "weight of positives in the loss (0: the task's); balanced: of each label its negatives over its positives in the "
     "training set, 0.01 to 100",
     .of = OF_CLASSES | OF_WINDOWS},
    {GW_OPTION_CHOICE, 0, "pooling", "WHICH", FIELD(of.pooling),
     "what labels of a sequence are made of: its first token, the mean of all, that and a learned weight for each "
     "place in the window, or their mean by a learned query (the model's; places for a fresh encoder of single bases)",
     .choices = "first|mean|places|attention", .of = OF_CLASSES | OF_WINDOWS},
    {GW_OPTION_REAL, 0, "dropout", "P", FIELD(of.tuning.dropout), "dropout probability (-1: the model's)", .min = -1,
     .max = 0.95},
    {GW_OPTION_FLAG, 0, "freeze-encoder", NULL, FIELD(of.frozen), "train the head alone", .of = OF_LABELS},
    {GW_OPTION_CHOICE, 0, "metric", "NAME", FIELD(of.metric),
     "figure of the validation set that the best epoch has (auroc; of texts accuracy, micro-f1, spearman or f1)",
     .choices = "auroc|auprc|" GW_TEXT_CRITERIA, .of = OF_LABELS},
    {GW_OPTION_NAMED, 0, "baseline", "WHICH", FIELD(of.baseline),
     "a logistic regression on k-mers of windows, or on words of texts, beside the model (where bases, or words, times "
     "labels are 15 million at most, else none)",
     .min = GW_BASELINE_KMER, .choices = GW_BASELINES, .of = OF_LABELS},
    {GW_OPTION_INT, 0, "patience", "N", FIELD(of.tuning.patience),
     "stop after N epochs without a better validation (0: go on to the end)", .min = 0, .max = 1e6},
    {GW_OPTION_SETS, 0, "both-strands", NULL, FIELD(of.strands),
     "reverse complement half of the examples at random (the default, where the task reads both)",
     .min = GW_STRANDS_BOTH, .of = OF_WINDOWS},
    {GW_OPTION_SETS, 0, "one-strand", NULL, FIELD(of.strands),
     "train on the strand given (the default, where the task reads one)", .min = GW_STRANDS_ONE, .of = OF_WINDOWS},
    {GW_OPTION_INT, 0, "shift", "BP", FIELD(of.shift),
     "each epoch reads a window up to BP bases from where it is, at random; what a set lacks is N", .min = 0,
     .max = 1e6, .of = OF_WINDOWS},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(of.tuning.seed), "seed of weights, order, strands, shifts and dropout",
     .min = 0, .max = 9e15},
    {GW_OPTION_ROW_DEVICE(FIELD(device))},
    GW_OPTION_ROWS_MIXERS(FIELD(of.tuning.mixer), OF_LABELS),
    {GW_OPTION_GROUP, .help = "Kept in the model"},
    {GW_OPTION_INT, 0, "window", "BP", FIELD(of.window), "width of a window (0: that of the training set)", .min = 0,
     .max = 1e9, .of = OF_WINDOWS},
    {GW_OPTION_INT, 0, "tss-offset", "BP", FIELD(of.tss_offset), "bases before the TSS (-1: as the training set says)",
     .min = -1, .max = 1e9, .of = OF_SITES},
    {GW_OPTION_GROUP, .help = "Checkpoints and metrics"},
    {GW_OPTION_ROW_CHECKPOINTS(FIELD(of.tuning.checkpoints), "removed once the model is there")},
    {GW_OPTION_INT, 0, "save-every", "N", FIELD(of.tuning.save_every),
     "updates between saves (0: at the end alone); the training state is saved every ten minutes in any case", .min = 0,
     .max = 4e9},
    {GW_OPTION_ROW_RESUME(FIELD(of.tuning.resume))},
    {GW_OPTION_INT, 0, "report-every", "N", FIELD(of.tuning.report_every), "updates between lines of metrics.jsonl",
     .min = 1, .max = 4e9},
    {.help = NULL},
};

static unsigned kind_of_task(gw_task task) {
    const gw_task_row *row = gw_task_of(task);
    if (task == GW_TASK_PRETRAIN) return 0; // none is named yet
    if (row->head == GW_HEAD_GENERATION) return OF_SUMMARIES;
    if (row->head == GW_HEAD_SPAN) return OF_ANSWERS;
    if (row->texts) return row->head == GW_HEAD_TOKEN ? OF_WORDS : OF_CLASSES;
    return row->keeps_tss ? OF_SITES : OF_BINS;
}

static unsigned kind(const void *arguments) {
    return kind_of_task(((const finetune_arguments *)arguments)->of.task);
}

// "--task classify, token": the tasks of these kinds.
static void name_kinds(unsigned kinds, char *text, size_t size) {
    const char *name = tasks;
    size_t used = (size_t)snprintf(text, size, "--task");
    bool first = true;
    for (gw_task task = GW_TASK_PRETRAIN + 1; *name && used < size; task++) {
        const int length = (int)strcspn(++name, "|");
        if (kind_of_task(task) & kinds) {
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", first ? " " : ", ", length, name);
            first = false;
        }
        name += length;
    }
}

static bool writes_texts(const finetune_arguments *a) {
    return kind(a) == OF_SUMMARIES;
}

// The weight of positives is a number, of windows also one that balances.
static gw_status take_weight(finetune_arguments *a) {
    const char *text = a->positive_weight;
    if (!text) return GW_OK;
    const bool texts = kind(a) == OF_CLASSES, balanced = strcmp(text, "balanced") == 0;
    if (texts && a->of.texts.labels != GW_TEXT_MANY) return gw_usage_error("--positive-weight goes with --labels many");
    if (texts && balanced) return gw_usage_error("--positive-weight balanced is of windows; of texts it is a number");
    if (balanced) a->of.positive_weight = GW_BALANCED;
    else if (gw_parse_double(text, 0, 1e6, &a->of.positive_weight) != GW_OK)
        return gw_usage_error("--positive-weight is '%s', expected a number from 0 to 1e6, or balanced", text);
    return GW_OK;
}

static gw_status check_baseline(const finetune_arguments *a) {
    const gw_baseline baseline = a->of.baseline;
    if (baseline != GW_BASELINE_KMER && baseline != GW_BASELINE_WORDS) return GW_OK;
    const bool words = baseline == GW_BASELINE_WORDS;
    const char *name = words ? "words" : "kmer";
    if (!(kind(a) & (words ? OF_CLASSES : OF_WINDOWS)) || (words && a->of.texts.labels == GW_TEXT_NUMBERS))
        return gw_usage_error("--baseline %s is of %s", name,
                              words ? "classes of texts: --task classify, with --labels one or many"
                                    : "windows, not of --task classify and token");
    if (a->of.tuning.valid.count > 0) return GW_OK;
    return gw_usage_error("--baseline %s needs --valid, by which %s is chosen", name, words ? "its penalty" : "k");
}

static bool same_files(const gw_string_list *a, const gw_string_list *b) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0) return false;
    return true;
}

static gw_status check_negatives(const finetune_arguments *a) {
    const bool valid = a->of.valid_negatives.count > 0;
    if (valid && (a->of.negatives.count == 0 || a->of.tuning.valid.count == 0))
        return gw_usage_error("--valid-negatives-fasta goes with --valid and --negatives-fasta");
    if (a->of.negatives.count == 0 || a->of.tuning.valid.count == 0 || valid ||
        same_files(&a->of.tuning.sets, &a->of.tuning.valid))
        return GW_OK;
    return gw_usage_error("--valid has sequences of its own: give those without the label too, by "
                          "--valid-negatives-fasta");
}

static gw_status check_usage(const finetune_arguments *a) {
    GW_TRY(check_negatives(a));
    if (a->from_scratch == (a->of.tuning.model != NULL))
        return gw_usage_error("give either a model (-m) or --from-scratch");
    if (a->from_scratch && (a->size != NULL) == (a->config != NULL))
        return gw_usage_error("--from-scratch needs either --size or a config (-c)");
    if (!a->from_scratch && (a->size || a->config || a->stem || a->of.tuning.tokenizer || a->pattern))
        return gw_usage_error("--size, -c, --stem, -t and -p describe a fresh encoder: they go with --from-scratch");
    if (!a->from_scratch && a->length && writes_texts(a))
        return gw_usage_error("--length goes with --from-scratch where the task writes texts");
    if (a->from_scratch && a->of.tuning.attention)
        return gw_usage_error("--attention is of the model given by -m; a fresh encoder's pattern (-p) says it");
    return GW_OK;
}

static gw_status fresh_config(const finetune_arguments *a, gw_config *config) {
    GW_TRY(a->config ? gw_config_load(a->config, config) : gw_config_preset(a->size, config));
    if (a->length > 0) config->positions = a->length;
    gw_status status = a->pattern ? gw_config_use_pattern(config, a->pattern) : GW_OK;
    if (status == GW_OK && a->stem) status = gw_config_use_stem(config, a->stem);
    if (status == GW_OK && (config->decoder_layers > 0) != writes_texts(a))
        status = gw_usage_error("--task summarize needs a model with a decoder (--size pegasus-...), other tasks one "
                                "without");
    if (status != GW_OK) gw_config_free(config);
    return status;
}

#define UNLESS_GIVEN(field, value)                                                                                     \
    do {                                                                                                               \
        if (!gw_option_given(FIELD(of.field))) a->of.field = (value);                                                  \
    } while (0)

static int count_classes(const gw_text_preset *preset) {
    int count = 0;
    while (count < GW_PRESET_CLASSES && preset->classes[count]) count++;
    return count;
}

static gw_status apply_text_preset(finetune_arguments *a, const gw_text_preset *preset) {
    if (a->of.task != GW_TASK_CLASSIFY) return gw_usage_error("--preset %s goes with --task classify", a->preset);
    UNLESS_GIVEN(tuning.batch, preset->batch);
    UNLESS_GIVEN(tuning.dropout, 0.1);
    UNLESS_GIVEN(tuning.rate, preset->rate);
    UNLESS_GIVEN(tuning.optimiser.decay, preset->decay);
    UNLESS_GIVEN(metric, preset->metric);
    if (preset->labels == GW_TEXT_NUMBERS) UNLESS_GIVEN(texts.labels, GW_TEXT_NUMBERS);
    a->of.classes = (gw_string_list){preset->classes, count_classes(preset)};
    if (gw_option_given(FIELD(of.tuning.steps)) || gw_option_given(FIELD(of.tuning.epochs))) return GW_OK;
    a->of.tuning.epochs = preset->epochs;
    a->of.tuning.steps = preset->steps;
    UNLESS_GIVEN(tuning.warmup, preset->warmup);
    return GW_OK;
}

// A length that is given says nothing of the stride, which is half of what a window holds then.
static gw_status apply_question_preset(finetune_arguments *a, const gw_question_format *format) {
    if (a->of.task != GW_TASK_QA) return gw_usage_error("--preset %s goes with --task qa", a->preset);
    UNLESS_GIVEN(tuning.batch, format->usual.batch);
    UNLESS_GIVEN(tuning.dropout, 0.1);
    UNLESS_GIVEN(tuning.rate, format->usual.rate);
    UNLESS_GIVEN(texts.dropped, format->usual.dropped);
    if (!gw_option_given(FIELD(of.texts.most))) UNLESS_GIVEN(texts.stride, format->usual.stride);
    UNLESS_GIVEN(texts.most, format->usual.tokens);
    if (!gw_option_given(FIELD(of.tuning.steps))) UNLESS_GIVEN(tuning.epochs, format->usual.epochs);
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
        UNLESS_GIVEN(pairs.most_source, lengths[i].source);
        UNLESS_GIVEN(pairs.most_target, lengths[i].target);
        UNLESS_GIVEN(tuning.batch, 128);
        UNLESS_GIVEN(tuning.dropout, 0.1);
    }
    UNLESS_GIVEN(smoothing, 0.1);
    UNLESS_GIVEN(tuning.warmup, 10000);
    if (!base) UNLESS_GIVEN(tuning.optimiser.kind, GW_OPTIMISER_ADAFACTOR);
    UNLESS_GIVEN(tuning.schedule, pegasus ? GW_SCHEDULE_HOLD_SQRT : GW_SCHEDULE_SQRT);
    if (base) UNLESS_GIVEN(tuning.rate, 1e-5);
    return GW_OK;
}

// BigBird's Table 21; rates, warm-up (a tenth, at most 10,000 steps) and the weight of positives are the defaults.
// Options that were given stay, steps also where there are epochs.
static gw_status apply_paper_preset(finetune_arguments *a) {
    const char *task = a->preset + strlen("paper-");
    if (a->of.task != gw_task_by_name(task)) return gw_usage_error("--preset %s goes with --task %s", a->preset, task);
    UNLESS_GIVEN(tuning.batch, 256);
    UNLESS_GIVEN(tuning.dropout, 0.1);
    if (!gw_option_given(FIELD(of.tuning.epochs)))
        UNLESS_GIVEN(tuning.steps, a->of.task == GW_TASK_PROMOTER ? 711 : 500000);
    return GW_OK;
}

static gw_status apply_preset(finetune_arguments *a) {
    const gw_text_preset *texts = a->preset ? gw_text_preset_by_name(a->preset) : NULL;
    const gw_question_format *questions = a->preset ? gw_question_format_by_name(a->preset) : NULL;
    if (questions) GW_TRY(apply_question_preset(a, questions));
    else if (texts) GW_TRY(apply_text_preset(a, texts));
    else if (a->preset && strncmp(a->preset, "paper-", strlen("paper-")) == 0) GW_TRY(apply_paper_preset(a));
    else if (a->preset) GW_TRY(apply_summaries_preset(a));
    a->of.texts = gw_texts_complete(&a->of.texts, texts);
    return GW_OK;
}

static gw_status check_metric(const finetune_arguments *a) {
    const char *name = a->of.metric;
    if (!name) return GW_OK;
    const int figure = gw_figure_by_name(name);
    const unsigned of = kind(a);
    const bool known = of == OF_ANSWERS
                           ? figure == GW_FIGURE_F1 || figure == GW_FIGURE_EXACT || figure == GW_FIGURE_LOSS
                       : of & OF_TEXTS ? figure >= 0 && figure != GW_FIGURE_EXACT
                                       : gw_criterion_by_name(name) != GW_BY_LOSS || strcmp(name, "loss") == 0;
    return known ? GW_OK : gw_usage_error("--metric %s is not one of --task %s", name, gw_task_of(a->of.task)->name);
}

// What narrow models of single bases learn well by, and what pretrained encoders bear.
static double usual_rate(const gw_config *fresh) {
    return fresh && fresh->stem.count > 0 ? 1e-3 : 1e-4;
}

// What the options say together; `checkpoints` is free()d by the caller.
static gw_status complete(finetune_arguments *a, const gw_config *fresh, char **checkpoints) {
    gw_tuning *t = &a->of.tuning;
    const unsigned of = kind(a);
    GW_TRY(gw_checkpoints_folder(t->checkpoints, t->output, t->resume, checkpoints));
    t->checkpoints_pass = !t->checkpoints;
    t->checkpoints = *checkpoints;
    t->fresh = fresh;
    t->command = gw_command_line();
    if (t->rate == 0) t->rate = usual_rate(fresh);
    if (t->optimiser.kind == GW_OPTIMISER_ADAFACTOR) t->optimiser = gw_optimiser_adafactor();
    if (!fresh) a->of.positions = a->length;
    if (of == OF_WORDS) a->of.texts.labels = GW_TEXT_WORDS;
    if (of == OF_ANSWERS) a->of.texts.labels = GW_TEXT_SPANS;
    a->of.texts.words = a->of.texts.words || of == OF_WORDS;
    return GW_OK;
}

static gw_status train(finetune_arguments *a, const gw_config *fresh) {
    char *checkpoints = NULL;
    gw_status status = complete(a, fresh, &checkpoints);
    gw_grace_seconds = GRACE_SECONDS; // to finish a step and save the state
    if (status == GW_OK) status = writes_texts(a) ? gw_summarize(&a->of) : gw_finetune(&a->of);
    if (status == GW_OK) status = gw_draw_run(a->of.tuning.output, "Fine-tuning");
    free(checkpoints);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)operands, (void)count;
    finetune_arguments given = *(const finetune_arguments *)arguments, *a = &given; // whose lists are freed as parsed
    gw_config config = {0};
    GW_TRY(check_usage(a));
    GW_TRY(apply_preset(a));
    GW_TRY(check_metric(a));
    GW_TRY(take_weight(a));
    GW_TRY(check_baseline(a));
    GW_TRY(gw_device_apply(a->device));
    GW_TRY(gw_check_training_precision(a->of.tuning.precision));
    if (a->from_scratch) GW_TRY(fresh_config(a, &config));
    const gw_status status = train(a, a->from_scratch ? &config : NULL);
    gw_config_free(&config);
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
        "Task qa reads question sets of SQuAD 1.1 and 2.0, HotpotQA, Natural Questions, TriviaQA and WikiHop as they "
        "are, long contexts in windows, and is rated by their official figures of whole questions. "
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
    .kind = kind,
    .name_kinds = name_kinds,
};
