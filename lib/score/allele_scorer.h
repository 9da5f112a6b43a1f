// SPDX-License-Identifier: MIT
// Alleles in, scored alleles out, whatever the model: a classifier's probabilities or a pretrained model's likelihoods.
#ifndef GW_SCORE_ALLELE_SCORER_H
#define GW_SCORE_ALLELE_SCORER_H

#include "model/model.h"
#include "score/allele.h"
#include "score/splice_scorer.h"
#include "seq/genome/regions.h"

typedef struct gw_allele_scorer gw_allele_scorer;

enum { GW_SCORE_DEFAULT_WINDOW = 1000 };

typedef struct {
    int64_t window;          // bp; 0: the model's own, or for a pretrained model the smaller of 1000 and what fits
    int64_t batch_tokens;    // tokens computed at a time; 0: the default
    const gw_regions *sites; // TSSs of a promoter model (gw_profile_options), or NULL
    bool reverse;            // gw_profile_options; an error of models that read both strands
    int64_t phases;          // windows whose tokens begin elsewhere (gw_phase_shift) are averaged; 0: 1. Not with sites
    int64_t memory;          // of fine-tuned models: gw_profile_options
    bool gradient;           // the same
    const gw_splice_options *splice; // of models of splicing, which take nothing else but batch_tokens; or NULL
    // Of pretrained models (gw_llr_options).
    int64_t share;
    bool divergence;
    bool states; // of hidden states at the site too (score/score_states.h); not of models of splicing, nor with sites
    void (*progress)(void *context, int64_t alleles, int64_t windows);
    void *context;
} gw_allele_scorer_options;

// Refuses sites (`given`) or their absence: a classifier that was trained with the TSS at an offset of its window needs
// them, no other takes them.
gw_status gw_check_sites(const gw_model *model, bool given) GW_MUST_CHECK;

// Start sites of a BED file as the options take them: 1-bp regions in the order of the genome. gw_regions_free() them,
// also on failure.
gw_status gw_read_sites(gw_regions *sites, gw_genome *genome, const char *path) GW_MUST_CHECK;

// Borrows everything.
gw_status gw_allele_scorer_new(gw_model *model, gw_genome *genome, const gw_allele_scorer_options *options,
                               gw_allele_scorer **out) GW_MUST_CHECK;
void gw_allele_scorer_free(gw_allele_scorer *scorer);
int64_t gw_allele_scorer_window(const gw_allele_scorer *scorer); // bp
// A symbolic allele or another form is looked for within so many bp.
int64_t gw_allele_scorer_span(const gw_allele_scorer *scorer);

// An ALT of a record as it goes in: PASS, or what its text or the reference say against it. contig: of the genome, -1
// where it has none such; position 0-based, -1 allowed. Borrows ref and alt.
gw_status gw_allele_of(gw_genome *genome, int contig, int64_t position, const char *ref, const char *alt,
                       gw_allele *out) GW_MUST_CHECK;

// Floats of an allele that the next function always gives: models of splicing have some (gw_splice_scorer_values()).
int64_t gw_allele_scorer_values(const gw_allele_scorer *scorer);
// Scores those whose status is PASS. raw: as of gw_profile_scorer_run(), or NULL; of models of splicing as of
// gw_splice_scorer_run().
gw_status gw_allele_scorer_run(gw_allele_scorer *scorer, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;

#endif
