// SPDX-License-Identifier: MIT
// A run on texts (texts.c), and what stands beside its model.
#ifndef GW_TASK_TEXTS_TEXTS_BASELINE_H
#define GW_TASK_TEXTS_TEXTS_BASELINE_H

#include "language/text_set.h"
#include "task/classifier.h"
#include "task/texts/text_metrics.h"

#include <stdbool.h>

// What a logistic regression on the words of texts makes of their classes: the least that a model must do better than.
// Which words a text has counts, not where or how often (measure/word_rows.h); of several classes there is one
// regression each against all others, of which a text's most probable is taken; the penalty is chosen on the validation
// set. The same input gives the same result, whatever the number of threads.
typedef struct {
    int64_t words; // that are known; 0: there is no baseline
    double c;      // 100, 10 or 1 (gw_logistic_problem)
    gw_text_metrics metrics;
} gw_word_baseline;

// What knowing nothing of texts but how frequent their labels are is worth.
typedef struct {
    float *logits; // [classes] of each class (of many: its odds) by its share of the labels; of numbers their means;
                   // none of spans
    double loss;   // of these on the same labels: entropies, or variances
} gw_text_guess;

gw_status gw_text_guess_make(const gw_text_set *set, gw_text_guess *out) GW_MUST_CHECK;
void gw_text_guess_free(gw_text_guess *guess);

// What a run has of its own.
typedef struct {
    gw_text_set train, valid; // valid without rows: none
    gw_label_names names;
    gw_text_logits *logits; // of the model in training, for validation
    int metric;             // by which an epoch is better
    gw_text_guess guess;    // of the training set's labels
    gw_word_baseline baseline;
} gw_texts_run;

// Words of texts that are kept for the baseline; that, where there is to be one; its metrics in a
// line of metrics, its line of the table; and what the best epoch's are beside it and beside guessing.
int64_t gw_texts_row_words(const gw_finetune_options *options, const gw_tokenizer *tokenizer);
gw_status gw_texts_make_baseline(gw_finetune_run *run) GW_MUST_CHECK;
void gw_texts_report_baseline(const gw_finetune_run *run, json_t *row);
bool gw_texts_baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out);
gw_status gw_texts_compare(const gw_finetune_run *run) GW_MUST_CHECK;
void gw_texts_columns(const gw_text_metrics *metrics, gw_epoch_columns *out);

#endif
