// SPDX-License-Identifier: MIT
// Variant effects of classifier models: probabilities of the REF and the ALT window and their differences.
#ifndef GW_SCORE_SCORE_PROFILES_H
#define GW_SCORE_SCORE_PROFILES_H

#include "score/score_options.h"
#include "seq/genome/regions.h"

typedef struct gw_profile_scorer gw_profile_scorer;

// window: bp. Without sites (TSSs, sorted by contig and position) windows are centred on the variant and both strands
// averaged, or the one of the options is read; with sites the windows are those of the model's TSS offset, on each
// TSS's strand. Of the options batch_tokens, strand, memory and plain, for what an ALT's window has in common with
// REF's (network/partial.h); phases, over which probabilities are averaged before any difference, and allele.spread
// tells how they differ; and approximate: gw_label_gradient for ALTs of one base, others become NOTSNV. Borrows
// everything.
gw_status gw_profile_scorer_new(gw_model *model, gw_genome *genome, int64_t window, const gw_regions *sites,
                                const gw_score_options *options, gw_profile_scorer **out) GW_MUST_CHECK;
void gw_profile_scorer_free(gw_profile_scorer *scorer);

// Scores the alleles whose status is PASS. raw (may be NULL): [count][2][labels] probabilities of REF and ALT, NaN for
// alleles that are not scored; with several sites those of the one kept. The first windows of a scorer that share are
// computed whole too: where those differ by more than docs/background/numerics.md says, that is an error.
gw_status gw_profile_scorer_run(gw_profile_scorer *scorer, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;

#endif
