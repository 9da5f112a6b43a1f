// SPDX-License-Identifier: MIT
// The training, validation and test rows of a frozen evaluation, of windows or of texts, with their labels.
#ifndef GW_TASK_FROZEN_FROZEN_SET_H
#define GW_TASK_FROZEN_FROZEN_SET_H

#include "label/labelled_set.h"
#include "language/text_set.h"
#include "measure/regression.h"
#include "model/model.h"
#include "task/evaluate.h"

// probe.c: a linear classifier, or a regression, over given features: how much of the labels these tell (Alain and
// Bengio, 2016, linear probes).
//
// Of each label, with x the features less their means over their standard deviations on the training rows,
//   1 / n sum over the training rows of (y softplus(-z) + (1 - y) softplus(z)) + strength / 2 |w|^2,   z = w . x + b
// is least. Strengths are 1e-4, 1e-3 ... 1e2; that of the least loss on the validation rows counts. Of rows that have
// one of several classes p_k is 1 / (1 + exp(-z_k)) over the sum of these.
//
// Of numbers it is 1 / n sum (y - z)^2 / 2 + strength / 2 |w|^2 that is least (measure/regression.h), and the loss is
// (y - z)^2 over the variance of the label's training rows.

enum { GW_PROBE_STRENGTHS = 7, GW_PROBE_METRICS = 5 };

// Labels of rows [rows][labels]: 0, 1, or any number; NaN: missing.
typedef struct {
    int64_t rows, labels;
    float *label;
    bool exclusive; // of each row exactly one is 1
    bool numbers;
} gw_probe_labels;
void gw_probe_labels_free(gw_probe_labels *labels);
// Of classes accuracy, F1, MCC, AUROC, AUPRC; of numbers Pearson's and Spearman's correlation and R^2. Returns how
// many.
int gw_probe_metric_names(bool numbers, const char *const **names);

typedef struct {
    const gw_sparse_rows *rows;
    const gw_probe_labels *labels;
} gw_probe_part;

typedef struct {
    double strength, valid_loss; // the mean over labels
    double of[GW_PROBE_METRICS]; // on the test rows: means over labels that are not constant there; of rows with one
                                 // of several classes accuracy, macro F1 and MCC of the classes; of numbers NaN where
                                 // a label is constant
} gw_probe_result;

// A seed leaves a tenth of the training rows out, drawn row by row: those are the validation rows where `valid` has
// none. The same seed gives the same result, whatever the number of threads.
gw_status gw_probe(const gw_probe_part *train, const gw_probe_part *valid, const gw_probe_part *test, uint64_t seed,
                   gw_probe_result *out) GW_MUST_CHECK;

enum { GW_FROZEN_TRAIN, GW_FROZEN_VALID, GW_FROZEN_TEST, GW_FROZEN_PARTS };

// Of windows, whose sets are the same for all models; without validation windows that part is NULL.
typedef struct {
    gw_genome *genome;
    gw_labelled_set *set[GW_FROZEN_PARTS];
    gw_probe_labels labels[GW_FROZEN_PARTS];
} gw_frozen_windows;
// Training windows are options->frozen, those of their split "train" where they have splits; validation windows
// options->valid, or the split "valid" of the same files; test windows options->in.sets. Free it, also on failure.
gw_status gw_frozen_windows_open(const gw_eval_options *options, gw_frozen_windows *out) GW_MUST_CHECK;
void gw_frozen_windows_close(gw_frozen_windows *windows);

// Of texts, as a model's tokenizer cuts them.
typedef struct {
    gw_label_names names;
    gw_text_set set[GW_FROZEN_PARTS];
    gw_probe_labels labels[GW_FROZEN_PARTS];
} gw_frozen_texts;
gw_status gw_frozen_texts_read(const gw_model *model, const gw_eval_options *options,
                               gw_frozen_texts *out) GW_MUST_CHECK;
void gw_frozen_texts_free(gw_frozen_texts *texts);

// features.c: what a model makes of sequences without being trained on them: for each row of a set the mean of its
// tokens' last hidden states.
//
//   x_i = sum over sequences s of row i, share_s / |T_s| sum over t in T_s of h_t
//
// T_s are the tokens of s that are not special, but for unknown ones, which stand for what the text has. The shares of
// a row's sequences add up to 1: pieces of a long window count by their tokens, strands count alike.

// Features [rows][width of the model] of a set's windows, all of them, as rows of features; of both strands the mean of
// the two. A window longer than the model's positions is read in pieces. Free them with gw_sparse_rows_free(), also on
// failure.
gw_status gw_window_features(gw_model *model, gw_labelled_set *set, bool both_strands,
                             gw_sparse_rows *out) GW_MUST_CHECK;
// The same of texts, or pairs, as they are cut for the model.
gw_status gw_text_features(gw_model *model, const gw_text_set *set, gw_sparse_rows *out) GW_MUST_CHECK;

#endif
