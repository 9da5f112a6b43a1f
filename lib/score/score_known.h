// SPDX-License-Identifier: MIT
// Scores that an indexed file of `score --all-snvs` has, in the place of computing them.
#ifndef GW_SCORE_SCORE_KNOWN_H
#define GW_SCORE_SCORE_KNOWN_H

#include "score/allele_scorer.h"

typedef struct gw_score_known gw_score_known;
// settings: the line of the header that stands for all that scores depend on, which the file must have; `lines`: these
// in full, of which a message names one that differs. `raw`: floats of an allele beside it. The genome is borrowed.
gw_status gw_score_known_open(const char *path, gw_genome *genome, const char *settings, const char *lines, int64_t raw,
                              gw_score_known **out) GW_MUST_CHECK;
void gw_score_known_free(gw_score_known *known);           // NULL is fine
int64_t gw_score_known_taken(const gw_score_known *known); // alleles so far
const char *gw_score_known_path(const gw_score_known *known);
// gw_allele_scorer_run(), but for alleles that the file has.
gw_status gw_score_known_run(gw_score_known *known, gw_allele_scorer *scorer, gw_allele *alleles, int64_t count,
                             float *raw) GW_MUST_CHECK;

#endif
