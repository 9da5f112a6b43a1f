// SPDX-License-Identifier: MIT
// When rows of sequences are worth computing apart from others (network/changed.h, network/needed.h).
#ifndef GW_NETWORK_SHARING_H
#define GW_NETWORK_SHARING_H

#include "model/config.h"

// Of a run's products, from which on a whole one is as good.
#define GW_MOST_SHARE 0.75

// Whether it may be, of a model: a change does not reach all rows of the next layer but one, and the least that the
// values of so many rows take is within `memory` bytes.
static inline bool gw_config_may_share(const gw_config *config, int64_t rows, int64_t memory) {
    const gw_pattern *pattern = &config->pattern;
    const int64_t floats = config->layers * (8 * config->width + config->feed_forward) +
                           config->stem.count * 2 * (config->stem.count > 0 ? config->stem.letters : 0);
    return config->mixer == GW_MIXER_ATTENTION && !config->token_dropout && !pattern->full && pattern->global == 0 &&
           pattern->every == 0 && floats * rows * (int64_t)sizeof(float) <= memory;
}

#endif
