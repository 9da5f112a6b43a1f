// SPDX-License-Identifier: MIT
// What a logistic regression on the words of texts makes of their classes: the least that a model must do better than.
//
// Which words a text has, not where or how often (measure/word_rows.h); of several classes one regression each against
// all others, of which a text's most probable is taken; the penalty is chosen on the validation set.
#ifndef GW_TASK_TEXTS_WORD_BASELINE_H
#define GW_TASK_TEXTS_WORD_BASELINE_H

#include "data/text_set.h"
#include "task/texts/text_metrics.h"

#include <stdbool.h>

// Words of rows times regressions that take about a minute of a core at most.
enum { GW_WORD_BASELINE_SMALL = 15000000 };

typedef struct {
    int64_t words; // that are known; 0: there is no baseline
    double c;      // 100, 10 or 1 (gw_logistic_problem)
    gw_text_metrics metrics;
} gw_word_baseline;

// Whether a set has labels that words may tell: one class a text or many.
bool gw_word_baseline_tells(gw_text_labels labels);
// Words of both sets times regressions; 0 where words were not kept.
int64_t gw_word_baseline_cost(const gw_text_set *train, const gw_text_set *valid);
// Of sets that keep their words; better is what `metric` of text_judge.h says. None is made where no word is in two
// texts. The same input gives the same result, whatever the number of threads.
gw_status gw_word_baseline_run(const gw_text_set *train, const gw_text_set *valid, int metric,
                               gw_word_baseline *out) GW_MUST_CHECK;

#endif
