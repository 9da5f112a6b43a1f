// SPDX-License-Identifier: MIT
// What a model's logits are worth beside the labels of texts.
#ifndef GW_TASK_TEXTS_TEXT_JUDGE_H
#define GW_TASK_TEXTS_TEXT_JUDGE_H

#include "base/json.h"
#include "measure/figures.h"
#include "task/texts/text_logits.h"

typedef struct {
    int64_t labels; // that were judged
    double of[GW_FIGURES];
} gw_text_figures;

// By which one model is better than another, where nobody says: accuracy, micro F1 of several labels, Spearman's
// correlation of numbers, F1 of answers.
int gw_figure_usual(gw_text_labels labels);
// Runs all rows of a labelled set.
gw_status gw_text_judge(gw_text_logits *logits, const gw_text_set *set, const char *shown,
                        gw_text_figures *out) GW_MUST_CHECK;
// The same of logits at hand: logits[i * stride + class] of row i; stride 0: all rows, or all words, have the same.
gw_status gw_text_judge_logits(const float *logits, int64_t stride, const gw_text_set *set,
                               gw_text_figures *out) GW_MUST_CHECK;
// A figure as what is more is better: the loss is negated; one that means nothing, such as a correlation with what is
// constant, is worse than all (GW_FIGURE_WORST).
double gw_text_figures_value(const gw_text_figures *figures, int figure);
// Sets `prefix`_loss, _accuracy ... where they mean something.
void gw_text_figures_report(const gw_text_figures *figures, const char *prefix, json_t *row);

#endif
