// SPDX-License-Identifier: MIT
// Classes of bases as a kind of tasks, and the options that it alone takes.
#ifndef GW_TASK_BASES_BASES_H
#define GW_TASK_BASES_BASES_H

#include "base/option.h"
#include "data/shuffle.h"
#include "model/model.h"
#include "network/examples.h"
#include "task/bases/base_set.h"
#include "task/finetune.h"

// The rows of a gw_finetune_options at `offset` of a command's struct.
#define GW_OPTION_ROWS_BASES(offset)                                                                                   \
    {GW_OPTION_GROUP, .help = "Labels of bases"},                                                                      \
        {GW_OPTION_INT,                                                                                                \
         0,                                                                                                            \
         "context",                                                                                                    \
         "BP",                                                                                                         \
         (offset) + offsetof(gw_finetune_options, context),                                                            \
         "bases on either side of a window that are read and not labelled (-1: what the convolutions reach; with "     \
         "attention also an eighth of the window)",                                                                    \
         .min = -1,                                                                                                    \
         .max = 1e6,                                                                                                   \
         .of = GW_OF_BASES},                                                                                           \
        {GW_OPTION_STRING,                                                                                             \
         0,                                                                                                            \
         "class-weights",                                                                                              \
         "WHICH",                                                                                                      \
         (offset) + offsetof(gw_finetune_options, class_weights),                                                      \
         "what bases weigh in the loss by their class: balanced (one over its frequency), root (over the root of "     \
         "that), or a number for each, none first, between commas (1)",                                                \
         .of = GW_OF_BASES},                                                                                           \
    {                                                                                                                  \
        GW_OPTION_REAL, 0, "focal", "G", (offset) + offsetof(gw_finetune_options, focus),                              \
            "focal loss: that of a base weighs (1 - p)^G, p the probability of its class (0: none)", .max = 10,        \
                                                                                                     .of = GW_OF_BASES \
    }

// How frequent classes of bases are, and what they weigh in the training loss.
//
// A class of frequency f weighs, by "balanced", 1 / f, and by "root" 1 / sqrt f, times what makes the mean weight of a
// base 1; where classes overlap, its bases weigh (1 - f) / f, or the root of that, within 1/100 and 100, and all others
// 1. Rare classes then count for more, and probabilities stay what they are, since the logarithm of the weight is taken
// off the logit (network/base_network.h).

// *frequency [classes], of the set's bases; free() it, also on failure.
gw_status gw_base_frequencies(const gw_base_set *set, int64_t classes, double **frequency) GW_MUST_CHECK;

// Sets config->positive_weights: "balanced", "root", or a number for each class, none first, between commas.
gw_status gw_check_class_weights(const char *weights) GW_MUST_CHECK;
gw_status gw_weigh_classes(const char *weights, const double *frequency, gw_config *config) GW_MUST_CHECK;

// A fresh head begins by knowing how frequent each class is, so that rare ones do not begin with a large loss (Lin et
// al., 2017, section 4.1): its biases, which are 0, become those logits. One that goes on stays as it is.
void gw_begin_with_frequencies(const gw_model *model, const double *frequency);

// The mean training loss of a model that knows nothing else.
double gw_base_chance(const gw_config *config, const double *frequency, double focus);

// Windows of labelled bases as examples of training: a flank on either side is read and not labelled.

typedef struct {
    gw_epochs order;
    int64_t tokens; // of a batch; at least those of the longest window are taken
    int64_t flank;  // bp
    int64_t shift;  // bp: windows lie up to as far from where the set has them, drawn anew every epoch
} gw_base_examples_options;

// Borrows model and set.
gw_status gw_base_examples_open(const gw_model *model, const gw_base_set *set, const gw_base_examples_options *options,
                                gw_examples *out) GW_MUST_CHECK;

#endif
