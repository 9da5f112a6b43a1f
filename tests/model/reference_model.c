// SPDX-License-Identifier: MIT
// R rows of the batch, E width, H heads, D head size. Post-norm blocks; embeddings: sum, dropout, norm.
#include "reference_model.h"

#include "reference/ref.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_model *model;
    const gw_config *config;
    const double *weight;
    const gw_batch *batch;
    uint64_t seed;
    int64_t rows;
} context;

static double *make(int64_t count) {
    double *values = calloc((size_t)count, sizeof *values);
    assert(values);
    return values;
}

static const double *find(const context *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const double *find(const context *c, const char *format, ...) {
    char name[96];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    const gw_parameter *parameter = gw_model_parameter(c->model, name);
    assert(parameter);
    return c->weight + parameter->offset;
}

static double *linear(const context *c, const char *name, int64_t rows, int64_t in, int64_t out, const double *x) {
    double *y = make(rows * out);
    ref_gemm(false, true, false, rows, out, in, x, find(c, "%s.weight", name), find(c, "%s.bias", name), y);
    return y;
}

static void normalise(const context *c, const char *prefix, int64_t rows, double *x) {
    double *moments = make(2 * rows);
    ref_layer_norm(rows, c->config->width, c->config->epsilon, x, find(c, "%s.LayerNorm.weight", prefix),
                   find(c, "%s.LayerNorm.bias", prefix), x, moments, moments + rows);
    free(moments);
}

// x = residual + dropout(x) for rows whose first token is number `token` of the step.
static void dropout(const context *c, uint32_t place, double probability, int64_t rows, int64_t token,
                    const double *residual, double *x) {
    const int64_t count = rows * c->config->width;
    uint8_t *keep = calloc((size_t)count, 1);
    assert(keep);
    ref_dropout_keep(count, (double)(float)probability, c->seed, c->batch->step, place,
                     (c->batch->first_token + token) * c->config->width, keep);
    ref_dropout_add(count, probability, keep, x, residual, x);
    free(keep);
}

// terms[queries][keys] of a graph: ln m where a block is listed, else -infinity. The graph is the padded input's;
// padded keys have no weight, and padded queries are nobody's business.
static double *layout_terms(const gw_layout *layout, int block, int64_t tokens, int layer, int head) {
    const int64_t n = layout->blocks;
    const uint8_t *cell = layout->cell + ((int64_t)layer * layout->heads + head) * n * n;
    double *terms = make(tokens * tokens);
    for (int64_t i = 0; i < tokens; i++)
        for (int64_t j = 0; j < tokens; j++) terms[i * tokens + j] = cell[i / block * n + j / block] ? 0 : -INFINITY;
    return terms;
}

static double *dense_terms(const context *c, int64_t tokens, int layer, int head) {
    gw_graph *graph;
    const gw_pattern *pattern = &c->config->pattern;
    if (c->model->layout && !pattern->full) return layout_terms(c->model->layout, pattern->block, tokens, layer, head);
    const int64_t padded = c->batch->pad_to > 0 ? c->batch->pad_to : tokens;
    const gw_status status =
        gw_pattern_graph(pattern, padded, layer, head, (int)c->config->heads, c->config->positions, &graph);
    assert(status == GW_OK);
    (void)status;
    double *terms = make(tokens * tokens);
    for (int64_t i = 0; i < tokens * tokens; i++) terms[i] = -INFINITY;
    for (int64_t i = 0; i < tokens; i++) {
        const int64_t row = i / graph->block;
        for (int64_t e = graph->row_start[row]; e < graph->row_start[row + 1]; e++)
            for (int64_t j = (int64_t)graph->column[e] * graph->block;
                 j < tokens && j < ((int64_t)graph->column[e] + 1) * graph->block; j++)
                terms[i * tokens + j] = graph->log_multiplicity ? (double)graph->log_multiplicity[e] : 0;
    }
    gw_graph_free(graph);
    return terms;
}

// One head of one sequence, copied out of and into rows of E values.
static void attend(const context *c, int64_t begin, int64_t count, int layer, int head, double *const qkv[3],
                   double *out) {
    const int64_t width = c->config->width, size = width / c->config->heads;
    double *packed = make(4 * count * size), *terms = dense_terms(c, count, layer, head), *log_sum = make(count);
    for (int64_t part = 0; part < 3; part++)
        for (int64_t i = 0; i < count; i++)
            memcpy(packed + (part * count + i) * size, qkv[part] + (begin + i) * width + head * size,
                   (size_t)size * sizeof(double));
    double *result = packed + 3 * count * size;
    ref_attention(count, count, size, 1 / sqrt((double)size), packed, packed + count * size, packed + 2 * count * size,
                  terms, result, log_sum);
    for (int64_t i = 0; i < count; i++)
        memcpy(out + (begin + i) * width + head * size, result + i * size, (size_t)size * sizeof(double));
    free(packed);
    free(terms);
    free(log_sum);
}

static void block(const context *c, int layer, double *x) {
    const int64_t width = c->config->width, rows = c->rows;
    char name[96];
    double *qkv[3];
    static const char *const parts[] = {"query", "key", "value"};
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "bert.encoder.layer.%d.attention.self.%s", layer, parts[i]);
        qkv[i] = linear(c, name, rows, width, width, x);
    }
    double *read = make(rows * width);
    for (int s = 0; s < c->batch->sequences; s++)
        for (int head = 0; head < c->config->heads; head++)
            attend(c, c->batch->start[s], c->batch->start[s + 1] - c->batch->start[s], layer, head, qkv, read);
    const uint32_t place = 8 * ((uint32_t)layer + 1);
    snprintf(name, sizeof name, "bert.encoder.layer.%d.attention.output.dense", layer);
    double *y = linear(c, name, rows, width, width, read);
    dropout(c, place, c->config->dropout, rows, 0, x, y);
    snprintf(name, sizeof name, "bert.encoder.layer.%d.attention.output", layer);
    normalise(c, name, rows, y);
    snprintf(name, sizeof name, "bert.encoder.layer.%d.intermediate.dense", layer);
    double *inner = linear(c, name, rows, width, c->config->inner, y);
    ref_gelu(rows * c->config->inner, inner, inner);
    snprintf(name, sizeof name, "bert.encoder.layer.%d.output.dense", layer);
    double *z = linear(c, name, rows, c->config->inner, width, inner);
    dropout(c, place + 1, c->config->dropout, rows, 0, y, z);
    snprintf(name, sizeof name, "bert.encoder.layer.%d.output", layer);
    normalise(c, name, rows, z);
    memcpy(x, z, (size_t)(rows * width) * sizeof *x);
    double *const all[] = {qkv[0], qkv[1], qkv[2], read, y, inner, z};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void embed(const context *c, double *x) {
    int32_t *position = calloc((size_t)c->rows, sizeof *position);
    assert(position);
    for (int s = 0; s < c->batch->sequences; s++)
        for (int64_t i = c->batch->start[s]; i < c->batch->start[s + 1]; i++)
            position[i] = (int32_t)(i - c->batch->start[s]);
    ref_embedding(c->rows, c->config->width, c->batch->token, position, c->batch->segment, 1,
                  find(c, "bert.embeddings.word_embeddings.weight"),
                  find(c, "bert.embeddings.position_embeddings.weight"),
                  find(c, "bert.embeddings.token_type_embeddings.weight"), x);
    dropout(c, 0, c->config->dropout, c->rows, 0, NULL, x);
    normalise(c, "bert.embeddings", c->rows, x);
    free(position);
}

static double classes_loss(int64_t rows, int64_t classes, const double *logits, const int32_t *label) {
    double *loss = make(rows), *gradient = make(rows * classes), sum = 0;
    int32_t *best = calloc((size_t)rows, sizeof *best);
    ref_cross_entropy(rows, classes, logits, label, 1, loss, best, gradient);
    for (int64_t i = 0; i < rows; i++) sum += loss[i];
    free(loss);
    free(gradient);
    free(best);
    return sum;
}

static double mask_loss(const context *c, const double *hidden) {
    const int64_t width = c->config->width, rows = c->batch->masked, vocabulary = c->config->vocabulary;
    double *picked = make(rows * width), *logits = make(rows * vocabulary);
    ref_gather_rows(rows, width, c->batch->masked_row, hidden, picked);
    double *dense = linear(c, "cls.predictions.transform.dense", rows, width, width, picked);
    ref_gelu(rows * width, dense, dense);
    normalise(c, "cls.predictions.transform", rows, dense);
    ref_gemm(false, true, false, rows, vocabulary, width, dense, find(c, "bert.embeddings.word_embeddings.weight"),
             find(c, "cls.predictions.bias"), logits);
    const double loss = classes_loss(rows, vocabulary, logits, c->batch->masked_label);
    free(picked);
    free(logits);
    free(dense);
    return loss;
}

static double *first_rows(const context *c, const double *hidden) {
    const int64_t width = c->config->width;
    double *rows = make(c->batch->sequences * width);
    for (int s = 0; s < c->batch->sequences; s++)
        memcpy(rows + s * width, hidden + c->batch->start[s] * width, (size_t)width * sizeof *rows);
    return rows;
}

static double pair_loss(const context *c, const double *hidden) {
    const int64_t width = c->config->width, rows = c->batch->sequences;
    double *first = first_rows(c, hidden), *pooled = linear(c, "bert.pooler", rows, width, width, first);
    ref_tanh(rows * width, pooled, pooled);
    double *logits = linear(c, "cls.seq_relationship", rows, width, 2, pooled);
    const double loss = classes_loss(rows, 2, logits, c->batch->pair_label);
    free(first);
    free(pooled);
    free(logits);
    return loss;
}

static double label_loss(const context *c, const double *hidden) {
    const int64_t width = c->config->width, rows = c->batch->sequences, count = rows * c->config->labels;
    const double probability = c->config->classifier_dropout;
    double *first = first_rows(c, hidden), *label = make(count), *loss = make(2 * count), sum = 0;
    for (int64_t s = 0; s < rows; s++) dropout(c, 1, probability, 1, c->batch->start[s], NULL, first + s * width);
    double *dense = linear(c, "classifier.dense", rows, width, width, first);
    ref_gelu(rows * width, dense, dense);
    for (int64_t s = 0; s < rows; s++) dropout(c, 2, probability, 1, c->batch->start[s], NULL, dense + s * width);
    double *logits = linear(c, "classifier.out_proj", rows, width, c->config->labels, dense);
    for (int64_t i = 0; i < count; i++) label[i] = (double)c->batch->label[i];
    ref_bce(count, logits, label, c->config->positive_weight, 1, loss, loss + count);
    for (int64_t i = 0; i < count; i++) sum += loss[i];
    double *const all[] = {first, dense, logits, label, loss};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    return sum;
}

double reference_loss(const gw_model *model, const double *weight, const gw_batch *batch, uint64_t seed,
                      reference_scales scales, double *hidden) {
    const context c = {model, &model->config, weight, batch, seed, batch->start[batch->sequences]};
    const int64_t count = c.rows * c.config->width;
    double *x = make(count);
    embed(&c, x);
    for (int layer = 0; layer < c.config->layers; layer++) block(&c, layer, x);
    if (hidden) memcpy(hidden, x, (size_t)count * sizeof *x);
    const double loss = c.config->labels > 0 ? scales.label * label_loss(&c, x)
                                             : scales.mask * mask_loss(&c, x) + scales.pair * pair_loss(&c, x);
    free(x);
    return loss;
}
