// SPDX-License-Identifier: MIT
// Functions that the reference's encoder and heads share. R rows of the batch, E width, H heads, D head size.
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
    int sequence;                // the sequence of the current queries
    bool *beside;                // [rows] not a token; may have separate layers; NULL: all are tokens
    double *globals;             // [global tokens of the batch][E] their last states, if a batch gives global tokens
} context;

// Zeroed memory, which the caller frees.
double *reference_make(int64_t count);
// x W^T + b for a role, in new memory.
double *reference_linear(const context *c, gw_role role, int layer, int64_t rows, int64_t in, int64_t out,
                         const double *x);
const double *reference_weight(const context *c, gw_role role, int layer, bool bias);
void reference_normalise(const context *c, gw_role role, int layer, int64_t rows, double *x);
// The config's hidden_act, in place.
void reference_activate(gw_activation hidden, int64_t count, double *x);
// x = residual + dropout(x) for rows; the first row is token number `token` of the step.
void reference_dropout(const context *c, uint32_t site, double probability, int64_t rows, int64_t token,
                       const double *residual, double *x);

// Computes parts [begin, end) of the config's stem. Takes ownership of x, rows of one resolution, and returns rows of
// another. `skips` keeps the inputs of poolings; the caller frees them.
double *reference_stem(const context *c, int begin, int end, double *x, double *skips[GW_STEM_LEVELS]);
// First row of a sequence at a resolution; for `sequence` equal to the number of sequences: all rows.
int64_t reference_level_begin(const context *c, int level, int sequence);

// ETC: begin makes `batch` with global tokens before each sequence's own; row[i] becomes the row of token i; position:
// of the tokens. End it with reference_etc_end(). read: attention of a head and sequence of this batch, [count][size]
// queries, keys and values.
context reference_etc_begin(const context *c, const int32_t *position, gw_batch *batch, int32_t *row);
void reference_etc_end(context *c);
void reference_read_etc(const context *c, int64_t count, int layer, int head, double *const part[3], double *out);

// The scaled loss of the model's heads.
double reference_heads(const context *c, reference_scales scales, const double *hidden,
                       const reference_outputs *outputs);

#endif
