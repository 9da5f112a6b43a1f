// SPDX-License-Identifier: MIT
// Alleles in, scored alleles out, whatever the model: a classifier's probabilities or a pretrained model's likelihoods.
#ifndef GW_SCORE_ALLELE_SCORER_H
#define GW_SCORE_ALLELE_SCORER_H

#include "base/string.h"
#include "score/score_options.h"
#include "seq/genes/gene_models.h"
#include "seq/genome/regions.h"

typedef struct gw_allele_scorer gw_allele_scorer;
typedef struct gw_track_scorer gw_track_scorer; // score/track_scorer.h

enum { GW_SCORE_DEFAULT_WINDOW = 1000 };

// Refuses sites (`given`) or their absence: a classifier that was trained with the TSS at an offset of its window needs
// them, no other takes them.
gw_status gw_check_sites(const gw_model *model, bool given) GW_MUST_CHECK;
// Refuses a model whose answer for an allele is more than one row of values: labels of bases.
gw_status gw_check_one_row(const gw_model *model) GW_MUST_CHECK;

// Of the options those of how alleles are scored, and the files that they name. Borrows everything.
gw_status gw_allele_scorer_new(gw_model *model, gw_genome *genome, const gw_score_options *options,
                               gw_allele_scorer **out) GW_MUST_CHECK;
void gw_allele_scorer_free(gw_allele_scorer *scorer);
// Of a pretrained model: called after each batch with how many alleles have been asked for, and how many windows the
// model has read for the run's.
void gw_allele_scorer_watch(gw_allele_scorer *scorer, void (*progress)(void *context, int64_t alleles, int64_t windows),
                            void *context);
int64_t gw_allele_scorer_window(const gw_allele_scorer *scorer); // bp
// A symbolic allele or another form is looked for within so many bp.
int64_t gw_allele_scorer_span(const gw_allele_scorer *scorer);
// The start sites of the options, 1-bp regions in the order of the genome: none without. Of a model of splicing its
// genes.
const gw_regions *gw_allele_scorer_sites(const gw_allele_scorer *scorer);
const gw_gene_models *gw_allele_scorer_genes(const gw_allele_scorer *scorer);
gw_track_scorer *gw_allele_scorer_tracks(gw_allele_scorer *scorer); // NULL: the model has no tracks
// Appends what GW_SITE calls a start site: its name, percent-encoded, or contig:position:strand.
void gw_site_name(gw_string *name, const gw_region *site, const gw_genome *genome);

// An ALT of a record as it goes in: PASS, or what its text or the reference say against it. contig: of the genome, -1
// where it has none such; position 0-based, -1 allowed. Borrows ref and alt.
gw_status gw_allele_of(gw_genome *genome, int contig, int64_t position, const char *ref, const char *alt,
                       gw_allele *out) GW_MUST_CHECK;

// Floats of an allele that the next function always gives: models of splicing, of polyadenylation
// and of tracks have some (gw_splice_scorer_values(), GW_POLYA_VALUES, gw_track_scorer_values()).
int64_t gw_allele_scorer_values(const gw_allele_scorer *scorer);
// Scores those whose status is PASS. raw: as of gw_profile_scorer_run(), or NULL; of models of splicing as of
// gw_splice_scorer_run().
gw_status gw_allele_scorer_run(gw_allele_scorer *scorer, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;

#endif
