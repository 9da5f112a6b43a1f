// SPDX-License-Identifier: MIT
// Sorts probabilities once for AUROC and AUPRC, and counts at the threshold for the rest.
#include "measure/metric.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    float probability;
    bool positive;
} scored;

static int by_probability_falling(const void *a, const void *b) {
    const float x = ((const scored *)a)->probability, y = ((const scored *)b)->probability;
    return (x < y) - (x > y);
}

static void threshold_metrics(const scored *pairs, gw_metric *m) {
    double tp = 0, fp = 0, tn = 0, fn = 0;
    for (int64_t i = 0; i < m->count; i++) {
        const bool called = pairs[i].probability >= 0.5f;
        if (called) *(pairs[i].positive ? &tp : &fp) += 1;
        else *(pairs[i].positive ? &fn : &tn) += 1;
    }
    const double product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn);
    m->accuracy = (tp + tn) / (double)m->count;
    m->f1 = tp > 0 ? 2 * tp / (2 * tp + fp + fn) : 0;
    m->mcc = product > 0 ? (tp * tn - fp * fn) / sqrt(product) : 0;
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
        pairs[out->count++] = (scored){probability[i * stride], positive};
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
    if (out->count > 0) threshold_metrics(pairs, out);
    if (!out->constant) {
        qsort(pairs, (size_t)out->count, sizeof *pairs, by_probability_falling);
        ranking_metrics(pairs, out);
    }
    free(pairs);
    return GW_OK;
}

static gw_status add_points(const scored *pairs, const gw_metric *m, double apart, gw_curve_point **points,
                            int64_t *point_count) {
    const double positives = (double)m->positives, negatives = (double)(m->count - m->positives);
    int64_t capacity = 0, found = 0;
    for (int64_t seen = 0; seen < m->count;) {
        const float threshold = pairs[seen].probability;
        for (; seen < m->count && pairs[seen].probability == threshold; seen++) found += pairs[seen].positive;
        const gw_curve_point point = {(double)threshold, (double)(seen - found) / negatives, (double)found / positives,
                                      (double)found / (double)seen};
        const gw_curve_point *last = *point_count > 0 ? &(*points)[*point_count - 1] : NULL;
        if (last && seen < m->count && point.fpr - last->fpr < apart && point.recall - last->recall < apart) continue;
        GW_TRY(gw_reserve(points, &capacity, *point_count + 1, sizeof **points));
        (*points)[(*point_count)++] = point;
    }
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
    const gw_status status = all.constant ? GW_OK : add_points(pairs, &all, apart, points, point_count);
    if (status != GW_OK) free(*points);
    free(pairs);
    return status;
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(const double *values, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += values[i];
    return count > 0 ? sum / (double)count : NAN;
}

static double median_of(double *values, int64_t count) {
    if (count == 0) return NAN;
    qsort(values, (size_t)count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
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
        *(double *)(void *)((char *)&out->mean + field[f]) = mean_of(values, out->targets);
        *(double *)(void *)((char *)&out->median + field[f]) = median_of(values, out->targets);
    }
    out->median.count = out->mean.count;
    out->median.positives = out->mean.positives;
    free(values);
    return GW_OK;
}
