// SPDX-License-Identifier: MIT
// Sequences that a model has a wanted number for, by single-base edits.
//
// Each step knows the number with every possible edit, from one saturation (score/target.h):
//   greedy  the edit that improves most; equal ones by base, then by place. It ends where none improves, and behind
//           an edit that improves by no more than `tolerance`
//   beam    the best `beam` sequences among those of the step before and all their edits
//   anneal  an edit drawn with probability ~ exp(gain / T), T falling from `temperature` to its hundredth; the best
//           sequence that was met counts
// Constraints count the places at which a sequence breaks them. An edit never makes them more; a start that breaks some
// is mended first.
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
    double value; // of GW_DESIGN_VALUE: (number - value)^2 is made small
    gw_design_search search;
    int64_t edits; // at most, away from the start
    double tolerance;
    int64_t beam;
    int64_t steps;      // of annealing
    double temperature; // 0: the mean size of what the first edits change
    uint64_t seed;
    const bool *kept;      // [length] bases that stay, or NULL
    gw_string_list forbid; // sites by IUPAC's letters, on both strands
    int64_t homopolymer;   // bases of one letter in a row, at most; 0: any
    double gc[2];          // share of G and C, from and to; 0 and 0: any
} gw_design_options;

typedef struct {
    gw_base_change change;
    double value; // behind it
} gw_design_step;

typedef struct {
    char *bases; // [length], zero-terminated
    double first, value;
    gw_design_step *steps; // as they were taken; of annealing the differences from the start, without values
    int64_t step_count;
    int64_t saturations;
} gw_design;

// bases: A, C, G, T. Constraints that cannot be met within the edits are an error. Free with gw_design_free(), also on
// failure.
gw_status gw_design_run(gw_target *target, const char *bases, int64_t length, const gw_design_options *options,
                        gw_design *out) GW_MUST_CHECK;
void gw_design_free(gw_design *design);
// Refuses sites that are no IUPAC letters, and a GC range that is none.
gw_status gw_design_check(const gw_design_options *options) GW_MUST_CHECK;

#endif
