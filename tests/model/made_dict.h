// SPDX-License-Identifier: MIT
// State dicts of artificial values, which another program can reproduce: value i of the k-th tensor is offset + scale
// sin(0.7 i (1 + 0.013 k) + k).
#ifndef GW_TESTS_MODEL_MADE_DICT_H
#define GW_TESTS_MODEL_MADE_DICT_H

#include "store/checkpoint.h"

enum { MADE_DICT_MOST = 128 };

typedef struct {
    gw_tensor_values of[MADE_DICT_MOST];
    char name[MADE_DICT_MOST][64];
    int count, number; // number: k of the next tensor
} made_dict;

// The shape ends with a 0, or has three sizes.
void made_dict_put(made_dict *dict, const char *layer, const char *field, const int64_t shape[3], double scale,
                   double offset);
// taps 0: a matrix
void made_dict_put_weight(made_dict *dict, const char *layer, int64_t out, int64_t in, int64_t taps);
void made_dict_put_pair(made_dict *dict, const char *layer, int64_t out, int64_t in, int64_t taps); // and its bias
void made_dict_put_norm(made_dict *dict, const char *layer, int64_t width, bool statistics);
// Writes the file and frees the values.
void made_dict_save(made_dict *dict, const char *path);

#endif
