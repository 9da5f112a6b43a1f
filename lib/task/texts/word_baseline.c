// SPDX-License-Identifier: MIT
// All classes and strengths of the penalty at the same time.
#include "task/texts/texts_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "measure/word_rows.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { STRENGTHS = 3 };
static const double strengths[STRENGTHS] = {1, 10, 100};

bool gw_word_baseline_tells(gw_text_labels labels) {
    return labels == GW_TEXT_ONE || labels == GW_TEXT_MANY;
}

// One of two classes is the other's absence.
static int64_t count_fits(const gw_text_set *set) {
    return set->labels == GW_TEXT_ONE && set->classes == 2 ? 1 : set->classes;
}

int64_t gw_word_baseline_cost(const gw_text_set *train, const gw_text_set *valid) {
    const gw_row_words *a = &train->row_words, *b = &valid->row_words;
    if (a->rows == 0 || b->rows == 0) return 0;
    return (a->start[a->rows] + b->start[b->rows]) * count_fits(train);
}

typedef struct {
    const gw_text_set *train, *valid;
    int metric;
    int64_t fits;
    float *labels;           // [train rows][fits]
    float *logit[STRENGTHS]; // [valid rows][classes]
    gw_sparse_rows train_rows, valid_rows;
    atomic_bool failed; // of memory
    gw_word_baseline *best;
} baseline_run;

static double log_sigmoid(double z) {
    return (z < 0 ? z : 0) - log1p(exp(-fabs(z)));
}

// What stands for a class beside the others, so that the softmax of all are probabilities; of many labels each its own.
static void put_logit(const baseline_run *run, int strength, int64_t row, int64_t fit, double z) {
    float *out = run->logit[strength] + row * run->train->classes;
    if (run->train->labels == GW_TEXT_MANY) out[fit] = (float)z;
    else if (run->fits == 1) out[1] = (float)z;
    else out[fit] = (float)log_sigmoid(z);
}

static gw_status fit_one(baseline_run *run, int64_t fit, int strength) {
    const gw_logistic_problem problem = {.label = run->labels + fit,
                                         .stride = run->fits,
                                         .positive_weight = 1,
                                         .c = strengths[strength],
                                         .tolerance = 1e-5,
                                         .plain = true};
    gw_logistic logistic;
    double *z = gw_alloc(run->valid->rows, sizeof *z);
    if (!z) return GW_ERR_MEMORY;
    const gw_status status = gw_logistic_fit(&run->train_rows, &problem, &logistic);
    if (status == GW_OK) {
        gw_logistic_logits(&logistic, &run->valid_rows, z);
        for (int64_t i = 0; i < run->valid->rows; i++) put_logit(run, strength, i, fit, z[i]);
        gw_logistic_free(&logistic);
    }
    free(z);
    return status;
}

static void fit_some(void *context, int64_t begin, int64_t end, int thread) {
    baseline_run *run = context;
    (void)thread;
    for (int64_t i = begin; i < end; i++)
        if (fit_one(run, i / STRENGTHS, (int)(i % STRENGTHS)) != GW_OK) run->failed = true;
}

// Two classes have one column: whether it is the second.
static void fill_labels(baseline_run *run) {
    const gw_text_set *set = run->train;
    for (int64_t i = 0; i < set->rows; i++)
        for (int64_t f = 0; f < run->fits; f++)
            run->labels[i * run->fits + f] = set->number      ? set->number[i * run->fits + f]
                                             : run->fits == 1 ? (float)(set->label[i] == 1)
                                                              : (float)(set->label[i] == f);
}

static gw_status make_rows(baseline_run *run) {
    const gw_row_words *a = &run->train->row_words, *b = &run->valid->row_words;
    const gw_words_of_rows train = {a->rows, a->start, a->word}, valid = {b->rows, b->start, b->word};
    gw_known_words known;
    GW_TRY(gw_known_words_find(&train, &known));
    run->best->words = known.count;
    gw_status status = gw_word_rows_make(&train, &known, &run->train_rows);
    if (status == GW_OK) status = gw_word_rows_make(&valid, &known, &run->valid_rows);
    gw_known_words_free(&known);
    return status;
}

static gw_status reserve(baseline_run *run) {
    run->labels = gw_alloc(run->train->rows * run->fits, sizeof *run->labels);
    if (!run->labels) return GW_ERR_MEMORY;
    for (int s = 0; s < STRENGTHS; s++) {
        run->logit[s] = gw_alloc(run->valid->rows * run->train->classes, sizeof *run->logit[s]);
        if (!run->logit[s]) return GW_ERR_MEMORY;
    }
    fill_labels(run);
    return GW_OK;
}

static gw_status choose_strength(baseline_run *run) {
    for (int s = 0; s < STRENGTHS; s++) {
        gw_text_metrics metrics;
        GW_TRY(gw_text_metrics_of_logits(run->logit[s], run->valid->classes, run->valid, &metrics));
        if (s > 0 &&
            gw_text_metrics_value(&metrics, run->metric) <= gw_text_metrics_value(&run->best->metrics, run->metric))
            continue;
        run->best->c = strengths[s];
        run->best->metrics = metrics;
    }
    return GW_OK;
}

static gw_status fit_all(baseline_run *run) {
    GW_TRY(make_rows(run));
    if (run->best->words == 0) return GW_OK;
    GW_TRY(reserve(run));
    gw_parallel_for(run->fits * STRENGTHS, 1, fit_some, run);
    GW_TRY(gw_check_interrupt());
    return run->failed ? gw_fail(GW_ERR_MEMORY, "out of memory for the baseline of words") : choose_strength(run);
}

gw_status gw_word_baseline_run(const gw_text_set *train, const gw_text_set *valid, int metric, gw_word_baseline *out) {
    *out = (gw_word_baseline){0};
    baseline_run run = {.train = train, .valid = valid, .metric = metric, .fits = count_fits(train), .best = out};
    const gw_status status = fit_all(&run);
    for (int s = 0; s < STRENGTHS; s++) free(run.logit[s]);
    free(run.labels);
    gw_sparse_rows_free(&run.train_rows);
    gw_sparse_rows_free(&run.valid_rows);
    return status;
}
