// SPDX-License-Identifier: MIT
// The heads and their losses, in double precision.
#include "reference/ref.h"
#include "reference_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SITE_IN = 1, SITE_OUT = 2 };

static double sum(int64_t count, const double *values) {
    double total = 0;
    for (int64_t i = 0; i < count; i++) total += values[i];
    return total;
}

static void keep(double *to, const double *from, int64_t count) {
    if (to) memcpy(to, from, (size_t)count * sizeof *to);
}

static double classes_loss(int64_t rows, int64_t classes, const double *logits, const int32_t *label) {
    double *loss = reference_make(rows), *gradient = reference_make(rows * classes);
    int32_t *best = calloc((size_t)rows, sizeof *best);
    ref_cross_entropy(rows, classes, logits, label, 0, 1, loss, best, gradient);
    const double total = sum(rows, loss);
    free(loss);
    free(gradient);
    free(best);
    return total;
}

static double numbers_loss(const context *c, int64_t count, const double *logits) {
    const gw_numbers *numbers = &c->config->numbers;
    double *label = reference_make(count), *loss = reference_make(count), *gradient = reference_make(2 * count);
    for (int64_t i = 0; i < count; i++) label[i] = (double)c->batch->of[GW_ROWS_FIRST].number[i];
    if (c->config->problem == GW_PROBLEM_REGRESSION) {
        const ref_numbers of = {(int)numbers->loss, gw_numbers_bend(numbers), count / c->config->labels,
                                c->config->labels, numbers->weight};
        ref_number_loss(&of, logits, label, 1, loss, gradient);
    } else {
        double *weight = reference_make(c->config->labels);
        for (int64_t l = 0; l < c->config->labels; l++) weight[l] = gw_config_positive_weight(c->config, l);
        ref_bce(count, logits, label, weight, c->config->labels, 1, loss, gradient);
        free(weight);
    }
    const double total = sum(count, loss);
    free(label);
    free(loss);
    free(gradient);
    return total;
}

// What the weights of places add to the mean of a sequence's rows.
static void add_places(const context *c, int64_t count, const double *hidden, double *row) {
    const double *places = reference_weight(c, GW_ROLE_PLACES, 0, false);
    for (int64_t i = 0; i < count; i++) row[i % c->config->width] += places[i] * hidden[i];
}

// A linear layer over them, end to end.
static void flatten(const context *c, int64_t count, const double *hidden, double *row) {
    const int64_t width = c->config->width, stride = gw_config_pooled_rows(c->config) * width;
    const double *weight = reference_weight(c, GW_ROLE_FLATTEN, 0, false);
    for (int64_t o = 0; o < width; o++)
        for (int64_t i = 0; i < count; i++) row[o] += weight[o * stride + i] * hidden[i];
}

// By a softmax of w . h / sqrt(width).
static void attend(const context *c, const double *hidden, int64_t rows, double *out) {
    const int64_t width = c->config->width;
    double *score = reference_make(rows);
    ref_gemm(false, true, false, rows, 1, width, hidden, reference_weight(c, GW_ROLE_POOL_QUERY, 0, false), NULL,
             score);
    ref_attention_pool(rows, width, 1 / sqrt((double)width), hidden, score, out);
    free(score);
}

// The row that stands for each sequence: its first, or one made of all.
static double *sequence_rows(const context *c, const double *hidden) {
    const int64_t width = c->config->width;
    const int level = gw_stem_end_level(&c->config->stem);
    double *rows = reference_make(c->batch->of[GW_ROWS_TOKENS].sequences * width);
    for (int s = 0; s < c->batch->of[GW_ROWS_TOKENS].sequences; s++) {
        const int64_t begin = reference_level_begin(c, level, s), end = c->config->pooling != GW_SEQUENCE_FIRST
                                                                            ? reference_level_begin(c, level, s + 1)
                                                                            : begin + 1;
        if (c->config->pooling == GW_SEQUENCE_ATTENTION) {
            attend(c, hidden + begin * width, end - begin, rows + s * width);
            continue;
        }
        if (c->config->pooling == GW_SEQUENCE_FLATTEN) {
            flatten(c, (end - begin) * width, hidden + begin * width, rows + s * width);
            continue;
        }
        for (int64_t i = begin * width; i < end * width; i++)
            rows[s * width + i % width] += hidden[i] / (double)(end - begin);
        if (c->config->pooling == GW_SEQUENCE_PLACES)
            add_places(c, (end - begin) * width, hidden + begin * width, rows + s * width);
    }
    return rows;
}

static void drop_first_rows(const context *c, uint32_t site, double probability, double *rows) {
    for (int64_t s = 0; s < c->batch->of[GW_ROWS_TOKENS].sequences; s++)
        reference_dropout(c, site, probability, 1, c->batch->of[GW_ROWS_TOKENS].start[s], NULL,
                          rows + s * c->config->width);
}

// ESM's labels of sequences are RoBERTa's.
static bool has_roberta_heads(const gw_config *config) {
    return config->family == GW_FAMILY_ROBERTA || config->family == GW_FAMILY_ESM;
}

// The layer before the logits of masked tokens, or of every head.
static double *transformed(const context *c, int64_t rows, const double *x) {
    const int64_t width = c->config->width;
    const gw_activation own = c->config->head_activation, usual = c->config->family == GW_FAMILY_ROBERTA
                                                                      ? GW_ACTIVATION_GELU_EXACT
                                                                      : c->config->activation;
    double *dense = reference_linear(c, GW_ROLE_MASK_TRANSFORM, 0, rows, width, width, x);
    reference_activate(own != GW_ACTIVATION_NONE ? own : usual, rows * width, dense);
    reference_normalise(c, GW_ROLE_MASK_NORM, 0, rows, dense);
    return dense;
}

static double mask_loss(const context *c, const double *hidden, const reference_outputs *outputs) {
    const int64_t width = c->config->width, rows = c->batch->of[GW_ROWS_MASKED].count,
                  vocabulary = c->config->vocabulary;
    double *picked = reference_make(rows * width), *logits = reference_make(rows * vocabulary);
    ref_gather_rows(rows, width, c->batch->of[GW_ROWS_MASKED].row, hidden, picked);
    double *dense = transformed(c, rows, picked);
    const double *decoder =
        reference_weight(c, c->config->tied ? GW_ROLE_TOKEN_EMBEDDING : GW_ROLE_MASK_DECODER, 0, false);
    ref_gemm(false, true, false, rows, vocabulary, width, dense, decoder,
             reference_weight(c, GW_ROLE_MASK_DECODER, 0, true), logits);
    const double loss = classes_loss(rows, vocabulary, logits, c->batch->of[GW_ROWS_MASKED].label);
    if (outputs) keep(outputs->logits, logits, rows * vocabulary);
    free(picked);
    free(logits);
    free(dense);
    return loss;
}

static double *pooled_of(const context *c, const double *hidden) {
    const int64_t width = c->config->width, rows = c->batch->of[GW_ROWS_TOKENS].sequences;
    double *first = sequence_rows(c, hidden);
    if (c->config->family == GW_FAMILY_MODERNBERT) {
        double *own = transformed(c, rows, first);
        free(first);
        return own;
    }
    double *pooled = reference_linear(c, GW_ROLE_POOLER, 0, rows, width, width, first);
    const gw_activation named = c->config->head_activation;
    reference_activate(named == GW_ACTIVATION_NONE ? GW_ACTIVATION_TANH : named, rows * width, pooled);
    free(first);
    return pooled;
}

// Logits of labels; of one number that several sources have slopes of it.
static double *label_logits(const context *c, gw_role role, int64_t rows, int64_t out, const double *x) {
    if (role != GW_ROLE_LOGITS || !c->config->numbers.shared)
        return reference_linear(c, role, 0, rows, c->config->width, out, x);
    double *number = reference_linear(c, GW_ROLE_OWN + 1, 0, rows, c->config->width, 1, x);
    double *logits = reference_linear(c, role, 0, rows, 1, out, number);
    free(number);
    return logits;
}

static double *pooled_logits(const context *c, const double *hidden, gw_role role, double probability, int64_t out) {
    double *pooled = pooled_of(c, hidden);
    drop_first_rows(c, SITE_OUT, probability, pooled);
    double *logits = label_logits(c, role, c->batch->of[GW_ROWS_TOKENS].sequences, out, pooled);
    free(pooled);
    return logits;
}

static double nsp_loss(const context *c, const double *hidden, const reference_outputs *outputs) {
    const int64_t rows = c->batch->of[GW_ROWS_TOKENS].sequences;
    double *logits = pooled_logits(c, hidden, GW_ROLE_PAIR, 0, 2);
    const double loss = classes_loss(rows, 2, logits, c->batch->of[GW_ROWS_FIRST].label);
    if (outputs) keep(outputs->pair, logits, 2 * rows);
    free(logits);
    return loss;
}

// BigBird's and RoBERTa's: not the pooler but a dense layer of their own.
static double *dense_logits(const context *c, const double *hidden) {
    const int64_t width = c->config->width, rows = c->batch->of[GW_ROWS_TOKENS].sequences;
    double *first = sequence_rows(c, hidden);
    drop_first_rows(c, SITE_IN, c->config->classifier_dropout, first);
    double *dense = reference_linear(c, GW_ROLE_HEAD_DENSE, 0, rows, width, width, first);
    if (has_roberta_heads(c->config)) ref_tanh(rows * width, dense, dense);
    else reference_activate(c->config->activation, rows * width, dense);
    drop_first_rows(c, SITE_OUT, c->config->classifier_dropout, dense);
    double *logits = label_logits(c, GW_ROLE_LOGITS, rows, gw_config_logits(c->config), dense);
    free(first);
    free(dense);
    return logits;
}

static double *token_logits(const context *c, const double *hidden, double probability, int64_t labels) {
    const int64_t width = c->config->width;
    const bool transforms = c->config->family == GW_FAMILY_MODERNBERT;
    double *in = transforms ? transformed(c, c->rows, hidden) : reference_make(c->rows * width);
    if (!transforms) memcpy(in, hidden, (size_t)(c->rows * width) * sizeof *in);
    reference_dropout(c, SITE_OUT, probability, c->rows, 0, NULL, in);
    double *logits = reference_linear(c, GW_ROLE_LOGITS, 0, c->rows, width, labels, in);
    free(in);
    return logits;
}

static double *span_logits(const context *c, const double *hidden) {
    const gw_config *config = c->config;
    const int64_t width = config->width, rows = c->rows;
    double *in = reference_make(rows * width);
    memcpy(in, hidden, (size_t)(rows * width) * sizeof *in);
    reference_dropout(c, SITE_IN, config->dropout, rows, 0, NULL, in);
    double *feed_forward = reference_linear(c, GW_ROLE_SPAN_FEED_FORWARD, 0, rows, width, config->feed_forward, in);
    reference_activate(config->activation, rows * config->feed_forward, feed_forward);
    double *y = reference_linear(c, GW_ROLE_SPAN_OUTPUT, 0, rows, config->feed_forward, width, feed_forward);
    reference_dropout(c, SITE_OUT, config->dropout, rows, 0, hidden, y);
    reference_normalise(c, GW_ROLE_SPAN_NORM, 0, rows, y);
    const int64_t columns = config->labels > 0 ? config->labels : 2;
    double *logits = reference_linear(c, GW_ROLE_LOGITS, 0, rows, width, columns, y);
    for (int s = 0; s < c->batch->of[GW_ROWS_TOKENS].sequences; s++)
        for (int i = 1; i < c->question[s]; i++)
            for (int end = 0; end < columns; end++)
                logits[columns * (c->batch->of[GW_ROWS_TOKENS].start[s] + i) + end] -= 1e6;
    free(in);
    free(feed_forward);
    free(y);
    return logits;
}

// The mean of the cross entropies over a sequence's tokens of the answer's first and last token.
static double span_loss(const context *c, const double *logits) {
    double total = 0;
    const gw_rows *stream = &c->batch->of[GW_ROWS_TOKENS];
    for (int s = 0; s < stream->sequences; s++)
        for (int end = 0; end < 2; end++) {
            const int64_t begin = stream->start[s], count = stream->start[s + 1] - begin;
            double *column = reference_make(count);
            for (int64_t i = 0; i < count; i++) column[i] = logits[2 * (begin + i) + end];
            total += classes_loss(1, count, column, &c->batch->of[GW_ROWS_FIRST].label[2 * s + end]) / 2;
            free(column);
        }
    return total;
}

// Of pairs of sequences, which are read one by one.
static double *matching_logits(const context *c, const double *hidden, int64_t pairs) {
    const int64_t width = c->config->width;
    double *rows = sequence_rows(c, hidden), *features = reference_make(4 * pairs * width);
    drop_first_rows(c, SITE_IN, c->config->classifier_dropout, rows);
    ref_pair_features(pairs, width, rows, features);
    double *dense = reference_linear(c, GW_ROLE_HEAD_DENSE, 0, pairs, 4 * width, width, features);
    reference_activate(GW_ACTIVATION_RELU, pairs * width, dense);
    double *logits = reference_linear(c, GW_ROLE_LOGITS, 0, pairs, width, c->config->labels, dense);
    free(rows);
    free(features);
    free(dense);
    return logits;
}

// The sum of the choices among the logits of columns.
static double choice_loss(const context *c, const double *logits) {
    const gw_rows *own = &c->batch->of[GW_ROWS_CHOICES];
    const int64_t count = c->rows * c->config->labels;
    double *number = reference_make(own->count), *loss = reference_make(own->sequences + 1);
    double *gradient = reference_make(count), total = 0;
    for (int64_t i = 0; i < own->count; i++) number[i] = (double)own->number[i];
    if (own->count > 0)
        ref_choice_loss(own->sequences, own->start, own->token, number, count, logits, 1, loss, gradient);
    for (int64_t i = 0; own->count > 0 && i < own->sequences; i++) total += loss[i];
    free(number);
    free(loss);
    free(gradient);
    return total;
}

static double *head_logits(const context *c, const double *hidden, int64_t *count) {
    const gw_config *config = c->config;
    const bool bigbird = config->family == GW_FAMILY_BIGBIRD, roberta = has_roberta_heads(config);
    const bool dense = bigbird || roberta || config->family == GW_FAMILY_DNA;
    const int64_t sequences = c->batch->of[GW_ROWS_TOKENS].sequences, labels = gw_config_logits(config);
    switch (config->head) {
    case GW_HEAD_SEQUENCE:
        *count = sequences * labels;
        return dense ? dense_logits(c, hidden)
                     : pooled_logits(c, hidden, GW_ROLE_LOGITS, config->classifier_dropout, labels);
    case GW_HEAD_MATCHING: *count = sequences / 2 * labels; return matching_logits(c, hidden, sequences / 2);
    case GW_HEAD_TOKEN: *count = c->rows * labels; return token_logits(c, hidden, config->classifier_dropout, labels);
    case GW_HEAD_SPAN:
        *count = c->rows * (labels > 0 ? labels : 2);
        if (bigbird) return span_logits(c, hidden);
        return token_logits(c, hidden, config->family == GW_FAMILY_MODERNBERT ? config->classifier_dropout : 0,
                            labels > 0 ? labels : 2);
    default:
        *count = sequences;
        return pooled_logits(c, hidden, GW_ROLE_LOGITS,
                             bigbird || roberta ? config->dropout : config->classifier_dropout, 1);
    }
}

static double head_loss(const context *c, const double *logits) {
    const gw_batch *batch = c->batch;
    const int64_t labels = c->config->labels, sequences = batch->of[GW_ROWS_TOKENS].sequences;
    switch (c->config->head) {
    case GW_HEAD_SEQUENCE:
        return c->config->problem == GW_PROBLEM_SINGLE_LABEL
                   ? classes_loss(sequences, labels, logits, batch->of[GW_ROWS_FIRST].label)
                   : numbers_loss(c, sequences * labels, logits);
    case GW_HEAD_MATCHING: return classes_loss(sequences / 2, labels, logits, batch->of[GW_ROWS_QUESTIONS].label);
    case GW_HEAD_TOKEN: return classes_loss(c->rows, labels, logits, batch->of[GW_ROWS_TOKENS].label);
    case GW_HEAD_SPAN: return labels > 0 ? choice_loss(c, logits) : span_loss(c, logits);
    default: {
        const gw_rows *questions = &batch->of[GW_ROWS_QUESTIONS];
        return classes_loss(questions->count, sequences / questions->count, logits, questions->label);
    }
    }
}

double reference_heads(const context *c, reference_scales scales, const double *hidden,
                       const reference_outputs *outputs) {
    const gw_head head = c->config->head;
    if (head == GW_HEAD_PRETRAINING || head == GW_HEAD_MASKED) {
        const double loss = scales.own * mask_loss(c, hidden, outputs);
        return head == GW_HEAD_MASKED ? loss : loss + scales.label * nsp_loss(c, hidden, outputs);
    }
    if (head == GW_HEAD_NONE && c->config->family == GW_FAMILY_MODERNBERT) return 0; // it has no pooler
    if (head == GW_HEAD_NONE) {
        double *pooled = pooled_of(c, hidden);
        if (outputs) keep(outputs->pooled, pooled, c->batch->of[GW_ROWS_TOKENS].sequences * c->config->width);
        free(pooled);
        return 0;
    }
    int64_t count;
    double *logits = head_logits(c, hidden, &count);
    if (outputs) keep(outputs->logits, logits, count);
    const double scale =
        head == GW_HEAD_MULTIPLE_CHOICE || head == GW_HEAD_MATCHING || (head == GW_HEAD_SPAN && c->config->labels > 0)
            ? scales.own
            : scales.label;
    const double loss = scale * head_loss(c, logits);
    free(logits);
    return loss;
}
