// SPDX-License-Identifier: MIT
// Positive orthogonal random features (Performer, Choromanski et al., 2021): phi(x)_f = exp(w_f . x - |x|^2 / 2) of x
// the query or key over D^(1/4), so that the mean of phi(q) . phi(k) over draws of normal w is exp(q . k / sqrt(D)).
// The w of each D features are orthogonal, each as long as a normal vector of its own.
#ifndef GW_NETWORK_MIXERS_PERFORMER_H
#define GW_NETWORK_MIXERS_PERFORMER_H

#include "kernels/mirror.h"

#include <stdint.h>

// Projections of all layers, which their heads share, and which outlive the plan.
typedef struct {
    int layers;
    int64_t features, size; // M, D
    uint64_t seed;
    int64_t redraw;     // with training, steps that one draw serves for; 0: all, as without training
    gw_mirror *weights; // [layers] [features][size] over D^(1/4), and
    int64_t *drawn;     // the draw that they are of
} gw_random_features;

// The projections of a draw into weights [features][size], over D^(1/4).
void gw_random_features_draw(const gw_random_features *features, int layer, int64_t draw, float *weights);

#endif
