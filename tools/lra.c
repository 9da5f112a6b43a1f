// SPDX-License-Identifier: MIT
// godwit lra: makes a task of Long Range Arena as tables, with the tokenizer and model of its baselines.
#include "base/log.h"
#include "base/output.h"
#include "data/arena/arena.h"
#include "data/arena/pictures.h"
#include "tools/cli/cli.h"

typedef struct {
    const char *output, *test, *text, *label, *cifar;
    gw_string_list data;
    int64_t train_examples, valid_examples, test_examples, dashes, seed;
} lra_arguments;

static const lra_arguments defaults = {.text = "text|sentence", .label = "label", .dashes = GW_PATH_MOST, .seed = 1};

#define FIELD(name) offsetof(lra_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_STRING, 'o', "output", "FOLDER", FIELD(output),
     "writes train.tsv.gz, valid.tsv.gz, test.tsv.gz, tokenizer.json and config.json", .required = true,
     .writes = true},
    {GW_OPTION_INT, 0, "train", "N", FIELD(train_examples), "examples to train with (0: as published; texts: all)",
     .max = 1e9},
    {GW_OPTION_INT, 0, "valid", "N", FIELD(valid_examples), "examples to validate with (0: the same)", .max = 1e9},
    {GW_OPTION_INT, 0, "test", "N", FIELD(test_examples), "examples to test with (0: the same)", .max = 1e9},
    {GW_OPTION_LIST, 'd', "data", "TABLE", FIELD(data),
     "text, retrieval: texts (TSV, CSV, JSONL), a tenth of which validates; may be repeated"},
    {GW_OPTION_STRING, 0, "test-data", "TABLE", FIELD(test), "texts to test with (another tenth of those)"},
    {GW_OPTION_STRING, 0, "text", "COLUMN", FIELD(text), "column of the texts"},
    {GW_OPTION_STRING, 0, "label", "COLUMN", FIELD(label), "column of the classes"},
    {GW_OPTION_STRING, 0, "cifar", "FOLDER", FIELD(cifar),
     "image: CIFAR-10's binary files, instead of shapes that are drawn"},
    {GW_OPTION_INT, 0, "dashes", "N", FIELD(dashes), "pathfinder: dashes of a long path; 6, 9 and 14 are published",
     .min = GW_PATH_LEAST, .max = GW_PATH_MOST},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(seed), "seed of the random draws", .max = 9e15},
    {.help = NULL},
};

static gw_status run(void *arguments, char **operands, int count) {
    const lra_arguments *a = arguments;
    const gw_arena_task *task = gw_arena_task_of(operands[0]);
    const gw_arena_options to = {{a->train_examples, a->valid_examples, a->test_examples}, a->output};
    gw_arena_source source = {.seed = (uint64_t)a->seed, .dashes = (int)a->dashes, .cifar = a->cifar};
    (void)count;
    if (!task) return gw_fail(GW_ERR_USAGE, "\"%s\" is none of the tasks " GW_ARENA_TASKS, operands[0]);
    if (task->texts && a->data.count == 0)
        return gw_fail(GW_ERR_USAGE, "%s is made from texts: name tables of texts with -d", task->name);
    if (!task->texts && (a->data.count > 0 || a->test))
        return gw_fail(GW_ERR_USAGE, "-d and --test-data are for text and retrieval; the examples of %s are generated",
                       task->name);
    if (!task->images && a->cifar) return gw_fail(GW_ERR_USAGE, "--cifar is for image, not for %s", task->name);
    if (!task->paths && a->dashes != GW_PATH_MOST)
        return gw_fail(GW_ERR_USAGE, "--dashes is for pathfinder, not for %s", task->name);
    const gw_arena_tables tables = {a->data, a->test, a->text, task->pairs ? NULL : a->label};
    gw_status status = GW_OK;
    if (a->cifar) status = gw_cifar_open(a->cifar, &source.images);
    else if (task->texts) status = gw_arena_texts_read(&tables, source.seed, &source.texts);
    if (status == GW_OK) status = gw_make_directory(a->output);
    if (status == GW_OK) status = gw_arena_write(task, &source, &to);
    gw_cifar_free(&source.images);
    gw_arena_texts_free(&source.texts);
    return status;
}

const gw_command gw_command_lra = {
    .name = "lra",
    .group = "Labelled sets",
    .summary = "make a task of Long Range Arena",
    .usage = "(" GW_ARENA_TASKS ") -o FOLDER [options]",
    .description =
        "Writes tables for finetune and eval (--task classify; for retrieval match), a tokenizer and the "
        "config.json of the benchmark's small model: 2 layers of 2 heads, 64 wide, norms before the sublayers, "
        "learned positions, the mean over an input's own positions. finetune -p chooses its attention.\n\n"
        "listops: nested lists under MIN, MAX, MED and SM (sum modulo 10), 501 to 1,999 symbols, ten classes. text: "
        "classes of texts by their first 4,096 bytes. retrieval: whether two halves of 4,000 bytes are of one text. "
        "image: ten kinds of shapes in 32 x 32 grey pixels, or CIFAR-10. pathfinder: whether two marks stand at the "
        "ends of one dashed path. Examples depend only on --seed and their number.",
    .examples = "godwit lra listops -o listops\n"
                "godwit finetune --from-scratch -c listops/config.json -t listops/tokenizer.json --task classify -d "
                "listops/train.tsv.gz --valid listops/valid.tsv.gz -p performer -o model\n"
                "godwit lra retrieval -d articles.tsv -o pairs; godwit finetune --task match -c pairs/config.json ...\n"
                "godwit lra text -d imdb_train.tsv.gz --test-data imdb_test.tsv.gz -o text",
    .options = options,
    .defaults = &defaults,
    .arguments_size = sizeof defaults,
    .least_operands = 1,
    .most_operands = 1,
    .outputs_together = true,
    .run = run,
};
