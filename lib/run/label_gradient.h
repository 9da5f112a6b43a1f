// SPDX-License-Identifier: MIT
// The gradient of the weighted binary cross entropy over batches of a labelled set.
//
// Step t of an epoch of n examples takes examples [t b, (t + 1) b) of the epoch's shuffled order; the last batch of an
// epoch may be smaller. The loss is the mean over all labels of the batch that are not missing.
#ifndef GW_RUN_LABEL_GRADIENT_H
#define GW_RUN_LABEL_GRADIENT_H

#include "base/json.h"
#include "base/status.h"
#include "label/labelled_set.h"
#include "network/network.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t batch;              // examples a step
    int64_t tokens;             // computed at a time (memory); at least the model's positions are taken
    bool reverse_at_random;     // half of the examples, drawn anew every epoch, are reverse complemented
    int64_t shift;              // bp: windows lie -shift to shift further on, drawn anew every epoch
    bool recompute;             // layers run again in the backward pass: less memory, the same bits
    gw_precision precision;     // of the products with training (gw_network_options)
    gw_network_density density; // of sampled graphs; its sequences are set here
    uint64_t seed;
} gw_label_gradient_options;

typedef struct gw_label_gradient gw_label_gradient;
gw_status gw_label_gradient_new(gw_model *model, gw_labelled_set *set, const gw_label_gradient_options *options,
                                gw_label_gradient **out) GW_MUST_CHECK; // borrows model and set
void gw_label_gradient_free(gw_label_gradient *gradient);
float *gw_label_gradient_values(gw_label_gradient *gradient);       // [parameters.floats]
int64_t gw_label_gradient_steps(const gw_label_gradient *gradient); // of an epoch
// Adds the gradient of step `step`, counted from the start of the run. *chance is what the frequencies of the labels in
// the whole set, as probabilities, lose on the same examples.
gw_status gw_label_gradient_add(gw_label_gradient *gradient, int64_t step, double *loss, double *chance,
                                int64_t *tokens) GW_MUST_CHECK;
// Adds the densities of the last step's sampled graphs (run/density.h).
void gw_label_gradient_density(const gw_label_gradient *gradient, json_t *row);

#endif
