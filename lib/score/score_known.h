// SPDX-License-Identifier: MIT
// Exact values of alleles that a model of splicing scored, which `score --all-snvs` writes, and scores that are taken
// from such a file in the place of computing them. Private to lib/score.
//
// Values are text: the allele's status, '|', and 32-bit words of 8 hexadecimal digits: its fields, then the values in
// each gene. Who reads them back writes the bytes of who computed.
#ifndef GW_SCORE_SCORE_KNOWN_H
#define GW_SCORE_SCORE_KNOWN_H

#include "base/string.h"
#include "score/allele.h"

typedef struct gw_score_run gw_score_run; // score/score_run.h
typedef struct gw_score_known gw_score_known;

extern const char gw_allele_values_key[]; // of INFO, whatever prefix others have
void gw_allele_values_append(const gw_allele *allele, const float *raw, int64_t count, gw_string *out);

// The indexed file of the run's options, which must have been made as the run's scores are. Borrows the run.
gw_status gw_score_known_open(const gw_score_run *run, gw_score_known **out) GW_MUST_CHECK;
void gw_score_known_free(gw_score_known *known);           // NULL is fine
int64_t gw_score_known_taken(const gw_score_known *known); // alleles so far
// gw_allele_scorer_run() by the run's scorer, but for alleles that the file has.
gw_status gw_score_known_run(gw_score_known *known, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;

#endif
