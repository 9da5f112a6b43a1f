// SPDX-License-Identifier: MIT
// Training settings of a model's mixer: the options of all mixers that have some, each in a struct of its own, of
// which the model's is read.
#ifndef GW_NETWORK_MIXERS_H
#define GW_NETWORK_MIXERS_H

#include "network/mixers/sbm.h"

typedef struct gw_mixer_options {
    gw_sbm_learning sbm;
} gw_mixer_options;

#define GW_MIXER_OPTIONS_DEFAULTS                                                                                      \
    { .sbm = GW_SBM_LEARNING_DEFAULTS }

// The rows of a gw_mixer_options at `offset` of the command's struct, and of which kinds of its work they are.
#define GW_OPTION_ROWS_MIXERS(offset, kinds) GW_OPTION_ROWS_SBM((offset) + offsetof(gw_mixer_options, sbm), kinds)

#endif
