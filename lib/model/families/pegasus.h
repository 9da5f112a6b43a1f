// SPDX-License-Identifier: MIT
// Functions that families with a BART-like encoder and decoder share: words of config.json and names of tensors.
#ifndef GW_MODEL_FAMILIES_PEGASUS_H
#define GW_MODEL_FAMILIES_PEGASUS_H

#include "model/config_reader.h"
#include "model/family.h"

extern const gw_config_field gw_encoder_decoder_fields[];

void gw_encoder_decoder_defaults(gw_config *config);
gw_status gw_encoder_decoder_read(const gw_config_reader *r) GW_MUST_CHECK;
void gw_encoder_decoder_write(json_t *json, const gw_config *config);

// Names of an encoder and a decoder with these names of attention tensors.
gw_transformer gw_encoder_decoder(const gw_attention_names *attention);

#endif
