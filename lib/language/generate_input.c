// SPDX-License-Identifier: MIT
// Lines to tokens: the tokens of the text, cut to the model's positions where that is asked for, and the end token.
#include "language/generate_input.h"

#include "base/memory.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "file/file_kind.h"
#include "file/lines.h"
#include "file/table.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_model *model;
    const gw_source_options *options;
    gw_line_reader *lines; // or, of JSON objects, a table
    gw_table *table;
    int field;
    gw_encoder *encoder; // NULL of ids
    gw_generate_text text;
    int64_t capacity; // of the text's source
} reader;

// gw_fail() with file and line.
#define FAIL(r, code, ...)                                                                                             \
    ((r)->table ? gw_table_fail((r)->table, code, __VA_ARGS__) : gw_lines_fail((r)->lines, code, __VA_ARGS__))

static gw_status append(reader *r, const int32_t *tokens, int64_t count) {
    gw_generate_text *text = &r->text;
    GW_TRY(gw_reserve(&text->source, &r->capacity, text->source_count + count, sizeof *tokens));
    memcpy(text->source + text->source_count, tokens, (size_t)count * sizeof *tokens);
    text->source_count += count;
    return GW_OK;
}

static gw_status read_ids(reader *r, char *line) {
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        int64_t token;
        if (gw_parse_int(word, 0, r->model->config.vocabulary - 1, &token) != GW_OK)
            return FAIL(r, GW_ERR_FORMAT, "'%s' is no token, expected 0 to %lld", word,
                        (long long)r->model->config.vocabulary - 1);
        GW_TRY(append(r, &(int32_t){(int32_t)token}, 1));
    }
    return GW_OK;
}

static gw_status read_text(reader *r, const char *text, int64_t length) {
    const int64_t valid = gw_utf8_valid(text, length);
    const int32_t *tokens;
    int64_t count;
    if (valid < length) return FAIL(r, GW_ERR_FORMAT, "byte %lld of the text is not UTF-8", (long long)valid + 1);
    if (gw_encode(r->encoder, text, length, &tokens, &count) != GW_OK)
        return FAIL(r, GW_ERR_FORMAT, "%s", gw_message());
    return append(r, tokens, count);
}

// Tokens before those of a text.
static int begin_of(const reader *r) {
    return r->options->format != GW_SOURCE_IDS && gw_config_source_begin(&r->model->config) >= 0;
}

// Fits the tokens to the positions, the end token among them.
static gw_status end_source(reader *r) {
    const gw_config *config = &r->model->config;
    const bool adds = r->options->add_end && r->options->format != GW_SOURCE_IDS;
    const int64_t most = gw_config_longest(config) - adds;
    if (r->text.source_count == begin_of(r)) return FAIL(r, GW_ERR_FORMAT, "the text is empty");
    if (r->text.source_count > most && !r->options->truncate)
        return FAIL(r, GW_ERR_RANGE, "the text has %lld tokens, the model's positions hold %lld (--truncate cuts it)",
                    (long long)r->text.source_count, (long long)most);
    if (r->text.source_count > most) r->text.source_count = most;
    return adds ? append(r, &(int32_t){(int32_t)config->end}, 1) : GW_OK;
}

// A line of text or ids, or a field.
static gw_status read_one(reader *r, char *text, int64_t length) {
    r->text = (gw_generate_text){0};
    r->capacity = 0;
    if (begin_of(r)) GW_TRY(append(r, &(int32_t){(int32_t)gw_config_source_begin(&r->model->config)}, 1));
    GW_TRY(r->options->format == GW_SOURCE_IDS ? read_ids(r, text) : read_text(r, text, length));
    return end_source(r);
}

static gw_status next_line(reader *r, char **text, int64_t *length) {
    GW_TRY(gw_lines_next(r->lines, text, length));
    if (!*text || gw_lines_number(r->lines) > 1 || gw_file_kind_of(*text) != GW_KIND_SQUAD) return GW_OK;
    return gw_file_kind_refuse(GW_KIND_SQUAD, gw_lines_path(r->lines),
                               "texts, one a line, or objects of JSON, one a line, in *.jsonl");
}

static gw_status next_text(reader *r, char **text, int64_t *length) {
    bool found;
    const char *field;
    *text = NULL;
    if (!r->table) return next_line(r, text, length);
    GW_TRY(gw_table_next(r->table, &found));
    if (!found) return GW_OK;
    GW_TRY(gw_table_text(r->table, r->field, &field));
    *length = (int64_t)strlen(field);
    *text = (char *)field; // which read_text() leaves as it is
    return GW_OK;
}

static gw_status read_all(reader *r, gw_generate_text **texts, int64_t *count, int64_t *capacity) {
    for (;;) {
        char *text;
        int64_t length;
        GW_TRY(next_text(r, &text, &length));
        if (!text) return GW_OK;
        GW_TRY(gw_reserve(texts, capacity, *count + 1, sizeof **texts));
        const gw_status status = read_one(r, text, length);
        (*texts)[(*count)++] = r->text;
        GW_TRY(status);
    }
}

static gw_status open_input(reader *r, const char *path) {
    const gw_table_options options = {0};
    if (r->options->format != GW_SOURCE_JSONL) return gw_lines_open(path, &r->lines);
    GW_TRY(gw_table_open(path, &options, &r->table));
    return gw_table_column(r->table, r->options->field, &r->field);
}

gw_status gw_generate_read(const char *path, const gw_model *model, const gw_source_options *options,
                           gw_generate_text **texts, int64_t *count, int64_t *capacity) {
    reader r = {.model = model, .options = options};
    gw_status status = open_input(&r, path);
    if (status == GW_OK && options->format != GW_SOURCE_IDS) status = gw_encoder_new(model->tokenizer, &r.encoder);
    if (status == GW_OK) status = read_all(&r, texts, count, capacity);
    gw_encoder_free(r.encoder);
    if (r.lines) gw_lines_close(r.lines);
    gw_table_close(r.table);
    return status;
}

void gw_generate_texts_free(gw_generate_text *texts, int64_t count) {
    for (int64_t i = 0; texts && i < count; i++) {
        free(texts[i].source);
        free(texts[i].target);
    }
    free(texts);
}
