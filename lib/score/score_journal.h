// SPDX-License-Identifier: MIT
// The scores of a run so far, kept beside its output, so that the same command continues after the run was killed.
//
// File: "godwit scores 1\n" and the 32 digits of the run's key, then a block for each chunk. A block begins with its
// number of alleles, its length in bytes, and two hashes (of the chunk's alleles as named in the records, and of the
// bytes), each a uint64 in the machine's byte order. Then come the alleles as in memory and, if all profiles are
// written, their raw values. The hash shows whether a block is complete. The journal is truncated at an incomplete
// block, or at a block that does not fit the run.
#ifndef GW_SCORE_SCORE_JOURNAL_H
#define GW_SCORE_SCORE_JOURNAL_H

#include "score/allele.h"

#include <stdbool.h>

typedef struct gw_score_journal gw_score_journal;

// A run. key: 32 characters for all settings that scores depend on. raw_values: floats of an allele's raw values, 0:
// not kept. labels, sites: numbers of labels and start sites that an allele may refer to, 0: none.
typedef struct {
    const char *key;
    int64_t raw_values, labels, sites;
} gw_score_journal_run;

// Opens the journal. A file with another key is replaced. Two runs with the same output are an error, and so is a link
// instead of the file.
gw_status gw_score_journal_open(const char *output, const gw_score_journal_run *run,
                                gw_score_journal **out) GW_MUST_CHECK;
// Reads the scores of the next chunk. Its alleles were read from the input but not scored. `chunk`: a hash of the names
// of its alleles. *found is false if the journal does not have the chunk; this chunk and all later ones must then be
// scored and added.
gw_status gw_score_journal_next(gw_score_journal *journal, uint64_t chunk, gw_allele *alleles, int64_t count,
                                float *raw, bool *found) GW_MUST_CHECK;
gw_status gw_score_journal_add(gw_score_journal *journal, uint64_t chunk, const gw_allele *alleles, int64_t count,
                               const float *raw) GW_MUST_CHECK;
const char *gw_score_journal_path(const gw_score_journal *journal);
bool gw_score_journal_is_empty(const gw_score_journal *journal);
// Closes the journal; NULL is fine. If `done`, the file is removed once the run's outputs have their final names.
// Otherwise the file stays unless it is empty.
void gw_score_journal_close(gw_score_journal *journal, bool done);

#endif
