// SPDX-License-Identifier: MIT
// Texts are processed in order, so that the first targets can be returned while later ones wait. A batch continues
// until all of its searches have ended; searches that have ended make no rows.
#include "language/generate.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/parallel.h"
#include "base/parse.h"
#include "base/utf8.h"
#include "file/file_kind.h"
#include "file/lines.h"
#include "file/table.h"
#include "network/decoding.h"
#include "network/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- what the model's folder says ------------------------------------------------------------------------------------

enum { MOST_BEAMS = 1024, MOST_TOKENS = 1 << 20 };

// Fields of transformers' generation_config.json; before it was a file of its own, of config.json.
static gw_status read_fields(const json_t *json, const char *path, gw_beam_options *o) {
    int64_t forced = -1, start = o->start, end = o->end;
    GW_TRY(gw_json_int(json, path, "num_beams", false, 1, MOST_BEAMS, &o->beams));
    GW_TRY(gw_json_double(json, path, "length_penalty", false, &o->length_penalty));
    GW_TRY(gw_json_int(json, path, "max_length", false, 2, MOST_TOKENS, &o->max_length));
    GW_TRY(gw_json_int(json, path, "min_length", false, 0, MOST_TOKENS, &o->min_length));
    GW_TRY(gw_json_int(json, path, "no_repeat_ngram_size", false, 0, MOST_TOKENS, &o->no_repeat_ngram));
    GW_TRY(gw_json_int(json, path, "decoder_start_token_id", false, 0, INT32_MAX, &start));
    GW_TRY(gw_json_int(json, path, "eos_token_id", false, 0, INT32_MAX, &end));
    GW_TRY(gw_json_int(json, path, "forced_eos_token_id", false, 0, INT32_MAX, &forced));
    o->start = (int32_t)start;
    o->end = (int32_t)end;
    o->forced_end = (int32_t)forced;
    return GW_OK;
}

gw_status gw_generate_complete(const char *folder, const gw_model *model, gw_generate_options *options) {
    const gw_config *config = &model->config;
    if (config->decoder_layers == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: the model has no decoder, it cannot write texts", folder);
    gw_beam_options o = {.beams = 5,
                         .length_penalty = 1,
                         .max_length = config->positions < 256 ? config->positions : 256,
                         .start = (int32_t)config->decoder_start,
                         .end = (int32_t)config->end,
                         .forced_end = -1};
    char *own = gw_join_path(folder, "generation_config.json"), *config_path = gw_join_path(folder, "config.json");
    gw_status status = own && config_path ? GW_OK : GW_ERR_MEMORY;
    const char *path = status == GW_OK && access(own, F_OK) == 0 ? own : config_path;
    json_t *json = NULL;
    if (status == GW_OK) status = gw_json_load(path, &json);
    if (status == GW_OK) status = read_fields(json, path, &o);
    json_decref(json);
    if (status == GW_OK && (o.start >= config->vocabulary || o.end >= config->vocabulary))
        status = gw_fail(GW_ERR_RANGE, "%s: tokens %d and %d begin and end a text, the model's vocabulary has %lld",
                         own, o.start, o.end, (long long)config->vocabulary);
    free(own);
    free(config_path);
    if (status != GW_OK) return status;

    gw_beam_options *search = &options->search;
    if (search->beams <= 0) search->beams = o.beams;
    if (search->length_penalty < 0) search->length_penalty = o.length_penalty;
    if (search->max_length < 0) search->max_length = o.max_length;
    if (search->min_length < 0) search->min_length = o.min_length;
    if (search->no_repeat_ngram < 0) search->no_repeat_ngram = o.no_repeat_ngram;
    search->start = o.start;
    search->end = o.end;
    search->forced_end = o.forced_end;
    return GW_OK;
}

// --- sources ---------------------------------------------------------------------------------------------------------

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
            return FAIL(r, GW_ERR_FORMAT, "'%s' is not a token, expected 0 to %lld", word,
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

// A line of text or ids, or a field: its tokens, cut to the model's positions where that is asked for, and the end
// token.
static gw_status read_one(reader *r, char *text, int64_t length) {
    r->text = (gw_generate_text){0};
    r->capacity = 0;
    if (begin_of(r)) GW_TRY(append(r, &(int32_t){(int32_t)gw_config_source_begin(&r->model->config)}, 1));
    GW_TRY(r->options->format == GW_SOURCE_IDS ? read_ids(r, text) : read_text(r, text, length));

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

static gw_status next_text(reader *r, char **text, int64_t *length) {
    bool found;
    const char *field;
    *text = NULL;
    if (!r->table) {
        GW_TRY(gw_lines_next(r->lines, text, length));
        if (!*text || gw_lines_number(r->lines) > 1 || gw_file_kind_of(*text) != GW_KIND_SQUAD) return GW_OK;
        return gw_file_kind_refuse(GW_KIND_SQUAD, gw_lines_path(r->lines),
                                   "texts, one a line, or objects of JSON, one a line, in *.jsonl");
    }
    GW_TRY(gw_table_next(r->table, &found));
    if (!found) return GW_OK;
    GW_TRY(gw_table_text(r->table, r->field, &field));
    *length = (int64_t)strlen(field);
    *text = (char *)field; // which read_text() leaves as it is
    return GW_OK;
}

static gw_status read_all(reader *r, const char *path, gw_generate_text **texts, int64_t *count, int64_t *capacity) {
    const gw_table_options options = {0};
    if (r->options->format != GW_SOURCE_JSONL) {
        GW_TRY(gw_lines_open(path, &r->lines));
    } else {
        GW_TRY(gw_table_open(path, &options, &r->table));
        GW_TRY(gw_table_column(r->table, r->options->field, &r->field));
    }
    if (r->options->format != GW_SOURCE_IDS) GW_TRY(gw_encoder_new(r->model->tokenizer, &r->encoder));
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

gw_status gw_generate_read(const char *path, const gw_model *model, const gw_source_options *options,
                           gw_generate_text **texts, int64_t *count, int64_t *capacity) {
    reader r = {.model = model, .options = options};
    const gw_status status = read_all(&r, path, texts, count, capacity);
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

// --- writing ---------------------------------------------------------------------------------------------------------

typedef struct {
    const gw_generate_options *options;
    gw_decoding *decoding;
    gw_beam_search **search; // [batch]
    gw_decoding_row *rows;   // [batch * beams]
    int64_t *first;          // [batch + 1] first row of each search
    gw_batch batch;
    int64_t sources;      // of the batch
    int64_t vocabulary;   // of the logits
    const float *logits;  // of the last step
    gw_status *status;    // [batch] of a search's step
    char (*message)[256]; // [batch]
    int64_t written;      // tokens in all
} generator;

static gw_status make_generator(generator *g, gw_model *model, const gw_generate_options *o, int64_t batch,
                                int64_t tokens) {
    const int64_t beams = o->search.beams;
    const gw_decoding_options options = {batch, tokens, batch * beams, o->search.max_length};
    *g = (generator){.options = o, .vocabulary = model->config.vocabulary};
    GW_TRY(gw_decoding_new(model, &options, &g->decoding));
    g->search = gw_alloc(batch, sizeof *g->search);
    g->rows = gw_alloc(batch * beams, sizeof *g->rows);
    g->first = gw_alloc(batch + 1, sizeof *g->first);
    g->status = gw_alloc(batch, sizeof *g->status);
    g->message = gw_alloc(batch, sizeof *g->message);
    if (!g->search || !g->rows || !g->first || !g->status || !g->message) return GW_ERR_MEMORY;
    GW_TRY(gw_rows_make(&g->batch.of[GW_ROWS_TOKENS], tokens, batch, GW_WITH_TOKEN));
    for (int64_t i = 0; i < batch; i++) GW_TRY(gw_beam_search_new(&o->search, &g->search[i]));
    return GW_OK;
}

// A batch of `count` texts, the first of which is number `first` of all.
static gw_status begin(generator *g, const gw_generate_text *texts, int64_t first, int64_t count) {
    gw_rows *tokens = &g->batch.of[GW_ROWS_TOKENS];
    gw_batch_clear(&g->batch);
    for (int64_t i = 0; i < count; i++) {
        const gw_generate_text *text = &texts[first + i];
        memcpy(tokens->token + tokens->count, text->source, (size_t)text->source_count * sizeof *text->source);
        tokens->count += text->source_count;
        gw_rows_end_sequence(tokens);
        gw_beam_search_begin(g->search[i], (uint64_t)(first + i));
    }
    g->sources = count;
    return gw_decoding_begin(g->decoding, &g->batch);
}

// Rows of all searches that go on. Parents count from the search's first row of the step before.
static int64_t list_rows(generator *g) {
    int64_t count = 0;
    for (int64_t i = 0; i < g->sources; i++) {
        const gw_beam_row *rows;
        const int64_t alive = gw_beam_search_rows(g->search[i], &rows);
        const int64_t before = g->first[i];
        g->first[i] = count;
        for (int64_t r = 0; r < alive; r++)
            g->rows[count++] = (gw_decoding_row){.source = (int32_t)i,
                                                 .parent = rows[r].parent < 0 ? -1 : (int32_t)before + rows[r].parent,
                                                 .token = rows[r].token};
    }
    return count;
}

static void step_searches(void *context, int64_t begin, int64_t end, int thread) {
    generator *g = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const gw_beam_row *rows;
        g->status[i] = GW_OK;
        if (gw_beam_search_rows(g->search[i], &rows) == 0) continue;
        g->status[i] = gw_beam_search_step(g->search[i], g->logits + g->first[i] * g->vocabulary, g->vocabulary);
        if (g->status[i] != GW_OK) snprintf(g->message[i], sizeof g->message[i], "%s", gw_message());
    }
}

static gw_status write_targets(generator *g) {
    int64_t count;
    while ((count = list_rows(g)) > 0) {
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_decoding_step(g->decoding, g->rows, count, &g->logits));
        gw_parallel_for(g->sources, 1, step_searches, g);
        for (int64_t i = 0; i < g->sources; i++)
            if (g->status[i] != GW_OK) return gw_fail(g->status[i], "%s", g->message[i]);
    }
    return GW_OK;
}

static gw_status take_targets(generator *g, gw_generate_text *texts) {
    for (int64_t i = 0; i < g->sources; i++) {
        gw_generate_text *text = &texts[i];
        const int32_t *tokens;
        text->target_count = gw_beam_search_best(g->search[i], &tokens, &text->score);
        text->target = gw_alloc(text->target_count, sizeof *text->target);
        if (!text->target) return GW_ERR_MEMORY;
        memcpy(text->target, tokens, (size_t)text->target_count * sizeof *text->target);
        g->written += text->target_count;
    }
    return GW_OK;
}

static gw_status generate_all(generator *g, gw_generate_text *texts, int64_t count, int64_t batch) {
    const gw_generate_options *o = g->options;
    const double start = gw_seconds_now();
    gw_note("keys and values of %lld texts at a time take %.1f MB, all that is computed with them %.1f MB",
            (long long)batch, (double)gw_decoding_cache_bytes(g->decoding) / 1e6,
            (double)gw_decoding_bytes(g->decoding) / 1e6);
    for (int64_t done = 0; done < count; done += g->sources) {
        gw_progress("generate", done, count, "texts", NULL);
        GW_TRY(begin(g, texts, done, gw_min(count - done, batch)));
        GW_TRY(write_targets(g));
        GW_TRY(take_targets(g, texts + done));
        if (o->take) GW_TRY(o->take(o->context, texts + done, g->sources));
    }
    gw_progress("generate", count, count, "texts", NULL);
    gw_progress_end();
    gw_note("%lld texts, %lld tokens, %.3g tokens a second", (long long)count, (long long)g->written,
            (double)g->written / (gw_seconds_now() - start));
    return GW_OK;
}

gw_status gw_generate(gw_model *model, const gw_generate_options *options, gw_generate_text *texts, int64_t count) {
    const int64_t batch = gw_min(count, options->batch);
    if (count == 0) return GW_OK;
    int64_t most = 0; // tokens of a batch
    for (int64_t first = 0; first < count; first += batch) {
        int64_t tokens = 0;
        for (int64_t i = first; i < first + batch && i < count; i++) tokens += texts[i].source_count;
        most = gw_max(most, tokens);
    }
    generator g;
    gw_status status = make_generator(&g, model, options, batch, most);
    if (status == GW_OK) status = generate_all(&g, texts, count, batch);
    for (int64_t i = 0; g.search && i < batch; i++) gw_beam_search_free(g.search[i]);
    gw_decoding_free(g.decoding);
    gw_batch_free(&g.batch);
    free(g.search);
    free(g.rows);
    free(g.first);
    free(g.status);
    free(g.message);
    return status;
}
