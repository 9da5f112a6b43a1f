// SPDX-License-Identifier: MIT
// Sequences wait in a batch; a batch that is full is run, and its hidden states are added to the rows they belong to.
#include "task/frozen/frozen_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "network/forward.h"
#include "seq/genome/genome.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_model *model;
    gw_batch batch;
    gw_frame frame;
    gw_encoder *encoder;
    gw_forward forward;
    int64_t rows;  // of the set
    int64_t *row;  // [sequences of a batch] whose it is
    double *share; // [sequences of a batch]
    double *sum;   // [width]
    float *value;  // [rows][width]
    char *turned;  // a window's other strand
    int64_t turned_capacity;
} collector;

// Unknown text is text.
static bool counts(const gw_tokenizer *tokenizer, int32_t token) {
    return !gw_tokenizer_is_special(tokenizer, token) || token == gw_tokenizer_special(tokenizer, GW_SPECIAL_UNK);
}

static gw_status add_mean(collector *c, int64_t sequence, const float *hidden) {
    const gw_rows *stream = &c->batch.of[GW_ROWS_TOKENS];
    const int64_t width = c->model->config.width;
    int64_t tokens = 0;
    memset(c->sum, 0, (size_t)width * sizeof *c->sum);
    for (int64_t t = stream->start[sequence]; t < stream->start[sequence + 1]; t++) {
        if (!counts(c->model->tokenizer, stream->token[t])) continue;
        for (int64_t i = 0; i < width; i++) c->sum[i] += (double)hidden[t * width + i];
        tokens++;
    }
    float *value = c->value + c->row[sequence] * width;
    for (int64_t i = 0; tokens > 0 && i < width; i++) {
        value[i] += (float)(c->share[sequence] / (double)tokens * c->sum[i]);
        if (!isfinite(value[i])) return gw_output_not_finite();
    }
    return GW_OK;
}

static gw_status take_batch(void *context, const gw_losses *losses) {
    (void)losses;
    collector *c = context;
    const gw_rows *stream = &c->batch.of[GW_ROWS_TOKENS];
    const float *hidden = gw_network_hidden(c->forward.network);
    if (!hidden) return GW_ERR_IO;
    for (int64_t s = 0; s < stream->sequences; s++) GW_TRY(add_mean(c, s, hidden));
    if (stream->sequences > 0) gw_progress("features", c->row[stream->sequences - 1], c->rows, "rows", NULL);
    return GW_OK;
}

static gw_status make(collector *c, gw_model *model, int64_t rows, int64_t longest) {
    const int64_t width = model->config.width, positions = gw_config_longest(&model->config);
    const gw_network_options network = {
        .tokens = gw_forward_tokens(0, longest < positions ? longest : positions),
        .sequences = GW_FORWARD_SEQUENCES,
        .output_rows = GW_OUTPUT_ALL,
        .layers = model->config.layers > 0 ? (int)model->config.layers : -1, // of a stem alone: all there is
    };
    *c = (collector){.model = model, .rows = rows};
    c->row = gw_alloc(GW_FORWARD_SEQUENCES, sizeof *c->row);
    c->share = gw_alloc(GW_FORWARD_SEQUENCES, sizeof *c->share);
    c->sum = gw_alloc(width, sizeof *c->sum);
    c->value = gw_alloc(rows * width, sizeof *c->value);
    if (!c->row || !c->share || !c->sum || !c->value) return GW_ERR_MEMORY;
    GW_TRY(gw_tokenizer_frame(model->tokenizer, &c->frame));
    GW_TRY(gw_encoder_new(model->tokenizer, &c->encoder));
    GW_TRY(gw_rows_make(&c->batch.of[GW_ROWS_TOKENS], network.tokens, GW_FORWARD_SEQUENCES,
                        GW_WITH_TOKEN | GW_WITH_SEGMENT));
    GW_TRY(gw_forward_make(&c->forward, model, &network, &c->batch, c));
    c->forward.ran = take_batch;
    return GW_OK;
}

static void release(collector *c) {
    gw_forward_free(&c->forward);
    gw_encoder_free(c->encoder);
    gw_batch_free(&c->batch);
    free(c->row);
    free(c->share);
    free(c->sum);
    free(c->value);
    free(c->turned);
}

// A sequence with its special tokens; segments NULL: all 0.
static gw_status add_sequence(collector *c, int64_t row, double share, const int32_t *tokens, const int32_t *segments,
                              int64_t count) {
    gw_rows *stream = &c->batch.of[GW_ROWS_TOKENS];
    const int32_t last_segment = (int32_t)c->model->config.segments - 1;
    GW_TRY(gw_forward_reserve(&c->forward, count, 0));
    c->row[stream->sequences] = row;
    c->share[stream->sequences] = share;
    for (int64_t i = 0; i < count; i++) {
        const int32_t segment = segments ? segments[i] : 0;
        stream->segment[stream->count] = segment < last_segment ? segment : last_segment;
        stream->token[stream->count++] = tokens[i];
    }
    gw_rows_end_sequence(stream);
    return GW_OK;
}

// The rows as the regression takes them: all features of each.
static gw_status as_rows(const collector *c, gw_sparse_rows *out) {
    const int64_t width = c->model->config.width, values = c->rows * width;
    *out = (gw_sparse_rows){.rows = c->rows, .features = width};
    out->start = gw_alloc(c->rows + 1, sizeof *out->start);
    out->feature = gw_alloc(values, sizeof *out->feature);
    out->value = gw_alloc(values, sizeof *out->value);
    if (!out->start || !out->feature || !out->value) return GW_ERR_MEMORY;
    for (int64_t i = 0; i <= c->rows; i++) out->start[i] = i * width;
    for (int64_t i = 0; i < values; i++) out->feature[i] = (uint16_t)(i % width);
    memcpy(out->value, c->value, (size_t)values * sizeof *c->value);
    return GW_OK;
}

static gw_status finish(collector *c, gw_sparse_rows *out) {
    GW_TRY(gw_forward_run(&c->forward));
    gw_progress_end();
    return as_rows(c, out);
}

// A window's tokens in as many pieces as the positions ask for, each in its frame.
static gw_status add_window(collector *c, int64_t row, double share, const char *bases, int64_t length,
                            int32_t *framed) {
    const int64_t most = gw_config_longest(&c->model->config) - gw_frame_tokens(&c->frame);
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encode(c->encoder, bases, length, &tokens, &count));
    for (int64_t begin = 0; begin < count; begin += most) {
        const int64_t piece = count - begin < most ? count - begin : most;
        const int64_t all = gw_frame_put(&c->frame, tokens + begin, piece, framed);
        GW_TRY(add_sequence(c, row, share * (double)piece / (double)count, framed, NULL, all));
    }
    return GW_OK;
}

static gw_status add_windows(collector *c, gw_labelled_set *set, bool both_strands, int32_t *framed) {
    for (int64_t i = 0; i < c->rows; i++) {
        const char *bases;
        int64_t length;
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_labelled_set_bases(set, i, &bases, &length));
        GW_TRY(add_window(c, i, both_strands ? 0.5 : 1, bases, length, framed));
        if (!both_strands) continue;
        GW_TRY(gw_reserve(&c->turned, &c->turned_capacity, length, 1));
        gw_reverse_complement(bases, length, c->turned);
        GW_TRY(add_window(c, i, 0.5, c->turned, length, framed));
    }
    return GW_OK;
}

gw_status gw_window_features(gw_model *model, gw_labelled_set *set, bool both_strands, gw_sparse_rows *out) {
    const int64_t positions = gw_config_longest(&model->config);
    collector c;
    *out = (gw_sparse_rows){0};
    int32_t *framed = gw_alloc(positions, sizeof *framed);
    gw_status status = make(&c, model, gw_labelled_set_count(set), positions);
    if (status == GW_OK) status = framed ? add_windows(&c, set, both_strands, framed) : GW_ERR_MEMORY;
    if (status == GW_OK) status = finish(&c, out);
    release(&c);
    free(framed);
    return status;
}

gw_status gw_text_features(gw_model *model, const gw_text_set *set, gw_sparse_rows *out) {
    collector c;
    *out = (gw_sparse_rows){0};
    gw_status status = make(&c, model, set->rows, set->longest);
    for (int64_t i = 0; status == GW_OK && i < set->rows; i++) {
        const int64_t begin = set->start[i];
        status = add_sequence(&c, i, 1, set->token + begin, set->segment + begin, set->start[i + 1] - begin);
    }
    if (status == GW_OK) status = finish(&c, out);
    release(&c);
    return status;
}
