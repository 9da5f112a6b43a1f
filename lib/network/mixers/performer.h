// SPDX-License-Identifier: MIT
// Positive orthogonal random features (Performer, Choromanski et al., 2021): phi(x)_f = exp(w_f . x - |x|^2 / 2) of x
// the query or key over D^(1/4), so that the mean of phi(q) . phi(k) over draws of normal w is exp(q . k / sqrt(D)).
// The w of each D features are orthogonal, each as long as a normal vector of its own.
#ifndef GW_NN_PERFORMER_H
#define GW_NN_PERFORMER_H

#include "kernels/mirror.h"
#include "nn/plan.h"

// Projections of all layers, which their heads share, and which outlive the plan.
typedef struct {
    int layers;
    int64_t features, size; // M, D
    uint64_t seed;
    int64_t redraw;     // with training, steps that one draw serves for; 0: all, as without training
    gw_mirror *weights; // [layers] [features][size] over D^(1/4), and
    int64_t *drawn;     // the draw that they are of
} gw_random_features;

gw_status gw_random_features_make(gw_random_features *features, const gw_backend *kernels) GW_MUST_CHECK;
void gw_random_features_free(gw_random_features *features);
// The projections of a draw into weights [features][size], over D^(1/4).
void gw_random_features_draw(const gw_random_features *features, int layer, int64_t draw, float *weights);

// Features of queries and keys [rows][heads D] as linear attention takes them, [rows][heads M]. Those of keys have one
// factor for all of a sequence, those of queries one a row.
void gw_plan_random_features(gw_plan *plan, const gw_random_features *features, int layer, gw_tensor *query,
                             gw_tensor *key);

#endif
