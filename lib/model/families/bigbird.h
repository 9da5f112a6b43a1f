// SPDX-License-Identifier: MIT
// Functions that BigBird and its encoder-decoders share: attention over blocks, in words of config.json.
#ifndef GW_MODEL_FAMILIES_BIGBIRD_H
#define GW_MODEL_FAMILIES_BIGBIRD_H

#include "model/config_reader.h"
#include "model/family.h"

// Reads the config's pattern from "attention_type" and its numbers.
gw_status gw_bigbird_read_pattern(const gw_config_reader *r) GW_MUST_CHECK;
void gw_bigbird_write(json_t *json, const gw_config *config);
bool gw_bigbird_agrees(const gw_pattern *own, const gw_pattern *named, bool by_type);
bool gw_bigbird_computes(const gw_config *config);

#endif
