// SPDX-License-Identifier: MIT
// The predictor of the public interface: the parts of the commands `predict`, `embed` and `ask`, with memory of the
// caller. Networks are made at their first use, for the threads and the batch of the options. The caller's arguments
// are checked before they are used.
#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/softmax.h"
#include "base/utf8.h"
#include "godwit_private.h"
#include "language/question_windows.h"
#include "language/text_batch.h"
#include "model/head.h"
#include "network/forward.h"
#include "seq/genome/genome.h"
#include "task/texts/predict_questions.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MASKED = 64 };

_Static_assert((int)GW_ERROR_NONE == (int)GW_OK && (int)GW_ERROR_IO == (int)GW_ERR_IO &&
                   (int)GW_ERROR_FORMAT == (int)GW_ERR_FORMAT && (int)GW_ERROR_MISMATCH == (int)GW_ERR_MISMATCH &&
                   (int)GW_ERROR_RANGE == (int)GW_ERR_RANGE && (int)GW_ERROR_MEMORY == (int)GW_ERR_MEMORY &&
                   (int)GW_ERROR_UNSUPPORTED == (int)GW_ERR_UNSUPPORTED,
               "a gw_status is a gw_error");

const char *gw_version(void) {
    return GW_VERSION;
}

void gw_set_warning(void (*hook)(const char *message)) {
    static gw_log_hooks hooks;
    hooks.warn = hook;
    gw_set_log_hooks(&hooks);
}

// ---- what callers hand in

gw_status gw_check_pointer(const void *pointer, const char *name) {
    return pointer ? GW_OK : gw_fail(GW_ERR_RANGE, "%s is NULL", name);
}

gw_status gw_copy_struct(const void *given, void *out, size_t known, const char *name) {
    size_t size = sizeof size;
    memset(out, 0, known);
    if (!given) return GW_OK;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size) return gw_fail(GW_ERR_RANGE, "%s.size is %zu: set it to sizeof the struct", name, size);
    memcpy(out, given, size < known ? size : known);
    for (size_t i = known; i < size; i++)
        if (((const char *)given)[i])
            return gw_fail(GW_ERR_UNSUPPORTED, "%s sets fields that libgodwit " GW_VERSION " does not know", name);
    return GW_OK;
}

static gw_status check_range(int64_t value, int64_t most, const char *name) {
    if (value >= 0 && value <= most) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "options.%s is %lld, not 0 to %lld", name, (long long)value, (long long)most);
}

static gw_status check_letters(const char *bases, int64_t length, int64_t index) {
    static const bool known[26] = {['A' - 'A'] = 1, ['B' - 'A'] = 1, ['C' - 'A'] = 1, ['D' - 'A'] = 1,
                                   ['G' - 'A'] = 1, ['H' - 'A'] = 1, ['K' - 'A'] = 1, ['M' - 'A'] = 1,
                                   ['N' - 'A'] = 1, ['R' - 'A'] = 1, ['S' - 'A'] = 1, ['T' - 'A'] = 1,
                                   ['U' - 'A'] = 1, ['V' - 'A'] = 1, ['W' - 'A'] = 1, ['Y' - 'A'] = 1};
    for (int64_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)bases[i];
        const unsigned letter = (c & 0xDFu) - 'A'; // either case
        if (letter < 26 && known[letter]) continue;
        char name[16];
        snprintf(name, sizeof name, isprint(c) ? "'%c'" : "byte %d", c);
        return gw_fail(GW_ERR_RANGE, "input %lld: %s at offset %lld is not a nucleotide letter", (long long)index, name,
                       (long long)i);
    }
    return GW_OK;
}

// Checks inputs and takes them over: letters of DNA are copied, text is borrowed.
static gw_status take_inputs(gw_predictor *p, const char *const *bases, const int64_t *lengths, int64_t count) {
    gw_inputs *inputs = &p->inputs;
    gw_string *letters = &inputs->letters;
    const bool is_dna = gw_tokenizer_is_dna(p->model->tokenizer);
    GW_TRY(gw_check_pointer(bases, "bases"));
    if (count < 0) return gw_fail(GW_ERR_RANGE, "the count of inputs is %lld", (long long)count);
    GW_TRY(gw_reserve(&inputs->bases, &inputs->bases_capacity, count, sizeof *inputs->bases));
    GW_TRY(gw_reserve(&inputs->lengths, &inputs->lengths_capacity, count, sizeof *inputs->lengths));
    gw_string_clear(letters);
    for (int64_t i = 0; i < count; i++) {
        if (!bases[i]) return gw_fail(GW_ERR_RANGE, "input %lld is NULL", (long long)i);
        const int64_t length = lengths ? lengths[i] : (int64_t)strlen(bases[i]);
        if (length <= 0)
            return gw_fail(GW_ERR_RANGE, "input %lld: its length is %lld", (long long)i, (long long)length);
        inputs->bases[i] = bases[i];
        inputs->lengths[i] = length;
        if (!is_dna) continue;
        GW_TRY(check_letters(bases[i], length, i));
        gw_string_append(letters, bases[i], length);
        GW_TRY(gw_string_status(letters));
        gw_normalise_bases(letters->data + letters->length - length, length);
    }
    int64_t offset = 0; // of the copies, which have their places now
    for (int64_t i = 0; is_dna && i < count; offset += inputs->lengths[i++]) inputs->bases[i] = letters->data + offset;
    return GW_OK;
}

// ---- opening and closing

static gw_status open_predictor(const char *folder, const gw_predictor_options *options, gw_predictor *p) {
    gw_predictor_options *o = &p->options;
    GW_TRY(gw_check_pointer(folder, "folder"));
    GW_TRY(gw_copy_struct(options, o, sizeof *o, "options"));
    GW_TRY(check_range(o->threads, 4096, "threads"));
    GW_TRY(check_range(o->batch_tokens, INT_MAX, "batch_tokens"));
    p->threads = o->threads > 0 ? (int)o->threads : gw_threads();
    p->folder = gw_strdup(folder);
    if (!p->folder) return GW_ERR_MEMORY;
    GW_TRY(gw_sentence_folder_read(folder, &p->sentences));
    GW_TRY(gw_model_load(p->sentences.network ? p->sentences.network : folder, &p->model));
    const gw_precision precision = o->dtype && strcmp(o->dtype, "bf16") == 0 ? GW_BF16 : GW_F32;
    if (o->dtype && precision == GW_F32 && strcmp(o->dtype, "f32") != 0)
        return gw_fail(GW_ERR_RANGE, "options.dtype is '%s', which is neither f32 nor bf16", o->dtype);
    if (o->attention) GW_TRY(gw_config_use_mode(&p->model->config, o->attention));
    GW_TRY(check_range(o->pad_to, gw_config_longest(&p->model->config), "pad_to"));
    p->model->pad_to = o->pad_to;
    if (o->temperature != 0) {
        const gw_status status = gw_config_use_temperature(&p->model->config, o->temperature);
        if (status != GW_OK) return gw_fail_in(status, "options.temperature");
    }
    GW_TRY(gw_model_freeze(p->model, precision));
    o->attention = o->dtype = NULL; // the caller's memory
    return gw_encoder_new(p->model->tokenizer, &p->encoder);
}

int gw_predictor_open(const char *folder, const gw_predictor_options *options, gw_predictor **out) {
    GW_TRY(gw_check_pointer(out, "out"));
    *out = NULL;
    gw_predictor *p = gw_alloc(1, sizeof *p);
    if (!p) return GW_ERR_MEMORY;
    const gw_status status = open_predictor(folder, options, p);
    if (status == GW_OK) *out = p;
    else gw_predictor_close(p);
    return (int)status;
}

static void free_embedder(gw_predictor *p) {
    gw_embedder_free(p->embedder);
    p->embedder = NULL;
}

void gw_predictor_close(gw_predictor *predictor) {
    if (!predictor) return;
    for (int i = 0; i < GW_STRAND_COUNTS; i++) gw_label_predictor_free(predictor->labels[i]);
    free_embedder(predictor);
    gw_forward_free(&predictor->hidden);
    gw_batch_free(&predictor->hidden_run);
    gw_forward_free(&predictor->masked);
    gw_batch_free(&predictor->masked_run);
    gw_encoder_free(predictor->encoder);
    gw_model_free(predictor->model);
    gw_sentence_folder_free(&predictor->sentences);
    gw_string_free(&predictor->inputs.letters);
    free(predictor->inputs.bases);
    free(predictor->inputs.lengths);
    free(predictor->tokens);
    free(predictor->folder);
    free(predictor);
}

int gw_predictor_enter(const gw_predictor *predictor) {
    const int before = gw_threads();
    gw_set_threads(predictor->threads);
    return before;
}

// ---- sizes and names

int64_t gw_predictor_vocabulary(const gw_predictor *predictor) {
    return predictor ? predictor->model->config.vocabulary : 0;
}

int64_t gw_predictor_width(const gw_predictor *predictor) {
    return predictor ? predictor->model->config.width : 0;
}

int64_t gw_predictor_layers(const gw_predictor *predictor) {
    return predictor ? predictor->model->config.layers : 0;
}

int64_t gw_predictor_positions(const gw_predictor *predictor) {
    return predictor ? gw_config_longest(&predictor->model->config) : 0;
}

int64_t gw_predictor_window(const gw_predictor *predictor) {
    return predictor ? predictor->model->config.window : 0;
}

int64_t gw_predictor_labels(const gw_predictor *predictor) {
    return predictor ? predictor->model->config.labels : 0;
}

const char *gw_predictor_label(const gw_predictor *predictor, int64_t label) {
    const bool known = label >= 0 && label < gw_predictor_labels(predictor) && predictor->model->config.label_names;
    return known ? predictor->model->config.label_names[label] : "";
}

const char *gw_predictor_token(const gw_predictor *predictor, int32_t token) {
    // A vocabulary may have room for more tokens than the tokenizer knows.
    const bool known = predictor && token >= 0 && token < gw_tokenizer_size(predictor->model->tokenizer);
    return known ? gw_tokenizer_text(predictor->model->tokenizer, token) : "";
}

// ---- inputs

int gw_predictor_tokenize(gw_predictor *predictor, const char *bases, int64_t length, const int32_t **tokens,
                          int64_t *count) {
    GW_TRY(gw_check_pointer(predictor, "predictor"));
    GW_TRY(gw_check_pointer(tokens, "tokens"));
    GW_TRY(gw_check_pointer(count, "count"));
    const gw_tokenizer *tokenizer = predictor->model->tokenizer;
    const int32_t *own;
    gw_frame frame;
    GW_TRY(take_inputs(predictor, &bases, length == -1 ? NULL : &length, 1));
    GW_TRY(gw_tokenizer_frame(tokenizer, &frame));
    GW_TRY(gw_encode(predictor->encoder, predictor->inputs.bases[0], predictor->inputs.lengths[0], &own, count));
    GW_TRY(gw_reserve(&predictor->tokens, &predictor->tokens_capacity, *count + gw_frame_tokens(&frame), sizeof *own));
    *count = gw_frame_put(&frame, own, *count, predictor->tokens);
    *tokens = predictor->tokens;
    return GW_OK;
}

static gw_status predict(gw_predictor *p, int64_t count, bool both, float *probabilities, float *logits) {
    const gw_label_predictor_options options = {.tokens = p->options.batch_tokens, .both_strands = both};
    gw_label_predictor **predictor = &p->labels[both];
    float *unasked = NULL;
    if (!*predictor) GW_TRY(gw_label_predictor_new(p->model, &options, predictor));
    if (!probabilities) probabilities = unasked = gw_alloc(count * p->model->config.labels, sizeof *unasked);
    if (!probabilities) return GW_ERR_MEMORY;
    const gw_status status =
        gw_label_predictor_run(*predictor, p->inputs.bases, p->inputs.lengths, count, probabilities, logits);
    free(unasked);
    return status;
}

int gw_predictor_predict(gw_predictor *predictor, const char *const *bases, const int64_t *lengths, int64_t count,
                         int strands, float *probabilities, float *logits) {
    bool both;
    GW_TRY(gw_check_pointer(predictor, "predictor"));
    if (!probabilities) GW_TRY(gw_check_pointer(logits, "probabilities and logits: each of them"));
    GW_TRY(take_inputs(predictor, bases, lengths, count));
    both = strands == GW_STRAND_BOTH || (strands == GW_STRAND_DEFAULT && gw_both_strands_by_default(predictor->model));
    if (strands < GW_STRAND_DEFAULT || strands > GW_STRAND_BOTH)
        return gw_fail(GW_ERR_RANGE, "strands is %d, which is not a value of gw_strand", strands);
    if (both && !gw_tokenizer_is_dna(predictor->model->tokenizer))
        return gw_fail(GW_ERR_UNSUPPORTED, "both strands need a vocabulary of DNA, which the model lacks");
    const int threads = gw_predictor_enter(predictor);
    const gw_status status = predict(predictor, count, both, probabilities, logits);
    gw_set_threads(threads);
    return (int)status;
}

// The embedder's rows go where the predictor points to.
static gw_status take_row(void *context, const float *row) {
    gw_predictor *p = context;
    memcpy(p->row, row, (size_t)p->row_width * sizeof *row);
    p->row += p->row_width;
    return GW_OK;
}

// By an embedder that stays for as long as pool and layer do.
static gw_status embed(gw_predictor *p, int64_t count, gw_embed_pool pool, int64_t layer, float *rows) {
    const gw_embed_source source = {.name = "", .contig = "", .strand = '+'};
    const gw_embed_options options = {.pool = pool,
                                      .folder = &p->sentences,
                                      .layer = layer,
                                      .overlap = -1,
                                      .tokens = p->options.batch_tokens,
                                      .when_long = pool == GW_EMBED_SENTENCE ? GW_EMBED_CUTS : GW_EMBED_REFUSES};
    const gw_embed_output out = {.row = take_row, .context = p};
    gw_status status = GW_OK;
    if (!p->embedder || p->pool != pool || p->layer != layer) {
        free_embedder(p);
        p->pool = pool;
        p->layer = layer;
        p->row_width = gw_embed_width(p->model, &options);
        status = gw_embedder_new(p->model, &options, &out, &p->embedder);
    }
    p->row = rows;
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        status = gw_embedder_add(p->embedder, &source, p->inputs.bases[i], p->inputs.lengths[i]);
        if (status != GW_OK) status = gw_fail_in(status, "input %lld", (long long)i);
    }
    if (status == GW_OK) status = gw_embedder_finish(p->embedder);
    if (status != GW_OK) free_embedder(p); // with what waits in it
    return status;
}

// By enum gw_pooling.
static const gw_embed_pool pools[] = {[GW_POOLING_CLS] = GW_EMBED_CLS,
                                      [GW_POOLING_MEAN] = GW_EMBED_MEAN,
                                      [GW_POOLING_MAX] = GW_EMBED_MAX,
                                      [GW_POOLING_SENTENCE] = GW_EMBED_SENTENCE,
                                      [GW_POOLING_AUTO] = GW_EMBED_AUTO};

static bool is_pooling(int pooling) {
    return pooling >= GW_POOLING_CLS && pooling <= GW_POOLING_AUTO;
}

int64_t gw_predictor_embed_width(const gw_predictor *predictor, int pooling) {
    if (!predictor || !is_pooling(pooling)) return 0;
    const gw_embed_options options = {.pool = pools[pooling], .folder = &predictor->sentences};
    return gw_embed_width(predictor->model, &options);
}

int gw_predictor_embed(gw_predictor *predictor, const char *const *bases, const int64_t *lengths, int64_t count,
                       int pooling, int64_t layer, float *rows) {
    GW_TRY(gw_check_pointer(predictor, "predictor"));
    GW_TRY(gw_check_pointer(rows, "rows"));
    if (!is_pooling(pooling))
        return gw_fail(GW_ERR_RANGE, "pooling is %d, which is not a value of gw_pooling", pooling);
    if (layer < -1 || layer > predictor->model->config.layers)
        return gw_fail(GW_ERR_RANGE, "layer %lld does not exist; the model has %lld layers", (long long)layer,
                       (long long)predictor->model->config.layers);
    GW_TRY(take_inputs(predictor, bases, lengths, count));
    const int threads = gw_predictor_enter(predictor);
    const gw_status status = embed(predictor, count, pools[pooling], layer, rows);
    gw_set_threads(threads);
    return (int)status;
}

// ---- tokens

static gw_status check_tokens(const gw_predictor *p, const int32_t *tokens, int64_t count) {
    const int64_t longest = gw_predictor_positions(p);
    GW_TRY(gw_check_pointer(p, "predictor"));
    GW_TRY(gw_check_pointer(tokens, "tokens"));
    if (count >= 1 && count <= longest) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "%lld tokens; the model takes 1 to %lld", (long long)count, (long long)longest);
}

static gw_status take_hidden(void *predictor, const gw_losses *losses) {
    gw_predictor *p = predictor;
    const int64_t floats = p->hidden_run.of[GW_ROWS_TOKENS].count * p->model->config.width;
    const float *states = gw_network_hidden(p->hidden.network);
    (void)losses;
    if (!states) return GW_ERR_IO;
    memcpy(p->row, states, (size_t)floats * sizeof *states);
    return gw_check_outputs(states, floats);
}

static gw_status hidden_states(gw_predictor *p, const int32_t *tokens, int64_t count, float *hidden) {
    gw_rows *stream = &p->hidden_run.of[GW_ROWS_TOKENS];
    if (!p->hidden.network) {
        const int64_t longest = gw_predictor_positions(p);
        const gw_network_options options = {.tokens = longest, .sequences = 1, .layers = (int)p->model->config.layers};
        gw_batch_free(&p->hidden_run);
        GW_TRY(gw_rows_make(stream, longest, 1, GW_WITH_TOKEN));
        GW_TRY(gw_forward_make(&p->hidden, p->model, &options, &p->hidden_run, p));
        p->hidden.ran = take_hidden;
    }
    gw_forward_reset(&p->hidden);
    memcpy(stream->token, tokens, (size_t)count * sizeof *tokens);
    stream->count = count;
    gw_rows_end_sequence(stream);
    p->row = hidden;
    return gw_forward_run(&p->hidden);
}

int gw_predictor_hidden(gw_predictor *predictor, const int32_t *tokens, int64_t count, float *hidden) {
    GW_TRY(check_tokens(predictor, tokens, count));
    GW_TRY(gw_check_pointer(hidden, "hidden"));
    const int threads = gw_predictor_enter(predictor);
    const gw_status status = hidden_states(predictor, tokens, count, hidden);
    gw_set_threads(threads);
    return (int)status;
}

// What a batch says of the masked tokens that are next.
static gw_status take_masked(void *predictor, const gw_losses *losses) {
    (void)losses;
    gw_predictor *p = predictor;
    const int64_t classes = p->model->config.vocabulary, count = p->masked_run.of[GW_ROWS_MASKED].count;
    const float *z = gw_network_output(p->masked.network, GW_ROWS_MASKED);
    if (!z) return GW_ERR_IO;
    GW_TRY(gw_check_outputs(z, count * classes));
    for (int64_t i = 0; i < count; i++, z += classes) {
        const gw_softmax softmax = gw_softmax_of(z, classes, 1);
        if (p->masked_logits) memcpy(p->masked_logits, z, (size_t)classes * sizeof *z), p->masked_logits += classes;
        for (int64_t v = 0; p->masked_probabilities && v < classes; v++)
            *p->masked_probabilities++ = (float)gw_softmax_share(softmax, z[v]);
    }
    return GW_OK;
}

static gw_status predict_masked(gw_predictor *p, const int32_t *tokens, int64_t count, const int64_t *positions,
                                int64_t masked) {
    gw_rows *stream = &p->masked_run.of[GW_ROWS_TOKENS], *rows = &p->masked_run.of[GW_ROWS_MASKED];
    int32_t mask;
    if (!p->masked.network) {
        const int64_t most = gw_forward_tokens(p->options.batch_tokens, gw_predictor_positions(p));
        const gw_network_options options = {
            .tokens = most, .sequences = MOST_MASKED, .masked = MOST_MASKED, .output_rows = GW_OUTPUT_MASKED};
        gw_batch_free(&p->masked_run);
        GW_TRY(gw_rows_make(stream, most, MOST_MASKED, GW_WITH_TOKEN));
        GW_TRY(gw_rows_make(rows, MOST_MASKED, 0, GW_WITH_ROW));
        GW_TRY(gw_forward_make(&p->masked, p->model, &options, &p->masked_run, p));
        p->masked.ran = take_masked;
    }
    GW_TRY(gw_tokenizer_need(p->model->tokenizer, GW_SPECIAL_MASK, &mask));
    for (int64_t i = 0; i < masked; i++) {
        GW_TRY(gw_forward_reserve(&p->masked, count, 1));
        int32_t *token = stream->token + stream->count;
        memcpy(token, tokens, (size_t)count * sizeof *token);
        token[positions[i]] = mask;
        rows->row[rows->count++] = (int32_t)(stream->count + positions[i]);
        stream->count += count;
        gw_rows_end_sequence(stream);
    }
    return gw_forward_run(&p->masked);
}

int gw_predictor_predict_masked(gw_predictor *predictor, const int32_t *tokens, int64_t count, const int64_t *positions,
                                int64_t masked, float *probabilities, float *logits) {
    GW_TRY(check_tokens(predictor, tokens, count));
    GW_TRY(gw_check_pointer(positions, "positions"));
    if (!probabilities) GW_TRY(gw_check_pointer(logits, "probabilities and logits: each of them"));
    if (!gw_config_predicts_masked(&predictor->model->config))
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no head for masked tokens");
    for (int64_t i = 0; i < masked; i++)
        if (positions[i] < 0 || positions[i] >= count)
            return gw_fail(GW_ERR_RANGE, "positions[%lld] is %lld; there are %lld tokens", (long long)i,
                           (long long)positions[i], (long long)count);
    const int threads = gw_predictor_enter(predictor);
    predictor->masked_probabilities = probabilities;
    predictor->masked_logits = logits;
    const gw_status status = predict_masked(predictor, tokens, count, positions, masked);
    if (status != GW_OK) gw_batch_clear(&predictor->masked_run);
    gw_set_threads(threads);
    return (int)status;
}

// ---- questions

static gw_status check_text(const char *text, int64_t length, const char *name) {
    GW_TRY(gw_check_pointer(text, name));
    if ((int64_t)strnlen(text, (size_t)length) < length || gw_utf8_valid(text, length) < length)
        return gw_fail(GW_ERR_FORMAT, "%s is not UTF-8 text", name);
    return GW_OK;
}

// The text and its question are a set of one.
static gw_status ask(const gw_predictor *p, const char *question, const char *text, int64_t length,
                     const gw_ask_options *o, gw_found_span *spans, int64_t *count) {
    gw_text_options texts = {
        .labels = GW_TEXT_SPANS, .most = o->max_length, .stride = o->stride, .longest_answer = o->max_answer};
    gw_text_set set = {0};
    gw_questions questions = {0};
    gw_question_answers answers = {0};
    gw_string copy = {0}; // which ends in a zero byte
    GW_TRY(gw_texts_fit(&p->model->config, &texts));
    gw_string_append(&copy, text, length);
    gw_status status = gw_string_status(&copy);
    if (status == GW_OK) status = gw_questions_add_context(&questions, copy.data ? copy.data : "");
    if (status == GW_OK) status = gw_questions_add(&questions, "question", question);
    if (status == GW_OK) status = gw_question_windows(&questions, p->model->tokenizer, &texts, &set);
    if (status == GW_OK) status = gw_answer_questions(p->model, &set, p->options.batch_tokens, o->best, &answers);
    for (int64_t i = 0; status == GW_OK && i < answers.found[0]; i++)
        spans[(*count)++] = (gw_found_span){answers.best[i].begin, answers.best[i].end, answers.best[i].score,
                                            gw_question_answers_none(&answers, 0)};
    gw_question_answers_free(&answers);
    gw_text_set_free(&set);
    gw_questions_free(&questions);
    gw_string_free(&copy);
    return status;
}

int gw_predictor_ask(gw_predictor *predictor, const char *question, const char *text, int64_t length,
                     const gw_ask_options *options, gw_found_span *spans, int64_t *count) {
    gw_ask_options o;
    GW_TRY(gw_check_pointer(predictor, "predictor"));
    GW_TRY(gw_check_pointer(question, "question"));
    GW_TRY(gw_check_pointer(text, "text"));
    GW_TRY(gw_check_pointer(spans, "spans"));
    GW_TRY(gw_check_pointer(count, "count"));
    GW_TRY(gw_copy_struct(options, &o, sizeof o, "options"));
    GW_TRY(check_range(o.best, INT_MAX, "best"));
    GW_TRY(check_range(o.max_length, INT_MAX, "max_length"));
    GW_TRY(check_range(o.stride, INT_MAX, "stride"));
    GW_TRY(check_range(o.max_answer, INT_MAX, "max_answer"));
    *count = 0;
    if (length < 0) length = (int64_t)strlen(text);
    GW_TRY(check_text(question, (int64_t)strlen(question), "question"));
    GW_TRY(check_text(text, length, "text"));
    if (!gw_head_names_spans(predictor->model->config.head) || predictor->model->config.labels == 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model does not answer questions: its head does not predict spans");
    int64_t blanks = 0;
    while (blanks < length && strchr(" \t\n\v\f\r", text[blanks])) blanks++;
    if (blanks == length) return GW_OK; // there is no word in it
    const int threads = gw_predictor_enter(predictor);
    const gw_status status = ask(predictor, question, text, length, &o, spans, count);
    gw_set_threads(threads);
    return status;
}
