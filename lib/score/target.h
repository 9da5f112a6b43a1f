// SPDX-License-Identifier: MIT
// A prediction as one number: a label of a model for a window of bases, and the number for each single-base change.
// Explanations and designs use it.
//
// z is a logit of the network, averaged over the strands and members:
//   labels              (z - ln w) / T: the log odds of an independent label; w and T as in network/label_predictor.h.
//                       For exclusive labels minus the mean of the others
//   numbers             the number in its unit; under the Poisson loss its logarithm
//   labels of bases     z of the base in the middle of the window minus the mean of the other labels
//   tracks              log2(1 + the sum over the predicted rows)
//   profiles, "counts"  ln(1 + total count)
//   profiles, LABEL     the sum over a strand's rows of p (z - mean z), p the softmax of all rows, as in BPNet's
//                       explanations
#ifndef GW_SCORE_TARGET_H
#define GW_SCORE_TARGET_H

#include "base/status.h"
#include "model/family.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_TARGET_LABEL, GW_TARGET_BASE, GW_TARGET_TRACK, GW_TARGET_COUNTS, GW_TARGET_PROFILE } gw_target_kind;

typedef struct {
    const char *name;     // name of the target; NULL: the only one, or "counts" for profiles
    int64_t batch_tokens; // tokens computed at a time; 0: the default
    int64_t memory;       // bytes for values that changed windows share with the window; 0: all run whole
} gw_target_options;

typedef struct gw_target gw_target;

// For a track model: keeps only the named track, so that no other is computed. Call this before weights are fixed.
gw_status gw_target_choose(gw_model *model, const char *name) GW_MUST_CHECK;

// Borrows the model. An unknown name and a model without labels are errors.
gw_status gw_target_new(gw_model *model, const gw_target_options *options, gw_target **out) GW_MUST_CHECK;
void gw_target_free(gw_target *target); // NULL is fine
const char *gw_target_name(const gw_target *target);
const char *gw_target_unit(const gw_target *target); // the quantity, for titles
gw_target_kind gw_target_kind_of(const gw_target *target);
// Bases of a window; 0: any length that fits the model. Networks of tracks and of bases have a fixed length.
int64_t gw_target_window(const gw_target *target);
bool gw_target_is_fixed(const gw_target *target);        // windows must have this length
bool gw_target_has_long_tokens(const gw_target *target); // tokens of several bases

// A change to another base (A, C, G, T) at a 0-based position of the window.
typedef struct {
    int64_t at;
    char base;
} gw_base_change;

// values[0]: for the window (A, C, G, T, N); values[1 + i]: for the window with only change i. Changed windows are
// computed only where they differ (network/partial.h).
gw_status gw_target_run(gw_target *target, const char *bases, int64_t length, const gw_base_change *changes,
                        int64_t count, double *values) GW_MUST_CHECK;
// The same for every change in [begin, end): value [end - begin][4], in the order A, C, G, T. *first is the value of
// the unchanged window. NaN where the window has N.
gw_status gw_target_saturate(gw_target *target, const char *bases, int64_t length, int64_t begin, int64_t end,
                             double *first, double *value) GW_MUST_CHECK;

#endif
