// SPDX-License-Identifier: MIT
// A run on labelled windows and its parts. Private to the kinds of lib/task/windows.
#ifndef GW_TASK_WINDOWS_WINDOWS_PRIVATE_H
#define GW_TASK_WINDOWS_WINDOWS_PRIVATE_H

#include "data/shuffle.h"
#include "label/labelled_set.h"
#include "measure/kmer_rows.h"
#include "network/examples.h"
#include "network/label_predictor.h"
#include "task/classifier.h"
#include "task/windows/window_metrics.h"

#include <stdbool.h>

// kmer_baseline.c: what a logistic regression on k-mer frequencies makes of a labelled set: the least that a model must
// do better than.

typedef struct {
    gw_labelled_set *train, *valid;
    const gw_config *config; // labels and weights of positives
    const float *values;     // [valid examples][labels]
    bool both_strands;       // a k-mer and its reverse complement are one
    gw_criterion by;         // k and the strength of the penalty are chosen by
} gw_kmer_baseline_options;

typedef struct {
    int k;                    // 3 to 6
    double c;                 // 1, 0.03 or 0.001 (gw_logistic_problem)
    int64_t labels;           // that were rated
    float *values;            // [valid examples][labels], NaN of labels that were not. free() it
    gw_label_metrics metrics; // of the probabilities for the validation set
    double *share;            // [valid examples] of their mean AUROC (gw_label_shares()). free() it
} gw_kmer_baseline;

// Adds the windows of a set, in order.
gw_status gw_kmer_rows_add_set(gw_kmer_rows *rows, gw_labelled_set *set) GW_MUST_CHECK;

// Labels that take about a minute of a core at most: one for each 15 million bases of the two sets' windows, at least
// one, at most all. Those rated are evenly spread.
int64_t gw_kmer_baseline_labels(const gw_labelled_set *train, const gw_labelled_set *valid);
// The same input gives the same result, whatever the number of threads.
gw_status gw_kmer_baseline_run(const gw_kmer_baseline_options *options, gw_kmer_baseline *out) GW_MUST_CHECK;

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

// ridge_baseline.c: what a ridge regression on frequencies of 5-mers makes of measured numbers: the least that a model
// must do better than.

enum { GW_RIDGE_KMER = 5 };

typedef struct {
    gw_labelled_set *train, *valid;
    const gw_config *config;
    const float *measured; // [valid examples][labels]
    bool both_strands;     // a k-mer and its reverse complement are one
} gw_ridge_baseline_options;

typedef struct {
    bool made;
    float *predicted; // [valid examples][labels]. free() it
    gw_number_metrics metrics;
} gw_ridge_baseline;

// Whether it takes seconds: bases times columns are 15 million at most.
bool gw_ridge_baseline_is_cheap(const gw_labelled_set *train, const gw_labelled_set *valid);
// Of each column the strength, 1e-5 to 1 by tens, is the one with the largest Pearson correlation on the validation
// set.
gw_status gw_ridge_baseline_run(const gw_ridge_baseline_options *options, gw_ridge_baseline *out) GW_MUST_CHECK;

// target_groups.c: targets of a profile set that belong together, such as transcription factors and histone marks.

// Zero-initialise; free with gw_target_groups_free().
typedef struct {
    char **names; // [count]
    int64_t count, capacity;
    int64_t *group; // [targets of the set]; -1: none
} gw_target_groups;

// "deepsea": the 919 targets of DeepSEA in their order, 125 DHS (DNase), 690 TF, 104 HM (histone marks); they are known
// by their order alone, since names recur. Otherwise a file, two columns joined by a tab: target, group; a line for
// each target in the set's order, or, where no name recurs, of any of them in any order. A target that the set lacks is
// an error.
gw_status gw_target_groups_read(const char *what, const gw_labelled_set *set, gw_target_groups *out) GW_MUST_CHECK;
void gw_target_groups_free(gw_target_groups *groups);

// Windows of a labelled set as examples of training.

typedef struct {
    gw_epochs order;
    int64_t tokens;         // of a batch; at least the model's positions are taken
    bool reverse_at_random; // half of the examples, drawn anew every epoch, are reverse complemented
    int64_t shift;          // bp: windows lie -shift to shift further on, drawn anew every epoch
} gw_label_examples_options;

// Borrows model and set.
gw_status gw_label_examples_open(const gw_model *model, gw_labelled_set *set, const gw_label_examples_options *options,
                                 gw_examples *out) GW_MUST_CHECK;
// What the frequencies of the labels in the whole set, as probabilities, lose on a step's examples.
double gw_label_examples_chance(const gw_examples *examples, int64_t step);

#endif
