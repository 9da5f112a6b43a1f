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

#include "base/status.h"
#include "score/score_options.h"
#include "seq/vcf/variant.h"

#include <stdint.h>

typedef struct gw_llr_scorer gw_llr_scorer;

// window: bp. Of the options batch_tokens, phases, memory, plain, share, which is of models of single bases alone, and
// whether the neighbours' divergence is asked for, which is of the first phase's windows and of such models too.
// Borrows model, genome and options.
gw_status gw_llr_scorer_new(gw_model *model, gw_genome *genome, int64_t window, const gw_score_options *options,
                            gw_llr_scorer **out) GW_MUST_CHECK;
void gw_llr_scorer_free(gw_llr_scorer *scorer);
// gw_allele_scorer_watch()
void gw_llr_scorer_watch(gw_llr_scorer *scorer, void (*progress)(void *context, int64_t alleles, int64_t windows),
                         void *context);
// Fills `bits`, `spread` and `divergence` of the alleles whose status is PASS, or changes their status.
gw_status gw_llr_scorer_run(gw_llr_scorer *scorer, gw_allele *alleles, int64_t count) GW_MUST_CHECK;

// Which sites of single bases share a window: neighbours whose bases are masked at the same time.
typedef struct {
    int contig;
    int64_t position; // 0-based
    int64_t allele;   // of the caller
    int64_t group;    // scratch
} gw_shared_site;

// A window of some sites, all of one contig: sites [first, first + count) of the array.
typedef struct {
    int64_t middle; // position around which it is to lie
    int64_t first, count;
} gw_shared_window;

typedef struct {
    int64_t span;  // from the first to the last site of a window, bp at most
    int64_t apart; // two positions of a window are so many bp apart at least
    int64_t most;  // sites of a window
} gw_share_options;

// Sorts the sites by their windows, in a window by position; sites of one position are in the same window. windows has
// room for `count`. Which sites share one does not depend on the order in which they are given.
gw_status gw_share_windows(gw_shared_site *sites, int64_t count, const gw_share_options *options,
                           gw_shared_window *windows, int64_t *window_count) GW_MUST_CHECK;

#endif
