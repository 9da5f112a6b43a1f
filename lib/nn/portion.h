// SPDX-License-Identifier: MIT
// Running a plan in part. Sequences differ from a first sequence in some rows, and only some output rows are asked for.
// A row of a tensor is computed if it is changed and if an asked row depends on it. All other rows are taken from the
// first sequence.
//
// Each op declares the rows that it reads (gw_reads of nn/plan.h): its own row, near rows, a pooled window, the source
// of a repeated row, rows of a block graph, or the whole sequence. The steps are cut into stages at each step that
// reads other rows than its own. A stage computes one set of rows of a sequence. Values that later stages read are
// kept: for the first sequence all needed rows, for the others their own rows.
//
// Without a first sequence (`alone`), all rows on which asked rows depend are computed.
#ifndef GW_NN_PORTION_H
#define GW_NN_PORTION_H

#include "base/string.h"
#include "nn/plan.h"
#include "nn/row_set.h"

typedef struct gw_portion gw_portion;

// A sequence: `count` tokens replace the first sequence's rows [offset, offset + span). Output rows [begin, end),
// numbered in this sequence, are asked for. If the output has one row for each sequence, this row is asked for.
typedef struct {
    const int32_t *token;
    int64_t count, offset, span, begin, end;
} gw_variation;

// For a plan built with `parts`, on a backend that uses host memory. `output` belongs to the stream, or to a row set
// with one row for each sequence, or is a picked row. *out is NULL if the rows that a step reads are unknown.
gw_status gw_portion_new(const gw_plan *plan, int stream, gw_tensor output, bool alone, gw_portion **out) GW_MUST_CHECK;
void gw_portion_free(gw_portion *portion); // NULL is fine
// Whether sequences may be longer or shorter than the first one. All steps must read their own or near rows.
bool gw_portion_shifts(const gw_portion *portion);
bool gw_portion_attends(const gw_portion *portion);      // has block graphs
int64_t gw_portion_row_bytes(const gw_portion *portion); // bytes for a row of the first sequence during its run
// The distance in rows from which two asked rows are cheaper in separate sequences than in one.
gw_status gw_portion_gap(gw_portion *portion, int64_t *rows) GW_MUST_CHECK;

// Sets a new first sequence and removes all others. The batch of `run` holds this completed sequence; if the portion
// shifts, the batch is empty. `alone`: the batch gives the arrays of a sequence with this number of tokens, with any
// tokens.
gw_status gw_portion_begin(gw_portion *portion, const gw_run *run, const gw_variation *first) GW_MUST_CHECK;
// Adds a sequence. *share: its products as a share of a whole run of `count` tokens. *fits is false, and the sequence
// is not added, if the share exceeds `most` or the rows are in too many pieces.
gw_status gw_portion_add(gw_portion *portion, const gw_variation *part, double most, double *share,
                         bool *fits) GW_MUST_CHECK;
int64_t gw_portion_count(const gw_portion *portion);
void gw_portion_clear(gw_portion *portion);            // removes the added sequences
double gw_portion_products(const gw_portion *portion); // of a whole run of the last added sequence
// Appends, for each stage that reads other rows, the share of its computed rows in the last added sequence, in %.
void gw_portion_print_shares(const gw_portion *portion, gw_string *out);

// Whether added sequences read rows of the first sequence that were not kept in its run. The first sequence must then
// run again.
bool gw_portion_has_grown(const gw_portion *portion);
// run_first: runs the first sequence and keeps the rows that added sequences read. run: runs added sequences from
// `from` on, as many as the memory holds; *count is their number. The plan of `run` is the portion's plan, or that of
// another member of the same shape.
gw_status gw_portion_run_first(gw_portion *portion, const gw_run *run) GW_MUST_CHECK;
gw_status gw_portion_run(gw_portion *portion, const gw_run *run, int64_t from, int64_t *count) GW_MUST_CHECK;
// The asked rows, [rows][width], of the first sequence (-1) or of a sequence of the last run. Valid until the next
// call.
gw_status gw_portion_output(gw_portion *portion, int64_t sequence, const float **out) GW_MUST_CHECK;

#endif
