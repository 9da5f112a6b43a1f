// SPDX-License-Identifier: MIT
// Log-likelihood ratios of pretrained models, in bits.
//
// The REF and ALT windows become token sequences, without their common prefix and suffix. For the remaining tokens t_1
// .. t_n,
//   S = sum over i of log2 p(t_i | flanks, t_1 .. t_(i-1); t_i .. t_n masked) + 2 bits for each of their bases
// The score is S(ALT) - S(REF), averaged over both strands.
//
// With `share`, nearby single-base changes are read from one window around their middle, with the bases of all of them
// masked. This is an approximation for models of single bases only. It depends on the other variants of the run. A
// change without neighbours is scored as usual.
#ifndef GW_SCORE_SCORE_LLR_H
#define GW_SCORE_SCORE_LLR_H

#include "base/status.h"
#include "score/score_options.h"
#include "seq/vcf/variant.h"

#include <stdint.h>

typedef struct gw_llr_scorer gw_llr_scorer;

// window: bp. Uses batch_tokens, phases, memory, plain and share of the options, and whether the divergence of
// neighbours is requested. share and divergence are only for models of single bases; the divergence uses windows of the
// first phase. Borrows model, genome and options.
gw_status gw_llr_scorer_new(gw_model *model, gw_genome *genome, int64_t window, const gw_score_options *options,
                            gw_llr_scorer **out) GW_MUST_CHECK;
void gw_llr_scorer_free(gw_llr_scorer *scorer);
// gw_allele_scorer_watch()
void gw_llr_scorer_watch(gw_llr_scorer *scorer, void (*progress)(void *context, int64_t alleles, int64_t windows),
                         void *context);
// Fills `bits`, `spread` and `divergence` of the alleles with status PASS, or changes their status.
gw_status gw_llr_scorer_run(gw_llr_scorer *scorer, gw_allele *alleles, int64_t count) GW_MUST_CHECK;

// A single-base site that may share a window with neighbours. Bases of one window are masked at the same time.
typedef struct {
    int contig;
    int64_t position; // 0-based
    int64_t allele;   // index, chosen by the caller
    int64_t group;    // scratch
} gw_shared_site;

// A window for some sites of one contig: sites [first, first + count) of the array.
typedef struct {
    int64_t middle; // position of the window's middle
    int64_t first, count;
} gw_shared_window;

typedef struct {
    int64_t span;  // most bp from the first to the last site of a window
    int64_t apart; // fewest bp between two positions of a window
    int64_t most;  // most sites of a window
} gw_share_options;

// Sorts the sites by window, then by position. Sites of one position are in the same window. windows has space for
// `count`. The result does not depend on the order of the sites.
gw_status gw_share_windows(gw_shared_site *sites, int64_t count, const gw_share_options *options,
                           gw_shared_window *windows, int64_t *window_count) GW_MUST_CHECK;

#endif
