// SPDX-License-Identifier: MIT
// Counts classes, or keeps numbers, as rows are finished; losses in double precision.
#include "task/texts/text_metrics.h"

#include "base/memory.h"
#include "base/softmax.h"
#include "language/answers.h"
#include "language/questions/question_format.h"
#include "measure/agreement.h"
#include "measure/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_text_set *set;
    gw_class_counts counts;
    double *found;               // [rows][classes] of numbers
    gw_question_answers answers; // of spans
    double loss;
    int64_t labels;
} rating;

// ln of the sum of e^z over every `step`th of `count` numbers.
static double log_sum(const float *z, int64_t count, int64_t step) {
    return gw_softmax_log_sum(gw_softmax_of(z, count, step));
}

static void rate_class(rating *j, const float *z, int64_t count, int32_t label) {
    int64_t best = 0;
    if (label < 0) return;
    for (int64_t i = 1; i < count; i++)
        if (z[i] > z[best]) best = i;
    j->loss += log_sum(z, count, 1) - (double)z[label];
    j->labels++;
    gw_class_counts_add(&j->counts, best, label);
}

// ln(1 + e^z) - y z
static void rate_several(rating *j, const float *z, const float *label) {
    for (int64_t i = 0; i < j->set->classes; i++) {
        if (isnan(label[i])) continue;
        j->loss += fmax((double)z[i], 0) + log1p(exp(-fabs((double)z[i]))) - (double)label[i] * (double)z[i];
        j->labels++;
    }
    gw_class_counts_add_several(&j->counts, z, label);
}

static void rate_numbers(rating *j, int64_t row, const float *z, const float *label) {
    for (int64_t i = 0; i < j->set->classes; i++) {
        const double error = (double)z[i] - (double)label[i];
        j->found[row * j->set->classes + i] = (double)z[i];
        if (isnan(error)) continue;
        j->loss += error * error;
        j->labels++;
    }
}

// The mean of the losses of first and last token, as in training.
static void rate_span(rating *j, int64_t row, const float *z, int64_t count) {
    const int32_t *label = j->set->label + 2 * row;
    gw_question_answers_add(&j->answers, row, z);
    if (label[0] < 0 || j->set->right.examples > 0) return;
    for (int64_t e = 0; e < 2; e++) j->loss += (log_sum(z + e, count - e, 2) - (double)z[2 * label[e] + e]) / 2;
    j->labels++;
}

static gw_status rate_row(void *context, int64_t row, const float *z, int64_t count) {
    rating *j = context;
    const gw_text_set *set = j->set;
    switch (set->labels) {
    case GW_TEXT_MANY: rate_several(j, z, set->number + row * set->classes); break;
    case GW_TEXT_NUMBERS: rate_numbers(j, row, z, set->number + row * set->classes); break;
    case GW_TEXT_WORDS:
        for (int64_t i = 0, tokens = set->start[row + 1] - set->start[row], width = count / tokens; i < tokens; i++)
            rate_class(j, z + i * width, width, set->label[set->start[row] + i]);
        break;
    case GW_TEXT_SPANS: rate_span(j, row, z, count); break;
    default: rate_class(j, z, count, set->label[row]);
    }
    return GW_OK;
}

// The mean over columns of numbers, of rows where they are known.
static gw_status finish_numbers(const rating *j, gw_text_metrics *out) {
    const gw_text_set *set = j->set;
    double pearson = 0, spearman = 0, one = 0;
    double *x = gw_alloc(2 * set->rows, sizeof *x), *y = x ? x + set->rows : NULL;
    gw_status status = x ? GW_OK : GW_ERR_MEMORY;
    for (int64_t c = 0; status == GW_OK && c < set->classes; c++) {
        int64_t count = 0;
        for (int64_t row = 0; row < set->rows; row++) {
            const double label = (double)set->number[row * set->classes + c];
            if (isnan(label)) continue;
            x[count] = j->found[row * set->classes + c];
            y[count++] = label;
        }
        status = gw_spearman(x, y, count, &one);
        spearman += one / (double)set->classes;
        pearson += gw_pearson(x, y, count) / (double)set->classes;
    }
    out->of[GW_METRIC_PEARSON] = pearson;
    out->of[GW_METRIC_SPEARMAN] = spearman;
    free(x);
    return status;
}

static void finish_classes(const rating *j, gw_text_metrics *out) {
    const gw_class_metrics f = gw_class_metrics_of(&j->counts);
    out->of[GW_METRIC_ACCURACY] = f.accuracy;
    if (j->set->labels == GW_TEXT_ANSWER) return;
    out->of[GW_METRIC_F1] = f.f1;
    out->of[GW_METRIC_MICRO_F1] = f.micro_f1;
    out->of[GW_METRIC_MACRO_F1] = f.macro_f1;
    out->of[GW_METRIC_MCC] = f.mcc;
}

static gw_status rate_one(const gw_question *question, const char *found, gw_answer_match *best) {
    gw_answer_match match;
    *best = (gw_answer_match){0};
    if (question->answers == 0) return gw_answer_compare(found, "", best);
    for (int64_t i = 0; i < question->answers; i++) {
        GW_TRY(gw_answer_compare(found, question->answer[i].text, &match));
        best->exact = fmax(best->exact, match.exact);
        best->f1 = fmax(best->f1, match.f1);
    }
    return GW_OK;
}

// The means over questions of SQuAD's metrics, "" being the answer where the model is more for none by more than
// `threshold` (INFINITY: never).
static gw_status rate_answers(const gw_question_answers *a, double threshold, double *exact, double *f1) {
    const gw_questions *q = &a->set->questions;
    gw_string text = {0};
    gw_answer_match match;
    gw_status status = GW_OK;
    *exact = *f1 = 0;
    for (int64_t i = 0; i < q->count && status == GW_OK; i++) {
        gw_string_clear(&text);
        if (!(gw_question_answers_none(a, i) > threshold)) gw_question_answers_text(a, i, 0, &text);
        status = gw_string_status(&text);
        if (status == GW_OK) status = rate_one(&q->question[i], text.data ? text.data : "", &match);
        if (status != GW_OK) break;
        *exact += match.exact / (double)q->count;
        *f1 += match.f1 / (double)q->count;
    }
    gw_string_free(&text);
    return status;
}

static gw_status rate_spans(const rating *j, gw_text_metrics *out) {
    const gw_question_format *format = j->set->format;
    const gw_answer_thresholds thresholds = {.no_answer = INFINITY};
    gw_qa_rating official;
    if (j->set->right.examples == 0)
        return rate_answers(&j->answers, j->set->questions.unanswerable ? 0 : INFINITY, &out->of[GW_METRIC_EXACT],
                            &out->of[GW_METRIC_F1]);
    // By the official metrics, as shares.
    GW_TRY(gw_question_set_rate(&j->answers, &thresholds, &official));
    for (int i = 0; i < official.count; i++) {
        const double share = official.metric[i].value / format->whole;
        if (strcmp(official.metric[i].name, format->exact) == 0) out->of[GW_METRIC_EXACT] = share;
        if (strcmp(official.metric[i].name, format->f1) == 0) out->of[GW_METRIC_F1] = share;
    }
    return GW_OK;
}

static gw_status begin(rating *j, const gw_text_set *set, gw_text_metrics *out) {
    const int64_t classes = set->labels == GW_TEXT_ANSWER ? set->per_row : set->classes;
    *j = (rating){.set = set};
    for (int f = 0; f < GW_METRICS; f++) out->of[f] = NAN;
    if (set->labels == GW_TEXT_SPANS) {
        j->answers = (gw_question_answers){.set = set, .most = 1};
        return gw_question_answers_begin(&j->answers);
    }
    GW_TRY(gw_class_counts_make(&j->counts, classes, set->labels == GW_TEXT_MANY));
    if (set->labels != GW_TEXT_NUMBERS) return GW_OK;
    j->found = gw_alloc(set->rows * set->classes, sizeof *j->found);
    return j->found ? GW_OK : GW_ERR_MEMORY;
}

// Releases, whatever happened before.
static gw_status end(rating *j, gw_status status, gw_text_metrics *out) {
    out->labels = j->labels;
    if (j->labels > 0) out->of[GW_METRIC_LOSS] = j->loss / (double)j->labels;
    if (status == GW_OK && j->answers.set) status = rate_spans(j, out);
    else if (status == GW_OK && j->found) status = finish_numbers(j, out);
    else if (status == GW_OK) finish_classes(j, out);
    gw_class_counts_free(&j->counts);
    gw_question_answers_free(&j->answers);
    free(j->found);
    return status;
}

gw_status gw_text_metrics_compute(gw_text_logits *logits, const gw_text_set *set, const char *shown,
                                  gw_text_metrics *out) {
    rating j;
    gw_status status = begin(&j, set, out);
    if (status == GW_OK) status = gw_text_logits_run(logits, shown, rate_row, &j);
    return end(&j, status, out);
}

gw_status gw_text_metrics_of_logits(const float *logits, int64_t stride, const gw_text_set *set, gw_text_metrics *out) {
    const bool words = set->labels == GW_TEXT_WORDS;
    const int64_t items = words ? set->start[set->rows] : set->rows;
    rating j;
    gw_status status = begin(&j, set, out);
    for (int64_t i = 0; status == GW_OK && i < items; i++) {
        if (words) rate_class(&j, logits + i * stride, set->classes, set->label[i]);
        else status = rate_row(&j, i, logits + i * stride, set->classes);
    }
    return end(&j, status, out);
}

double gw_text_metrics_value(const gw_text_metrics *metrics, int metric) {
    const double value = metric == GW_METRIC_LOSS ? -metrics->of[metric] : metrics->of[metric];
    return isnan(value) ? GW_METRIC_WORST : value;
}

void gw_text_metrics_report(const gw_text_metrics *metrics, const char *prefix, json_t *row) {
    char name[64];
    for (int f = 0; f < GW_METRICS; f++) {
        if (isnan(metrics->of[f])) continue;
        snprintf(name, sizeof name, "%s_%s", prefix, gw_metric_names[f]);
        for (char *c = name; *c; c++)
            if (*c == '-') *c = '_';
        json_object_set_new(row, name, json_real(metrics->of[f]));
    }
}
