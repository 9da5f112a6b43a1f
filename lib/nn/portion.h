// SPDX-License-Identifier: MIT
// A plan run in part: of sequences that differ in some rows from a first one, and of which some rows are asked for,
// each tensor's rows are computed that both are changed and lead to what is asked. All others are the first one's.
//
// Each op says how rows reach through it (gw_reads of nn/plan.h): its own row, rows near it, a window that is pooled or
// the row that a repeated one is part of, what a block graph lists, or the whole sequence. Steps are cut into stages at
// those that read other rows than their own. A stage makes one set of rows of a sequence. What later stages read of it
// is kept: of the first sequence all rows that are needed, of the others their own.
//
// The first sequence may be absent (`alone`): then all rows that lead to what is asked are computed.
#ifndef GW_NN_PORTION_H
#define GW_NN_PORTION_H

#include "base/string.h"
#include "nn/plan.h"
#include "nn/row_set.h"

typedef struct gw_portion gw_portion;

// A sequence: `count` tokens stand in place of the first one's rows [offset, offset + span). Rows [begin, end) of the
// output, in its own numbering, are asked for; of an output with a row for each sequence, that one.
typedef struct {
    const int32_t *token;
    int64_t count, offset, span, begin, end;
} gw_variation;

// Of a plan that was built with `parts`, on a backend whose memory is the host's. `output` is of the stream, of a row
// set with one row for each sequence, or, of rows that are picked, the row that is asked for. *out is NULL where a
// step's rows are not known to reach as listed above.
gw_status gw_portion_new(const gw_plan *plan, int stream, gw_tensor output, bool alone, gw_portion **out) GW_MUST_CHECK;
void gw_portion_free(gw_portion *portion); // NULL is fine
// Whether sequences may be longer or shorter than the first one: all steps read their own rows or near ones.
bool gw_portion_shifts(const gw_portion *portion);
bool gw_portion_attends(const gw_portion *portion);      // has block graphs
int64_t gw_portion_row_bytes(const gw_portion *portion); // that a row of the first sequence takes while it runs
// How many rows apart two rows that are asked for cost as much together as alone.
gw_status gw_portion_gap(gw_portion *portion, int64_t *rows) GW_MUST_CHECK;

// A new first sequence; forgets all others. `run`: its batch holds that sequence, completed; of a portion that shifts
// it holds none. `alone`: the batch says what stands in a sequence of so many tokens, whichever these are.
gw_status gw_portion_begin(gw_portion *portion, const gw_run *run, const gw_variation *first) GW_MUST_CHECK;
// Adds a sequence. *share: of the products of a whole run of `count` tokens, those that it takes. *fits: false, and it
// is not added, where that is more than `most`, or where its rows are in too many pieces.
gw_status gw_portion_add(gw_portion *portion, const gw_variation *part, double most, double *share,
                         bool *fits) GW_MUST_CHECK;
int64_t gw_portion_count(const gw_portion *portion);
void gw_portion_clear(gw_portion *portion);            // forgets what was added
double gw_portion_products(const gw_portion *portion); // of a whole run of the sequence that was added last
// Of the sequence that was added last, the share of rows of each stage that reads other rows, in %.
void gw_portion_print_shares(const gw_portion *portion, gw_string *out);

// Whether sequences were added that read other rows of the first one than it held when it was run: then it is run again
// before them.
bool gw_portion_has_grown(const gw_portion *portion);
// The plan of `run` is the portion's or that of another member of the same shape. First the first sequence, of which
// those rows are held that the others that were added read; then these, from `from` on as many as memory holds: *count.
gw_status gw_portion_run_first(gw_portion *portion, const gw_run *run) GW_MUST_CHECK;
gw_status gw_portion_run(gw_portion *portion, const gw_run *run, int64_t from, int64_t *count) GW_MUST_CHECK;
// The rows that are asked for, [rows][width], of the first sequence (-1) or of one that was run last; until the next
// call.
gw_status gw_portion_output(gw_portion *portion, int64_t sequence, const float **out) GW_MUST_CHECK;

#endif
