// SPDX-License-Identifier: MIT
// Fine-tuning of a model that writes texts about texts, on pairs of sources and targets (teacher forcing).
#ifndef GW_RUN_SUMMARIZE_H
#define GW_RUN_SUMMARIZE_H

#include "network/network.h"
#include "run/text_pairs.h"
#include "run/tuning.h"

typedef struct {
    gw_tuning tuning; // of a model with a decoder, or of an encoder that gets one; sets are files of pairs
    gw_text_pairs_options pairs;
    double smoothing;           // of labels
    gw_network_density density; // of sampled graphs; its sequences are set here
} gw_summarize_options;

// With validation the weights of the epoch with the lowest loss (without smoothing) are kept. The folder's
// generation_config.json says what begins and ends a target, and how long the longest of training may be. An existing
// model in `output` is an error, or left as it is where `resume` is set.
gw_status gw_summarize(const gw_summarize_options *options) GW_MUST_CHECK;

#endif
