// SPDX-License-Identifier: MIT
// The words of config.json, for its reader and its writer.
#ifndef GW_MODEL_CONFIG_NAMES_H
#define GW_MODEL_CONFIG_NAMES_H

#include "model/config.h"

// Indexed by gw_problem, gw_activation.
extern const char *const gw_problem_names[3];                    // "multi_label_classification" ...
extern const char *const gw_pooling_names[GW_SEQUENCE_POOLINGS]; // by gw_sequence_pooling
extern const char *const gw_activation_names[6];                 // "gelu_new" ...

// transformers' own defaults of a family, with what "godwit" says where nothing is said.
gw_config gw_config_defaults(gw_family family);
// Whether the family has a class with that head: only those with a decoder generate, and only they do nothing else.
bool gw_family_has_head(gw_family family, gw_head head);

// What labels are where "problem_type" is absent. transformers then decides in training: one label is a number, labels
// that are whole numbers are classes.
gw_problem gw_problem_by_labels(int64_t labels);

#endif
