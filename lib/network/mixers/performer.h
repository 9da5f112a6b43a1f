// SPDX-License-Identifier: MIT
// Positive orthogonal random features (Performer, Choromanski et al., 2021). For a query or key x, divided by D^(1/4):
// phi(x)_f = exp(w_f . x - |x|^2 / 2). Over draws of normal w, the mean of phi(q) . phi(k) is exp(q . k / sqrt(D)). The
// w of D features are orthogonal. The length of each is that of an independent normal vector.
#ifndef GW_NETWORK_MIXERS_PERFORMER_H
#define GW_NETWORK_MIXERS_PERFORMER_H

#include "kernels/mirror.h"

#include <stdint.h>

// Projections of all layers. The heads of a layer share them. They outlive the plan.
typedef struct {
    int layers;
    int64_t features, size; // M, D
    uint64_t seed;
    int64_t redraw;     // with training: steps for which one draw is used; 0: all, as without training
    gw_mirror *weights; // [layers] projections [features][size], divided by D^(1/4)
    int64_t *drawn;     // [layers] number of the current draw
} gw_random_features;

// Writes the projections of a draw to weights [features][size], divided by D^(1/4).
void gw_random_features_draw(const gw_random_features *features, int layer, int64_t draw, float *weights);

#endif
