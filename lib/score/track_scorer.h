// SPDX-License-Identifier: MIT
// Scores alleles by changes of tracks (gw_tracks of model/family.h, docs/reference/scores.md).
//
// For each track, S is the sum over the rows of a window around the variant, with REF and with ALT. Profiles have
// counts instead: exp(c) - 1. The score of a track is log2((1 + S_ALT) / (1 + S_REF)). The distance of two profiles is
// the square root of their Jensen-Shannon divergence in bits: 0 to 1.
//
// Purely convolutional networks on single bases have windows with the variant in the middle, and share values with
// nearby windows. Windows of other networks begin at a multiple of the bases of a row. The variant then lies in the
// first row behind the middle, and alleles of one row share REF's window.
#ifndef GW_SCORE_TRACK_SCORER_H
#define GW_SCORE_TRACK_SCORER_H

#include "base/string.h"
#include "model/model.h"
#include "score/allele.h"
#include "score/score_options.h"
#include "seq/genome/regions.h"
#include "seq/vcf/vcf.h"

typedef struct gw_track_scorer gw_track_scorer;

// Uses batch_tokens, plain, memory, around, controls and, for tracks, genes, around_tss and top of the options. Borrows
// everything. Removes parts that scores do not read from the model's configuration: a bias network.
gw_status gw_track_scorer_new(gw_model *model, gw_genome *genome, const gw_score_options *options,
                              gw_track_scorer **out) GW_MUST_CHECK;
void gw_track_scorer_free(gw_track_scorer *scorer);            // NULL is fine
int64_t gw_track_scorer_window(const gw_track_scorer *scorer); // bp
int64_t gw_track_scorer_tracks(const gw_track_scorer *scorer);
int64_t
gw_track_scorer_values(const gw_track_scorer *scorer); // floats of an allele: GW_TRACK_FIELDS of each track, and sites

// S of REF and of ALT, and the distance of the profiles (NaN for tracks).
enum { GW_TRACK_FIELDS = 3 };
// With genes, an entry follows for each start site that may lie among the rows: its number, or -1; then
// gw_track_scorer_listed() times a track (-1: none), and its S around the site with REF and with ALT.
int64_t gw_track_scorer_listed(const gw_track_scorer *scorer);

// Scores alleles with status PASS. Their status becomes TOOLONG, or, with a score, PADDED or NRICH. values
// [alleles][gw_track_scorer_values()]; NaN: none. An allele's `difference` is the score with the largest size, `top`
// its track, ref_value and alt_value its S, and `divergence` its distance.
gw_status gw_track_scorer_run(gw_track_scorer *scorer, gw_allele *alleles, int64_t count, float *values) GW_MUST_CHECK;

// Signals at places of one base, with the genome's bases around: signals[count][tracks]. A place fits if its window
// does not leave the contig.
bool gw_track_scorer_fits(const gw_track_scorer *scorer, int contig, int64_t position);
gw_status gw_track_scorer_signals(gw_track_scorer *scorer, const gw_region *places, int64_t count,
                                  float *signals) GW_MUST_CHECK;

// Appends ALLELE|TRACK|REF|ALT|LFC, and for profiles |JSD, for the `most` tracks of each allele with the largest change
// (0: all).
#define GW_TRACK_DESCRIPTION                                                                                           \
    "Tracks that the allele changes, the largest change first: predicted signal around the variant with REF and with " \
    "ALT, log2 of (1 + ALT) / (1 + REF). Format: ALLELE|TRACK|REF|ALT|LFC"
void gw_track_entries(const gw_track_scorer *scorer, const gw_vcf_record *record, const gw_allele *alleles,
                      const float *values, int64_t most, gw_string *out);
// Appends ALLELE|GENE|AT|TRACK|REF|ALT|LFC for each start site and its listed tracks, the nearest site first.
#define GW_START_DESCRIPTION                                                                                           \
    "Genes whose start site lies in the predicted part of the window, the nearest first, with the track that the "     \
    "allele changes most there: bases from POS to the start site, predicted signal around it with REF and with ALT, "  \
    "log2 of (1 + ALT) / (1 + REF). Format: ALLELE|GENE|AT|TRACK|REF|ALT|LFC"
void gw_start_entries(const gw_track_scorer *scorer, const gw_vcf_record *record, const gw_allele *alleles,
                      const float *values, gw_string *out);
// The track after `last` (-1: the first) in descending order of score size; -1: no further track.
int64_t gw_track_next(const float *values, int64_t tracks, int64_t last);

#endif
