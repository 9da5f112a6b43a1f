// SPDX-License-Identifier: MIT
// godwit generate: writes texts about texts, with a decoder.
#include "language/generate.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "file/lines.h"
#include "file/table.h"
#include "tools/cli/cli.h"
#include "tools/search.h"
#include "tools/shared_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_generate_options of;
    gw_source_options source;
    const char *model, *output;
    enum { TEXT_LINES, JSON_LINES } format;
    gw_inference_arguments inference;
} generate_arguments;

static const generate_arguments defaults = {.of = {GW_GENERATE_DEFAULTS}, .source = {.field = "text", .add_end = true}};

#define FIELD(name) offsetof(generate_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(model), "model folder with a decoder", .required = true},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "output (standard output)", .writes = true,
     .endings = "|txt|txt.gz|jsonl|jsonl.gz"},
    {GW_OPTION_NAMED, 'O', "format", "NAME", FIELD(format),
     "lines of text, or JSON objects with text, score and tokens", .choices = "text|jsonl"},
    {GW_OPTION_STRING, 0, "field", "NAME", FIELD(source.field), "field of *.jsonl that holds the text"},
    {GW_OPTION_SETS, 0, "ids", NULL, FIELD(source.format), "lines are token ids, in and out; no tokenizer is needed",
     .min = GW_SOURCE_IDS},
    {GW_OPTION_FLAG, 0, "truncate", NULL, FIELD(source.truncate),
     "cut texts that are longer than the model's positions instead of refusing them"},
    {GW_OPTION_GROUP, .help = "Search"},
    GW_OPTION_ROWS_SEARCH(FIELD(of)),
    {GW_OPTION_FLAG, 0, "sample", NULL, FIELD(of.search.sample), "draw each token instead of searching"},
    {GW_OPTION_REAL, 0, "temperature", "T", FIELD(of.search.temperature), "of --sample: softmax(logits / T)",
     .min = 1e-4, .max = 1e4},
    {GW_OPTION_REAL, 0, "top-p", "P", FIELD(of.search.top_p),
     "of --sample: from the likeliest tokens that together have P", .min = 1e-6, .max = 1},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(of.search.seed), "of --sample", .min = 0, .max = 9e15},
    GW_OPTION_ROWS_INFERENCE(FIELD(inference)),
    {.help = NULL},
};

static bool of_ids(const generate_arguments *a) {
    return a->source.format == GW_SOURCE_IDS;
}

static gw_status read_texts(const generate_arguments *a, const gw_model *model, char **files, int count,
                            gw_generate_text **texts, int64_t *texts_count) {
    static char *const standard_input[] = {"-"};
    int64_t capacity = 0;
    if (count == 0) files = (char **)standard_input;
    for (int i = 0; i < (count == 0 ? 1 : count); i++) {
        gw_source_options o = a->source;
        if (!of_ids(a) && gw_is_jsonl(files[i])) o.format = GW_SOURCE_JSONL;
        GW_TRY(gw_generate_read(files[i], model, &o, texts, texts_count, &capacity));
    }
    return GW_OK;
}

// The target as one line.
static gw_status write_line(const gw_model *model, bool ids, const gw_generate_text *text, gw_string *line) {
    gw_string_clear(line);
    for (int64_t i = 0; ids && i < text->target_count; i++)
        gw_string_printf(line, "%s%d", i > 0 ? " " : "", text->target[i]);
    if (!ids) {
        // Tokens of bytes may cut a character.
        gw_string raw = {0};
        const gw_status status = gw_decode(model->tokenizer, text->target, text->target_count, &raw);
        if (status == GW_OK && raw.data) gw_utf8_append_mended(line, raw.data, raw.length);
        gw_string_free(&raw);
        GW_TRY(status);
    }
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

typedef struct {
    const generate_arguments *arguments;
    const gw_model *model;
    gw_text_writer *writer;
    gw_string line;
} output;

static gw_status write_texts(void *context, const gw_generate_text *texts, int64_t count) {
    output *out = context;
    for (int64_t i = 0; i < count; i++) {
        GW_TRY(write_line(out->model, of_ids(out->arguments), &texts[i], &out->line));
        GW_TRY(put(out->writer, out->arguments->format == JSON_LINES, &texts[i], &out->line));
    }
    return gw_writer_flush(out->writer);
}

static gw_status generate(generate_arguments *a, gw_model *model, gw_generate_text *texts, int64_t count) {
    output out = {.arguments = a, .model = model};
    GW_TRY(gw_writer_open(a->output, &out.writer));
    a->of.take = write_texts;
    a->of.context = &out;
    const gw_status status = gw_generate(model, &a->of, texts, count);
    gw_string_free(&out.line);
    return gw_writers_close(status, out.writer, NULL);
}

static gw_status run(void *arguments, char **operands, int count) {
    generate_arguments *a = arguments;
    gw_model *model = NULL;
    gw_generate_text *texts = NULL;
    int64_t texts_count = 0;
    GW_TRY(gw_device_apply(a->inference.device));
    gw_status status = of_ids(a) ? gw_model_load_weights(a->model, &model) : gw_model_load(a->model, &model);
    if (status == GW_OK) status = gw_generate_complete(a->model, model, &a->of);
    if (a->of.search.sample) a->of.search.beams = 1;
    if (status == GW_OK) status = gw_inference_apply(&a->inference, model);
    if (status == GW_OK) status = read_texts(a, model, operands, count, &texts, &texts_count);
    if (status == GW_OK) status = generate(a, model, texts, texts_count);
    gw_generate_texts_free(texts, texts_count);
    gw_model_free(model);
    return status;
}

const gw_command gw_command_generate = {
    .name = "generate",
    .group = "Models",
    .summary = "write texts about texts, for example summaries",
    .usage = "-m FOLDER [options] [in.txt|in.jsonl ...]",
    .description =
        "Writes a line for each line of the input: the text that the model's decoder makes of it. Files ending in "
        ".jsonl have JSON objects with the text in the field --field. All other files, and standard input, are "
        "text. Line ends in the output become blanks. On standard output lines appear batch by batch. A file (-o) "
        "appears when it is complete. Empty lines, text that is not UTF-8 and texts longer than the model's "
        "positions are errors.\n\n" GW_SEARCH_HELP " --sample draws tokens by Philox from seed, line and place.\n\n"
        "The encoder runs once for each text. Keys and values of earlier tokens are kept between steps: 2 x layers "
        "x width x 4 bytes for each token of the source and for each of --max-length tokens of every beam, times "
        "--batch. The log says how much that is. The texts do not depend on the batch.\n\n" GW_INFERENCE_HELP,
    .examples = "godwit generate -m model -b 5 --length-penalty 0.8 articles.txt > summaries.txt\n"
                "godwit generate -m model --field article -O jsonl -o out.jsonl articles.jsonl",
    GW_COMMAND_TAKES(0, -1),
    .run = run,
};
