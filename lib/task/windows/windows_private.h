// SPDX-License-Identifier: MIT
// A run on labelled windows and its parts. Private to the kinds of lib/task/windows.
#ifndef GW_TASK_WINDOWS_WINDOWS_PRIVATE_H
#define GW_TASK_WINDOWS_WINDOWS_PRIVATE_H

#include "task/classifier.h"
#include "task/windows/kmer_baseline.h"
#include "task/windows/label_predictor.h"

// What a run has of its own.
typedef struct {
    gw_genome *genome;
    gw_labelled_set *train, *valid; // valid may be NULL
    gw_label_predictor *predictor;  // of the model in training, for validation
    float *values, *probabilities;  // [valid examples][labels]
    gw_metric *metrics;             // [labels]
    gw_kmer_baseline baseline;      // k 0: none
} gw_windows_run;

// windows.c: the sets, read as `read` has it but for genome and splits; training examples; whether there is a
// validation set; the genome beside the model; and what all runs on windows own.
gw_status gw_windows_open_sets(const gw_finetune_options *options, gw_labelled_options read,
                               gw_windows_run *own) GW_MUST_CHECK;
gw_status gw_windows_make_examples(gw_finetune_run *run, const gw_tuning *tuning) GW_MUST_CHECK;
bool gw_windows_validates(const gw_finetune_run *run);
// The predictor and the labels of the validation set, which is there.
gw_status gw_windows_prepare_validation(gw_finetune_run *run) GW_MUST_CHECK;
gw_status gw_windows_save(const gw_finetune_run *run) GW_MUST_CHECK;
void gw_windows_free(void *windows);

// windows_labels.c
gw_describe_labels gw_windows_describe;

// windows_baseline.c: the k-mer baseline, where there is to be one; its metrics in a line of metrics, and the model's
// on the same labels; its line of the table; what the best epoch's are beside it.
gw_status gw_windows_make_baseline(gw_finetune_run *run) GW_MUST_CHECK;
gw_status gw_windows_beside_baseline(gw_finetune_run *run, json_t *row, bool better) GW_MUST_CHECK;
bool gw_windows_baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out);
gw_status gw_windows_compare(const gw_finetune_run *run) GW_MUST_CHECK;
void gw_windows_columns(const gw_label_metrics *metrics, int64_t labels, gw_epoch_columns *out);

#endif
