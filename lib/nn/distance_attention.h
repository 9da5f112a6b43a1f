// SPDX-License-Identifier: MIT
// Dense attention of the sequences of a stream to themselves, with terms of the distance, as a plan entry; and tables
// of the features of distances.
#ifndef GW_NN_DISTANCE_ATTENTION_H
#define GW_NN_DISTANCE_ATTENTION_H

#include "nn/plan.h"
#include "nn/row_set.h"

// What gw_distance_attention_args says. Without a table of features z_ij = scale q_i . k_j, and a run may be of other
// lengths than training was; a sequence longer than `most` is refused.
typedef struct {
    int heads, groups;
    int64_t most;
    double scale;
    gw_precision precision;
    const float *table; // [2 most - 1][features], of the device; or NULL
    int64_t features;
    gw_weight weight, content_bias, position_bias;
} gw_distance_attention;

// query [rows][heads key size], key [rows][groups key size] and value [rows][groups value size], all of one stream
gw_tensor gw_plan_distance_attention(gw_plan *plan, gw_tensor query, gw_tensor key, gw_tensor value,
                                     gw_distance_attention attention);
// `table`, which lies on the host, in memory of the plan's device.
const float *gw_plan_constant(gw_plan *plan, const float *table, int64_t count);

// Attention of some rows of one sequence, of a run in part. The rows of whole blocks of queries that have one of these:
// so they get the bits of a whole run. Then these rows: query and out have them end to end, keys and values are the
// run's, `count` rows.
gw_status gw_distance_blocks(const gw_row_set *rows, int64_t count, gw_row_set *out) GW_MUST_CHECK;
gw_status gw_distance_some(const gw_run *run, const gw_step *step, const gw_row_set *rows, int64_t count,
                           const float *query, float *out) GW_MUST_CHECK;
double gw_distance_step_products(const gw_step *step); // of a query and a key

// Features of the distances -(most - 1) .. most - 1: columns [first, first + count) of a table with rows of `features`
// numbers; from column `signed_at` on the same times the sign of the distance.
typedef struct {
    int64_t most, features, first, count, signed_at;
    float *table; // [2 most - 1][features]
} gw_distance_columns;
// Borzoi and Enformer (Avsec et al., 2021, methods). Feature i is 1 where |distance| < width_i, else 0: widths are
// powers of (longest + 1)^(1 / count), or of 2 for longest 0, less one.
void gw_distance_central_mask(const gw_distance_columns *columns, int64_t longest);
// Enformer: e^(-|distance| ln 2 / h_i), half lives h_i being `count` powers of 2 from 2^3 to 2^(log2 longest).
void gw_distance_exponential(const gw_distance_columns *columns, int64_t longest);
// Enformer: the density of gamma distributions whose means are longest / count .. longest and whose standard deviation
// is longest / (2 count). Each number has 1e-8 added, and is divided by the largest of its distance, as
// enformer-pytorch has it; by_column: of its feature, as TensorFlow's own weights were trained with.
void gw_distance_gamma(const gw_distance_columns *columns, int64_t longest, bool by_column);

#endif
