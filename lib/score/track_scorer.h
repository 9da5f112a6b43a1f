// SPDX-License-Identifier: MIT
// Alleles in, changes of tracks out (gw_tracks of model/family.h, docs/reference/scores.md).
//
// Of each track the sum over the rows of a window around the variant, with REF and with ALT: S. Profiles have counts
// instead: exp(c) - 1. The score of a track is log2((1 + S_ALT) / (1 + S_REF)). Of profiles the distance of both is the
// square root of their Jensen-Shannon divergence, in bits: 0 to 1.
//
// Windows of networks that are convolutions of single bases alone have the variant in their middle, and share what they
// compute with others nearby. All others begin at a multiple of the bases of a row, so that the variant lies in the
// first row behind their middle, and alleles of one row share REF's window.
#ifndef GW_SCORE_TRACK_SCORER_H
#define GW_SCORE_TRACK_SCORER_H

#include "base/string.h"
#include "model/model.h"
#include "score/allele.h"
#include "score/score_options.h"
#include "seq/genome/regions.h"
#include "seq/vcf/vcf.h"

typedef struct gw_track_scorer gw_track_scorer;

// Of the options batch_tokens, plain, memory, around, controls and, of tracks, genes, around_tss and top. Borrows
// everything. The model's configuration loses what scores do not read: a network of a bias.
gw_status gw_track_scorer_new(gw_model *model, gw_genome *genome, const gw_score_options *options,
                              gw_track_scorer **out) GW_MUST_CHECK;
void gw_track_scorer_free(gw_track_scorer *scorer);            // NULL is fine
int64_t gw_track_scorer_window(const gw_track_scorer *scorer); // bp
int64_t gw_track_scorer_tracks(const gw_track_scorer *scorer);
int64_t
gw_track_scorer_values(const gw_track_scorer *scorer); // floats of an allele: GW_TRACK_FIELDS of each track, and sites

// S of REF and of ALT, the distance of the profiles (NaN of tracks).
enum { GW_TRACK_FIELDS = 3 };
// Behind these, with genes, a place for each start site that may lie among the rows: its number, or -1, and so many
// times (gw_track_scorer_listed()) a track and its S around the site with REF and with ALT; -1: there is no such track.
int64_t gw_track_scorer_listed(const gw_track_scorer *scorer);

// Scores alleles whose status is PASS: it becomes TOOLONG, or of a scored one PADDED or NRICH. values
// [alleles][gw_track_scorer_values()]; NaN: there is none. An allele's `difference` is the score of the track where
// that is largest in size, `top` which that is, ref_value and alt_value its S, `divergence` its distance.
gw_status gw_track_scorer_run(gw_track_scorer *scorer, gw_allele *alleles, int64_t count, float *values) GW_MUST_CHECK;

// The signals of places of a base each, with the genome's bases around them: signals[count][tracks]. A place fits where
// its window does not leave the contig.
bool gw_track_scorer_fits(const gw_track_scorer *scorer, int contig, int64_t position);
gw_status gw_track_scorer_signals(gw_track_scorer *scorer, const gw_region *places, int64_t count,
                                  float *signals) GW_MUST_CHECK;

// Appends ALLELE|TRACK|REF|ALT|LFC, and of profiles |JSD, of the `most` tracks of each allele that change most (0:
// all).
#define GW_TRACK_DESCRIPTION                                                                                           \
    "Tracks that the allele changes, the largest change first: predicted signal around the variant with REF and with " \
    "ALT, log2 of (1 + ALT) / (1 + REF). Format: ALLELE|TRACK|REF|ALT|LFC"
void gw_track_entries(const gw_track_scorer *scorer, const gw_vcf_record *record, const gw_allele *alleles,
                      const float *values, int64_t most, gw_string *out);
// Appends ALLELE|GENE|AT|TRACK|REF|ALT|LFC of each start site and track that is listed for it, the nearest site first.
#define GW_START_DESCRIPTION                                                                                           \
    "Genes whose start site lies in the predicted part of the window, the nearest first, with the track that the "     \
    "allele changes most there: bases from POS to the start site, predicted signal around it with REF and with ALT, "  \
    "log2 of (1 + ALT) / (1 + REF). Format: ALLELE|GENE|AT|TRACK|REF|ALT|LFC"
void gw_start_entries(const gw_track_scorer *scorer, const gw_vcf_record *record, const gw_allele *alleles,
                      const float *values, gw_string *out);
// The track that comes after `last` (-1: the first) by the size of its score; -1: there is none.
int64_t gw_track_next(const float *values, int64_t tracks, int64_t last);

#endif
