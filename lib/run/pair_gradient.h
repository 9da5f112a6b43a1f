// SPDX-License-Identifier: MIT
// The gradient of teacher forcing: each token of a target is predicted from its source and the tokens before it.
// loss = mean over the tokens of a batch, end tokens counted, of the cross entropy; with smoothing s of
//   sum_v t_v (ln t_v - ln p_v),  t = 1 - s for the token, s / (V - 1) for each other (Szegedy et al., 2016, section 7)
// which is 0 where p = t, as google-research/bigbird reports it.
#ifndef GW_RUN_PAIR_GRADIENT_H
#define GW_RUN_PAIR_GRADIENT_H

#include "base/json.h"
#include "network/network.h"
#include "run/text_pairs.h"

typedef struct {
    int64_t batch;  // pairs
    int64_t tokens; // of sources and of targets computed at a time, about
    bool recompute;
    gw_precision precision;
    double smoothing;
    gw_network_density density; // of sampled graphs; its sequences are set here
    uint64_t seed;              // of the order and of dropout
} gw_pair_gradient_options;

typedef struct gw_pair_gradient gw_pair_gradient;
// Model and pairs outlive it.
gw_status gw_pair_gradient_new(gw_model *model, const gw_text_pairs *pairs, const gw_pair_gradient_options *options,
                               gw_pair_gradient **out) GW_MUST_CHECK;
void gw_pair_gradient_free(gw_pair_gradient *gradient);
float *gw_pair_gradient_values(gw_pair_gradient *gradient); // gw_network_gradient()
int64_t gw_pair_gradient_steps(const gw_pair_gradient *gradient);
// Adds the gradient of step's mean loss; tokens: of sources and targets.
gw_status gw_pair_gradient_add(gw_pair_gradient *gradient, int64_t step, double *loss, int64_t *tokens) GW_MUST_CHECK;
// Adds the densities of the last step's sampled graphs (run/density.h).
void gw_pair_gradient_density(const gw_pair_gradient *gradient, json_t *row);

// What a model makes of pairs without dropout and smoothing: over tokens of targets.
typedef struct {
    double loss;    // mean of -ln p
    double correct; // share of tokens that are the likeliest where those before them are known
} gw_pair_figures;
gw_status gw_pairs_rate(gw_model *model, const gw_text_pairs *pairs, int64_t tokens,
                        gw_pair_figures *out) GW_MUST_CHECK;

#endif
