// SPDX-License-Identifier: MIT
// Computing outputs of sequences in part (nn/portion.h). For sequences that differ from a first sequence, only the
// changed rows are computed; and for all sequences, only the rows that the asked outputs depend on. Each member of a
// model with members does the same.
//
// Outputs equal those of whole runs within rounding (docs/background/numerics.md). As a check, three sequences also run
// whole: the first sequence, the first that differs from it, and the first of another length. A larger difference is an
// error. A first sequence that takes seconds is not checked. A note then says which share of a run a differing sequence
// took.
#ifndef GW_NETWORK_PARTIAL_H
#define GW_NETWORK_PARTIAL_H

#include "model/model.h"
#include "network/network.h"
#include "nn/portion.h"

typedef struct gw_partial gw_partial;

// `rows`: the row set of the outputs, GW_ROWS_FIRST, GW_ROWS_TOKENS or GW_ROWS_MASKED. Masked rows have no first
// sequence. *out is NULL if whole runs are as good: all rows depend on all others (full attention, global tokens), the
// values do not fit into `memory` bytes, or the backend has its own memory. Borrows the model.
gw_status gw_partial_new(gw_model *model, int rows, int64_t memory, gw_partial **out) GW_MUST_CHECK;
void gw_partial_free(gw_partial *partial);          // NULL is fine
bool gw_partial_shifts(const gw_partial *partial);  // sequences may be longer or shorter than the first
int64_t gw_partial_most(const gw_partial *partial); // most rows of a first sequence that the memory holds
gw_status gw_partial_gap(gw_partial *partial, int64_t *rows) GW_MUST_CHECK; // gw_portion_gap()

// begin: sets the first sequence. ask: adds a sequence that differs from it. Tokens include special tokens. offset and
// span of a first sequence are ignored. *taken is false if a whole run takes hardly longer, or if the sequence has
// another length that is not possible.
gw_status gw_partial_begin(gw_partial *partial, const gw_variation *first, int64_t id) GW_MUST_CHECK;
gw_status gw_partial_ask(gw_partial *partial, const gw_variation *part, int64_t id, bool *taken) GW_MUST_CHECK;
// Computes the sequences and passes the outputs of each, [asked rows][width], to `answer`; with members, once for each
// member.
gw_status gw_partial_run(gw_partial *partial, gw_forward_answer *answer, void *context) GW_MUST_CHECK;

// Logits of the masked tokens of a batch. *logits: [masked tokens][vocabulary], valid until the next call. NULL if the
// batch should run whole: a sequence does not have exactly one masked token, or the outputs depend on most rows.
gw_status gw_partial_masked(gw_partial *partial, const gw_batch *batch, const float **logits) GW_MUST_CHECK;

#endif
