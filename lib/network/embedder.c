// SPDX-License-Identifier: MIT
// Tiles wait in a batch together with the description of their rows. A full batch runs, and both are written.
#include "network/embedder.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/string.h"
#include "base/utf8.h"
#include "network/forward.h"
#include "network/token_batch.h"
#include "text/unicode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_OVERLAP = 64 };

// What a row stands for, as the columns of the table.
typedef struct {
    int64_t name, contig; // where they begin in e->names
    int64_t begin, end;   // -1: not known
    int64_t tile, first_token, end_token, position;
    int32_t token;
    char strand;
} row_place;

struct gw_embedder {
    const gw_model *model;
    gw_embed_options options;
    gw_embed_output out;
    gw_token_batch batch;
    gw_forward forward;
    gw_encoder *encoder;
    row_place *places;                            // of the rows that the batch will make,
    int64_t place_count, place_capacity, written; // of which so many are written
    gw_string names;
    int64_t *offset; // [tokens + 1] bases of the sequence before each of its tokens
    int64_t offset_capacity;
    gw_frame frame;
    gw_sentence_mode mode[GW_SENTENCE_MODES]; // what a row is made of; none: every token's state is a row
    int modes;
    int64_t before, behind; // tokens of a tile, from its beginning and its end on, that are not pooled
    double *sum;            // [E]
    float *row;             // [modes][E]
    gw_string text;         // a sequence behind its prompt, or in lower case
    int64_t bases, without_tokens, cut;
};

int64_t gw_embed_width(const gw_model *model, const gw_embed_options *options) {
    const bool listed = options->pool == GW_EMBED_AUTO && options->folder && options->folder->modes > 0;
    return model->config.width * (listed ? options->folder->modes : 1);
}

// The folder of sentence-transformers whose vectors are asked for, or NULL.
static const gw_sentence_folder *folder_of(const gw_embedder *e) {
    return e->options.pool == GW_EMBED_AUTO ? e->options.folder : NULL;
}

// Tokens of a tile that are the sequence's own.
static int64_t tile_capacity(const gw_embedder *e) {
    const gw_sentence_folder *folder = folder_of(e);
    const int64_t positions = gw_config_longest(&e->model->config);
    const bool shorter = folder && folder->longest > 0 && folder->longest < positions;
    return (shorter ? folder->longest : positions) - gw_frame_tokens(&e->frame);
}

static void pool_by(gw_embedder *e, gw_sentence_mode mode) {
    e->mode[e->modes++] = mode;
}

// What the rows are made of.
static gw_status choose_pool(gw_embedder *e) {
    const gw_sentence_folder *folder = folder_of(e);
    gw_embed_pool pool = e->options.pool;
    if (folder && folder->unsupported) return gw_fail(GW_ERR_UNSUPPORTED, "%s", folder->unsupported);
    if (folder && folder->modes > 0) {
        e->options.when_long = GW_EMBED_CUTS;
        for (int i = 0; i < folder->modes; i++) pool_by(e, folder->mode[i]);
        return GW_OK;
    }
    if (pool == GW_EMBED_AUTO) pool = GW_EMBED_CLS;
    if (pool == GW_EMBED_CLS && e->frame.begins == 0)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "the model's sequences do not begin with a special token such as [CLS]: pool them by their mean");
    if (pool == GW_EMBED_CLS) pool_by(e, GW_SENTENCE_CLS);
    if (pool == GW_EMBED_MEAN || pool == GW_EMBED_SENTENCE) pool_by(e, GW_SENTENCE_MEAN);
    if (pool == GW_EMBED_MAX) pool_by(e, GW_SENTENCE_MAX);
    if (pool == GW_EMBED_MEAN || pool == GW_EMBED_MAX) {
        e->before = e->frame.begins;
        e->behind = e->frame.ends;
    }
    return GW_OK;
}

// The layer is counted from the embeddings, 0 .. layers.
static gw_status check_options(gw_embedder *e) {
    const int64_t asked = e->options.layer, layers = e->model->config.layers;
    e->options.layer = asked < 0 ? asked + layers + 1 : asked;
    if (e->options.layer < 0 || e->options.layer > layers)
        return gw_fail(GW_ERR_RANGE, "layer %lld: the model has %lld layers, so 0 to %lld, or -1 to %lld",
                       (long long)asked, (long long)layers, (long long)layers, (long long)-layers - 1);
    GW_TRY(choose_pool(e));
    const int64_t overlap = e->options.overlap, capacity = tile_capacity(e);
    if (capacity < 1)
        return gw_fail(GW_ERR_RANGE, "texts are cut to %lld tokens, and special tokens take all of them",
                       (long long)(capacity + gw_frame_tokens(&e->frame)));
    if (overlap >= capacity)
        return gw_fail(GW_ERR_RANGE, "tiles that overlap by %lld tokens; the model's %lld positions hold %lld",
                       (long long)overlap, (long long)gw_config_longest(&e->model->config), (long long)capacity);
    return GW_OK;
}

// One vector [E] of the hidden states [first, end); not a number where one of them is not.
static void pool_tokens(const gw_embedder *e, gw_sentence_mode mode, const float *hidden, int64_t first, int64_t end,
                        float *row) {
    const int64_t width = e->model->config.width, one = mode == GW_SENTENCE_LAST ? end - 1 : first;
    memcpy(row, hidden + one * width, (size_t)width * sizeof *row);
    if (mode == GW_SENTENCE_CLS || mode == GW_SENTENCE_LAST) return;
    double weights = 0;
    memset(e->sum, 0, (size_t)width * sizeof *e->sum);
    for (int64_t t = first; t < end; t++) {
        const double weight = mode == GW_SENTENCE_WEIGHTED ? (double)(t + 1) : 1;
        weights += weight;
        for (int64_t c = 0; c < width; c++) {
            e->sum[c] += weight * (double)hidden[t * width + c];
            row[c] = fmaxf(row[c], hidden[t * width + c]);
        }
    }
    if (mode == GW_SENTENCE_MEAN_SQRT) weights = sqrt(weights);
    for (int64_t c = 0; c < width; c++)
        if (mode != GW_SENTENCE_MAX || !isfinite(e->sum[c])) row[c] = (float)(e->sum[c] / weights);
}

static void put_place(gw_table_writer *table, const row_place *p, const char *names, bool of_token) {
    const char *contig = names + p->contig, strand[] = {p->strand, 0};
    gw_cell_text(table, names + p->name);
    gw_cell_text(table, strcmp(contig, ".") == 0 ? NULL : contig);
    if (p->begin >= 0) {
        gw_cell_integer(table, p->begin);
        gw_cell_integer(table, p->end);
    } else {
        gw_cell_missing(table);
        gw_cell_missing(table);
    }
    gw_cell_text(table, strand);
    gw_cell_integer(table, p->tile);
    gw_cell_integer(table, p->first_token);
    gw_cell_integer(table, p->end_token);
    if (!of_token) return;
    gw_cell_integer(table, p->position);
    gw_cell_integer(table, p->token);
}

static gw_status write_row(gw_embedder *e, const float *row, int64_t width) {
    gw_table_writer *table = e->out.table;
    GW_TRY(gw_check_outputs(row, width));
    if (e->out.row) GW_TRY(e->out.row(e->out.context, row));
    if (!table) return GW_OK;
    put_place(table, &e->places[e->written++], e->names.data, e->options.pool == GW_EMBED_NONE);
    for (int64_t c = 0; e->out.whole && c < width; c++) gw_cell_real(table, (double)row[c]);
    return gw_row_end(table);
}

static gw_status write_tile(gw_embedder *e, const float *hidden, int64_t tokens) {
    const int64_t width = e->model->config.width;
    if (e->modes == 0) {
        for (int64_t t = 0; t < tokens; t++) GW_TRY(write_row(e, hidden + t * width, width));
        return GW_OK;
    }
    for (int i = 0; i < e->modes; i++)
        pool_tokens(e, e->mode[i], hidden, e->before, tokens - e->behind, e->row + i * width);
    const int64_t whole = e->modes * width;
    if (folder_of(e) && folder_of(e)->normalises) {
        double squares = 0;
        for (int64_t c = 0; c < whole; c++) squares += (double)e->row[c] * (double)e->row[c];
        const double length = fmax(sqrt(squares), 1e-12); // that of torch's normalize()
        for (int64_t c = 0; c < whole; c++) e->row[c] = (float)((double)e->row[c] / length);
    }
    return write_row(e, e->row, whole);
}

// Whether the hidden states of first tokens are all that is read.
static bool reads_first(const gw_embedder *e) {
    return e->modes == 1 && e->mode[0] == GW_SENTENCE_CLS && e->before == 0;
}

// The rows of a batch's tiles, in the array and in the table.
static gw_status write_tiles(void *embedder, const gw_losses *losses) {
    (void)losses;
    gw_embedder *e = embedder;
    const gw_rows *stream = &e->batch.batch.of[GW_ROWS_TOKENS];
    const float *hidden = gw_network_hidden(e->forward.network);
    if (!hidden) return GW_ERR_IO;
    for (int64_t s = 0; s < stream->sequences; s++) {
        const int64_t row = reads_first(e) ? s : stream->start[s];
        GW_TRY(write_tile(e, hidden + row * e->model->config.width, stream->start[s + 1] - stream->start[s]));
    }
    gw_string_clear(&e->names);
    e->place_count = e->written = 0;
    gw_progress("embed", e->bases, e->options.bases, "bases", NULL);
    return GW_OK;
}

static gw_status make_network(gw_embedder *e, gw_model *model) {
    const gw_config *config = &model->config;
    const int64_t tokens = gw_forward_tokens(e->options.tokens, gw_config_longest(config));
    const gw_network_options network = {.tokens = tokens,
                                        .output_rows = reads_first(e) ? GW_OUTPUT_FIRST : GW_OUTPUT_ALL,
                                        .sequences = GW_FORWARD_SEQUENCES,
                                        .layers = e->options.layer == 0 ? -1 : (int)e->options.layer};
    GW_TRY(gw_token_batch_make(&e->batch, model->tokenizer, tokens, GW_FORWARD_SEQUENCES, gw_config_longest(config)));
    GW_TRY(gw_forward_make(&e->forward, model, &network, &e->batch.batch, e));
    e->forward.ran = write_tiles;
    return GW_OK;
}

// Before the network is made, which computes no more than is pooled.
static gw_status make_encoder(gw_embedder *e) {
    const gw_sentence_folder *folder = folder_of(e);
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encoder_new(e->model->tokenizer, &e->encoder));
    gw_encoder_keep_case(e->encoder, e->options.keep_case);
    if (!folder || !folder->prompt || folder->pools_prompt) return GW_OK;
    GW_TRY(gw_encode(e->encoder, folder->prompt, (int64_t)strlen(folder->prompt), &tokens, &count));
    e->before = e->frame.begins + count;
    if (count < tile_capacity(e)) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "the prompt has %lld tokens; the model takes %lld with the text", (long long)count,
                   (long long)tile_capacity(e));
}

void gw_embed_columns(gw_embed_pool pool, int64_t numbers, gw_columns *columns) {
    gw_columns_add(columns, GW_COLUMN_TEXT, NULL, "name");
    gw_columns_add(columns, GW_COLUMN_TEXT, NULL, "contig");
    gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "begin");
    gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "end");
    gw_columns_add(columns, GW_COLUMN_TEXT, NULL, "strand");
    gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "tile");
    gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "first_token");
    gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "end_token");
    if (pool == GW_EMBED_NONE) {
        gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "position");
        gw_columns_add(columns, GW_COLUMN_INTEGER, NULL, "token");
    }
    for (int64_t c = 1; c <= numbers; c++) gw_columns_add(columns, GW_COLUMN_FLOAT, "%.9g", "e%lld", (long long)c);
}

gw_status gw_embedder_new(gw_model *model, const gw_embed_options *options, const gw_embed_output *out,
                          gw_embedder **embedder) {
    *embedder = NULL;
    gw_embedder *e = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    e->model = model;
    e->options = *options;
    e->out = *out;
    e->sum = gw_alloc(model->config.width, sizeof *e->sum);
    e->row = gw_alloc(gw_embed_width(model, options), sizeof *e->row);
    gw_status status = e->sum && e->row ? gw_tokenizer_frame(model->tokenizer, &e->frame) : GW_ERR_MEMORY;
    if (status == GW_OK) status = check_options(e);
    if (e->options.overlap < 0) e->options.overlap = gw_min(tile_capacity(e) / 4, DEFAULT_OVERLAP);
    if (status == GW_OK) status = make_encoder(e);
    if (status == GW_OK) status = make_network(e, model);
    if (status == GW_OK) *embedder = e;
    else gw_embedder_free(e);
    return status;
}

void gw_embedder_free(gw_embedder *embedder) {
    if (!embedder) return;
    gw_forward_free(&embedder->forward);
    gw_token_batch_free(&embedder->batch);
    gw_encoder_free(embedder->encoder);
    gw_string_free(&embedder->names);
    free(embedder->places);
    gw_string_free(&embedder->text);
    free(embedder->offset);
    free(embedder->sum);
    free(embedder->row);
    free(embedder);
}

typedef struct {
    const gw_embed_source *source;
    const int32_t *tokens;
    int64_t length;           // of the sequence, bp
    bool has_offsets;         // e->offset is known
    int64_t tile, first, end; // tokens [first, end) of the sequence
    int64_t name, contig;     // where they begin in e->names
} tile_view;

// What a row stands for: tokens [first, end) of the tile; position and token where it is one of them.
static gw_status add_place(gw_embedder *e, const tile_view *t, int64_t first, int64_t end, int64_t position,
                           int32_t token) {
    const gw_embed_source *source = t->source;
    const bool reverse = source->strand == '-';
    const int64_t left = reverse ? t->length - e->offset[end] : e->offset[first];
    const int64_t right = reverse ? t->length - e->offset[first] : e->offset[end];
    GW_TRY(gw_reserve(&e->places, &e->place_capacity, e->place_count + 1, sizeof *e->places));
    e->places[e->place_count++] = (row_place){.name = t->name,
                                              .contig = t->contig,
                                              .begin = t->has_offsets ? source->begin + left : -1,
                                              .end = t->has_offsets ? source->begin + right : -1,
                                              .strand = source->strand,
                                              .tile = t->tile,
                                              .first_token = first,
                                              .end_token = end,
                                              .position = position,
                                              .token = token};
    return GW_OK;
}

// A text that the places of a batch refer to.
static int64_t add_name(gw_embedder *e, const char *name) {
    const int64_t at = e->names.length;
    gw_string_append(&e->names, name, (int64_t)strlen(name) + 1);
    return at;
}

static gw_status add_tile(gw_embedder *e, tile_view *t) {
    const gw_frame *frame = &e->frame;
    const int64_t count = t->end - t->first;
    GW_TRY(gw_forward_reserve(&e->forward, count + gw_frame_tokens(frame), 0));
    if (!gw_token_batch_add_tokens(&e->batch, t->tokens + t->first, count))
        return gw_fail(GW_ERR_RANGE, "a tile of %lld tokens does not fit a batch", (long long)count);
    if (!e->out.table) return GW_OK;
    t->name = add_name(e, t->source->name);
    t->contig = add_name(e, t->source->contig);
    GW_TRY(gw_string_status(&e->names));
    if (e->options.pool != GW_EMBED_NONE) return add_place(e, t, t->first, t->end, 0, 0);
    if (frame->begins > 0) GW_TRY(add_place(e, t, t->first, t->first, 0, frame->before[0]));
    for (int64_t i = 0; i < count; i++)
        GW_TRY(add_place(e, t, t->first + i, t->first + i + 1, frame->begins + i, t->tokens[t->first + i]));
    return frame->ends > 0 ? add_place(e, t, t->end, t->end, frame->begins + count, frame->after[0]) : GW_OK;
}

// Bases of a token that stands where `bases` begin. A letter that the vocabulary lacks is a base too.
static int64_t token_width(const gw_tokenizer *tokenizer, int32_t token, const char *bases, int64_t left) {
    int64_t run = 0;
    while (run < left && (bases[run] | 32) == 'n') run++;
    if (run > 0 && strcmp(gw_tokenizer_text(tokenizer, token), "-") == 0) return run;
    return token == gw_tokenizer_special(tokenizer, GW_SPECIAL_UNK) ? 1 : gw_tokenizer_bases(tokenizer, token);
}

// Where each token of the sequence begins; t->has_offsets where they cover its bases exactly.
static gw_status set_offsets(gw_embedder *e, const char *bases, tile_view *t, int64_t count) {
    GW_TRY(gw_reserve(&e->offset, &e->offset_capacity, count + 1, sizeof *e->offset));
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        e->offset[i] = at;
        if (at < t->length) at += token_width(e->model->tokenizer, t->tokens[i], bases + at, t->length - at);
    }
    e->offset[count] = at;
    t->has_offsets = at == t->length;
    return GW_OK;
}

// The text as the folder's files have it read: behind the prompt, and in the lower case of the `tokenizers` package.
static gw_status rewrite(gw_embedder *e, const char **text, int64_t *length) {
    const gw_sentence_folder *folder = folder_of(e);
    if (!folder || (!folder->prompt && !folder->lowers)) return GW_OK;
    gw_string_clear(&e->text);
    if (folder->prompt) gw_string_puts(&e->text, folder->prompt);
    gw_utf8_append_mended(&e->text, *text, *length);
    const int64_t raw = e->text.length; // its lower case stands behind it
    for (int64_t at = 0; folder->lowers && at < raw && !e->text.failed;) {
        int bytes;
        uint32_t lower[2];
        char encoded[4];
        const int count = gw_lower_case(gw_utf8_read(e->text.data + at, &bytes), lower);
        for (int i = 0; i < count; i++) gw_string_append(&e->text, encoded, gw_utf8_write(lower[i], encoded));
        at += bytes;
    }
    *text = e->text.data + (folder->lowers ? raw : 0);
    *length = e->text.length - (folder->lowers ? raw : 0);
    return gw_string_status(&e->text);
}

gw_status gw_embedder_add(gw_embedder *embedder, const gw_embed_source *source, const char *bases, int64_t length) {
    const int64_t capacity = tile_capacity(embedder), own_length = length;
    tile_view t = {.source = source};
    int64_t count;
    GW_TRY(rewrite(embedder, &bases, &length));
    t.length = length;
    GW_TRY(gw_encode(embedder->encoder, bases, length, &t.tokens, &count));
    if (embedder->options.when_long == GW_EMBED_REFUSES && (count < 1 || count > capacity))
        return gw_fail(GW_ERR_RANGE, "%lld letters make %lld tokens without special ones; the model takes 1 to %lld",
                       (long long)length, (long long)count, (long long)capacity);
    if (embedder->out.table) GW_TRY(set_offsets(embedder, bases, &t, count));
    if (embedder->options.when_long == GW_EMBED_CUTS && count > capacity) {
        embedder->cut++;
        count = capacity;
    }
    embedder->without_tokens += count == 0;
    for (; t.end < count; t.tile++) {
        t.first = t.tile * (capacity - embedder->options.overlap);
        t.end = gw_min(t.first + capacity, count);
        const gw_status status = add_tile(embedder, &t);
        if (status != GW_OK) return gw_fail_in(status, "%s", source->name);
    }
    embedder->bases += own_length;
    return GW_OK;
}

gw_status gw_embedder_finish(gw_embedder *embedder) {
    GW_TRY(gw_forward_run(&embedder->forward));
    gw_progress_end();
    if (embedder->cut > 0)
        gw_warn("%lld sequences were cut to their first %lld tokens", (long long)embedder->cut,
                (long long)tile_capacity(embedder));
    if (embedder->without_tokens > 0)
        gw_warn("%lld sequences make no token and were left out", (long long)embedder->without_tokens);
    embedder->cut = 0;
    return GW_OK;
}
