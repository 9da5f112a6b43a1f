// SPDX-License-Identifier: MIT
// What a run has scored so far, kept beside its output, so that the same command goes on where a run was killed.
//
// File: "godwit scores 1\n" and the 32 digits of the run's key; then a block a chunk: its number of alleles, the bytes
// that follow its head, and two hashes (of the chunk's alleles as the records name them, and of those bytes), each a
// uint64 in the machine's order; then the alleles as they are in memory and, where all profiles are written, their raw
// values. A block is whole or, by its hash, known not to be; what follows such a one, or one that names what the run
// has not, is cut off.
#ifndef GW_SCORE_SCORE_JOURNAL_H
#define GW_SCORE_SCORE_JOURNAL_H

#include "score/allele.h"

#include <stdbool.h>

typedef struct gw_score_journal gw_score_journal;

// Of a run: 32 characters that stand for all that scores depend on; floats of an allele's raw values, 0: none are kept;
// labels and start sites that an allele may name, 0: none.
typedef struct {
    const char *key;
    int64_t raw_values, labels, sites;
} gw_score_journal_run;

// A file of another key is begun anew. Two runs that write the same output are an error, and so is a link in its place.
gw_status gw_score_journal_open(const char *output, const gw_score_journal_run *run,
                                gw_score_journal **out) GW_MUST_CHECK;
// The scores of the next chunk, whose alleles have been read from the input but not scored: *found where the journal
// has them; otherwise this chunk and all that follow are to be scored and added. `chunk`: a hash of the names of its
// alleles.
gw_status gw_score_journal_next(gw_score_journal *journal, uint64_t chunk, gw_allele *alleles, int64_t count,
                                float *raw, bool *found) GW_MUST_CHECK;
gw_status gw_score_journal_add(gw_score_journal *journal, uint64_t chunk, const gw_allele *alleles, int64_t count,
                               const float *raw) GW_MUST_CHECK;
const char *gw_score_journal_path(const gw_score_journal *journal);
bool gw_score_journal_is_empty(const gw_score_journal *journal);
// Closes; NULL is fine. Where the run is `done` the file goes once the run's outputs have their names; otherwise it
// stays if it holds anything.
void gw_score_journal_close(gw_score_journal *journal, bool done);

#endif
