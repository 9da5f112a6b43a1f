// SPDX-License-Identifier: MIT
// What config.json says of attention: positions, where norms stand, and which blocks are read.
#ifndef GW_MODEL_CONFIG_ATTENTION_H
#define GW_MODEL_CONFIG_ATTENTION_H

#include "model/config_reader.h"

// Positions, norms and the pattern, of a config whose family and sizes are read.
gw_status gw_config_read_attention(const gw_config_reader *r) GW_MUST_CHECK;

#endif
