// SPDX-License-Identifier: MIT
// Baselines for models of texts: the labels' frequencies, and a logistic regression on the words. All classes and
// penalty strengths are fitted at the same time.
#include "task/texts/texts_baseline.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "measure/regression.h"
#include "measure/sparse_rows.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

// --- guessing --------------------------------------------------------------------------------------------------------

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

// Any token, class and candidate is as likely as any other, and any marker yes as no (question_examples.h).
static double guess_example(const gw_text_set *set, int64_t first, int64_t end) {
    const gw_question_shape *shape = &set->questions.shape;
    const gw_question *question = &set->questions.question[set->window[first].question];
    const double tokens = (double)(set->start[end] - set->start[first]);
    double loss = 0;
    for (int e = 0; e < shape->ends; e++) {
        const gw_question_labels *l = &set->right;
        int64_t right = 0;
        for (int64_t i = l->end_start[first]; i < l->end_start[end]; i++) right += l->end[i].column == e;
        if (right > 0) loss += log(tokens / (double)right) * gw_question_end_weight(shape);
    }
    if (shape->types > 0 && set->right.type[first] >= 0) loss += log(shape->types);
    if (shape->marks && question->said) loss += log(2);
    if (shape->candidates && question->right >= 0) loss += log((double)question->candidates);
    return loss;
}

// Any token of the window may be the first or the last.
static gw_status guess_spans(const gw_text_set *set, gw_text_guess *out) {
    const gw_question_labels *l = &set->right;
    int64_t rows = 0; // or examples
    for (int64_t i = 0; i < l->examples; i++) {
        const double loss = guess_example(set, l->example[i], l->example[i + 1]);
        out->loss += loss;
        rows += loss > 0;
    }
    for (int64_t i = 0; l->examples == 0 && i < set->rows; i++) {
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

// --- words -----------------------------------------------------------------------------------------------------------

enum { STRENGTHS = 3 };
static const double strengths[STRENGTHS] = {1, 10, 100};

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

static gw_status fit_one(baseline_run *run, int64_t fit, int strength) {
    const gw_logistic_problem problem = {.label = run->labels + fit,
                                         .stride = run->fits,
                                         .positive_weight = 1,
                                         .c = strengths[strength],
                                         .tolerance = 1e-5,
                                         .plain = true};
    gw_logistic_model logistic;
    double *z = gw_alloc(run->valid->rows, sizeof *z);
    if (!z) return GW_ERR_MEMORY;
    const gw_status status = gw_logistic_fit(&run->train_rows, &problem, &logistic);
    if (status == GW_OK) {
        gw_logistic_logits(&logistic, &run->valid_rows, z);
        // What stands for a class beside the others, so that the softmax of all are probabilities: the logarithm of its
        // own; of many labels each its logit.
        for (int64_t i = 0; i < run->valid->rows; i++) {
            float *out = run->logit[strength] + i * run->train->classes;
            if (run->train->labels == GW_TEXT_MANY) out[fit] = (float)z[i];
            else if (run->fits == 1) out[1] = (float)z[i];
            else out[fit] = (float)((z[i] < 0 ? z[i] : 0) - log1p(exp(-fabs(z[i]))));
        }
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

static gw_status fit_all(baseline_run *run) {
    const gw_text_set *set = run->train;
    GW_TRY(make_rows(run));
    if (run->best->words == 0) return GW_OK;
    run->labels = gw_alloc(set->rows * run->fits, sizeof *run->labels);
    if (!run->labels) return GW_ERR_MEMORY;
    for (int s = 0; s < STRENGTHS; s++) {
        run->logit[s] = gw_alloc(run->valid->rows * set->classes, sizeof *run->logit[s]);
        if (!run->logit[s]) return GW_ERR_MEMORY;
    }
    // Two classes have one column: whether it is the second.
    for (int64_t i = 0; i < set->rows; i++)
        for (int64_t f = 0; f < run->fits; f++)
            run->labels[i * run->fits + f] = set->number      ? set->number[i * run->fits + f]
                                             : run->fits == 1 ? (float)(set->label[i] == 1)
                                                              : (float)(set->label[i] == f);
    gw_parallel_for(run->fits * STRENGTHS, 1, fit_some, run);
    GW_TRY(gw_check_interrupt());
    if (run->failed) return gw_fail(GW_ERR_MEMORY, "out of memory for the baseline of words");
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

gw_status gw_word_baseline_run(const gw_text_set *train, const gw_text_set *valid, int metric, gw_word_baseline *out) {
    *out = (gw_word_baseline){0};
    baseline_run run = {.train = train, .valid = valid, .metric = metric, .fits = count_fits(train), .best = out};
    gw_preparing("fitting the baseline, logistic regressions of words");
    const gw_status status = fit_all(&run);
    for (int s = 0; s < STRENGTHS; s++) free(run.logit[s]);
    free(run.labels);
    gw_sparse_rows_free(&run.train_rows);
    gw_sparse_rows_free(&run.valid_rows);
    return status;
}
