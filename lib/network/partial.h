// SPDX-License-Identifier: MIT
// Outputs of sequences that are computed in part (nn/portion.h): of those that differ from a first one what they
// change, and of all what is asked for. Every member of a model of members computes its own.
//
// Outputs are those of whole runs within rounding (docs/background/numerics.md). The first sequence, the first that
// differs from it, and the first of another length are run whole too: where an output is further off, that is an error.
// A first sequence that takes seconds is not. Then a note says how much of a run the one that differs took.
#ifndef GW_NETWORK_PARTIAL_H
#define GW_NETWORK_PARTIAL_H

#include "model/model.h"
#include "network/network.h"
#include "nn/portion.h"

typedef struct gw_partial gw_partial;

// `rows`: the row set of the outputs, GW_ROWS_FIRST, GW_ROWS_TOKENS or GW_ROWS_MASKED; of masked rows there is no first
// sequence. *out is NULL where whole runs are as good: everything depends on everything (full attention, global
// tokens), values do not fit in `memory` bytes, or the backend's memory is not the host's. Borrows the model.
gw_status gw_partial_new(gw_model *model, int rows, int64_t memory, gw_partial **out) GW_MUST_CHECK;
void gw_partial_free(gw_partial *partial);          // NULL is fine
bool gw_partial_shifts(const gw_partial *partial);  // sequences may be longer or shorter than the first one
int64_t gw_partial_most(const gw_partial *partial); // rows of a first sequence that the memory holds
gw_status gw_partial_gap(gw_partial *partial, int64_t *rows) GW_MUST_CHECK; // gw_portion_gap()

// A first sequence, and those that are like it. Tokens are with special ones; of a first one offset and span are passed
// over. *taken false: a whole run takes hardly more, or the sequence has another length and may not.
gw_status gw_partial_begin(gw_partial *partial, const gw_variation *first, int64_t id) GW_MUST_CHECK;
gw_status gw_partial_ask(gw_partial *partial, const gw_variation *part, int64_t id, bool *taken) GW_MUST_CHECK;
// Computes them and gives each one's outputs, [rows asked for][width]; of members once for each.
gw_status gw_partial_run(gw_partial *partial, gw_forward_answer *answer, void *context) GW_MUST_CHECK;

// Logits of the masked tokens of a batch. *logits: [masked tokens][vocabulary], until the next call; or NULL where the
// batch is better run whole: a sequence has another number of masked tokens than one, or most of its rows lead there.
gw_status gw_partial_masked(gw_partial *partial, const gw_batch *batch, const float **logits) GW_MUST_CHECK;

#endif
