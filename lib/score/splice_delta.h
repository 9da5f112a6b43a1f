// SPDX-License-Identifier: MIT
// Delta scores of an allele (Jaganathan et al., 2019): how much its probabilities of acceptors and donors differ from
// the reference's within a distance D of POS.
//
// ALT's rows are first laid against REF's. Of r REF and a ALT bases, which begin at POS, the first min(r, a) rows stand
// against each other. If a > r the last a - r + 1 rows of the allele become their maximum, class by class, at REF's
// last one; if r > a, r - a rows of zeros follow. For insertions and deletions at one base that is what SpliceAI and
// OpenSpliceAI do.
#ifndef GW_SCORE_SPLICE_DELTA_H
#define GW_SCORE_SPLICE_DELTA_H

#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

// Classes of splicing, and what an allele has in a gene: gains and losses of acceptors and donors (DS_AG, DS_AL, DS_DG,
// DS_DL), where each is, in bases from POS (DP_...), and the probabilities that REF and ALT have there. Other models
// have as much of each of their classes but the first, none.
enum { GW_SPLICE_NONE, GW_SPLICE_ACCEPTOR, GW_SPLICE_DONOR, GW_SPLICE_CLASSES };
enum { GW_SPLICE_GAINS_AND_LOSSES = 4, GW_SPLICE_VALUES = 4 * GW_SPLICE_GAINS_AND_LOSSES };
// Classes that scores are of: the model's, or none and the one that its family makes of them (gw_base_answer).
int64_t gw_scored_classes(const gw_config *config);
static inline int64_t gw_gains_and_losses(int64_t classes) {
    return 2 * (classes - 1);
}
static inline int64_t gw_delta_values(int64_t classes) {
    return 4 * gw_gains_and_losses(classes);
}

// Rows of REF and ALT from D bases before POS.
typedef struct {
    int64_t distance, ref_length, alt_length, classes; // of the model
    const float *ref, *alt;                            // [rows][classes], [rows - ref_length + alt_length][classes]
    int64_t rows;
    const gw_config *config; // for gw_splice_answer() alone
} gw_splice_rows;

// ALT's rows laid against REF's: [rows][classes].
void gw_splice_align(const gw_splice_rows *of, float *aligned);

// values[gw_delta_values()] from aligned rows: DS_AG is the largest ALT - REF of acceptors, AL of REF - ALT, DG and DL
// the same of donors, then of any further class; the place is the first such row's.
void gw_splice_delta(const gw_splice_rows *of, const float *aligned, float *values);

// The same of a model whose family says how: `boundary` [rows] masks (gw_base_rows).
void gw_splice_answer(const gw_splice_rows *of, const float *aligned, const bool *boundary, float *values);

// Makes gains at the nearest annotated boundary of an exon, `boundary` bases from POS, and losses anywhere else 0, of
// acceptors and donors. Probabilities stay.
void gw_splice_mask(int64_t boundary, float values[GW_SPLICE_VALUES]);

#endif
