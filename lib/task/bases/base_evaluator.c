// SPDX-License-Identifier: MIT
// A class is rated by the column of its probabilities and that of where it is.
#include "task/bases/base_evaluator.h"

#include "base/memory.h"
#include "measure/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FITTED = 100000 }; // bases by which a temperature is fitted
static const float least_probability = 1e-30F;

int gw_base_criterion_by_name(const char *name) {
    static const char *const names[] = {"auprc", "top-k", "loss"};
    for (int i = 0; name && i < 3; i++)
        if (strcmp(names[i], name) == 0) return i;
    return name ? -1 : GW_BY_CLASS_AUPRC;
}

gw_status gw_base_evaluator_make(const gw_base_set *set, const gw_config *model, gw_base_evaluator *out) {
    const int64_t classes = model->labels;
    *out = (gw_base_evaluator){.set = set, .classes = classes, .overlap = model->overlap};
    out->probability = gw_alloc(set->bases * classes, sizeof *out->probability);
    out->class = gw_alloc(set->bases, sizeof *out->class);
    out->metrics.of = gw_alloc(classes, sizeof *out->metrics.of);
    for (int i = 0; i < 2; i++) out->column[i] = gw_alloc(set->bases, sizeof *out->column[i]);
    if (!out->probability || !out->class || !out->metrics.of || !out->column[0] || !out->column[1])
        return GW_ERR_MEMORY;
    for (int64_t i = 0, at = 0; i < gw_labelled_set_count(set->set); i++) {
        const gw_region window = gw_base_set_window(set, i);
        gw_base_set_labels(set, i, out->class + at);
        at += window.end - window.begin;
    }
    return GW_OK;
}

void gw_base_evaluator_free(gw_base_evaluator *evaluator) {
    free(evaluator->probability);
    free(evaluator->class);
    free(evaluator->metrics.of);
    for (int i = 0; i < 2; i++) free(evaluator->column[i]);
    free(evaluator->no_shift);
    *evaluator = (gw_base_evaluator){0};
}

static gw_region window_of(const void *context, int64_t i) {
    return gw_base_set_window(((const gw_base_evaluator *)context)->set, i);
}

static gw_status take(void *context, int64_t i, const gw_region *window, const float *rows) {
    gw_base_evaluator *evaluator = context;
    const int64_t bases = window->end - window->begin;
    (void)i; // windows come in order
    memcpy(evaluator->probability + evaluator->taken * evaluator->classes, rows,
           (size_t)(bases * evaluator->classes) * sizeof *rows);
    evaluator->taken += bases;
    return GW_OK;
}

gw_status gw_base_evaluator_run(gw_base_evaluator *evaluator, gw_base_network *network, const char *progress) {
    const gw_base_pass pass = {.genome = evaluator->set->genome,
                               .count = gw_labelled_set_count(evaluator->set->set),
                               .longest = gw_labelled_set_longest(evaluator->set->set),
                               .window = window_of,
                               .take = take,
                               .context = evaluator,
                               .progress = progress};
    evaluator->taken = 0;
    return gw_base_pass_run(network, &pass);
}

static int64_t most_probable(const gw_base_evaluator *evaluator, int64_t base) {
    const float *p = evaluator->probability + base * evaluator->classes;
    int64_t best = 0;
    for (int64_t c = 1; c < evaluator->classes; c++)
        if (p[c] > p[best]) best = c;
    return best;
}

static bool has_class(const gw_base_evaluator *evaluator, int64_t base, int64_t class) {
    return gw_base_has_class(evaluator->set->overlap, evaluator->class[base], class);
}

static double cost(float probability) {
    return -log((double)fmaxf(probability, least_probability));
}

// Adds a base's calls, the class that is most probable or each that is probable by itself, and its loss; whether all
// are right.
static bool count_base(gw_base_evaluator *evaluator, int64_t base, int64_t *called, int64_t *right) {
    const float *p = evaluator->probability + base * evaluator->classes;
    const int64_t most = most_probable(evaluator, base), classes = evaluator->classes;
    gw_base_metrics *j = &evaluator->metrics;
    bool all_right = true;
    for (int64_t c = 0; c < classes; c++) {
        const bool is = has_class(evaluator, base, c), call = evaluator->overlap ? p[c] >= 0.5F : c == most;
        j->of[c].sites += is;
        called[c] += call;
        right[c] += call && is;
        all_right = all_right && call == is;
        if (evaluator->overlap) j->loss += cost(is ? p[c] : 1 - p[c]) / (double)classes;
        else if (is) j->loss += cost(p[c]);
    }
    return all_right;
}

static gw_status count_calls(gw_base_evaluator *evaluator) {
    gw_base_metrics *j = &evaluator->metrics;
    const int64_t bases = evaluator->set->bases, classes = evaluator->classes;
    int64_t *count = gw_alloc(2 * classes, sizeof *count), *called = count, *right = count + classes, all = 0;
    if (!count) return GW_ERR_MEMORY;
    memset(j->of, 0, (size_t)classes * sizeof *j->of);
    j->loss = 0;
    for (int64_t i = 0; i < bases; i++) all += count_base(evaluator, i, called, right);
    j->loss /= (double)bases;
    j->accuracy = (double)all / (double)bases;
    for (int64_t c = 0; c < classes; c++) {
        j->of[c].bases = bases;
        j->of[c].precision = (double)right[c] / (double)called[c];
        j->of[c].recall = (double)right[c] / (double)j->of[c].sites;
    }
    free(count);
    return GW_OK;
}

static gw_status rate_class(gw_base_evaluator *evaluator, int64_t class) {
    const int64_t bases = evaluator->set->bases;
    gw_site_metrics *of = &evaluator->metrics.of[class];
    gw_metric metric;
    for (int64_t i = 0; i < bases; i++) {
        evaluator->column[0][i] = evaluator->probability[i * evaluator->classes + class];
        evaluator->column[1][i] = has_class(evaluator, i, class);
    }
    GW_TRY(gw_metric_compute(evaluator->column[0], evaluator->column[1], bases, 1, &metric));
    of->auprc = metric.auprc;
    return gw_top_k(evaluator->column[0], evaluator->column[1], bases, &of->top_k);
}

gw_status gw_base_evaluator_rate(gw_base_evaluator *evaluator) {
    gw_base_metrics *j = &evaluator->metrics;
    int64_t rated = 0;
    GW_TRY(count_calls(evaluator));
    j->auprc = j->top_k = 0;
    for (int64_t c = 0; c < evaluator->classes; c++) {
        GW_TRY(rate_class(evaluator, c));
        if (c == 0 || isnan(j->of[c].auprc)) continue;
        rated++;
        j->auprc += j->of[c].auprc;
        j->top_k += j->of[c].top_k;
    }
    j->auprc = rated > 0 ? j->auprc / (double)rated : NAN;
    j->top_k = rated > 0 ? j->top_k / (double)rated : NAN;
    return GW_OK;
}

// What a softmax has as its logits, but for what all of a base have in common; or what a logistic function has.
static float logit_of(bool overlap, float probability) {
    const float p = fmaxf(probability, least_probability);
    return overlap ? logf(p) - logf(fmaxf(1 - probability, least_probability)) : logf(p);
}

gw_status gw_base_evaluator_logits(gw_base_evaluator *evaluator, gw_temperature_rows *out) {
    const int64_t bases = evaluator->set->bases, apart = (bases + MOST_FITTED - 1) / MOST_FITTED,
                  classes = evaluator->classes;
    int64_t rows = 0;
    float *value = NULL;
    if (evaluator->overlap) {
        const int64_t most = (bases + apart - 1) / apart;
        evaluator->no_shift = gw_alloc(classes, sizeof(double));
        free(evaluator->column[0]);
        value = evaluator->column[0] = gw_alloc(most * classes, sizeof *value);
        if (!evaluator->no_shift || !value) return GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < bases; i += apart, rows++) {
        for (int64_t c = 0; c < classes; c++) {
            evaluator->probability[rows * classes + c] =
                logit_of(evaluator->overlap, evaluator->probability[i * classes + c]);
            if (value) value[rows * classes + c] = has_class(evaluator, i, c);
        }
        evaluator->class[rows] = evaluator->class[i];
    }
    *out = (gw_temperature_rows){.rows = rows,
                                 .labels = classes,
                                 .strands = 1,
                                 .logit = evaluator->probability,
                                 .shift = evaluator->no_shift,
                                 .value = value,
                                 .label = evaluator->overlap ? NULL : evaluator->class};
    return GW_OK;
}

double gw_base_metrics_value(const gw_base_metrics *metrics, gw_base_criterion by) {
    if (by == GW_BY_BASE_LOSS) return -metrics->loss;
    return by == GW_BY_TOP_K ? metrics->top_k : metrics->auprc;
}

static void set_number(json_t *row, const char *prefix, const char *name, double value) {
    char key[64];
    snprintf(key, sizeof key, "%s_%s", prefix, name);
    if (!isnan(value)) json_object_set_new(row, key, json_real(value));
}

void gw_base_metrics_report(const gw_base_metrics *metrics, const char *prefix, json_t *row) {
    set_number(row, prefix, "loss", metrics->loss);
    set_number(row, prefix, "accuracy", metrics->accuracy);
    set_number(row, prefix, "auprc", metrics->auprc);
    set_number(row, prefix, "top_k", metrics->top_k);
}
