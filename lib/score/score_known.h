// SPDX-License-Identifier: MIT
// Scores that are taken from an indexed file of `score --all-snvs`, which has exact values, in the place of computing
// them. Private to lib/score.
#ifndef GW_SCORE_SCORE_KNOWN_H
#define GW_SCORE_SCORE_KNOWN_H

#include "score/allele.h"

typedef struct gw_score_run gw_score_run; // score/score_run.h
typedef struct gw_score_known gw_score_known;

// The indexed file of the run's options, which must have been made as the run's scores are. Borrows the run.
gw_status gw_score_known_open(const gw_score_run *run, gw_score_known **out) GW_MUST_CHECK;
void gw_score_known_free(gw_score_known *known);           // NULL is fine
int64_t gw_score_known_taken(const gw_score_known *known); // alleles so far
// gw_allele_scorer_run() by the run's scorer, but for alleles that the file has.
gw_status gw_score_known_run(gw_score_known *known, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;

#endif
