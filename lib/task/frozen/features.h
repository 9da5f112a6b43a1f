// SPDX-License-Identifier: MIT
// What a model makes of sequences without being trained on them: for each row of a set the mean of its tokens' last
// hidden states.
//
//   x_i = sum over sequences s of row i, share_s / |T_s| sum over t in T_s of h_t
//
// T_s are the tokens of s that are not special, but for unknown ones, which stand for what the text has. The shares of
// a row's sequences add up to 1: pieces of a long window count by their tokens, strands count alike.
#ifndef GW_TASK_FROZEN_FEATURES_H
#define GW_TASK_FROZEN_FEATURES_H

#include "data/text_set.h"
#include "label/labelled_set.h"
#include "measure/logistic.h"
#include "model/model.h"

// Features [rows][width of the model] of a set's windows, all of them, as rows of features; of both strands the mean of
// the two. A window longer than the model's positions is read in pieces. Free them with gw_sparse_rows_free(), also on
// failure.
gw_status gw_window_features(gw_model *model, gw_labelled_set *set, bool both_strands,
                             gw_sparse_rows *out) GW_MUST_CHECK;
// The same of texts, or pairs, as they are cut for the model.
gw_status gw_text_features(gw_model *model, const gw_text_set *set, gw_sparse_rows *out) GW_MUST_CHECK;

#endif
