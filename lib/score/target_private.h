// SPDX-License-Identifier: MIT
// State of a target. Private to lib/score.
#ifndef GW_SCORE_TARGET_PRIVATE_H
#define GW_SCORE_TARGET_PRIVATE_H

#include "network/base_network.h"
#include "network/label_predictor.h"
#include "score/target.h"

enum { GW_MOST_CHANGES = 512 };

struct gw_target {
    gw_model *model;
    gw_target_kind kind;
    int64_t label;
    char *name;
    int64_t window;
    gw_tracks tracks;           // for track models
    gw_label_predictor *labels; // either this or network
    gw_base_network *network;
    int64_t rows, columns; // of a window's output, if the network has rows
    bool long_tokens;
    gw_token_strings strands;
    int64_t like[GW_MOST_CHANGES + 1];
    char *bases;
    int64_t base_capacity;
    float *outputs;
    int64_t output_capacity;
    gw_labelling_window windows[GW_MOST_CHANGES + 1];
};

// The target from a sequence's logits, and from the rows of a window.
double gw_target_of_logits(const gw_target *target, const float *z);
double gw_target_of_rows(const gw_target *target, const float *rows);

#endif
