// SPDX-License-Identifier: MIT
// godwit predict: predictions of a fine-tuned model for a set or for regions of a genome.
#include "task/predict.h"
#include "file/table_writer.h"
#include "tools/shared_options.h"
#include "tools/texts.h"

typedef struct {
    gw_predict_options of;
    gw_inference_arguments inference;
} predict_arguments;

static const predict_arguments defaults = {.of = {.split = "all", .best = 1}};

#define FIELD(name) offsetof(predict_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_LIST, 'm', "model", "FOLDER", FIELD(of.in.models),
     "fine-tuned model; may be repeated, and probabilities are averaged", .required = true},
    {GW_OPTION_LIST, 'd', "data", "SET", FIELD(of.in.sets),
     "set: a table with sequences, or PREFIX of regions; may be repeated"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(of.in.fasta),
     "reference genome of regions; without any, sequences: a row for each record"},
    {GW_OPTION_STRING, 'r', "regions", "LIST", FIELD(of.regions),
     "regions chr:beg-end, comma separated (1-based); gene:NAME of --genes"},
    {GW_OPTION_STRING, 'R', "regions-file", "FILE", FIELD(of.regions_file), "regions of a BED file"},
    {GW_OPTION_CHOICE, 0, "split", "NAME", FIELD(of.split), "part of a set with splits",
     .choices = "train|valid|test|all"},
    {GW_OPTION_STRING, 'g', "genes", "FILE", FIELD(of.genes),
     "GFF3, GTF or SGD's table: a column with the genes that a window overlaps"},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(of.aliases), "two columns: name in the regions, name in the genome"},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(of.in.output),
     "table to write (standard output); BGZF where it ends in .gz, Parquet where in .parquet", .writes = true,
     .endings = GW_BED_ENDINGS "|jsonl|jsonl.gz|parquet"},
    {GW_OPTION_GROUP, .help = "Tracks"},
    {GW_OPTION_STRING, 0, "bigwig", "DIR", FIELD(of.bigwig),
     "tile the regions, or the whole genome, and write a bigWig for each label instead of the table", .writes = true},
    {GW_OPTION_STRING, 0, "bedgraph", "DIR", FIELD(of.bedgraph), "the same as bedGraph, compressed by BGZF",
     .writes = true},
    {GW_OPTION_INT, 0, "step", "N", FIELD(of.step), "bp of a tile (0: the model's bin, or a tenth of its window)",
     .min = 0, .max = INT32_MAX},
    {GW_OPTION_LIST, 0, "control", "FILE", FIELD(of.controls), GW_CONTROL_HELP},
    {GW_OPTION_REAL, 0, "at-least", "P", FIELD(of.least),
     "of labels of bases: stretches of a class are bases where it has this probability (0: where it has the largest)",
     .min = 0, .max = 1},
    GW_OPTION_ROWS_TEXTS(FIELD(of.in.texts), 0, 0, 0),
    {GW_OPTION_CHOICE, 0, "preset", "NAME", FIELD(of.in.preset), "the columns of a known set's official files",
     .choices = GW_TEXT_PRESETS},
    {GW_OPTION_NAMED, 'O', "format", "FORMAT", FIELD(of.format), "of predictions for texts",
     .choices = GW_ROWS_FORMATS},
    {GW_OPTION_FLAG, 0, "logits", NULL, FIELD(of.logits), "logits of texts instead of probabilities"},
    {GW_OPTION_FLAG, 0, "submission", NULL, FIELD(of.submission), "index and prediction alone, as GLUE takes them"},
    GW_OPTION_ROWS_QUESTIONS(FIELD(of.in.texts), 0),
    {GW_OPTION_STRING, 0, "predictions", "FILE", FIELD(of.predictions),
     "write the best answers too, as the set's official script and eval --predictions take them", .writes = true,
     .endings = "|json"},
    {GW_OPTION_STRING, 0, "no-answer", "FILE", FIELD(of.no_answer),
     "write how much more the model is for no answer than for the best, {id: number}", .writes = true,
     .endings = "|json"},
    {GW_OPTION_REAL, 0, "no-answer-threshold", "X", FIELD(of.in.no_answer_threshold),
     "above it a question has no answer (0 where the set says that there may be none, else never)", .min = -1e9,
     .max = 1e9},
    {GW_OPTION_REAL, 0, "support-threshold", "X", FIELD(of.in.support),
     "of HotpotQA: sentences are supporting facts above it, in logits", .min = -1e9, .max = 1e9},
    {GW_OPTION_INT, 0, "n-best", "N", FIELD(of.best), "answers to each question in the table", .min = 1, .max = 1000},
    {GW_OPTION_GROUP, .help = "Prediction"},
    {GW_OPTION_ROW_TEMPERATURE(FIELD(inference))},
    {GW_OPTION_SETS, 0, "both-strands", NULL, FIELD(of.in.strands),
     "average over both strands (default: as the model's task has it)", .min = GW_STRANDS_BOTH},
    {GW_OPTION_SETS, 0, "one-strand", NULL, FIELD(of.in.strands),
     "the given strand alone (default: as its task has it)", .min = GW_STRANDS_ONE},
    {GW_OPTION_INT, 0, "batch-tokens", "N", FIELD(of.in.tokens),
     "tokens computed at a time (0: 8192, or the longest input)", .min = 0, .max = 1e8, .alias = "tokens-per-pass"},
    GW_OPTION_ROWS_INFERENCE(FIELD(inference)),
    {.help = NULL},
};

static gw_status run(void *arguments, char **operands, int count) {
    (void)operands, (void)count;
    predict_arguments *a = arguments;
    gw_model **models;
    if (a->of.format == GW_ROWS_JSONL && gw_is_parquet(a->of.in.output))
        return gw_fail(GW_ERR_USAGE, "-O jsonl writes lines of JSON, not %s", a->of.in.output);
    a->of.in.threshold_given = gw_option_given(FIELD(of.in.no_answer_threshold));
    GW_TRY(gw_inference_load(&a->inference, &a->of.in.models, &models));
    const gw_status status = gw_predict(models, a->of.in.models.count, &a->of);
    gw_inference_unload(&a->of.in.models, models);
    return status;
}

static gw_status model_kinds(const void *arguments, unsigned *kinds) {
    const gw_string_list *models = &((const predict_arguments *)arguments)->of.in.models;
    return models->count > 0 ? gw_model_kinds_of(models->items[0], kinds) : GW_OK;
}

const gw_command gw_command_predict = {
    .common = "model|data|fasta|regions|regions-file|split|output|bigwig|preset|batch-tokens|dtype|device",
    .model_kinds = model_kinds,
    .name = "predict",
    .group = "Models",
    .summary = "probabilities of a fine-tuned model for windows of bases",
    .usage = "-m FOLDER (-d SET | -f ref.fa -R regions.bed | -f sequences.fa | -f ref.fa --bigwig DIR) [options]",
    .description =
        "Writes a TSV: the column `region` (contig:begin-end of the window, 1-based), for tables of sequences `row` "
        "(1-based), for FASTA without regions `name` (of the record); then a column of probabilities for each "
        "label. --genes adds a column `gene` before them: the genes that the window overlaps, joined by &. "
        "Probabilities are corrected for the weight of positives in training, and logits are divided by the "
        "temperature that finetune fitted (--temperature 1: they are not).\n\n"
        "A region as wide as the model's window is read as it is. In any other region the window is centred on its "
        "middle; a promoter model puts the region's TSS where training had it. Regions on the - strand are reverse "
        "complemented. Windows that leave their contig are left out with a warning. Records of FASTA are read "
        "whole: a record that does not fit the model is an error.\n\n"
        "Strands are read as the model's task requires (see finetune), unless --both-strands or --one-strand is "
        "given.\n\n"
        "Tables of texts (-d with a column `text` or `sentence`, --text, or a model whose labels are not of "
        "windows): a line for each row, counted from 1, with the prediction and a column for each label; for "
        "numbers the columns alone. A token head gives a line for each token, or for each word if texts are lists "
        "of words (--words). A head that answers questions (--text question --text2 context) gives the first and "
        "last token of the best answer, from 0, the sum of their logits and the text. For a multiple choice "
        "--choices names the columns of the answers, which are numbered from 0. Texts longer than the positions are "
        "cut, with a note. Folders made elsewhere are read on one strand.\n\n"
        "Question sets (SQuAD, HotpotQA, Natural Questions, TriviaQA, WikiHop), for a model that answers questions: "
        "a line for each answer, with the columns id, rank, score (the sum of the logits of its ends), no_answer "
        "(the logit of no answer less that of the best), begin and end (characters of the context, from 0) and "
        "answer; '.' if there is none. Long contexts are read in windows. --predictions and --no-answer write the "
        "official script's files.\n\n"
        "Tracks: --bigwig and --bedgraph write a file for each label into a folder, and tracks.tsv, which names "
        "them. A contig is cut into tiles of --step bp. Tiles that overlap the regions are predicted from windows "
        "centred on their middle. A promoter model puts the middle where the TSS was in training, and each label "
        "has a track of either strand, LABEL.plus and LABEL.minus, unless --both-strands averages over a window and "
        "its reverse complement. Tiles whose window leaves the contig or is more than half N have no "
        "value.\n\n" GW_INFERENCE_HELP,
    .examples = "godwit predict -m model -d set.tsv.gz --split test\n"
                "godwit predict -m model -f sequences.fa\n"
                "godwit predict -m rte --preset rte -d test.tsv --submission -o RTE.tsv\n"
                "godwit predict -m qa -d dev-v2.0.json --predictions answers.json -o answers.tsv\n"
                "godwit predict -m model -f ref.fa -r chrII:1001-2000\n"
                "godwit predict -m model -f ref.fa -r chrII --bigwig tracks",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
};
