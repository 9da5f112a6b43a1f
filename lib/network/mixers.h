// SPDX-License-Identifier: MIT
// Training settings of a model's mixer. Each mixer with settings has a struct here; a model uses the struct of its
// mixer.
#ifndef GW_NETWORK_MIXERS_H
#define GW_NETWORK_MIXERS_H

#include "network/mixers/sbm.h"

typedef struct gw_mixer_options {
    gw_sbm_learning sbm;
} gw_mixer_options;

#define GW_MIXER_OPTIONS_DEFAULTS                                                                                      \
    { .sbm = GW_SBM_LEARNING_DEFAULTS }

// Option rows of a gw_mixer_options at `offset` of the command's struct, for these kinds of work.
#define GW_OPTION_ROWS_MIXERS(offset, kinds) GW_OPTION_ROWS_SBM((offset) + offsetof(gw_mixer_options, sbm), kinds)

#endif
