// SPDX-License-Identifier: MIT
// Variant effects of classifier models: probabilities of the REF and the ALT window and their differences.
#ifndef GW_SCORE_SCORE_PROFILES_H
#define GW_SCORE_SCORE_PROFILES_H

#include "model/model.h"
#include "score/allele.h"
#include "seq/genome/regions.h"

typedef struct gw_profile_scorer gw_profile_scorer;

typedef struct {
    int64_t window;          // W, bp
    int64_t batch_tokens;    // 0: the default
    const gw_regions *sites; // TSSs, sorted by contig and position (gw_tss_position); NULL: centred windows
    // Windows shifted by gw_phase_shift(0 .. phases - 1), without sites: probabilities are averaged over them before
    // any difference; allele.spread tells how the phases differ. 0: 1
    int64_t phases;
    // Bytes for what an ALT's window has in common with REF's (network/changed.h), so that it is not computed again; 0:
    // all windows run whole.
    int64_t memory;
    bool gradient; // ALTs of one base by gw_label_gradient; others become NOTSNV
    bool reverse;  // windows as their reverse complements, of models that read one strand
} gw_profile_options;

// Whether windows without sites are read on one strand: numbers that were learned so.
bool gw_profile_reads_one_strand(const gw_model *model);

// Without sites windows are centred on the variant and both strands averaged; with sites the windows are those of the
// model's TSS offset, on each TSS's strand. Borrows everything.
gw_status gw_profile_scorer_new(gw_model *model, gw_genome *genome, const gw_profile_options *options,
                                gw_profile_scorer **out) GW_MUST_CHECK;
void gw_profile_scorer_free(gw_profile_scorer *scorer);

// Scores the alleles whose status is PASS. raw (may be NULL): [count][2][labels] probabilities of REF and ALT, NaN for
// alleles that are not scored; with several sites those of the one kept. The first windows of a scorer that share are
// computed whole too: where those differ by more than docs/numerics.md says, that is an error.
gw_status gw_profile_scorer_run(gw_profile_scorer *scorer, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;

#endif
