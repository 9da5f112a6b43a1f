// SPDX-License-Identifier: MIT
// The gradient of a head's loss over batches of texts.
//
// Step t of an epoch of n rows takes rows [t b, (t + 1) b) of the epoch's shuffled order; the last batch of an epoch
// may be smaller. The loss is the mean over all labels of the batch that are not missing.
#ifndef GW_RUN_TEXT_GRADIENT_H
#define GW_RUN_TEXT_GRADIENT_H

#include "base/json.h"
#include "run/text_batch.h"

typedef struct {
    int64_t batch;              // rows a step
    int64_t tokens;             // computed at a time (memory); at least those of the longest row are taken
    bool recompute;             // layers run again in the backward pass: less memory, the same bits
    gw_precision precision;     // of the products with training (gw_network_options)
    gw_network_density density; // of sampled graphs; its sequences are set here
    uint64_t seed;
} gw_text_gradient_options;

typedef struct gw_text_gradient gw_text_gradient;
gw_status gw_text_gradient_new(gw_model *model, const gw_text_set *set, const gw_text_gradient_options *options,
                               gw_text_gradient **out) GW_MUST_CHECK; // borrows model and set
void gw_text_gradient_free(gw_text_gradient *gradient);
float *gw_text_gradient_values(gw_text_gradient *gradient);       // [parameters.floats]
int64_t gw_text_gradient_steps(const gw_text_gradient *gradient); // of an epoch
// Adds the gradient of step `step`, counted from the start of the run.
gw_status gw_text_gradient_add(gw_text_gradient *gradient, int64_t step, double *loss, int64_t *tokens) GW_MUST_CHECK;
// Adds the densities of the last step's sampled graphs (run/density.h).
void gw_text_gradient_density(const gw_text_gradient *gradient, json_t *row);

#endif
