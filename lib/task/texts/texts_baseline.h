// SPDX-License-Identifier: MIT
// Baselines of a model of texts: a regression on their words, and the frequencies of the labels alone.
#ifndef GW_TASK_TEXTS_TEXTS_BASELINE_H
#define GW_TASK_TEXTS_TEXTS_BASELINE_H

#include "language/text_set.h"
#include "task/classifier.h"
#include "task/texts/text_metrics.h"

#include <stdbool.h>

// A logistic regression on the words of texts: a model must do better.
// Which words a text has counts, not where or how often (measure/sparse_rows.h); of several classes there is one
// regression each against all others, of which a text's most probable is taken; the penalty is chosen on the validation
// set. The same input gives the same result, whatever the number of threads.
typedef struct {
    int64_t words; // that are known; 0: there is no baseline
    double c;      // 100, 10 or 1 (gw_logistic_problem)
    gw_text_metrics metrics;
} gw_word_baseline;

// Words of rows times regressions that take about a minute of a core at most.
enum { GW_WORD_BASELINE_SMALL = 15000000 };
// Words of both sets times regressions; 0 where words were not kept.
int64_t gw_word_baseline_cost(const gw_text_set *train, const gw_text_set *valid);
// Of sets that keep their words; better is what `metric` of text_metrics.h says. None is made where no word is in two
// texts.
gw_status gw_word_baseline_run(const gw_text_set *train, const gw_text_set *valid, int metric,
                               gw_word_baseline *out) GW_MUST_CHECK;

// Metrics of the label frequencies alone.
typedef struct {
    float *logits; // [classes] of each class (of many: its odds) by its share of the labels; of numbers their means;
                   // none of spans
    double loss;   // of these on the same labels: entropies, or variances
} gw_text_guess;

gw_status gw_text_guess_make(const gw_text_set *set, gw_text_guess *out) GW_MUST_CHECK;
void gw_text_guess_free(gw_text_guess *guess);

#endif
