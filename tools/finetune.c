// SPDX-License-Identifier: MIT
// godwit finetune: trains a classifier from a pretrained (or fresh) encoder and a labelled set.
#include "task/finetune.h"
#include "base/parse.h"
#include "run/ranks.h"
#include "task/bases/bases.h"
#include "task/classifier.h"
#include "task/kind.h"
#include "task/texts/pairs.h"
#include "task/texts/text_data.h"
#include "task/texts/text_metrics.h"
#include "task/texts/texts.h"
#include "task/windows/windows.h"
#include "tools/cli/cli.h"
#include "tools/cli/common.h"
#include "tools/cli/device.h"
#include "tools/picture/loss_picture.h"
#include "tools/shared_options.h"
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
                                                   .tss_offset = -1,
                                                   .context = -1}};

#define GW_TASK(NAME, name, kind, help, ...) "|" #name
static const char tasks[] =
#include "model/tasks.def"
    ;
#undef GW_TASK

#define GW_QUESTION_FORMAT(row, name) "|" name
static const char presets[] = GW_SITES_PRESETS "|" GW_BINS_PRESETS "|" GW_TEXT_PRESETS
#include "language/questions/formats.def"
                                               "|" GW_PAIRS_PRESETS;
#undef GW_QUESTION_FORMAT

#define FIELD(name) offsetof(finetune_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_NAMED, 0, "task", "TASK", FIELD(of.task),
     "what the labels are; with --help: the options of that task alone", .min = 1, .choices = tasks + 1,
     .required = true},
    {GW_OPTION_LIST, 'd', "data", "SET", FIELD(of.tuning.sets), "training set; may be repeated", .required = true},
    {GW_OPTION_LIST, 0, "valid", "SET", FIELD(of.tuning.valid),
     "validation set; may be repeated, and may be the training set"},
    {GW_OPTION_STRING, 'o', "output", "FOLDER", FIELD(of.tuning.output), "model folder to write", .required = true,
     .writes = true},
    GW_OPTION_ROWS_TEXTS(FIELD(of.texts), GW_OF_TEXTS, GW_OF_TEXTS | GW_OF_NUMBERS, GW_OF_TEXTS | GW_OF_ANSWERS),
    {GW_OPTION_ROW_LABELS(FIELD(of))},
    GW_OPTION_ROWS_QUESTIONS(FIELD(of.texts), GW_OF_ANSWERS),
    {GW_OPTION_REAL, 0, "drop-windows", "SHARE", FIELD(of.texts.dropped),
     "of the training windows without an answer, which most of a long context are", .min = 0, .max = 1,
     .of = GW_OF_ANSWERS},
    GW_OPTION_ROWS_WINDOWS(FIELD(of)),
    GW_OPTION_ROWS_NUMBERS(FIELD(of)),
    GW_OPTION_ROWS_BASES(FIELD(of)),
    GW_OPTION_ROWS_PAIRS(FIELD(of)),
    {GW_OPTION_GROUP, .help = "Encoder"},
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(of.tuning.model),
     "pretrained model, or one that has the set's labels already, whose head goes on"},
    {GW_OPTION_ROW_ATTENTION(FIELD(of.tuning.attention))},
    {GW_OPTION_FLAG, 0, "from-scratch", NULL, FIELD(from_scratch), "a fresh encoder instead, by the options below"},
    {GW_OPTION_CHOICE, 0, "size", "SIZE", FIELD(size),
     "of a fresh encoder; dna-...: of single bases; splice-...: of convolutions alone, for labels of bases; "
     "pegasus-...: with a decoder, for texts about texts",
     .choices = GW_CONFIG_SIZES "|" GW_CONFIG_SPLICE_SIZES "|" GW_CONFIG_DECODER_SIZES},
    {GW_OPTION_STRING, 0, "stem", "TEXT", FIELD(stem),
     "convolutional stem of a fresh dna- or splice- encoder (see graph)"},
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
     "the columns of the official files. Of question sets Table 12 (batch, 4096 tokens, stride 2048, of BigBird's "
     "attention the first 128 tokens global) and the middle of Table 13's rates and epochs; squad: BERT's. Of "
     "summaries BigBird's Table 17: of xsum, cnn or longer texts (long) 1024, 2048 or 3072 tokens to 64, 128 or 256, "
     "batch 128, dropout and smoothing 0.1, warm-up 10000, decay by the root; base: Adam with 1e-5, large: Adafactor "
     "with 1e-4; pegasus: Adafactor with 1e-4 for 10000 steps and decay by the root, smoothing 0.1",
     .choices = presets},
    {GW_OPTION_INT, 0, "epochs", "N", FIELD(of.tuning.epochs), "passes over the training set", .min = 1, .max = 1e6},
    {GW_OPTION_INT, 0, "steps", "N", FIELD(of.tuning.steps), "updates, instead of --epochs (0)", .min = 0, .max = 4e9},
    {GW_OPTION_INT, 0, "batch", "N", FIELD(of.tuning.batch), "examples of an update", .min = 1, .max = 1e6},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(of.tuning.tokens), "tokens computed at a time (memory)", .min = 0,
     .max = 1e8, .alias = "tokens-per-pass"},
    {GW_OPTION_ROW_DTYPE(FIELD(of.tuning.precision))},
    {GW_OPTION_FLAG, 0, "recompute", NULL, FIELD(of.tuning.recompute),
     "keep of each layer its result alone and compute it again: less memory, the same bits"},
    {GW_OPTION_ROW_GROUPS(FIELD(of.tuning.groups))},
    {GW_OPTION_ROW_ALL_REDUCE(FIELD(of.tuning.all_reduce))},
    {GW_OPTION_ROW_SPLIT(FIELD(of.tuning.optimiser.split))},
    {GW_OPTION_REAL, 0, "lr", "RATE", FIELD(of.tuning.rate),
     "largest learning rate (0: 0.001 for a fresh encoder of single bases, otherwise 0.0001)", .min = 0, .max = 10},
    {GW_OPTION_ROW_SCHEDULE(FIELD(of.tuning.schedule))},
    {GW_OPTION_ROW_WARMUP(FIELD(of.tuning.warmup))},
    {GW_OPTION_ROW_AVERAGE(FIELD(of.tuning.average_decay))},
    {GW_OPTION_NAMED, 0, "optimiser", "NAME", FIELD(of.tuning.optimiser.kind),
     "lamb: Adam whose steps are relative to each matrix's size, for large batches; adafactor: as Big Bird and Pegasus "
     "use it; its rate is relative to each tensor's size, without weight decay and --clip",
     .choices = GW_OPTIMISERS},
    {GW_OPTION_REAL, 0, "weight-decay", "X", FIELD(of.tuning.optimiser.decay), "decoupled weight decay of matrices",
     .min = 0, .max = 10},
    {GW_OPTION_REAL, 0, "clip", "NORM", FIELD(of.tuning.optimiser.clip), "largest norm of the gradient (0: any)",
     .min = 0, .max = 1e9},
    {GW_OPTION_STRING, 0, "positive-weight", "W", FIELD(positive_weight),
     "weight of positives in the loss (0: the task's); balanced: of each label its negatives over its positives in the "
     "training set, 0.01 to 100",
     .of = GW_OF_CLASSES | GW_OF_PRESENCE},
    {GW_OPTION_CHOICE, 0, "pooling", "WHICH", FIELD(of.pooling),
     "what labels of a sequence are made of: its first token, the mean of all, that and a learned weight for each "
     "place in the window, their mean by a learned query, or a layer over all end to end, as plain convolutional "
     "networks have it (the model's; places for a fresh encoder of single bases)",
     .choices = "first|mean|places|attention|flatten", .of = GW_OF_CLASSES | GW_OF_WINDOWS},
    {GW_OPTION_REAL, 0, "dropout", "P", FIELD(of.tuning.dropout), "dropout probability (-1: the model's)", .min = -1,
     .max = 0.95},
    {GW_OPTION_FLAG, 0, "freeze-encoder", NULL, FIELD(of.frozen), "train the head alone", .of = GW_OF_LABELS},
    {GW_OPTION_CHOICE, 0, "metric", "NAME", FIELD(of.metric),
     "metric of the validation set that the best epoch has (auroc; of texts accuracy, micro-f1, spearman or f1; of "
     "regression pearson; of bases auprc)",
     .choices = "auroc|auprc|top-k|" GW_TEXT_CRITERIA, .of = GW_OF_LABELS},
    {GW_OPTION_NAMED, 0, "baseline", "WHICH", FIELD(of.baseline),
     "a logistic regression on k-mers of windows (of numbers a ridge regression on 5-mers), or on words of texts, "
     "beside the model (where bases, or words, times labels are 15 million at most, else none)",
     .min = GW_BASELINE_KMER, .choices = GW_BASELINES, .of = GW_OF_LABELS},
    {GW_OPTION_INT, 0, "patience", "N", FIELD(of.tuning.patience),
     "stop after N epochs without a better validation (0: go on to the end)", .min = 0, .max = 1e6},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(of.tuning.seed), "seed of weights, order, strands, shifts and dropout",
     .min = 0, .max = 9e15},
    {GW_OPTION_ROW_DEVICE(FIELD(device))},
    GW_OPTION_ROWS_MIXERS(FIELD(of.tuning.mixer), GW_OF_LABELS),
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

// The task whose kind does the work. Regression and classify's labels of numbers are one: numbers of texts are learnt
// as classify learns, those of sequences and regions as regression does.
static gw_task task_of(const finetune_arguments *a) {
    const gw_finetune_options *o = &a->of;
    const bool classify = o->task == GW_TASK_CLASSIFY;
    const bool numbers =
        o->task == GW_TASK_REGRESSION || (classify && o->texts.labels == GW_TEXT_NUMBERS && !a->preset);
    if (!numbers || o->tuning.sets.count == 0) return o->task;
    return gw_learns_of_texts(&o->texts, o->tuning.sets.items[0], classify) ? GW_TASK_CLASSIFY : GW_TASK_REGRESSION;
}

static unsigned kind(const void *arguments) {
    const gw_task_kind *kind = gw_task_kind_of(task_of(arguments));
    return kind ? kind->of : 0; // none is named yet
}

// "--task classify, token": the tasks for whose kinds `is` holds.
static void name_tasks(bool (*is)(const gw_task_kind *kind, const void *what), const void *what, char *text,
                       size_t size) {
    const char *name = tasks;
    size_t used = (size_t)snprintf(text, size, "--task");
    bool first = true;
    for (gw_task task = GW_TASK_PRETRAIN + 1; *name && used < size; task++) {
        const int length = (int)strcspn(++name, "|");
        if (is(gw_task_kind_of(task), what)) {
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", first ? " " : ", ", length, name);
            first = false;
        }
        name += length;
    }
}

static bool is_one_of(const gw_task_kind *kind, const void *bits) {
    return (kind->of & *(const unsigned *)bits) != 0;
}

static void name_kinds(unsigned kinds, char *text, size_t size) {
    name_tasks(is_one_of, &kinds, text, size);
}

static bool has_preset(const gw_task_kind *kind, const void *name) {
    const size_t length = strlen(name);
    for (const char *at = kind->presets; at; at = gw_next_item(at, '|'))
        if (strncmp(at, name, length) == 0 && strchr("|", at[length])) return true;
    return false;
}

static gw_status apply_preset(finetune_arguments *a, const gw_task_kind *kind) {
    char takers[256];
    if (!a->preset) return GW_OK;
    if (has_preset(kind, a->preset)) {
        kind->preset(&a->of, a->preset);
        return GW_OK;
    }
    name_tasks(has_preset, a->preset, takers, sizeof takers);
    return gw_fail(GW_ERR_USAGE, "--preset %s goes with %s", a->preset, takers);
}

static gw_status train(gw_finetune_options *o, const gw_config *fresh) {
    gw_tuning *t = &o->tuning;
    char *checkpoints;
    const bool lamb = t->optimiser.kind == GW_OPTIMISER_LAMB;
    if (t->optimiser.kind != GW_OPTIMISER_ADAM && t->optimiser.split)
        return gw_fail(GW_ERR_USAGE,
                       lamb ? "--split-moments is for Adam: LAMB's steps need the norms of whole tensors"
                            : "--split-moments is for Adam: Adafactor has only moments of rows and columns");
    if (t->optimiser.kind != GW_OPTIMISER_ADAM && !lamb) t->optimiser = gw_optimiser_adafactor();
    GW_TRY(gw_checkpoints_folder(t->checkpoints, t->output, t->resume, &checkpoints));
    t->checkpoints_pass = !t->checkpoints;
    t->checkpoints = checkpoints;
    t->fresh = fresh;
    t->command = gw_command_line();
    // What narrow models of single bases learn well by, and what pretrained encoders bear.
    if (t->rate == 0) t->rate = fresh && fresh->stem.count > 0 ? 1e-3 : 1e-4;
    gw_grace_seconds = GRACE_SECONDS; // to finish a step and save the state
    gw_status status = gw_finetune(o);
    if (status == GW_OK && gw_is_first_rank()) status = gw_draw_run(t->output, "Fine-tuning");
    free(checkpoints);
    return status;
}

static gw_status choose_device(const void *arguments) {
    return gw_device_apply(((const finetune_arguments *)arguments)->device);
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)operands, (void)count;
    finetune_arguments given = *(const finetune_arguments *)arguments, *a = &given; // whose lists are freed as parsed
    gw_config config = {0};
    a->of.given = gw_option_given;
    if (a->of.task == GW_TASK_REGRESSION) {
        GW_UNLESS_GIVEN(&a->of, texts.labels, GW_TEXT_NUMBERS);
        if (a->of.texts.labels != GW_TEXT_NUMBERS)
            return gw_fail(GW_ERR_USAGE,
                           "--task regression takes only --labels numbers; other labels need --task classify");
    }
    a->of.task = task_of(a);
    const gw_task_kind *kind = gw_task_kind_of(a->of.task);
    if (!a->from_scratch) a->of.positions = a->length;
    if (a->from_scratch == (a->of.tuning.model != NULL))
        return gw_fail(GW_ERR_USAGE, "give either a model (-m) or --from-scratch");
    if (a->from_scratch && (a->size != NULL) == (a->config != NULL))
        return gw_fail(GW_ERR_USAGE, "--from-scratch needs either --size or a config (-c)");
    if (!a->from_scratch && (a->size || a->config || a->stem || a->of.tuning.tokenizer || a->pattern))
        return gw_fail(GW_ERR_USAGE,
                       "--size, -c, --stem, -t and -p describe a fresh encoder: they need --from-scratch");
    if (a->from_scratch && a->of.tuning.attention)
        return gw_fail(GW_ERR_USAGE, "--attention is for the model of -m; for a fresh encoder give the pattern (-p)");
    GW_TRY(apply_preset(a, kind));
    if (a->pattern) {
        a->of.tuning.usual_attention = NULL;
        a->of.tuning.usual_globals = 0;
    }
    const char *weight = a->positive_weight;
    if (weight && strcmp(weight, "balanced") == 0) a->of.positive_weight = GW_BALANCED;
    else if (weight && gw_parse_double(weight, 0, 1e6, &a->of.positive_weight) != GW_OK)
        return gw_fail(GW_ERR_USAGE, "--positive-weight is '%s', expected a number from 0 to 1e6, or balanced", weight);
    GW_TRY(kind->complete(&a->of));
    GW_TRY(gw_check_training_precision(a->of.tuning.precision));
    if (a->from_scratch) {
        GW_TRY(a->config ? gw_config_load(a->config, &config) : gw_config_preset(a->size, &config));
        if (a->length > 0) config.positions = a->length;
        gw_status status = a->pattern ? gw_config_use_pattern(&config, a->pattern) : GW_OK;
        if (status == GW_OK && a->stem) status = gw_config_use_stem(&config, a->stem);
        if (status == GW_OK && (config.decoder_layers > 0) != kind->writes)
            status =
                gw_fail(GW_ERR_USAGE, "--task summarize needs a model with a decoder (--size pegasus-...), other tasks "
                                      "one without");
        if (status != GW_OK) gw_config_free(&config);
        GW_TRY(status);
    }
    const gw_status status = train(&a->of, a->from_scratch ? &config : NULL);
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
        "the encoder by binary cross entropy of each label. Tasks on texts read tables by the names of their "
        "columns (--text, --text2, --label ...) and train by cross entropy, or by squared errors of numbers. The "
        "model folder keeps the window, the labels, the TSS offset or bin, the weight of positives, the MD5 of the "
        "reference and this command.\n\n"
#define GW_TASK(NAME, name, kind, help, ...) "Task " #name ": " help ".\n\n"
#include "model/tasks.def"
#undef GW_TASK
        "In sets with splits the rows `train` train and, with --valid, the rows `valid` validate. Other sets are "
        "taken whole. Sequences in FASTA are a set too: -d has those with the label (positive), --negatives-fasta "
        "those without it. If --valid names the same files, a tenth validates, chosen by a hash of the letters. "
        "With --valid every epoch prints a line of a table (metrics are means over targets; the loss is that of "
        "training, with its weights). The weights of the best epoch by --metric make the model, and training stops "
        "after --patience epochs without progress. Without --valid the last weights make the model. A training loss "
        "that stays at the loss of the label frequencies gets a warning.\n\n"
        "With --valid a temperature is fitted, too: the number by which the logits of labels are best divided on "
        "the validation set (Guo et al. 2017). The folder keeps it, and predict, eval and score divide by it "
        "(--temperature 1: they do not).\n\n"
        "On a small set, or with --baseline kmer, a logistic regression on frequencies of 3- to 6-mers is trained "
        "on the same examples (a k-mer and its reverse complement are one if both strands are read). --metric "
        "chooses its k and penalty on the validation set. It is the first line of the table, and a model that is no "
        "better gets a warning. With many labels it uses some of them, so that it takes about a minute. Classes of "
        "texts have a logistic regression on the words that occur in them (--baseline words), and a model that is "
        "no better than the label frequencies gets a warning.\n\n"
        "Task qa reads question sets of SQuAD 1.1 and 2.0, HotpotQA, Natural Questions, TriviaQA and WikiHop as "
        "they are, long contexts in windows, and shows their official metrics of whole questions.\n\n"
        "Task regression learns measured numbers as (y - mean) / deviation of each column over the training set. "
        "The folder keeps both, and predict, eval and score give numbers in their unit. Its sets are tables with "
        "the columns of --label, of sequences, or of regions of the genome (-f): chrom, start, end, strand. A ridge "
        "regression on 5-mers, with its strength chosen on --valid, stands beside it. Validation rows that share 31 "
        "bases in a row with training rows are counted. It learns numbers of texts if --text or another option of "
        "texts is given, or if the table has a column text or sentence and none called sequence. classify --labels "
        "numbers is the same task.\n\n"
        "Texts are cut to the model's positions (--max-length: less). A class that only the validation set has is "
        "an error with file and line. --preset NAME of a known set of texts names its columns, its classes and its "
        "published settings.\n\n"
        "metrics.jsonl in the model folder (in the checkpoint folder during the run) has loss, rate, gradient norm "
        "and validation; loss.png has their curves.\n\n"
        "Task summarize also reads tables (fields of JSON objects may be lists of texts). It trains a model with a "
        "decoder to write --target about --source, each token from those before it. The weights of the epoch with "
        "the lowest loss on --valid make the model.\n\n"
        "--resume continues a stopped or killed run bit for bit. The training state is saved in OUTPUT.checkpoints "
        "every ten minutes and when the run is stopped. It is removed when the model is complete, except a folder "
        "of --checkpoints. OUTPUT.lock lets one run at a time write an output folder. mpirun -n N trains on N "
        "processes that share each step's examples. With --groups G the bits are those of G groups of examples, for "
        "any N up to G. SIGUSR1 saves and ends with status 75. --dtype bf16 rounds the operands of the linear "
        "layers (forward and backward) and of attention (forward); weights and moments stay f32.",
    .examples =
        "godwit finetune -m yeast --task profiles -d set --valid set -f yeast.fa.gz -o profiles\n"
        "godwit finetune -m roberta --task classify --preset rte -d train.tsv --valid dev.tsv -o rte\n"
        "godwit finetune -m bert --task classify --text body --label topic -d train.csv --valid dev.csv -o topics\n"
        "godwit finetune -m roberta --task qa -d train-v2.0.json --valid dev-v2.0.json -o qa\n"
        "godwit finetune --from-scratch --size tiny --task promoter -d fold_1.csv -d fold_2.csv --valid fold_3.csv "
        "-o promoter\n"
        "godwit finetune -m yeast --task promoter -d bound.fa --negatives-fasta rest.fa --valid bound.fa -o binding\n"
        "godwit finetune --from-scratch --size dna-mini --task regression -d train.tsv --valid valid.tsv --label y "
        "-o numbers\n"
        "godwit finetune -m pegasus --task summarize --preset long-large --source article --target abstract "
        "-d train.jsonl --valid valid.jsonl -o summaries",
    GW_COMMAND_TAKES(0, 0),
    .ranks = true,
    .choose_device = choose_device,
    .run = run,
    .kind = kind,
    .name_kinds = name_kinds,
    .common = "task|data|valid|output|fasta|model|from-scratch|size|epochs|batch|lr|patience|seed|resume",
};
