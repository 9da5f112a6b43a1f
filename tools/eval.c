// SPDX-License-Identifier: MIT
// godwit eval: evaluates a model. -d gives the data: token shards for a pretrained model, labelled sets for a
// fine-tuned model; without -d a genome, for a pretrained model of single bases. With --predictions there is no model.
#include "language/questions/question_format.h"
#include "measure/markov.h"
#include "task/evaluate.h"
#include "tools/search.h"
#include "tools/shared_options.h"
#include "tools/texts.h"

#include <string.h>

typedef struct {
    gw_eval_options of;
    gw_inference_arguments inference;
} eval_arguments;

static const eval_arguments defaults = {.of = {.in.no_answer_threshold = 1,
                                               .order = GW_MARKOV_ORDER,
                                               .seed = 1,
                                               .seeds = 3,
                                               .pairs = {.source = "source", .target = "target"},
                                               .generate = {GW_GENERATE_DEFAULTS},
                                               .lead = 3}};

#define FIELD(name) offsetof(eval_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input"},
    {GW_OPTION_LIST, 'm', "model", "MODEL", FIELD(of.in.models),
     "model folder; on labelled sets it may be repeated, and probabilities are averaged"},
    {GW_OPTION_LIST, 'd', "data", "DATA", FIELD(of.in.sets),
     "PREFIX of token shards, or a labelled set; sets may be repeated"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(of.in.fasta),
     "genome: to be evaluated on without -d, or of a set of regions"},
    {GW_OPTION_ROW_TEMPERATURE(FIELD(inference))},
    GW_OPTION_ROWS_INFERENCE(FIELD(inference)),
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(of.in.output),
     "table to write (standard output): .tsv, .tsv.gz or .parquet", .writes = true, .endings = GW_ROWS_ENDINGS},
    {GW_OPTION_GROUP, .help = "Genomes and token shards", .models = GW_MODEL_PRETRAINED},
    {GW_OPTION_STRING, 'R', "regions-file", "BED", FIELD(of.regions), "regions of the genome (all contigs)"},
    {GW_OPTION_LIST, 0, "baseline", "DATA", FIELD(of.baselines),
     "the training text, for Markov chains on the same bases: BED of the genome, or PREFIX of shards; of profiles the "
     "training set, for its mean profile and a ridge regression of counts on 5-mers; may be repeated"},
    {GW_OPTION_INT, 0, "order", "N", FIELD(of.order), "order of the chains (12 takes 0.4 GB, 13 1.4 GB)", .min = 1,
     .max = GW_MARKOV_MOST_ORDER},
    {GW_OPTION_INT, 0, "sample", "N", FIELD(of.sample), "windows or sequences to evaluate, evenly spaced (0: all)",
     .min = 0, .max = 1e15},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(of.seed),
     "seed of the sentence pairs, of bootstrap intervals, and the first of --frozen", .min = 0, .max = 9e15},
    {GW_OPTION_GROUP, .help = "Labelled sets"},
    {GW_OPTION_CHOICE, 0, "split", "NAME", FIELD(of.split), "part of a set with splits (test)",
     .choices = "train|valid|test|all"},
    {GW_OPTION_LIST, 0, "negatives-fasta", "FILE", FIELD(of.negatives),
     "sequences without the label; -d is FASTA then, of those with it; may be repeated"},
    {GW_OPTION_LIST, 0, "without", "SET", FIELD(of.without),
     "set whose sequences are left out, such as the training set; may be repeated"},
    {GW_OPTION_LIST, 0, "track", "FILE", FIELD(of.tracks),
     "of numbers: bigWig or bedGraph whose means over the set's regions they are; may be repeated; of profiles: the "
     "counts of bases, once, or for + and for -"},
    {GW_OPTION_LIST, 0, "replicate", "FILE", FIELD(of.replicates),
     "of profiles: counts of the same bases in a replicate, rated beside the model; as often as --track"},
    {GW_OPTION_STRING, 0, "within", "COLUMN", FIELD(of.within),
     "of numbers: metrics within the groups of rows with the same text there, too"},
    {GW_OPTION_STRING, 0, "scatter", "FILE", FIELD(of.scatter),
     "of numbers: table of what was measured and predicted of each row, which report draws", .writes = true,
     .endings = GW_ROWS_ENDINGS},
    {GW_OPTION_FLAG, 0, "missing", NULL, FIELD(of.missing), "of numbers: NA and empty fields are not known, no error"},
    {GW_OPTION_STRING, 0, "per-target", "FILE", FIELD(of.per_target), "table with one row a target", .writes = true,
     .endings = GW_ROWS_ENDINGS},
    {GW_OPTION_STRING, 0, "curves", "FILE", FIELD(of.curves),
     "table with the points of each target's ROC and precision-recall curve", .writes = true,
     .endings = GW_ROWS_ENDINGS},
    {GW_OPTION_FLAG, 0, "orfs", NULL, FIELD(of.orfs),
     "of labels of bases: open reading frames, by their lengths, beside the model in CDS, start and stop"},
    {GW_OPTION_STRING, 0, "groups", "FILE", FIELD(of.groups),
     "two columns, target and group: mean and median of each group too; deepsea: those of its 919 targets"},
    {GW_OPTION_SETS, 0, "both-strands", NULL, FIELD(of.in.strands),
     "average over both strands, also on a genome (default: as the model's task has it)", .min = GW_STRANDS_BOTH},
    {GW_OPTION_SETS, 0, "one-strand", NULL, FIELD(of.in.strands),
     "the given strand alone (default: as its task has it)", .min = GW_STRANDS_ONE},
    {GW_OPTION_GROUP, .help = "Models as they are (frozen)"},
    {GW_OPTION_LIST, 0, "frozen", "TRAIN", FIELD(of.frozen),
     "labelled set that a linear regression on the models' mean hidden states is trained on; -d is the test set; may "
     "be repeated"},
    {GW_OPTION_LIST, 0, "valid", "SET", FIELD(of.valid),
     "set that the penalty is chosen on (the split valid of TRAIN, or a tenth of it); may be repeated"},
    {GW_OPTION_FLAG, 0, "numbers", NULL, FIELD(of.numbers),
     "labels are numbers, of columns (--label) or signals (--track): ridge regressions instead of logistic ones"},
    {GW_OPTION_INT, 0, "seeds", "N", FIELD(of.seeds), "seeds; each leaves another tenth of TRAIN out", .min = 1,
     .max = 1000},
    GW_OPTION_ROWS_TEXTS(FIELD(of.in.texts), 0, 0, 0),
    {GW_OPTION_CHOICE, 0, "preset", "NAME", FIELD(of.in.preset), "the columns of a known set's official files",
     .choices = GW_TEXT_PRESETS},
    GW_OPTION_ROWS_QUESTIONS(FIELD(of.in.texts), 0),
    {GW_OPTION_GROUP, .help = "Texts about texts", .models = GW_MODEL_WRITES},
    {GW_OPTION_STRING, 0, "source", "NAME", FIELD(of.pairs.source), "column of the texts that are read"},
    {GW_OPTION_STRING, 0, "target", "NAME", FIELD(of.pairs.target), "column of the references"},
    {GW_OPTION_INT, 0, "max-source", "N", FIELD(of.pairs.most_source),
     "tokens that sources are cut to (0: the positions)", .min = 0, .max = 1e7},
    {GW_OPTION_INT, 0, "max-target", "N", FIELD(of.pairs.most_target),
     "tokens of references in the loss (0: the positions)", .min = 0, .max = 1e7},
    {GW_OPTION_INT, 0, "lead", "N", FIELD(of.lead), "first sentences of the source that are rated beside the model",
     .min = 0, .max = 1e6},
    {GW_OPTION_STRING, 0, "written", "FILE", FIELD(of.written), "what the model wrote, a line each", .writes = true,
     .endings = GW_TEXT_ENDINGS},
    GW_OPTION_ROWS_SEARCH(FIELD(of.generate)),
    {GW_OPTION_GROUP, .help = "Predictions of question sets (without -m)"},
    {GW_OPTION_STRING, 0, "predictions", "FILE", FIELD(of.predictions),
     "answers to the questions of -d, as the set's official script takes them"},
    {GW_OPTION_CHOICE, 0, "metric", "SET", FIELD(of.rated_by), "whose official metrics they are rated by",
     .choices = GW_QUESTION_FORMATS},
    {GW_OPTION_STRING, 0, "no-answer", "FILE", FIELD(of.no_answer),
     "of squad: the probability of each question that it has no answer"},
    {GW_OPTION_REAL, 0, "no-answer-threshold", "P", FIELD(of.in.no_answer_threshold),
     "of squad: above it a question counts as answered by none (1); of a model (-m): how much more it must be for none "
     "than for the best answer, in logits (0)",
     .min = -1e9, .max = 1e9},
    {GW_OPTION_REAL, 0, "support-threshold", "X", FIELD(of.in.support),
     "of HotpotQA and a model: sentences are supporting facts above it, in logits", .min = -1e9, .max = 1e9},
    {.help = NULL},
};

static gw_status check_input(const gw_eval_options *o) {
    if (o->predictions) {
        if (o->in.models.count > 0) return gw_fail(GW_ERR_USAGE, "--predictions are rated without a model: remove -m");
        if (o->in.sets.count == 0 || !o->rated_by)
            return gw_fail(GW_ERR_USAGE, "--predictions needs the set (-d) and the metrics (--metric)");
        if (o->no_answer && strcmp(o->rated_by, "squad") != 0)
            return gw_fail(GW_ERR_USAGE, "--no-answer goes with --metric squad");
        return GW_OK;
    }
    if (o->rated_by || o->no_answer) return gw_fail(GW_ERR_USAGE, "--metric and --no-answer go with --predictions");
    if (o->in.models.count == 0) return gw_fail(GW_ERR_USAGE, "--model is required");
    if (o->in.sets.count == 0 && !o->in.fasta)
        return gw_fail(GW_ERR_USAGE, "name what to evaluate on: -d DATA, or -f FILE for a genome");
    if (o->in.sets.count > 0 && o->regions) return gw_fail(GW_ERR_USAGE, "--regions-file is for genomes, without -d");
    const bool of_sets = o->split || o->negatives.count > 0 || o->without.count > 0 || o->per_target || o->curves ||
                         o->groups || o->within || o->scatter || o->missing;
    if (o->in.sets.count == 0 && (of_sets || o->frozen.count > 0))
        return gw_fail(GW_ERR_USAGE, "a genome takes none of the options for labelled sets");
    if (o->frozen.count == 0) {
        if (o->valid.count == 0 && !o->numbers && !gw_option_given(FIELD(of.seeds))) return GW_OK;
        return gw_fail(GW_ERR_USAGE, "--valid, --numbers and --seeds go with --frozen");
    }
    if (o->negatives.count > 0 || o->within || o->scatter || o->per_target || o->curves || o->groups ||
        o->baselines.count > 0)
        return gw_fail(GW_ERR_USAGE, "of the options for labelled sets --frozen takes --split, --without and strands, "
                                     "and with --numbers --track and --missing");
    if (!o->numbers && (o->tracks.count > 0 || o->missing))
        return gw_fail(GW_ERR_USAGE, "with --frozen, --track and --missing are for numbers: add --numbers");
    return GW_OK;
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)operands, (void)count;
    eval_arguments *a = arguments;
    gw_model **models;
    GW_TRY(check_input(&a->of));
    if (a->of.predictions) return gw_eval_predictions(&a->of);
    a->of.in.threshold_given = gw_option_given(FIELD(of.in.no_answer_threshold));
    GW_TRY(gw_inference_load(&a->inference, &a->of.in.models, &models));
    const gw_status status = gw_eval(models, a->of.in.models.count, &a->of);
    gw_inference_unload(&a->of.in.models, models);
    return status;
}

static gw_status model_kinds(const void *arguments, unsigned *kinds) {
    const gw_string_list *models = &((const eval_arguments *)arguments)->of.in.models;
    return models->count > 0 ? gw_model_kinds_of(models->items[0], kinds) : GW_OK;
}

const gw_command gw_command_eval = {
    .common = "model|data|fasta|output|regions-file|baseline|sample|split|frozen|valid|predictions|metric|dtype|device",
    .model_kinds = model_kinds,
    .name = "eval",
    .group = "Models",
    .summary = "how good a model is: bits per base, metrics of a labelled set, or ROUGE of texts",
    .usage = "-m MODEL -d DATA|-f FILE [options]",
    .description =
        "On a genome (-f without -d) a pretrained model of single bases predicts every base of the regions once. "
        "Windows of the model's length overlap by half, and the middle half of each counts, at a region's ends also "
        "the outer part. A window is run seven times, each time with every seventh base masked. N is left out. The "
        "table has the columns predictor, part, bases, accuracy, loss (nats per base) and bits_per_base. Parts are "
        "all bases, repeats (bases in 31-mers that occur twice in the genome, on either strand), and the rest. "
        "--baseline train.bed adds Markov chains.\n\n"
        "On token shards (PREFIX.idx) a pretrained model predicts every token once, in seven passes that mask a "
        "seventh of them each; tokens with N are left out. The table has the columns predictor, tokens, bases, "
        "accuracy, loss (nats per token), bits_per_base, pairs and nsp_accuracy (next sentence), and the rows model "
        "and, with --baseline, markov_causal_N and markov_two_sided_N: interpolated Markov chains of order N on the "
        "same spans, counted on both strands of the baseline's text. A good model is better than the two-sided "
        "chain. Make the documents with `corpus -n 1 --max-offset 0`. For texts there are characters instead of "
        "bases, and bits_per_token and bits_per_character.\n\n"
        "On labelled sets a fine-tuned model is rated by accuracy, F1, MCC, AUROC and AUPRC; with several targets "
        "by their mean and median, and with --groups by those of each group of targets (mean:TF, median:TF ...). "
        "For tables of texts (see predict) the columns are rows, labels (that were rated), loss, accuracy, f1 (of "
        "the second of two classes), micro-f1, macro-f1, mcc, pearson and spearman. Answers in a text (--text "
        "question --text2 context --label answers) have the columns rows, exact and f1 of words, as SQuAD counts "
        "them; of a JSON list of answers the best counts. Question sets (SQuAD, HotpotQA, Natural Questions, "
        "TriviaQA, WikiHop) have the metrics of their official scripts.\n\n"
        "Several models (-m A -m B) are rated by the mean of their probabilities.\n\n"
        "--frozen TRAIN compares models without training them, a row each, before one is fine-tuned. A logistic "
        "regression with an L2 penalty reads the mean of the last hidden states of each row of TRAIN and of the "
        "test set -d, without special tokens, standardised on TRAIN. The penalty is the one of 1e-4, 1e-3 ... 1e2 "
        "with the least loss on the validation set. Each seed leaves a tenth of TRAIN out, which validates if there "
        "is not a validation set. Columns are predictor, features, train, valid, test, labels, strength, and accuracy, "
        "F1, MCC, AUROC and AUPRC with their standard deviations over seeds. Windows also have a row of k-mer "
        "frequencies, with k of 3 to 6 chosen likewise. Windows longer than a model's positions are read in pieces. "
        "With --numbers labels are numbers (--label names their columns, or --track signals). The regression is "
        "then a ridge regression, its loss is the squared error over the label's variance, the k of k-mers is 3 to "
        "5, and metrics are pearson, spearman and R2, means over labels.\n\n"
        "A model with a decoder writes about --source of JSONL or tab-separated tables. It is rated by ROUGE-1, -2, "
        "-L and -Lsum against --target, beside the first sentences of each source (--lead): columns predictor, "
        "metric, pairs, value (of ROUGE F1, of several references the best), low and high (95 % bootstrap "
        "interval), precision, recall. loss is nats a token of the reference. next_token is the share of its tokens "
        "that are predicted from those before them. exact is the share of references written token for "
        "token. " GW_SEARCH_HELP "\n\n"
        "With --predictions no model runs: answers of any program are rated as the official scripts of SQuAD 2.0, "
        "HotpotQA, Natural Questions and TriviaQA rate them, from the official files, by metrics of the same "
        "names.\n\n" GW_INFERENCE_HELP,
    .examples = "godwit eval -m model -f genome.fa.gz -R test.bed --baseline train.bed\n"
                "godwit eval -m model -d shards/test --baseline shards/train\n"
                "godwit eval -m rte --preset rte -d dev.tsv\n"
                "godwit eval -m promoter_model -d promoters.tsv.gz --split test\n"
                "godwit eval -m yeast -m mine --frozen train.csv --valid dev.csv -d test.csv\n"
                "godwit eval -m summaries -d test.jsonl --source article --target abstract\n"
                "godwit eval -d dev-v2.0.json --predictions predictions.json --metric squad",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
};
