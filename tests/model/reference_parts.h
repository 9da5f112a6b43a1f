// SPDX-License-Identifier: MIT
// What the reference's encoder and heads share. R rows of the batch, E width, H heads, D head size.
#ifndef GW_TESTS_MODEL_REFERENCE_PARTS_H
#define GW_TESTS_MODEL_REFERENCE_PARTS_H

#include "reference_model.h"

typedef struct {
    const gw_model *model;
    const gw_config *config;
    const double *weight;
    const gw_batch *batch;
    uint64_t seed;
    int64_t rows;
    int32_t *segment, *question; // [rows], [sequences]
    int32_t *position;           // [rows]; NULL: counted
    int sequence;                // whose queries read
    bool *beside;                // [rows] no token, which may have layers of its own; NULL: all are
    double *globals;             // [global tokens of the batch][E] their last states, where a batch gives them
} context;

// Zeroed memory of the caller.
double *reference_make(int64_t count);
// x W^T + b of a role, as new memory.
double *reference_linear(const context *c, gw_role role, int layer, int64_t rows, int64_t in, int64_t out,
                         const double *x);
const double *reference_weight(const context *c, gw_role role, int layer, bool bias);
void reference_normalise(const context *c, gw_role role, int layer, int64_t rows, double *x);
// The config's hidden_act, in place.
void reference_activate(gw_activation hidden, int64_t count, double *x);
// x = residual + dropout(x) for rows whose first token is number `token` of the step.
void reference_dropout(const context *c, uint32_t site, double probability, int64_t rows, int64_t token,
                       const double *residual, double *x);

// Parts [begin, end) of the config's stem: takes over x, rows of one resolution, and returns those of another. What
// poolings took is kept in `skips`, to be freed by the caller.
double *reference_stem(const context *c, int begin, int end, double *x, double *skips[GW_STEM_LEVELS]);
// First row of a sequence at a resolution; of as many sequences as there are: all rows.
int64_t reference_level_begin(const context *c, int level, int sequence);

// ETC: the batch with global tokens before each sequence's own, into `batch`, where row[i] becomes the row of token i;
// position: of the tokens. To be ended. And what a head of a sequence of that batch reads of [count][size] queries,
// keys and values.
context reference_etc_begin(const context *c, const int32_t *position, gw_batch *batch, int32_t *row);
void reference_etc_end(context *c);
void reference_read_etc(const context *c, int64_t count, int layer, int head, double *const part[3], double *out);

// The scaled loss of the model's heads.
double reference_heads(const context *c, reference_scales scales, const double *hidden,
                       const reference_outputs *outputs);

#endif
