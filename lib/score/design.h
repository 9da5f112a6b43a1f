// SPDX-License-Identifier: MIT
// Design of sequences: single-base edits towards a wanted prediction of a model.
//
// Each step computes the prediction of every possible edit by saturation (score/target.h):
//   greedy  takes the edit that improves most; of equal ones by base, then by position. Ends if no edit improves, and
//           after an edit that improves by at most `tolerance`
//   beam    keeps the best `beam` sequences among those of the last step and all their edits
//   anneal  draws an edit with probability ~ exp(gain / T); T falls from `temperature` to a hundredth of it. The result
//           is the best sequence seen
// Constraints count the positions at which a sequence violates them. An edit never increases this count. A start with
// violations is repaired first.
#ifndef GW_SCORE_DESIGN_H
#define GW_SCORE_DESIGN_H

#include "base/string.h"
#include "score/target.h"
#include "seq/genome/regions.h"

typedef enum { GW_DESIGN_GREEDY, GW_DESIGN_BEAM, GW_DESIGN_ANNEAL } gw_design_search;
#define GW_DESIGN_SEARCHES "greedy|beam|anneal"

typedef enum { GW_DESIGN_MAX, GW_DESIGN_MIN, GW_DESIGN_VALUE } gw_design_goal;

typedef struct {
    gw_design_goal goal;
    double value; // for GW_DESIGN_VALUE: minimises (number - value)^2
    gw_design_search search;
    int64_t edits; // most differences from the start
    double tolerance;
    int64_t beam;
    int64_t steps;      // steps of annealing
    double temperature; // 0: mean absolute change of the first edits
    uint64_t seed;
    const bool *kept;      // [length] bases that must not change, or NULL
    gw_string_list forbid; // forbidden sites in IUPAC's letters, on both strands
    int64_t homopolymer;   // most equal bases in a row; 0: no limit
    double gc[2];          // lowest and highest share of G and C; 0 and 0: no limit
} gw_design_options;

typedef struct {
    gw_base_change change;
    double value; // after the change
} gw_design_step;

typedef struct {
    char *bases; // [length], zero-terminated
    double first, value;
    gw_design_step *steps; // in order; for annealing the differences from the start, without values
    int64_t step_count;
    int64_t saturations;
} gw_design;

// bases: A, C, G, T. Constraints that the edits cannot meet are an error. Free `out` with gw_design_free(), also after
// a failure.
gw_status gw_design_run(gw_target *target, const char *bases, int64_t length, const gw_design_options *options,
                        gw_design *out) GW_MUST_CHECK;
void gw_design_free(gw_design *design);
// Fails if a site has letters outside IUPAC's code, or if the GC range is invalid.
gw_status gw_design_check(const gw_design_options *options) GW_MUST_CHECK;

#endif
