// SPDX-License-Identifier: MIT
// Scores alleles with any model: probabilities of a classifier, likelihoods of a pretrained model, and so on.
#ifndef GW_SCORE_ALLELE_SCORER_H
#define GW_SCORE_ALLELE_SCORER_H

#include "base/string.h"
#include "score/score_options.h"
#include "seq/genes/gene_models.h"
#include "seq/genome/regions.h"

typedef struct gw_allele_scorer gw_allele_scorer;
typedef struct gw_track_scorer gw_track_scorer; // score/track_scorer.h

enum { GW_SCORE_DEFAULT_WINDOW = 1000 };

// Fails if sites are given (`given`) but not used, or missing. Only classifiers trained with the TSS at an offset of
// their window use sites.
gw_status gw_check_sites(const gw_model *model, bool given) GW_MUST_CHECK;
// Fails if the model has more than one row of values for an allele: labels of bases.
gw_status gw_check_one_row(const gw_model *model) GW_MUST_CHECK;

// Reads the files that the options name for scoring. Borrows everything.
gw_status gw_allele_scorer_new(gw_model *model, gw_genome *genome, const gw_score_options *options,
                               gw_allele_scorer **out) GW_MUST_CHECK;
void gw_allele_scorer_free(gw_allele_scorer *scorer);
// For a pretrained model: sets a function to call after each batch, with the number of asked alleles and the number of
// windows that the model has read.
void gw_allele_scorer_watch(gw_allele_scorer *scorer, void (*progress)(void *context, int64_t alleles, int64_t windows),
                            void *context);
int64_t gw_allele_scorer_window(const gw_allele_scorer *scorer); // bp
// A symbolic allele, and another form of an allele, is looked for within this number of bp.
int64_t gw_allele_scorer_span(const gw_allele_scorer *scorer);
// sites: the start sites of the options, 1-bp regions in the order of the genome; empty without. genes: the genes of a
// splicing model.
const gw_regions *gw_allele_scorer_sites(const gw_allele_scorer *scorer);
const gw_gene_models *gw_allele_scorer_genes(const gw_allele_scorer *scorer);
gw_track_scorer *gw_allele_scorer_tracks(gw_allele_scorer *scorer); // NULL: the model has no tracks
// Appends the name of a start site for GW_SITE: its name, percent-encoded, or contig:position:strand.
void gw_site_name(gw_string *name, const gw_region *site, const gw_genome *genome);

// Makes an allele from an ALT of a record. Its status is PASS, or the reason in its text or the reference. contig: in
// the genome, -1 if the genome lacks it. position: 0-based, -1 allowed. Borrows ref and alt.
gw_status gw_allele_of(gw_genome *genome, int contig, int64_t position, const char *ref, const char *alt,
                       gw_allele *out) GW_MUST_CHECK;

// Floats per allele in `raw` that the next function always needs: for models of splicing (gw_splice_scorer_values()),
// polyadenylation (GW_POLYA_VALUES) and tracks (gw_track_scorer_values()). 0 for other models.
int64_t gw_allele_scorer_values(const gw_allele_scorer *scorer);
// Scores the alleles with status PASS. raw: as for gw_profile_scorer_run(), or NULL; for models with values as for
// their scorers.
gw_status gw_allele_scorer_run(gw_allele_scorer *scorer, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;

#endif
