// SPDX-License-Identifier: MIT
// What the two families of GPN share: models of single bases that are a stem alone (nn/stem.h), on letters that are
// one-hot rows.
#ifndef GW_MODEL_FAMILIES_GPN_H
#define GW_MODEL_FAMILIES_GPN_H

#include "base/string.h"
#include "model/config_reader.h"
#include "model/transformer.h"

enum { GW_GPN_WINDOW = 512 }; // bases that both were trained on, where a file does not say how long a window may be

// How many layers there are, and the dilation of layer i: min(max, base^(j / double_every)), j = i mod cycle.
typedef struct {
    int64_t count, base, cycle, double_every, max;
} gw_gpn_layers;

// No layers but the stem's, letters without a table, and norms of epsilon 1e-5, whatever "layer_norm_eps" is.
void gw_gpn_set_defaults(gw_config *config);
// Fields of both; *out holds the family's defaults, "num_hidden_layers" may have another key. Refuses what is not
// computed here: tracks beside bases, labels through softplus or another activation than GELU.
gw_status gw_gpn_read(const gw_config_reader *r, const char *count_key, gw_gpn_layers *out) GW_MUST_CHECK;
// Appends "part@D,D...", the dilations of layers first to end - 1, behind "+" where the text has parts before it.
void gw_gpn_put_part(const gw_gpn_layers *layers, int64_t first, int64_t end, const char *part, gw_string *text);
// What both compute: bases in one-hot rows or a table, and a stem.
gw_transformer gw_gpn(void);
bool gw_gpn_computes(const gw_config *config); // whether their own code does
int64_t gw_gpn_place(int64_t window);          // windows have one base more before the allele than behind it
// Makes the stem of the text, which is freed.
gw_status gw_gpn_use_stem(const gw_config_reader *r, gw_string *text) GW_MUST_CHECK;

#endif
