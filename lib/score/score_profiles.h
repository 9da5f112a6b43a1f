// SPDX-License-Identifier: MIT
// Variant effects with classifier models: probabilities of the REF and ALT windows and their differences.
#ifndef GW_SCORE_SCORE_PROFILES_H
#define GW_SCORE_SCORE_PROFILES_H

#include "score/score_options.h"
#include "seq/genome/regions.h"

typedef struct gw_profile_scorer gw_profile_scorer;

// window: bp. Without sites, windows are centred on the variant. Both strands are averaged, or only the options' strand
// is read. With sites (TSSs, sorted by contig and position), windows lie at the model's TSS offset, on each TSS's
// strand. Uses of the options: batch_tokens and strand; memory and plain, for values that the windows of ALT and REF
// share (network/partial.h); phases: probabilities are averaged before differences, and allele.spread is their spread;
// approximate: gw_label_gradient for ALTs of one base, and status NOTSNV for others. Borrows everything.
gw_status gw_profile_scorer_new(gw_model *model, gw_genome *genome, int64_t window, const gw_regions *sites,
                                const gw_score_options *options, gw_profile_scorer **out) GW_MUST_CHECK;
void gw_profile_scorer_free(gw_profile_scorer *scorer);

// Scores the alleles with status PASS. raw (may be NULL): [count][2][labels] probabilities of REF and ALT, NaN for
// unscored alleles; with several sites, those of the reported site. The first windows computed in part are also
// computed whole. A difference beyond docs/background/numerics.md is an error.
gw_status gw_profile_scorer_run(gw_profile_scorer *scorer, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;

#endif
