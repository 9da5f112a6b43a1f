// SPDX-License-Identifier: MIT
// Baselines for models of texts: a regression on their words, and the frequencies of the labels.
#ifndef GW_TASK_TEXTS_TEXTS_BASELINE_H
#define GW_TASK_TEXTS_TEXTS_BASELINE_H

#include "language/text_set.h"
#include "task/classifier.h"
#include "task/texts/text_metrics.h"

#include <stdbool.h>

// A logistic regression on the words of texts, which a model should exceed. Only the presence of words counts, not
// their positions or numbers (measure/sparse_rows.h). For several classes there is one regression for each class
// against all others, and the most probable class of a text is predicted. The penalty is chosen on the validation set.
// The result does not depend on the number of threads.
typedef struct {
    int64_t words; // number of known words; 0: no baseline
    double c;      // 100, 10 or 1 (gw_logistic_problem)
    gw_text_metrics metrics;
} gw_word_baseline;

// Words of rows times regressions that take at most about a minute on one core.
enum { GW_WORD_BASELINE_SMALL = 15000000 };
// Words of both sets times regressions; 0 if words were not kept.
int64_t gw_word_baseline_cost(const gw_text_set *train, const gw_text_set *valid);
// Runs the baseline on sets that keep their words. Penalties are compared by `metric` (text_metrics.h). There is no
// baseline if no word occurs in two texts.
gw_status gw_word_baseline_run(const gw_text_set *train, const gw_text_set *valid, int metric,
                               gw_word_baseline *out) GW_MUST_CHECK;

// The loss and logits of label frequencies.
typedef struct {
    float *logits; // [classes] from the share of each class in the labels (of many: its odds); for numbers the means;
                   // none for spans
    double loss;   // on the same labels: entropies, or variances
} gw_text_guess;

gw_status gw_text_guess_make(const gw_text_set *set, gw_text_guess *out) GW_MUST_CHECK;
void gw_text_guess_free(gw_text_guess *guess);

#endif
