// SPDX-License-Identifier: MIT
// A plan run for sequences that differ in some rows from one that was run: of every tensor those rows alone are
// computed that a differing one reaches, step by step; all others are the first sequence's.
//
// Rows that a step works on row by row stay the same ones; a convolution of reach r adds r on either side; attention
// the blocks of queries that list a block of keys with one of them. Levels number these sets: 0 has the tokens that
// differ, each step that reads other rows makes a further one. All changes that were added go through a step together.
#ifndef GW_NN_CHANGES_H
#define GW_NN_CHANGES_H

#include "base/string.h"
#include "nn/plan.h"
#include "nn/row_set.h"

//
// The same the other way round: of each sequence one row of a row set is asked for, there is no first sequence, and of
// every tensor those rows are computed that lead to it.
#define GW_CHANGES_OF_NONE (-1)
typedef struct gw_changes gw_changes;

// `asked`: the row set, or GW_CHANGES_OF_NONE. Of a plan that keeps its values, on a backend whose memory is the
// host's: rows behind those of the first sequence hold the others'. *out is NULL where a step's rows are not known to
// depend on such as are listed above, all of one stream, or one for each of its sequences.
gw_status gw_changes_new(const gw_plan *plan, int stream, int asked, gw_changes **out) GW_MUST_CHECK;
void gw_changes_free(gw_changes *changes); // NULL is fine

// After a run of one sequence, whose values stay as they are from now on: forgets what was added. Borrows the run's
// batch. With rows that are asked for the run may not have been: its batch says what stands in a sequence of so many
// tokens, but for these.
void gw_changes_begin(gw_changes *changes, const gw_run *run);
// Adds a sequence of as many tokens. *share: of the products of a whole run, those that it takes. *fits: false, and it
// is not added, where that is more than `most` or there is no more room.
// `row` is the one that is asked for, if any is.
gw_status gw_changes_add(gw_changes *changes, const int32_t *token, int64_t row, double most, double *share,
                         bool *fits) GW_MUST_CHECK;
int64_t gw_changes_count(const gw_changes *changes);
void gw_changes_clear(gw_changes *changes); // forgets what was added
gw_status gw_changes_run(gw_changes *changes) GW_MUST_CHECK;
// [changes][width] of a tensor that has a row for each sequence.
const float *gw_changes_value(const gw_changes *changes, gw_tensor tensor);
// All rows of a sequence that was added, [rows][width] of a tensor of the stream.
void gw_changes_rows(const gw_changes *changes, int64_t change, gw_tensor tensor, float *out);
// Of the sequence that was added last, the share of rows that each level has.
void gw_changes_print_shares(const gw_changes *changes, gw_string *out);

#endif
