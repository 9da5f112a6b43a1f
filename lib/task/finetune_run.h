// SPDX-License-Identifier: MIT
// A run of gw_finetune() and its parts. Private to lib/run.
#ifndef GW_TASK_FINETUNE_RUN_H
#define GW_TASK_FINETUNE_RUN_H

#include "run/step.h"
#include "run/trainer.h"
#include "task/chance.h"
#include "task/epoch_table.h"
#include "task/finetune.h"
#include "task/texts/text_examples.h"
#include "task/texts/text_guess.h"
#include "task/texts/text_judge.h"
#include "task/texts/word_baseline.h"
#include "task/windows/judge.h"
#include "task/windows/kmer_baseline.h"
#include "task/windows/label_examples.h"
#include "task/windows/label_predictor.h"

// What a run on texts has in the place of windows.
typedef struct {
    gw_text_set train, valid; // valid without rows: none
    gw_label_names names;
    gw_text_logits *logits; // of the model in training, for validation
    int figure;             // by which an epoch is better
    gw_text_guess guess;    // of the training set's labels
    gw_word_baseline baseline;
} gw_finetune_texts;

// A run and all that it owns.
typedef struct {
    const gw_finetune_options *options;
    gw_finetune_texts texts; // of tasks on texts
    gw_genome *genome;
    gw_labelled_set *train, *valid; // valid may be NULL
    gw_model *model;
    gw_examples examples; // of training
    gw_steps step;
    gw_label_predictor *predictor; // of the model in training, for validation
    float *values, *probabilities; // [valid examples][labels]
    gw_metric *metrics;            // [labels]
    int64_t steps, epoch_steps;
    gw_training training;
    gw_chance chance;
    gw_epoch_table table;
    gw_kmer_baseline baseline; // k 0: none
} gw_finetune_run;

// finetune_model.c: the classifier, fresh or on a pretrained encoder, with what the sets and options say of it.
gw_status gw_finetune_make_model(gw_finetune_run *run) GW_MUST_CHECK;

// finetune_texts.c: whether the task is one on texts; the sets, encoded by the tokenizer, and what they say of the
// model's labels; gradient and validation; the figures of the weights as they are, and how good they are.
bool gw_finetune_of_texts(const gw_finetune_run *run);
gw_status gw_finetune_read_texts(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) GW_MUST_CHECK;
gw_status gw_finetune_prepare_texts(gw_finetune_run *run) GW_MUST_CHECK;
gw_status gw_finetune_judge_texts(gw_finetune_run *run, gw_text_figures *figures, double *value) GW_MUST_CHECK;
void gw_finetune_free_texts(gw_finetune_texts *texts);

// finetune_epoch.c: what is needed for validation; what a step adds to its epoch; and the end of an epoch (of the run,
// where that is earlier), which adds to `row` and stops a run whose patience is out.
gw_status gw_finetune_prepare_validation(gw_finetune_run *run) GW_MUST_CHECK;
bool gw_finetune_validates(const gw_finetune_run *run);
void gw_finetune_count_step(gw_finetune_run *run, int64_t done, double loss, double chance);
gw_status gw_finetune_end_epoch(gw_finetune_run *run, int64_t done, json_t *row) GW_MUST_CHECK;

// finetune_temperature.c: the temperature of the labels' logits on the validation set, under the weights as they are,
// kept in the model's config; none without validation, and of numbers.
gw_status gw_finetune_fit_temperature(gw_finetune_run *run) GW_MUST_CHECK;

// finetune_words.c: words of texts that are kept for the baseline; that, where there is to be one, its figures in a
// line of metrics, and what the best epoch's are beside it and beside guessing.
int64_t gw_finetune_row_words(const gw_finetune_options *options, const gw_tokenizer *tokenizer);
gw_status gw_finetune_make_word_baseline(gw_finetune_run *run) GW_MUST_CHECK;
void gw_finetune_report_words(const gw_finetune_run *run, json_t *row);
gw_status gw_finetune_compare_words(const gw_finetune_run *run) GW_MUST_CHECK;

// finetune_baseline.c: the k-mer baseline, where there is to be one; its figures in a line of metrics; what the best
// epoch's are beside it; and the baseline's line of the table, of k-mers or words (false: there is none).
gw_status gw_finetune_make_baseline(gw_finetune_run *run) GW_MUST_CHECK;
gw_status gw_finetune_judge_beside_baseline(gw_finetune_run *run, json_t *row, bool better) GW_MUST_CHECK;
void gw_finetune_compare(const gw_finetune_run *run);
bool gw_finetune_baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out);

#endif
