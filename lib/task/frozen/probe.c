// SPDX-License-Identifier: MIT
// Fits all labels and strengths at the same time, or for numbers all strengths. Predictions for validation and test
// rows are kept until the strength is chosen.
#include "task/frozen/probe.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/random.h"
#include "measure/metric.h"
#include "measure/regression.h"
#include "task/windows/window_metrics.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT_OUT = 10 }; // one row in so many

static const double strengths[GW_PROBE_STRENGTHS] = {1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2};

int gw_probe_metric_names(bool numbers, const char *const **names) {
    static const char *const of_classes[GW_PROBE_METRICS] = {"accuracy", "F1", "MCC", "AUROC", "AUPRC"};
    static const char *const of_numbers[] = {"pearson", "spearman", "R2"};
    *names = numbers ? of_numbers : of_classes;
    return numbers ? (int)(sizeof of_numbers / sizeof *of_numbers) : GW_PROBE_METRICS;
}

void gw_probe_labels_free(gw_probe_labels *labels) {
    free(labels->label);
    *labels = (gw_probe_labels){0};
}

// Rows of a part that one seed takes, with their labels.
typedef struct {
    gw_sparse_rows rows;
    gw_probe_labels labels;
} share;

typedef struct {
    share train, valid;
    gw_probe_part test;
    const gw_probe_part *held; // the validation rows: `valid` as a part, or the set's own
    gw_probe_part drawn;
    float *valid_p[GW_PROBE_STRENGTHS], *test_p[GW_PROBE_STRENGTHS]; // [rows][labels] probabilities, or numbers
    atomic_bool failed;                                              // of memory
    double *variance;                                                // [labels] of the training rows' numbers
} probe;

static bool left_out(uint64_t seed, int64_t row) {
    gw_random random = gw_random_at(seed, GW_SITE_PROBE, (uint64_t)row, 0);
    return gw_random_below(&random, LEFT_OUT) == 0;
}

static void copy_row(const gw_probe_part *from, int64_t row, share *to, int64_t *values) {
    const int64_t begin = from->rows->start[row], count = from->rows->start[row + 1] - begin;
    const int64_t labels = from->labels->labels, at = to->rows.rows++;
    memcpy(to->rows.feature + *values, from->rows->feature + begin, (size_t)count * sizeof *to->rows.feature);
    memcpy(to->rows.value + *values, from->rows->value + begin, (size_t)count * sizeof *to->rows.value);
    memcpy(to->labels.label + at * labels, from->labels->label + row * labels, (size_t)labels * sizeof(float));
    *values += count;
    to->rows.start[at + 1] = *values;
    to->labels.rows = at + 1;
}

// The rows that the seed leaves out, or the others.
static gw_status take_share(const gw_probe_part *from, uint64_t seed, bool out, share *to) {
    const int64_t rows = from->labels->rows, labels = from->labels->labels;
    int64_t count = 0, values = 0;
    for (int64_t i = 0; i < rows; i++)
        if (left_out(seed, i) == out) {
            count++;
            values += from->rows->start[i + 1] - from->rows->start[i];
        }
    *to = (share){.rows = {.features = from->rows->features,
                           .start = gw_alloc(count + 1, sizeof(int64_t)),
                           .feature = gw_alloc(values, sizeof(uint16_t)),
                           .value = gw_alloc(values, sizeof(float))},
                  .labels = {.labels = labels,
                             .exclusive = from->labels->exclusive,
                             .numbers = from->labels->numbers,
                             .label = gw_alloc(count * labels, sizeof(float))}};
    if (!to->rows.start || !to->rows.feature || !to->rows.value || !to->labels.label) return GW_ERR_MEMORY;
    values = 0;
    for (int64_t i = 0; i < rows; i++)
        if (left_out(seed, i) == out) copy_row(from, i, to, &values);
    return GW_OK;
}

static void put_probabilities(const gw_logistic_model *logistic, const gw_probe_part *part, int64_t label,
                              double *logit, float *out) {
    gw_logistic_logits(logistic, part->rows, logit);
    for (int64_t i = 0; i < part->rows->rows; i++)
        out[i * part->labels->labels + label] = (float)(1 / (1 + exp(-logit[i])));
}

static gw_status fit_label(probe *p, int64_t label, int strength) {
    const double n = p->train.rows.rows > 0 ? (double)p->train.rows.rows : 1;
    const int64_t most = gw_max(p->held->rows->rows, p->test.rows->rows);
    const gw_logistic_problem problem = {.label = p->train.labels.label + label,
                                         .stride = p->train.labels.labels,
                                         .positive_weight = 1,
                                         .c = 1 / (strengths[strength] * n),
                                         .tolerance = 1e-5};
    gw_logistic_model logistic;
    double *logit = gw_alloc(most, sizeof *logit);
    if (!logit) return GW_ERR_MEMORY;
    const gw_status status = gw_logistic_fit(&p->train.rows, &problem, &logistic);
    if (status == GW_OK) {
        put_probabilities(&logistic, p->held, label, logit, p->valid_p[strength]);
        put_probabilities(&logistic, &p->test, label, logit, p->test_p[strength]);
        gw_logistic_free(&logistic);
    }
    free(logit);
    return status;
}

static void fit_some(void *context, int64_t begin, int64_t end, int thread) {
    probe *p = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        if (fit_label(p, i / GW_PROBE_STRENGTHS, (int)(i % GW_PROBE_STRENGTHS)) != GW_OK) p->failed = true;
}

typedef struct {
    probe *p;
    int64_t label;
    const gw_ridge_system *system;
} ridge_fit;

static gw_status fit_strength(const ridge_fit *fit, int strength) {
    const probe *p = fit->p;
    const int64_t label = fit->label, labels = p->test.labels->labels;
    double *weight = gw_alloc(fit->system->features + 1, sizeof *weight);
    gw_status status = weight ? gw_ridge_solve(fit->system, strengths[strength], weight) : GW_ERR_MEMORY;
    if (status == GW_OK) {
        gw_ridge_predict(p->held->rows, weight, p->valid_p[strength] + label, labels);
        gw_ridge_predict(p->test.rows, weight, p->test_p[strength] + label, labels);
    }
    free(weight);
    return status;
}

static void fit_strengths(void *context, int64_t begin, int64_t end, int thread) {
    const ridge_fit *fit = context;
    (void)thread;
    for (int64_t s = begin; s < end; s++)
        if (fit_strength(fit, (int)s) != GW_OK) fit->p->failed = true;
}

static gw_status fit_numbers(probe *p) {
    const gw_probe_labels *labels = &p->train.labels;
    p->variance = gw_alloc(labels->labels, sizeof *p->variance);
    if (!p->variance) return GW_ERR_MEMORY;
    for (int64_t label = 0; label < labels->labels; label++) {
        gw_ridge_system system;
        const gw_status status = gw_ridge_system_make(&p->train.rows, labels->label + label, labels->labels, &system);
        if (status == GW_OK) {
            for (int64_t i = label; i < labels->rows * labels->labels; i += labels->labels) {
                const double from_mean = (double)labels->label[i] - system.mean;
                if (!isnan(from_mean)) p->variance[label] += from_mean * from_mean;
            }
            p->variance[label] /= (double)system.rows;
            gw_parallel_for(GW_PROBE_STRENGTHS, 1, fit_strengths, &(ridge_fit){p, label, &system});
        }
        gw_ridge_system_free(&system);
        GW_TRY(status);
        GW_TRY(gw_check_interrupt());
    }
    return GW_OK;
}

// Of rows with one of several classes: over their sum.
static void share_out(const gw_probe_labels *labels, float *p) {
    for (int64_t i = 0; labels->exclusive && i < labels->rows; i++) {
        double sum = 0;
        for (int64_t l = 0; l < labels->labels; l++) sum += (double)p[i * labels->labels + l];
        for (int64_t l = 0; sum > 0 && l < labels->labels; l++)
            p[i * labels->labels + l] = (float)((double)p[i * labels->labels + l] / sum);
    }
}

// Mean of -log of what each label that is known was given; of classes of the one that is right.
static double loss_of_classes(const gw_probe_labels *labels, const float *p) {
    static const double least = 1e-12;
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < labels->rows * labels->labels; i++) {
        const double y = (double)labels->label[i];
        if (isnan(y) || (labels->exclusive && y < 0.5)) continue;
        sum -= log(fmax(y >= 0.5 ? (double)p[i] : 1 - (double)p[i], least));
        count++;
    }
    return count > 0 ? sum / (double)count : 0;
}

// Mean of the squared errors of numbers, each over its label's variance; a label that is constant counts nothing.
static double loss_of_numbers(const gw_probe_labels *labels, const float *predicted, const double *variance) {
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < labels->rows * labels->labels; i++) {
        const double error = (double)labels->label[i] - (double)predicted[i], of = variance[i % labels->labels];
        if (isnan(error) || of == 0) continue;
        sum += error * error / of;
        count++;
    }
    return count > 0 ? sum / (double)count : 0;
}

static int64_t largest(const float *values, int64_t count) {
    int64_t best = 0;
    for (int64_t i = 1; i < count; i++)
        if (values[i] > values[best]) best = i;
    return best;
}

// Accuracy, F1 and MCC of which class is the likeliest.
static gw_status rate_classes(const gw_probe_labels *labels, const float *p, gw_probe_result *out) {
    gw_class_counts counts;
    GW_TRY(gw_class_counts_make(&counts, labels->labels, false));
    for (int64_t i = 0; i < labels->rows; i++)
        gw_class_counts_add(&counts, largest(p + i * labels->labels, labels->labels),
                            largest(labels->label + i * labels->labels, labels->labels));
    const gw_class_metrics found = gw_class_metrics_of(&counts);
    out->of[0] = found.accuracy;
    out->of[1] = found.macro_f1;
    out->of[2] = found.mcc;
    gw_class_counts_free(&counts);
    return GW_OK;
}

static gw_status rate_numbers(const gw_probe_labels *labels, const float *predicted, gw_probe_result *out) {
    const gw_column_pairs pairs = {
        .measured = labels->label, .predicted = predicted, .examples = labels->rows, .labels = labels->labels};
    const double count = (double)labels->labels;
    for (int64_t l = 0; l < labels->labels; l++) {
        gw_agreement found;
        GW_TRY(gw_agreement_of_column(&pairs, l, &found));
        out->of[0] += found.pearson.value / count;
        out->of[1] += found.spearman.value / count;
        out->of[2] += found.r2.value / count;
    }
    return GW_OK;
}

static gw_status rate_labels(const gw_probe_labels *labels, const float *p, gw_probe_result *out) {
    gw_metric *metrics = gw_alloc(labels->labels, sizeof *metrics);
    gw_metric_summary summary;
    gw_status status = metrics ? GW_OK : GW_ERR_MEMORY;
    for (int64_t l = 0; status == GW_OK && l < labels->labels; l++)
        status = gw_metric_compute(p + l, labels->label + l, labels->rows, labels->labels, &metrics[l]);
    if (status == GW_OK) status = gw_metric_summarise(metrics, labels->labels, 0, &summary);
    free(metrics);
    if (status != GW_OK) return status;
    const double of[] = {summary.mean.accuracy, summary.mean.f1, summary.mean.mcc, summary.mean.auroc,
                         summary.mean.auprc};
    memcpy(out->of, of, sizeof of);
    return labels->exclusive ? rate_classes(labels, p, out) : GW_OK;
}

static gw_status choose(probe *p, gw_probe_result *out) {
    int best = 0;
    for (int s = 0; s < GW_PROBE_STRENGTHS; s++) {
        share_out(p->held->labels, p->valid_p[s]);
        share_out(p->test.labels, p->test_p[s]);
        const double loss = p->variance ? loss_of_numbers(p->held->labels, p->valid_p[s], p->variance)
                                        : loss_of_classes(p->held->labels, p->valid_p[s]);
        if (s > 0 && loss >= out->valid_loss) continue;
        best = s;
        out->valid_loss = loss;
    }
    out->strength = strengths[best];
    return p->test.labels->numbers ? rate_numbers(p->test.labels, p->test_p[best], out)
                                   : rate_labels(p->test.labels, p->test_p[best], out);
}

static gw_status run(probe *p, const gw_probe_part *train, const gw_probe_part *valid, uint64_t seed,
                     gw_probe_result *out) {
    GW_TRY(take_share(train, seed, false, &p->train));
    if (valid->labels->rows == 0) GW_TRY(take_share(train, seed, true, &p->valid));
    p->drawn = (gw_probe_part){&p->valid.rows, &p->valid.labels};
    p->held = valid->labels->rows > 0 ? valid : &p->drawn;
    if (p->train.rows.rows == 0 || p->held->labels->rows == 0)
        return gw_fail(GW_ERR_RANGE, "%lld training rows leave none to fit or to validate",
                       (long long)train->labels->rows);
    const int64_t labels = p->test.labels->labels;
    for (int s = 0; s < GW_PROBE_STRENGTHS; s++) {
        p->valid_p[s] = gw_alloc(p->held->labels->rows * labels, sizeof(float));
        p->test_p[s] = gw_alloc(p->test.labels->rows * labels, sizeof(float));
        if (!p->valid_p[s] || !p->test_p[s]) return GW_ERR_MEMORY;
    }
    gw_preparing("fitting %s regressions of %lld rows", p->test.labels->numbers ? "ridge" : "logistic",
                 (long long)p->train.rows.rows);
    if (p->test.labels->numbers) GW_TRY(fit_numbers(p));
    else gw_parallel_for(labels * GW_PROBE_STRENGTHS, 1, fit_some, p);
    GW_TRY(gw_check_interrupt());
    if (p->failed)
        return gw_fail(GW_ERR_MEMORY, "out of memory for a %s regression",
                       p->test.labels->numbers ? "ridge" : "logistic");
    return choose(p, out);
}

gw_status gw_probe(const gw_probe_part *train, const gw_probe_part *valid, const gw_probe_part *test, uint64_t seed,
                   gw_probe_result *out) {
    probe p = {.test = *test};
    *out = (gw_probe_result){0};
    const gw_status status = run(&p, train, valid, seed, out);
    for (int s = 0; s < GW_PROBE_STRENGTHS; s++) {
        free(p.valid_p[s]);
        free(p.test_p[s]);
    }
    free(p.variance);
    share *shares[] = {&p.train, &p.valid};
    for (int i = 0; i < 2; i++) {
        gw_sparse_rows_free(&shares[i]->rows);
        gw_probe_labels_free(&shares[i]->labels);
    }
    return status;
}
