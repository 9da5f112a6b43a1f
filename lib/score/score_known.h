// SPDX-License-Identifier: MIT
// Scores taken from an indexed table instead of computing them. Private to lib/score.
//
// A table of godwit must have the same settings as the run. `score --all-snvs` with a model of labels of bases keeps
// exact values (GW_VALUES); from other files the printed keys are taken. Another program's splicing scores
// (ALLELE|SYMBOL|DS_AG ...) replace those of a splicing model. Any other number of another program is written as
// GW_KNOWN beside the model's keys, with the status KNOWN.
//
// In godwit's tables, an allele matches only at the same position after trimming, because the position of an insertion
// or deletion influences its score. In other tables, equivalent alleles match at any position.
#ifndef GW_SCORE_SCORE_KNOWN_H
#define GW_SCORE_SCORE_KNOWN_H

#include "score/allele.h"
#include "score/splice_scorer.h"

typedef struct gw_score_run gw_score_run; // score/score_run.h
typedef struct gw_score_known gw_score_known;

// Keys of a window model's file that are numbers of an allele, from gw_score_keys_fields().
enum { GW_KNOWN_FIELDS = 16 };
typedef struct {
    struct {
        const char *name; // of the key, without prefix
        size_t offset;    // of gw_allele
        bool whole;       // an int32_t, not a float
        bool needed;      // the run writes it, or needs it for other keys
    } items[GW_KNOWN_FIELDS];
    int count;
    const char *derived; // a score of the run that is computed from several fields and cannot be taken; or NULL
} gw_known_fields;

// Opens the table of the run's options. Borrows both.
gw_status gw_score_known_open(const gw_score_run *run, const gw_known_fields *fields,
                              gw_score_known **out) GW_MUST_CHECK;
void gw_score_known_free(gw_score_known *known);              // NULL is fine
int64_t gw_score_known_taken(const gw_score_known *known);    // alleles taken so far
bool gw_score_known_is_beside(const gw_score_known *known);   // the table's numbers are written beside the model's, as
                                                              // GW_KNOWN
const char *gw_score_known_name(const gw_score_known *known); // file name of the table, without folders
const char *gw_score_known_what(const gw_score_known *known); // kind of scores, for messages

// Fills the alleles of a chunk that the table has, with their raw values, and remembers them.
gw_status gw_score_known_find(gw_score_known *known, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;
// Runs gw_allele_scorer_run() of the run's scorer for the other alleles.
gw_status gw_score_known_compute(gw_score_known *known, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;

// Splicing entry n of the chunk's allele `index` in the table. False: no such entry, or not a table of splicing.
typedef struct {
    const char *text; // SYMBOL and the four scores as in the table, joined by |
    double score[GW_SPLICE_GAINS_AND_LOSSES];
    int64_t place[GW_SPLICE_GAINS_AND_LOSSES]; // relative to the trimmed allele's position
} gw_known_entry;
bool gw_score_known_entry(const gw_score_known *known, int64_t index, int64_t n, gw_known_entry *out);

#endif
