// SPDX-License-Identifier: MIT
// Scores alleles by changes of polyadenylation signals (gw_signal_scoring of model/family.h, docs/reference/scores.md).
//
// Each signal of REF or ALT near the variant, on either strand, gives a pair of windows, one for each allele. The
// signal has the same position in both. The windows differ only on the side of the variant: an insertion or deletion
// moves the bases beyond it, seen from the signal. The score of a pair is the log odds of ALT's window minus those of
// REF's. Pairs of equal windows are skipped.
#ifndef GW_SCORE_POLYA_SCORER_H
#define GW_SCORE_POLYA_SCORER_H

#include "base/string.h"
#include "model/model.h"
#include "score/allele.h"
#include "score/score_options.h"
#include "seq/vcf/vcf.h"

#include <stdint.h>

typedef struct gw_polya_scorer gw_polya_scorer;

// Uses batch_tokens, plain and memory of the options. Borrows everything.
gw_status gw_polya_scorer_new(gw_model *model, gw_genome *genome, const gw_score_options *options,
                              gw_polya_scorer **out) GW_MUST_CHECK;
void gw_polya_scorer_free(gw_polya_scorer *scorer); // NULL is fine
int64_t gw_polya_scorer_window(const gw_polya_scorer *scorer);

// Number of kept signals of an allele, and the floats of each: score; strand (1 or -1); position of the signal's first
// base, in bases from the trimmed POS; its six bases in REF and in ALT, encoded as numbers; the log odds of both.
enum { GW_POLYA_SIGNALS = 8, GW_POLYA_FIELDS = 7, GW_POLYA_VALUES = GW_POLYA_SIGNALS * GW_POLYA_FIELDS };

// Scores alleles with status PASS. Their status becomes NOSIGNAL or TOOLONG, or, with a score, PADDED or NRICH. values
// [alleles][GW_POLYA_VALUES]: the signals with the largest change in the share of cleaved RNA, in this order; NaN:
// none. An allele's `difference` is the score of the first signal, and `shift` its position. A weak signal that stays
// weak can have large log odds; it comes after a strong one.
gw_status gw_polya_scorer_run(gw_polya_scorer *scorer, gw_allele *alleles, int64_t count, float *values) GW_MUST_CHECK;

// Finds the position in the other sequence of a signal at `at`; both positions are relative to the variant's first
// base. `to`: number of differing bases of the sequence; `other_to`: of the other sequence. `has` says whether the
// other sequence has a signal on this strand at a position.
typedef struct {
    int64_t at, to, other_to;
    char strand;
    bool (*has)(const void *context, int64_t at);
    const void *context;
} gw_polya_place;
int64_t gw_polya_match(const gw_polya_place *of);

// The six bases of the first signal in REF and in ALT; false: no signal.
enum { GW_POLYA_BASES = 7 };
bool gw_polya_bases(const float *values, char ref[GW_POLYA_BASES], char alt[GW_POLYA_BASES]);

// Appends ALLELE|STRAND|AT|REF|ALT|REF_ODDS|ALT_ODDS|SCORE for each signal and allele, joined by commas. AT is relative
// to the record's POS.
#define GW_POLYA_DESCRIPTION                                                                                           \
    "Polyadenylation signals that the allele changes, the largest change of cleaved RNA first: strand, place of the "  \
    "first base from POS, the six bases there, log odds of cleavage behind them. Format: "                             \
    "ALLELE|STRAND|AT|REF|ALT|REF_ODDS|ALT_ODDS|SCORE"
void gw_polya_entries(const gw_vcf_record *record, const gw_allele *alleles, const float *values, int digits,
                      gw_string *out);

#endif
