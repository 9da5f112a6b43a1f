// SPDX-License-Identifier: MIT
// Sorts probabilities once for the metrics that depend on their order; counts classes.
#include "measure/metric.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    float probability;
    bool positive;
    int64_t example;
} scored;

static int by_probability_falling(const void *a, const void *b) {
    const float x = ((const scored *)a)->probability, y = ((const scored *)b)->probability;
    return (x < y) - (x > y);
}

// One walk over groups of equal probability, from the largest. A positive beats the negatives of later groups and half
// of those in its own group; doubled, these wins are whole numbers.
static void ranking_metrics(const scored *pairs, gw_metric *m) {
    const int64_t negatives = m->count - m->positives;
    double doubled_wins = 0, precision_sum = 0;
    int64_t seen = 0, positives = 0;
    while (seen < m->count) {
        int64_t end = seen, group_positives = 0;
        for (; end < m->count && pairs[end].probability == pairs[seen].probability; end++)
            group_positives += pairs[end].positive;
        const int64_t group_negatives = end - seen - group_positives;
        const int64_t later_negatives = negatives - (end - positives - group_positives);
        doubled_wins += (double)group_positives * (double)(2 * later_negatives + group_negatives);
        positives += group_positives;
        seen = end;
        precision_sum += (double)group_positives * ((double)positives / (double)seen);
    }
    m->auroc = doubled_wins / (2.0 * (double)m->positives * (double)negatives);
    m->auprc = precision_sum / (double)m->positives;
}

// The pairs whose label is not missing, into pairs[count]; their numbers into *out.
static void collect(const float *probability, const float *label, int64_t count, int64_t stride, scored *pairs,
                    gw_metric *out) {
    for (int64_t i = 0; i < count; i++) {
        if (isnan(label[i * stride])) continue;
        const bool positive = label[i * stride] >= 0.5f;
        pairs[out->count++] = (scored){probability[i * stride], positive, i};
        out->positives += positive;
    }
    out->constant = out->positives == 0 || out->positives == out->count;
}

gw_status gw_metric_compute(const float *probability, const float *label, int64_t count, int64_t stride,
                            gw_metric *out) {
    *out = (gw_metric){.accuracy = NAN, .f1 = NAN, .mcc = NAN, .auroc = NAN, .auprc = NAN, .constant = true};
    scored *pairs = gw_alloc(count, sizeof *pairs);
    if (!pairs) return GW_ERR_MEMORY;
    collect(probability, label, count, stride, pairs, out);
    double tp = 0, fp = 0, tn = 0, fn = 0;
    for (int64_t i = 0; i < out->count; i++) {
        const bool called = pairs[i].probability >= 0.5f;
        if (called) *(pairs[i].positive ? &tp : &fp) += 1;
        else *(pairs[i].positive ? &fn : &tn) += 1;
    }
    const double product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn);
    if (out->count > 0) {
        out->accuracy = (tp + tn) / (double)out->count;
        out->f1 = tp > 0 ? 2 * tp / (2 * tp + fp + fn) : 0;
        out->mcc = product > 0 ? (tp * tn - fp * fn) / sqrt(product) : 0;
    }
    if (!out->constant) {
        qsort(pairs, (size_t)out->count, sizeof *pairs, by_probability_falling);
        ranking_metrics(pairs, out);
    }
    free(pairs);
    return GW_OK;
}

gw_status gw_metric_curve(const float *probability, const float *label, int64_t count, int64_t stride, double apart,
                          gw_curve_point **points, int64_t *point_count) {
    gw_metric all = {0};
    *points = NULL;
    *point_count = 0;
    scored *pairs = gw_alloc(count, sizeof *pairs);
    if (!pairs) return GW_ERR_MEMORY;
    collect(probability, label, count, stride, pairs, &all);
    qsort(pairs, (size_t)all.count, sizeof *pairs, by_probability_falling);
    const double positives = (double)all.positives, negatives = (double)(all.count - all.positives);
    int64_t capacity = 0, found = 0;
    gw_status status = GW_OK;
    for (int64_t seen = 0; status == GW_OK && !all.constant && seen < all.count;) {
        const float threshold = pairs[seen].probability;
        for (; seen < all.count && pairs[seen].probability == threshold; seen++) found += pairs[seen].positive;
        const gw_curve_point point = {(double)threshold, (double)(seen - found) / negatives, (double)found / positives,
                                      (double)found / (double)seen};
        const gw_curve_point *last = *point_count > 0 ? &(*points)[*point_count - 1] : NULL;
        if (last && seen < all.count && point.fpr - last->fpr < apart && point.recall - last->recall < apart) continue;
        status = gw_reserve(points, &capacity, *point_count + 1, sizeof **points);
        if (status == GW_OK) (*points)[(*point_count)++] = point;
    }
    if (status != GW_OK) free(*points);
    free(pairs);
    return status;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

gw_status gw_metric_summarise(const gw_metric *metrics, int64_t targets, int64_t least_positives,
                              gw_metric_summary *out) {
    static const size_t field[] = {offsetof(gw_metric, accuracy), offsetof(gw_metric, f1), offsetof(gw_metric, mcc),
                                   offsetof(gw_metric, auroc), offsetof(gw_metric, auprc)};
    *out = (gw_metric_summary){0};
    double *values = gw_alloc(targets, sizeof *values);
    if (!values) return GW_ERR_MEMORY;
    for (size_t f = 0; f < sizeof field / sizeof field[0]; f++) {
        out->targets = out->mean.count = out->mean.positives = 0;
        for (int64_t t = 0; t < targets; t++) {
            const gw_metric *m = &metrics[t];
            if (m->constant || m->positives < least_positives) continue;
            values[out->targets++] = *(const double *)(const void *)((const char *)m + field[f]);
            out->mean.positives += m->positives;
            if (m->count > out->mean.count) out->mean.count = m->count;
        }
        const int64_t n = out->targets;
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += values[i];
        qsort(values, (size_t)n, sizeof *values, by_value);
        *(double *)(void *)((char *)&out->mean + field[f]) = n > 0 ? sum / (double)n : NAN;
        *(double *)(void *)((char *)&out->median + field[f]) = n > 0 ? (values[(n - 1) / 2] + values[n / 2]) / 2 : NAN;
    }
    out->median.count = out->mean.count;
    out->median.positives = out->mean.positives;
    free(values);
    return GW_OK;
}

// V of each pair into value[count], walking over groups of equal probability from the smallest, which stand last;
// returns the AUROC.
static double place(const scored *pairs, const gw_metric *m, double *value) {
    const double positives = (double)m->positives, negatives = (double)(m->count - m->positives);
    int64_t lower_positives = 0, lower_negatives = 0;
    double sum = 0;
    for (int64_t end = m->count, begin; end > 0; end = begin) {
        int64_t group_positives = 0;
        for (begin = end; begin > 0 && pairs[begin - 1].probability == pairs[end - 1].probability; begin--)
            group_positives += pairs[begin - 1].positive;
        const int64_t group_negatives = end - begin - group_positives;
        const double beaten = ((double)lower_negatives + (double)group_negatives / 2) / negatives;
        const double beaten_by = 1 - ((double)lower_positives + (double)group_positives / 2) / positives;
        for (int64_t i = begin; i < end; i++) value[i] = pairs[i].positive ? beaten : beaten_by;
        sum += (double)group_positives * beaten;
        lower_positives += group_positives;
        lower_negatives += group_negatives;
    }
    return sum / positives;
}

gw_status gw_auroc_shares_add(const float *probability, const float *label, int64_t count, int64_t stride,
                              double weight, double *share, int64_t *known) {
    gw_metric m = {0};
    scored *pairs = gw_alloc(count, sizeof *pairs);
    double *value = gw_alloc(count, sizeof *value);
    const gw_status status = pairs && value ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) collect(probability, label, count, stride, pairs, &m);
    const double positives = (double)m.positives, negatives = (double)(m.count - m.positives);
    if (positives > 1 && negatives > 1) {
        qsort(pairs, (size_t)m.count, sizeof *pairs, by_probability_falling);
        const double auroc = place(pairs, &m, value);
        const double of_positives = weight / sqrt(positives * (positives - 1));
        const double of_negatives = weight / sqrt(negatives * (negatives - 1));
        for (int64_t i = 0; i < m.count; i++)
            share[pairs[i].example] += (value[i] - auroc) * (pairs[i].positive ? of_positives : of_negatives);
        ++*known;
    }
    free(pairs);
    free(value);
    return status;
}

double gw_auroc_error(const double *share, const double *other, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const double one = share[i] - (other ? other[i] : 0);
        sum += one * one;
    }
    return sqrt(sum);
}

static int descending(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

gw_status gw_top_k(const float *probability, const float *label, int64_t count, double *out) {
    int64_t k = 0, above = 0, right_above = 0, ties = 0, right_ties = 0;
    *out = NAN;
    for (int64_t i = 0; i < count; i++) k += label[i] >= 0.5F;
    if (k == 0) return GW_OK;
    float *sorted = gw_alloc(count, sizeof *sorted);
    if (!sorted) return GW_ERR_MEMORY;
    memcpy(sorted, probability, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, descending);
    const float least = sorted[k - 1];
    free(sorted);
    for (int64_t i = 0; i < count; i++) {
        const int64_t right = label[i] >= 0.5F;
        if (probability[i] > least) above++, right_above += right;
        else if (probability[i] == least) ties++, right_ties += right;
    }
    *out = ((double)right_above + (double)right_ties * (double)(k - above) / (double)ties) / (double)k;
    return GW_OK;
}

// --- classes -------------------------------------------------------------------------------------------------------

gw_status gw_class_counts_make(gw_class_counts *counts, int64_t classes, bool several) {
    *counts = (gw_class_counts){.classes = classes, .several = several};
    counts->right = gw_alloc(3 * classes, sizeof *counts->right);
    if (!counts->right) return GW_ERR_MEMORY;
    counts->called = counts->right + classes;
    counts->actual = counts->called + classes;
    return GW_OK;
}

void gw_class_counts_free(gw_class_counts *counts) {
    free(counts->right);
    *counts = (gw_class_counts){0};
}

void gw_class_counts_add(gw_class_counts *counts, int64_t called, int64_t actual) {
    counts->examples++;
    counts->called[called]++;
    counts->actual[actual]++;
    if (called != actual) return;
    counts->right[called]++;
    counts->exact++;
}

void gw_class_counts_add_several(gw_class_counts *counts, const float *logits, const float *labels) {
    bool exact = true;
    for (int64_t k = 0; k < counts->classes; k++) {
        if (isnan(labels[k])) continue;
        const bool called = logits[k] > 0, actual = labels[k] >= 0.5f;
        counts->called[k] += called;
        counts->actual[k] += actual;
        counts->right[k] += called && actual;
        exact = exact && called == actual;
    }
    counts->examples++;
    counts->exact += exact;
}

static double ratio(double over, double under) {
    return under > 0 ? over / under : 0;
}

static double f1_of(const gw_class_counts *c, int64_t k) {
    return ratio(2 * (double)c->right[k], (double)(c->called[k] + c->actual[k]));
}

gw_class_metrics gw_class_metrics_of(const gw_class_counts *c) {
    double right = 0, called = 0, actual = 0, both = 0, called_squares = 0, actual_squares = 0, f1_sum = 0;
    int64_t met = 0; // classes in the macro F1
    for (int64_t k = 0; k < c->classes; k++) {
        const double a = (double)c->called[k], b = (double)c->actual[k];
        if (c->several || a + b > 0) {
            f1_sum += f1_of(c, k);
            met++;
        }
        right += (double)c->right[k];
        called += a;
        actual += b;
        both += a * b;
        called_squares += a * a;
        actual_squares += b * b;
    }
    const double s = (double)c->examples, product = (s * s - called_squares) * (s * s - actual_squares);
    return (gw_class_metrics){.accuracy = ratio((double)c->exact, s),
                              .micro_f1 = ratio(2 * right, called + actual),
                              .macro_f1 = ratio(f1_sum, (double)met),
                              .mcc = c->several    ? NAN
                                     : product > 0 ? (right * s - both) / sqrt(product)
                                                   : 0,
                              .f1 = !c->several && c->classes == 2 ? f1_of(c, 1) : NAN};
}

// --- names ---------------------------------------------------------------------------------------------------------

const char *const gw_metric_names[GW_METRICS] = {"loss", "accuracy", "f1",       "micro-f1", "macro-f1",
                                                 "mcc",  "pearson",  "spearman", "exact"};

int gw_metric_by_name(const char *name) {
    for (int f = 0; f < GW_METRICS; f++)
        if (strcmp(name, gw_metric_names[f]) == 0) return f;
    return -1;
}
