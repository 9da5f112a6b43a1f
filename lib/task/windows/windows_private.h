// SPDX-License-Identifier: MIT
// A run on labelled windows, and its parts. Private to lib/task/windows.
#ifndef GW_TASK_WINDOWS_WINDOWS_PRIVATE_H
#define GW_TASK_WINDOWS_WINDOWS_PRIVATE_H

#include "data/shuffle.h"
#include "label/labelled_set.h"
#include "measure/sparse_rows.h"
#include "network/examples.h"
#include "network/label_predictor.h"
#include "task/classifier.h"
#include "task/windows/window_metrics.h"

#include <stdbool.h>

// baselines.c: a logistic regression on k-mer frequencies of a labelled set.

typedef struct {
    int k;                    // 3 to 6
    float *values;            // [valid examples][labels], NaN for labels without a regression. free() it
    gw_label_metrics metrics; // of the validation set
    double *share;            // [valid examples] shares in the mean AUROC (gw_label_shares()). free() it
} gw_kmer_baseline;

// Adds the windows of a set, in order.
gw_status gw_kmer_rows_add_set(gw_kmer_rows *rows, gw_labelled_set *set) GW_MUST_CHECK;

// Data of a run.
typedef struct {
    gw_genome *genome;
    gw_labelled_set *train, *valid; // valid may be NULL
    gw_label_predictor *predictor;  // of the model in training, for validation
    float *values, *probabilities;  // [valid examples][labels]
    gw_metric *metrics;             // [labels]
    gw_kmer_baseline baseline;      // k 0: none
} gw_windows_run;

// windows.c: opens the sets with options `read`, except genome and splits; makes training examples; says whether there
// is a validation set; writes the genome beside the model; and frees the data of a run.
gw_status gw_windows_open_sets(const gw_finetune_options *options, gw_labelled_options read,
                               gw_windows_run *own) GW_MUST_CHECK;
gw_status gw_windows_make_examples(gw_finetune_run *run, const gw_tuning *tuning) GW_MUST_CHECK;
bool gw_windows_validates(const gw_finetune_run *run);
// Makes the predictor, and reads the labels of the validation set, which must exist.
gw_status gw_windows_prepare_validation(gw_finetune_run *run) GW_MUST_CHECK;
gw_status gw_windows_save(const gw_finetune_run *run) GW_MUST_CHECK;
void gw_windows_free(void *windows);

gw_describe_labels gw_windows_describe;

// baselines.c: makes the k-mer baseline if requested; adds its metrics, and the model's on the same labels, to a row of
// metrics; makes its line of the table; and compares the best epoch with it.
gw_status gw_windows_make_baseline(gw_finetune_run *run) GW_MUST_CHECK;
gw_status gw_windows_beside_baseline(gw_finetune_run *run, json_t *row, bool better) GW_MUST_CHECK;
bool gw_windows_baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out);
gw_status gw_windows_compare(const gw_finetune_run *run) GW_MUST_CHECK;
void gw_windows_columns(const gw_label_metrics *metrics, int64_t labels, gw_epoch_columns *out);

// Windows of a labelled set as training examples.

typedef struct {
    gw_epochs order;
    int64_t tokens;         // of a batch, raised to the model's positions if lower
    bool reverse_at_random; // half of the examples, drawn again every epoch, are reverse complemented
    int64_t shift;          // bp: windows are shifted by -shift to shift, drawn again every epoch
} gw_label_examples_options;

// Borrows model and set.
gw_status gw_label_examples_open(const gw_model *model, gw_labelled_set *set, const gw_label_examples_options *options,
                                 gw_examples *out) GW_MUST_CHECK;
// The loss of predicting the label frequencies of the whole set, on the examples of a step.
double gw_label_examples_chance(const gw_examples *examples, int64_t step);

#endif
