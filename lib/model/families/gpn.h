// SPDX-License-Identifier: MIT
// Functions that the two families of GPN share: models of single bases that are only a stem (nn/stem.h), on one-hot
// letters.
#ifndef GW_MODEL_FAMILIES_GPN_H
#define GW_MODEL_FAMILIES_GPN_H

#include "base/string.h"
#include "model/config_reader.h"
#include "model/transformer.h"

enum { GW_GPN_WINDOW = 512 }; // window in bp of both in training, used if a file does not give one

// The number of layers, and the dilation of layer i: min(max, base^(j / double_every)), j = i mod cycle.
typedef struct {
    int64_t count, base, cycle, double_every, max;
} gw_gpn_layers;

// Sets defaults: only the layers of the stem, letters without a table, and norms with epsilon 1e-5, whatever
// "layer_norm_eps" is.
void gw_gpn_set_defaults(gw_config *config);
// Reads the fields of both; *out holds the family's defaults, and "num_hidden_layers" may have another key. Unsupported
// models are errors: tracks beside bases, labels through softplus, an activation other than GELU.
gw_status gw_gpn_read(const gw_config_reader *r, const char *count_key, gw_gpn_layers *out) GW_MUST_CHECK;
// Appends "part@D,D..." with the dilations of layers first to end - 1, behind "+" if the text is not empty.
void gw_gpn_put_part(const gw_gpn_layers *layers, int64_t first, int64_t end, const char *part, gw_string *text);
// The network of both: one-hot bases or a table, and a stem.
gw_transformer gw_gpn(void);
bool gw_gpn_computes(const gw_config *config); // whether GPN's published code computes it
int64_t gw_gpn_place(int64_t window);          // windows have one base more before the allele than behind it
// Sets the config's stem to the text, and frees the text.
gw_status gw_gpn_use_stem(const gw_config_reader *r, gw_string *text) GW_MUST_CHECK;

#endif
