// SPDX-License-Identifier: MIT
// One number that a model has for a window of bases, by the name of one of its labels, and what every single-base
// change of the window makes of it. Explanations and designs ask for it.
//
// z is a logit of the network, the mean over the strands and members that the model reads:
//   labels              (z - ln w) / T: the log odds of a label that is there or not by itself, w and T as of
//                       network/label_predictor.h. Of labels that exclude each other the others' mean is taken off
//   numbers             the number in its unit; under the Poisson loss its logarithm
//   labels of bases     z of the base in the middle of the window, the mean of the other labels taken off
//   tracks              log2(1 + the sum over the rows that are predicted)
//   profiles, "counts"  the logarithm of 1 + all counts; LABEL: the sum over a strand's rows of p (z - mean z), p the
//                       softmax of all rows, as BPNet's profiles are explained
#ifndef GW_SCORE_TARGET_H
#define GW_SCORE_TARGET_H

#include "base/status.h"
#include "model/family.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum { GW_TARGET_LABEL, GW_TARGET_BASE, GW_TARGET_TRACK, GW_TARGET_COUNTS, GW_TARGET_PROFILE } gw_target_kind;

typedef struct {
    const char *name;     // of the target; NULL: that of a model which has one alone, of profiles "counts"
    int64_t batch_tokens; // computed at a time; 0: the default
    int64_t memory;       // bytes for what changed windows share with the window; 0: all run whole
} gw_target_options;

typedef struct gw_target gw_target;

// Before weights are fixed: of a model of tracks leaves the named one alone, so that no other is computed.
gw_status gw_target_choose(gw_model *model, const char *name) GW_MUST_CHECK;

// Borrows the model. A name that the model does not have, and a model without labels, are errors.
gw_status gw_target_new(gw_model *model, const gw_target_options *options, gw_target **out) GW_MUST_CHECK;
void gw_target_free(gw_target *target); // NULL is fine
const char *gw_target_name(const gw_target *target);
const char *gw_target_unit(const gw_target *target); // what the number is, for titles
gw_target_kind gw_target_kind_of(const gw_target *target);
// Bases of a window; 0: any number that fits the model. Networks of tracks and of bases have one alone.
int64_t gw_target_window(const gw_target *target);
bool gw_target_is_fixed(const gw_target *target);        // windows are of that length, and of no other
bool gw_target_has_long_tokens(const gw_target *target); // tokens stand for several bases

// One other base, of A, C, G, T, at a place of the window.
typedef struct {
    int64_t at;
    char base;
} gw_base_change;

// values[0]: of the window (A, C, G, T, N); values[1 + i]: of the window with change i alone. Changed windows are
// computed as far as they differ (network/partial.h).
gw_status gw_target_run(gw_target *target, const char *bases, int64_t length, const gw_base_change *changes,
                        int64_t count, double *values) GW_MUST_CHECK;
// The same of every change in [begin, end): value [end - begin][4], by A, C, G, T, with *first where the window has
// that base; NaN where it has N.
gw_status gw_target_saturate(gw_target *target, const char *bases, int64_t length, int64_t begin, int64_t end,
                             double *first, double *value) GW_MUST_CHECK;

#endif
