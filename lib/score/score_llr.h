// SPDX-License-Identifier: MIT
// Log-likelihood ratios of pretrained models, in bits.
//
// The REF and ALT windows become token strings; their common token prefix and suffix are stripped. With t_1 .. t_n
// left,
//   S = sum over i of log2 p(t_i | flanks, t_1 .. t_(i-1); t_i .. t_n masked) + 2 bits for each base they hold
// and the score is S(ALT) - S(REF), the mean over both strands.
//
// With `share` single-base changes that lie near each other are read from one window, around their middle, in which the
// bases of all of them are masked: an approximation, for models of single bases alone, which depends on what else is
// scored in the same run. A change without such a neighbour is scored as ever.
#ifndef GW_SCORE_SCORE_LLR_H
#define GW_SCORE_SCORE_LLR_H

#include "model/model.h"
#include "score/allele.h"

typedef struct gw_llr_scorer gw_llr_scorer;

typedef struct {
    int64_t window;       // bp
    int64_t batch_tokens; // most tokens computed at a time (0: 8192; at least the positions)
    int64_t share;        // sites of single bases at least so many bp apart share a window; 0: none do
    // Called after each batch with how many alleles have been asked for, and how many windows the model has read for
    // the run's; or NULL.
    void (*progress)(void *context, int64_t alleles, int64_t windows);
    void *context;
    bool divergence; // of the neighbours (score/llr_neighbours.h), in windows of the first phase; single bases only
    int64_t memory;  // bytes for running masked windows' rows alone that are read (network/needed.h); 0: whole windows
    int64_t phases;  // windows shifted by gw_phase_shift(0 .. phases - 1) whose bits are averaged; 0: 1
} gw_llr_options;

// Borrows model and genome.
gw_status gw_llr_scorer_new(gw_model *model, gw_genome *genome, const gw_llr_options *options,
                            gw_llr_scorer **out) GW_MUST_CHECK;
void gw_llr_scorer_free(gw_llr_scorer *scorer);
// Fills `bits`, `spread` and `divergence` of the alleles whose status is PASS, or changes their status.
gw_status gw_llr_scorer_run(gw_llr_scorer *scorer, gw_allele *alleles, int64_t count) GW_MUST_CHECK;

#endif
