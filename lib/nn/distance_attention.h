// SPDX-License-Identifier: MIT
// Dense attention within the sequences of a stream, with terms of the distance, as a plan entry; and tables of distance
// features.
#ifndef GW_NN_DISTANCE_ATTENTION_H
#define GW_NN_DISTANCE_ATTENTION_H

#include "nn/plan.h"
#include "nn/row_set.h"

// See gw_distance_attention_args. Without a table of features, z_ij = scale q_i . k_j, and sequences may have other
// lengths than in training. A sequence longer than `most` is an error.
typedef struct {
    int heads, groups;
    int64_t most;
    double scale;
    gw_precision precision;
    const float *table; // [2 most - 1][features], on the device; or NULL
    int64_t features;
    gw_weight weight, content_bias, position_bias;
} gw_distance_attention;

// query [rows][heads key size], key [rows][groups key size], value [rows][groups value size], all of one stream
gw_tensor gw_plan_distance_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value,
                                     gw_distance_attention attention);
// Copies `table` from the host to memory of the plan's device.
const float *gw_plan_constant(gw_plan *plan, const float *table, int64_t count);

// Attention of some rows of one sequence, for a run in part. blocks: the rows of all whole query blocks that contain
// one of `rows`; whole blocks give the same bits as a whole run. some: computes these rows. query and out hold them end
// to end; keys and values are the `count` rows of the run.
gw_status gw_distance_blocks(const gw_row_set *rows, int64_t count, gw_row_set *out) GW_MUST_CHECK;
gw_status gw_distance_some(const gw_run *run, const gw_step *step, const gw_row_set *rows, int64_t count,
                           const float *query, float *out) GW_MUST_CHECK;
double gw_distance_step_products(const gw_step *step); // products for one query and one key

// Features of the distances -(most - 1) .. most - 1: columns [first, first + count) of a table with rows of `features`
// numbers. From column `signed_at` on, the same features times the sign of the distance.
typedef struct {
    int64_t most, features, first, count, signed_at;
    float *table; // [2 most - 1][features]
} gw_distance_columns;
// Borzoi and Enformer (Avsec et al., 2021, methods). Feature i is 1 if |distance| < width_i, else 0. Widths are powers
// of (longest + 1)^(1 / count), or of 2 for longest 0, minus one.
void gw_distance_central_mask(const gw_distance_columns *columns, int64_t longest);
// Enformer: e^(-|distance| ln 2 / h_i). The half lives h_i are `count` powers of 2 from 2^3 to 2^(log2 longest).
void gw_distance_exponential(const gw_distance_columns *columns, int64_t longest);
// Enformer: the density of gamma distributions with means longest / count .. longest and standard deviation longest /
// (2 count). Each number has 1e-8 added and is divided by the largest number of its distance, as in enformer-pytorch.
// by_column: by the largest number of its feature, as in training of TensorFlow's published weights.
void gw_distance_gamma(const gw_distance_columns *columns, int64_t longest, bool by_column);

#endif
