// SPDX-License-Identifier: MIT
// A run on texts and its parts. Private to the kinds of lib/task/texts.
#ifndef GW_TASK_TEXTS_TEXTS_PRIVATE_H
#define GW_TASK_TEXTS_TEXTS_PRIVATE_H

#include "task/classifier.h"
#include "task/texts/text_guess.h"
#include "task/texts/text_metrics.h"
#include "task/texts/word_baseline.h"

// What a run has of its own.
typedef struct {
    gw_text_set train, valid; // valid without rows: none
    gw_label_names names;
    gw_text_logits *logits; // of the model in training, for validation
    int metric;             // by which an epoch is better
    gw_text_guess guess;    // of the training set's labels
    gw_word_baseline baseline;
} gw_texts_run;

// texts_labels.c: reads the sets, and says of their labels what the model keeps.
gw_describe_labels gw_texts_describe;

// texts_baseline.c: words of texts that are kept for the baseline; that, where there is to be one; its metrics in a
// line of metrics, its line of the table; and what the best epoch's are beside it and beside guessing.
int64_t gw_texts_row_words(const gw_finetune_options *options, const gw_tokenizer *tokenizer);
gw_status gw_texts_make_baseline(gw_finetune_run *run) GW_MUST_CHECK;
void gw_texts_report_baseline(const gw_finetune_run *run, json_t *row);
bool gw_texts_baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out);
gw_status gw_texts_compare(const gw_finetune_run *run) GW_MUST_CHECK;
void gw_texts_columns(const gw_text_metrics *metrics, gw_epoch_columns *out);

#endif
