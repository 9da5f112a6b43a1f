// SPDX-License-Identifier: MIT
// Counts classes, and takes means and variances of numbers.
#include "task/texts/texts_private.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static double entropy(double p) {
    return p > 0 ? -p * log(p) : 0;
}

// Finite, also of what never or always is.
static float log_of(double p) {
    static const double least = 1e-9;
    return (float)log(p > least ? p : least);
}

static double guess_number(const gw_text_set *set, int64_t class, float *logit) {
    double mean = 0, squares = 0, count = 0;
    for (int64_t i = 0; i < set->rows; i++) {
        const double y = (double)set->number[i * set->classes + class];
        if (isnan(y)) continue;
        const double before = y - mean;
        mean += before / ++count;
        squares += before * (y - mean);
    }
    if (set->labels == GW_TEXT_MANY) {
        *logit = log_of(mean) - log_of(1 - mean);
        return entropy(mean) + entropy(1 - mean);
    }
    *logit = (float)mean;
    return count > 0 ? squares / count : 0;
}

static gw_status guess_classes(const gw_text_set *set, gw_text_guess *out) {
    const int64_t labels = set->labels == GW_TEXT_WORDS ? set->start[set->rows] : set->rows;
    int64_t total = 0, *count = gw_alloc(set->classes, sizeof *count);
    if (!count) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < labels; i++)
        if (set->label[i] >= 0) count[set->label[i]]++, total++;
    for (int64_t c = 0; c < set->classes; c++) {
        const double share = (double)count[c] / (double)(total > 0 ? total : 1);
        out->logits[c] = log_of(share);
        out->loss += entropy(share);
    }
    free(count);
    return GW_OK;
}

static int64_t right_ends(const gw_question_labels *l, int64_t first, int64_t end, int column) {
    int64_t count = 0;
    for (int64_t i = l->end_start[first]; i < l->end_start[end]; i++) count += l->end[i].column == column;
    return count;
}

// Any token, class and candidate is as likely as any other, and any marker yes as no (question_examples.h).
static double guess_example(const gw_text_set *set, int64_t first, int64_t end) {
    const gw_question_shape *shape = &set->questions.shape;
    const gw_question *question = &set->questions.question[set->window[first].question];
    const double tokens = (double)(set->start[end] - set->start[first]);
    double loss = 0;
    for (int e = 0; e < shape->ends; e++) {
        const int64_t right = right_ends(&set->right, first, end, e);
        if (right > 0) loss += log(tokens / (double)right) * gw_question_end_weight(shape);
    }
    if (shape->types > 0 && set->right.type[first] >= 0) loss += log(shape->types);
    if (shape->marks && question->said) loss += log(2);
    if (shape->candidates && question->right >= 0) loss += log((double)question->candidates);
    return loss;
}

static gw_status guess_columns(const gw_text_set *set, gw_text_guess *out) {
    const gw_question_labels *l = &set->right;
    int64_t examples = 0;
    for (int64_t i = 0; i < l->examples; i++) {
        const double loss = guess_example(set, l->example[i], l->example[i + 1]);
        out->loss += loss;
        examples += loss > 0;
    }
    out->loss /= (double)(examples > 0 ? examples : 1);
    return GW_OK;
}

// Any token of the window may be the first or the last.
static gw_status guess_spans(const gw_text_set *set, gw_text_guess *out) {
    int64_t rows = 0;
    if (set->right.examples > 0) return guess_columns(set, out);
    for (int64_t i = 0; i < set->rows; i++) {
        if (set->label[2 * i] < 0) continue;
        out->loss += log((double)(set->start[i + 1] - set->start[i]));
        rows++;
    }
    out->loss /= (double)(rows > 0 ? rows : 1);
    return GW_OK;
}

gw_status gw_text_guess_make(const gw_text_set *set, gw_text_guess *out) {
    *out = (gw_text_guess){.logits = gw_alloc(set->classes, sizeof *out->logits)};
    if (!out->logits) return GW_ERR_MEMORY;
    if (set->labels == GW_TEXT_SPANS) return guess_spans(set, out);
    if (!set->number) return guess_classes(set, out);
    for (int64_t c = 0; c < set->classes; c++) out->loss += guess_number(set, c, &out->logits[c]);
    out->loss /= (double)set->classes;
    return GW_OK;
}

void gw_text_guess_free(gw_text_guess *guess) {
    free(guess->logits);
    *guess = (gw_text_guess){0};
}
