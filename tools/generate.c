// SPDX-License-Identifier: MIT
// godwit generate: texts about texts, by a model with a decoder.
#include "base/json.h"
#include "base/memory.h"
#include "run/generate_input.h"
#include "seq/lines.h"
#include "tools/cli.h"
#include "tools/inference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *model, *output, *field, *rule, *format;
    int64_t beams, max_length, min_length, no_repeat, batch, seed;
    double length_penalty, temperature, top_p;
    bool sample, ids, truncate;
    gw_inference_arguments inference;
} generate_arguments;

static const generate_arguments defaults = {.field = "text",
                                            .rule = "hf",
                                            .format = "text",
                                            .max_length = -1,
                                            .min_length = -1,
                                            .no_repeat = -1,
                                            .batch = 8,
                                            .seed = 1,
                                            .length_penalty = -1,
                                            .temperature = 1,
                                            .top_p = 1};

#define FIELD(name) offsetof(generate_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(model), "model folder with a decoder", .required = true},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "what is written (standard output)"},
    {GW_OPTION_CHOICE, 'O', "format", "NAME", FIELD(format),
     "lines of text, or JSON objects with text, score and tokens", .choices = "text|jsonl"},
    {GW_OPTION_STRING, 0, "field", "NAME", FIELD(field), "field of *.jsonl that holds the text"},
    {GW_OPTION_FLAG, 0, "ids", NULL, FIELD(ids), "lines are token ids, in and out; no tokenizer is needed"},
    {GW_OPTION_FLAG, 0, "truncate", NULL, FIELD(truncate),
     "cut texts that are longer than the model's positions instead of refusing them"},
    {GW_OPTION_GROUP, .help = "Search"},
    {GW_OPTION_INT, 'b', "beams", "N", FIELD(beams), "beams; 1: greedy (0: as the folder says, else 5)", .min = 0,
     .max = 1024},
    {GW_OPTION_CHOICE, 0, "rule", "NAME", FIELD(rule), "of the score of finished beams, below", .choices = "hf|google"},
    {GW_OPTION_REAL, 0, "length-penalty", "A", FIELD(length_penalty),
     "exponent of the length that divides log p (-1: as the folder says, else 1)", .min = -1, .max = 100},
    {GW_OPTION_INT, 0, "max-length", "N", FIELD(max_length),
     "tokens of a text at most, its start and end counted (-1: as the folder says, else 256)", .min = -1, .max = 1e6},
    {GW_OPTION_INT, 0, "min-length", "N", FIELD(min_length), "and at least (-1: as the folder says, else 0)", .min = -1,
     .max = 1e6},
    {GW_OPTION_INT, 0, "no-repeat-ngram", "N", FIELD(no_repeat),
     "no N tokens in a row occur twice (0: they may; -1: as the folder says)", .min = -1, .max = 1e6},
    {GW_OPTION_FLAG, 0, "sample", NULL, FIELD(sample), "draw each token instead of searching"},
    {GW_OPTION_REAL, 0, "temperature", "T", FIELD(temperature), "of --sample: softmax(logits / T)", .min = 1e-4,
     .max = 1e4},
    {GW_OPTION_REAL, 0, "top-p", "P", FIELD(top_p), "of --sample: from the likeliest tokens that together have P",
     .min = 1e-6, .max = 1},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(seed), "of --sample", .min = 0, .max = 9e15},
    {GW_OPTION_INT, 0, "batch", "N", FIELD(batch), "texts at a time", .min = 1, .max = 1e5},
    GW_OPTION_ROWS_INFERENCE(FIELD(inference)),
    {.help = NULL},
};

static gw_status set_options(const generate_arguments *a, const gw_model *model, gw_generate_options *out) {
    gw_beam_options *o = &out->search;
    GW_TRY(gw_generate_defaults(a->model, model, out));
    if (a->beams > 0) o->beams = a->beams;
    if (a->sample) o->beams = 1;
    if (a->length_penalty >= 0) o->length_penalty = a->length_penalty;
    if (a->max_length >= 0) o->max_length = a->max_length;
    if (a->min_length >= 0) o->min_length = a->min_length;
    if (a->no_repeat >= 0) o->no_repeat_ngram = a->no_repeat;
    o->rule = strcmp(a->rule, "google") == 0 ? GW_BEAM_GOOGLE : GW_BEAM_HF;
    o->sample = a->sample;
    o->temperature = a->temperature;
    o->top_p = a->top_p;
    o->seed = (uint64_t)a->seed;
    out->batch = a->batch;
    return GW_OK;
}

static bool is_jsonl(const char *path) {
    const size_t length = strlen(path);
    return length > 6 && strcmp(path + length - 6, ".jsonl") == 0;
}

static gw_status read_texts(const generate_arguments *a, const gw_model *model, char **files, int count,
                            gw_generate_text **texts, int64_t *texts_count) {
    static char *const standard_input[] = {"-"};
    int64_t capacity = 0;
    if (count == 0) files = (char **)standard_input;
    for (int i = 0; i < (count == 0 ? 1 : count); i++) {
        const gw_source_format format = a->ids ? GW_SOURCE_IDS : is_jsonl(files[i]) ? GW_SOURCE_JSONL : GW_SOURCE_TEXT;
        const gw_source_options o = {format, a->field, a->truncate, true};
        GW_TRY(gw_generate_read(files[i], model, &o, texts, texts_count, &capacity));
    }
    return GW_OK;
}

// The target as one line.
static gw_status write_line(const gw_model *model, bool ids, const gw_generate_text *text, gw_string *line) {
    gw_string_clear(line);
    for (int64_t i = 0; ids && i < text->target_count; i++)
        gw_string_printf(line, "%s%d", i > 0 ? " " : "", text->target[i]);
    if (!ids) GW_TRY(gw_decode(model->tokenizer, text->target, text->target_count, line));
    for (int64_t i = 0; i < line->length; i++)
        if (line->data[i] == '\n' || line->data[i] == '\r') line->data[i] = ' ';
    return gw_string_status(line);
}

static gw_status put(gw_text_writer *writer, bool jsonl, const gw_generate_text *text, const gw_string *line) {
    const char *data = line->length > 0 ? line->data : "";
    if (!jsonl) return gw_writer_printf(writer, "%s\n", data);
    json_t *json =
        json_pack("{s:s, s:f, s:I}", "text", data, "score", text->score, "tokens", (json_int_t)text->target_count);
    char *dumped = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    const gw_status status = dumped ? gw_writer_printf(writer, "%s\n", dumped)
                                    : gw_fail(GW_ERR_FORMAT, "a text that was written is not UTF-8");
    free(dumped);
    json_decref(json);
    return status;
}

static gw_status write_texts(const generate_arguments *a, const gw_model *model, const gw_generate_text *texts,
                             int64_t count) {
    gw_text_writer *writer;
    gw_string line = {0};
    GW_TRY(gw_writer_open(a->output, &writer));
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        status = write_line(model, a->ids, &texts[i], &line);
        if (status == GW_OK) status = put(writer, strcmp(a->format, "jsonl") == 0, &texts[i], &line);
    }
    gw_string_free(&line);
    return gw_writers_close(status, writer, NULL);
}

static gw_status run(void *arguments, char **operands, int count) {
    const generate_arguments *a = arguments;
    gw_model *model = NULL;
    gw_generate_options generate_options;
    gw_generate_text *texts = NULL;
    int64_t texts_count = 0;
    GW_TRY(gw_device_apply(a->inference.device));
    gw_status status = a->ids ? gw_model_load_weights(a->model, &model) : gw_model_load(a->model, &model);
    if (status == GW_OK && model->config.decoder_layers == 0)
        status = gw_fail(GW_ERR_UNSUPPORTED, "%s: the model has no decoder, it cannot write texts", a->model);
    if (status == GW_OK) status = gw_inference_apply(&a->inference, model);
    if (status == GW_OK) status = set_options(a, model, &generate_options);
    if (status == GW_OK) status = read_texts(a, model, operands, count, &texts, &texts_count);
    if (status == GW_OK) status = gw_generate(model, &generate_options, texts, texts_count);
    if (status == GW_OK) status = write_texts(a, model, texts, texts_count);
    gw_generate_texts_free(texts, texts_count);
    gw_model_free(model);
    return status;
}

const gw_command gw_command_generate = {
    .name = "generate",
    .group = "Models",
    .summary = "write texts about texts, such as summaries",
    .usage = "-m FOLDER [options] [in.txt|in.jsonl ...]",
    .description =
        "Writes a line for each line of the input: what the model's decoder makes of the text. Files ending in .jsonl "
        "hold JSON objects, whose field --field is the text; all others, and standard input, text. Line ends in what "
        "is written become blanks. Empty lines, text that is not UTF-8 and texts longer than the model's positions are "
        "errors.\n\n"
        "Beam search keeps N unfinished texts. The sum of log p of a finished one, of n tokens, is divided by its "
        "length: --rule hf by n^A, as transformers does; google by ((5 + n) / 6)^A, as the authors of BigBird do, and "
        "all --max-length steps are made. An exponent of one rule means little under the other. --beams 1 takes the "
        "likeliest token each time (hf), --sample draws it by Philox from seed, line and place.\n\n"
        "The encoder runs once for each text. Keys and values of earlier tokens are kept between steps: "
        "2 x layers x width x 4 bytes for each token of the source and for each of --max-length tokens of every beam, "
        "times --batch; the log says how much that is. What is written does not depend on the "
        "batch.\n\n" GW_INFERENCE_HELP,
    .examples = "godwit generate -m model -b 5 --length-penalty 0.8 articles.txt > summaries.txt\n"
                "godwit generate -m model --field article -O jsonl -o out.jsonl articles.jsonl",
    .options = options,
    .defaults = &defaults,
    .arguments_size = sizeof defaults,
    .least_operands = 0,
    .most_operands = -1,
    .run = run,
};
