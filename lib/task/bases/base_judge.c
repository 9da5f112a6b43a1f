// SPDX-License-Identifier: MIT
// A class is rated by the column of its probabilities and that of where it is.
#include "task/bases/base_judge.h"

#include "base/memory.h"
#include "measure/metric.h"
#include "measure/top_k.h"

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

gw_status gw_base_judge_make(const gw_base_set *set, int64_t classes, gw_base_judge *out) {
    *out = (gw_base_judge){.set = set, .classes = classes};
    out->probability = gw_alloc(set->bases * classes, sizeof *out->probability);
    out->class = gw_alloc(set->bases, sizeof *out->class);
    out->judgement.of = gw_alloc(classes, sizeof *out->judgement.of);
    for (int i = 0; i < 2; i++) out->column[i] = gw_alloc(set->bases, sizeof *out->column[i]);
    if (!out->probability || !out->class || !out->judgement.of || !out->column[0] || !out->column[1])
        return GW_ERR_MEMORY;
    for (int64_t i = 0, at = 0; i < gw_labelled_set_count(set->set); i++) {
        const gw_region window = gw_base_set_window(set, i);
        gw_base_set_labels(set, i, out->class + at);
        at += window.end - window.begin;
    }
    return GW_OK;
}

void gw_base_judge_free(gw_base_judge *judge) {
    free(judge->probability);
    free(judge->class);
    free(judge->judgement.of);
    for (int i = 0; i < 2; i++) free(judge->column[i]);
    *judge = (gw_base_judge){0};
}

static gw_region window_of(const void *context, int64_t i) {
    return gw_base_set_window(((const gw_base_judge *)context)->set, i);
}

static gw_status take(void *context, int64_t i, const gw_region *window, const float *rows) {
    gw_base_judge *judge = context;
    const int64_t bases = window->end - window->begin;
    (void)i; // windows come in order
    memcpy(judge->probability + judge->taken * judge->classes, rows, (size_t)(bases * judge->classes) * sizeof *rows);
    judge->taken += bases;
    return GW_OK;
}

gw_status gw_base_judge_run(gw_base_judge *judge, gw_base_network *network, const char *progress) {
    const gw_base_pass pass = {.genome = judge->set->genome,
                               .count = gw_labelled_set_count(judge->set->set),
                               .longest = gw_labelled_set_longest(judge->set->set),
                               .window = window_of,
                               .take = take,
                               .context = judge,
                               .progress = progress};
    judge->taken = 0;
    return gw_base_pass_run(network, &pass);
}

static int64_t most_probable(const gw_base_judge *judge, int64_t base) {
    const float *p = judge->probability + base * judge->classes;
    int64_t best = 0;
    for (int64_t c = 1; c < judge->classes; c++)
        if (p[c] > p[best]) best = c;
    return best;
}

// Calls, and the loss.
static gw_status count_calls(gw_base_judge *judge) {
    gw_base_judgement *j = &judge->judgement;
    const int64_t bases = judge->set->bases, classes = judge->classes;
    int64_t *count = gw_alloc(2 * classes, sizeof *count), *called = count, *right = count + classes, all = 0;
    if (!count) return GW_ERR_MEMORY;
    memset(j->of, 0, (size_t)classes * sizeof *j->of);
    j->loss = 0;
    for (int64_t i = 0; i < bases; i++) {
        const int64_t call = most_probable(judge, i), actual = judge->class[i];
        j->of[actual].sites++;
        called[call]++;
        if (call == actual) right[call]++, all++;
        j->loss -= log((double)fmaxf(judge->probability[i * classes + actual], least_probability));
    }
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

static gw_status rate_class(gw_base_judge *judge, int64_t class) {
    const int64_t bases = judge->set->bases;
    gw_class_judgement *of = &judge->judgement.of[class];
    gw_metric metric;
    for (int64_t i = 0; i < bases; i++) {
        judge->column[0][i] = judge->probability[i * judge->classes + class];
        judge->column[1][i] = judge->class[i] == class;
    }
    GW_TRY(gw_metric_compute(judge->column[0], judge->column[1], bases, 1, &metric));
    of->auprc = metric.auprc;
    return gw_top_k(judge->column[0], judge->column[1], bases, &of->top_k);
}

gw_status gw_base_judge_rate(gw_base_judge *judge) {
    gw_base_judgement *j = &judge->judgement;
    int64_t rated = 0;
    GW_TRY(count_calls(judge));
    j->auprc = j->top_k = 0;
    for (int64_t c = 0; c < judge->classes; c++) {
        GW_TRY(rate_class(judge, c));
        if (c == 0 || isnan(j->of[c].auprc)) continue;
        rated++;
        j->auprc += j->of[c].auprc;
        j->top_k += j->of[c].top_k;
    }
    j->auprc = rated > 0 ? j->auprc / (double)rated : NAN;
    j->top_k = rated > 0 ? j->top_k / (double)rated : NAN;
    return GW_OK;
}

gw_temperature_rows gw_base_judge_logits(gw_base_judge *judge) {
    const int64_t bases = judge->set->bases, apart = (bases + MOST_FITTED - 1) / MOST_FITTED, classes = judge->classes;
    int64_t rows = 0;
    for (int64_t i = 0; i < bases; i += apart, rows++) {
        judge->class[rows] = judge->class[i];
        for (int64_t c = 0; c < classes; c++)
            judge->probability[rows * classes + c] =
                logf(fmaxf(judge->probability[i * classes + c], least_probability));
    }
    return (gw_temperature_rows){
        .rows = rows, .labels = judge->classes, .strands = 1, .logit = judge->probability, .label = judge->class};
}

double gw_base_judgement_value(const gw_base_judgement *judgement, gw_base_criterion by) {
    if (by == GW_BY_BASE_LOSS) return -judgement->loss;
    return by == GW_BY_TOP_K ? judgement->top_k : judgement->auprc;
}

static void set_number(json_t *row, const char *prefix, const char *name, double value) {
    char key[64];
    snprintf(key, sizeof key, "%s_%s", prefix, name);
    if (!isnan(value)) json_object_set_new(row, key, json_real(value));
}

void gw_base_judgement_report(const gw_base_judgement *judgement, const char *prefix, json_t *row) {
    set_number(row, prefix, "loss", judgement->loss);
    set_number(row, prefix, "accuracy", judgement->accuracy);
    set_number(row, prefix, "auprc", judgement->auprc);
    set_number(row, prefix, "top_k", judgement->top_k);
}
