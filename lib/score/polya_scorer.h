// SPDX-License-Identifier: MIT
// Alleles in, changes of polyadenylation signals out (gw_signal_scoring of model/family.h, docs/reference/scores.md).
//
// Every signal that REF or ALT has near the variant, on either strand, makes a pair of windows, one with each allele,
// in which the signal begins at the same place. What differs is on one side of the signal only where the variant is: an
// insertion or deletion moves the bases that lie beyond it, seen from the signal. The pair's score is the log odds of
// ALT's window less those of REF's. Pairs of equal windows are left out.
#ifndef GW_SCORE_POLYA_SCORER_H
#define GW_SCORE_POLYA_SCORER_H

#include "base/string.h"
#include "model/model.h"
#include "score/allele.h"
#include "score/score_options.h"
#include "seq/vcf/vcf.h"

#include <stdint.h>

typedef struct gw_polya_scorer gw_polya_scorer;

// Of the options batch_tokens, plain and memory. Borrows everything.
gw_status gw_polya_scorer_new(gw_model *model, gw_genome *genome, const gw_score_options *options,
                              gw_polya_scorer **out) GW_MUST_CHECK;
void gw_polya_scorer_free(gw_polya_scorer *scorer); // NULL is fine
int64_t gw_polya_scorer_window(const gw_polya_scorer *scorer);

// Signals of an allele that are kept, and floats of each: the score, the strand (1 or -1), where the signal's first
// base stands, in bases from the trimmed POS, the six bases of REF and of ALT there as numbers, and the log odds of
// both.
enum { GW_POLYA_SIGNALS = 8, GW_POLYA_FIELDS = 7, GW_POLYA_VALUES = GW_POLYA_SIGNALS * GW_POLYA_FIELDS };

// Scores alleles whose status is PASS. It becomes NOSIGNAL, TOOLONG, or, of a scored one, PADDED or NRICH. values
// [alleles][GW_POLYA_VALUES]: the signals behind which the share of cleaved RNA changes most, in that order; NaN: there
// is none. An allele's `difference` is the first one's score, `shift` where that stands. A weak signal that stays weak
// can have large log odds, and comes behind a strong one.
gw_status gw_polya_scorer_run(gw_polya_scorer *scorer, gw_allele *alleles, int64_t count, float *values) GW_MUST_CHECK;

// The place in `other` of a signal that begins at `at` of a sequence, both counted from the variant's first base. `to`:
// bases of the sequence that differ, `other_to` of the other one. `has` says whether the other sequence has a signal on
// that strand at a place.
typedef struct {
    int64_t at, to, other_to;
    char strand;
    bool (*has)(const void *context, int64_t at);
    const void *context;
} gw_polya_place;
int64_t gw_polya_match(const gw_polya_place *of);

// The six bases of the first signal in REF and in ALT; false: there is none.
enum { GW_POLYA_BASES = 7 };
bool gw_polya_bases(const float *values, char ref[GW_POLYA_BASES], char alt[GW_POLYA_BASES]);

// Appends ALLELE|STRAND|AT|REF|ALT|REF_ODDS|ALT_ODDS|SCORE of each signal and allele, joined by commas; AT is counted
// from the record's POS.
#define GW_POLYA_DESCRIPTION                                                                                           \
    "Polyadenylation signals that the allele changes, the largest change of cleaved RNA first: strand, place of the "  \
    "first base from POS, the six bases there, log odds of cleavage behind them. Format: "                             \
    "ALLELE|STRAND|AT|REF|ALT|REF_ODDS|ALT_ODDS|SCORE"
void gw_polya_entries(const gw_vcf_record *record, const gw_allele *alleles, const float *values, int digits,
                      gw_string *out);

#endif
