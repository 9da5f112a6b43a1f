// SPDX-License-Identifier: MIT
// Scores that are taken from an indexed table in the place of computing them. Private to lib/score.
//
// A table of this program must have been made as the run's scores are: `score --all-snvs` of a model of labels of bases
// keeps exact values (GW_VALUES), and of other files the printed keys are taken. Another program's scores of splicing
// (ALLELE|SYMBOL|DS_AG ...) take the place of those of a model of splicing; any other number of another program stands
// beside the model's keys, as GW_KNOWN, with the status KNOWN.
//
// Of this program's tables an allele is one that is written at the same place, once both are trimmed, since where an
// insertion or deletion is written has a part in its score. In other tables it is the same allele wherever it is
// written.
#ifndef GW_SCORE_SCORE_KNOWN_H
#define GW_SCORE_SCORE_KNOWN_H

#include "score/allele.h"
#include "score/splice_scorer.h"

typedef struct gw_score_run gw_score_run; // score/score_run.h
typedef struct gw_score_known gw_score_known;

// The keys of a file of a model of windows that are numbers of an allele, as gw_score_keys_fields() gives them.
enum { GW_KNOWN_FIELDS = 16 };
typedef struct {
    struct {
        const char *name; // of the key, without the prefix
        size_t offset;    // of gw_allele
        bool whole;       // an int32_t, not a float
        bool needed;      // the run writes it, or needs it for other keys
    } items[GW_KNOWN_FIELDS];
    int count;
    const char *derived; // a score of the run that is made of several of them, and cannot be taken; or NULL
} gw_known_fields;

// The table of the run's options. Borrows both.
gw_status gw_score_known_open(const gw_score_run *run, const gw_known_fields *fields,
                              gw_score_known **out) GW_MUST_CHECK;
void gw_score_known_free(gw_score_known *known);              // NULL is fine
int64_t gw_score_known_taken(const gw_score_known *known);    // alleles so far
bool gw_score_known_is_beside(const gw_score_known *known);   // its numbers stand beside the model's, as GW_KNOWN
const char *gw_score_known_name(const gw_score_known *known); // of the table: its file's, without folders
const char *gw_score_known_what(const gw_score_known *known); // what its scores are, for people

// Fills those of a chunk's alleles that the table has, with their raw values, and remembers which.
gw_status gw_score_known_find(gw_score_known *known, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;
// gw_allele_scorer_run() by the run's scorer for the alleles that were not found.
gw_status gw_score_known_compute(gw_score_known *known, gw_allele *alleles, int64_t count, float *raw) GW_MUST_CHECK;

// The n-th entry of splicing that a table has of the chunk's `index`-th allele. False: it has no such entry, or is no
// table of these.
typedef struct {
    const char *text; // SYMBOL and the four scores as the table has them, joined by |
    double score[GW_SPLICE_GAINS_AND_LOSSES];
    int64_t place[GW_SPLICE_GAINS_AND_LOSSES]; // from the trimmed allele's place
} gw_known_entry;
bool gw_score_known_entry(const gw_score_known *known, int64_t index, int64_t n, gw_known_entry *out);

#endif
