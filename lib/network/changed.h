// SPDX-License-Identifier: MIT
// Outputs of sequences that differ in some tokens from one that is run whole: what no differing token reaches is taken
// from that (nn/changes.h). They are those of whole runs within rounding (docs/numerics.md).
#ifndef GW_NETWORK_CHANGED_H
#define GW_NETWORK_CHANGED_H

#include "model/model.h"
#include "network/forward.h"

typedef struct gw_changed gw_changed;

// Of a model whose head gives outputs to each sequence (GW_ROWS_FIRST) or to all of its tokens (GW_ROWS_TOKENS). *out
// is NULL where sequences can only be run whole: the pattern has global rows or full layers, rows of some layer read
// others than convolutions and block graphs say, the backend's memory is not the host's, or values of a run would take
// more than `memory` bytes. Borrows the model.
gw_status gw_changed_new(gw_model *model, int rows, int64_t memory, gw_changed **out) GW_MUST_CHECK;
void gw_changed_free(gw_changed *changed); // NULL is fine

// The sequence that others differ from, without the special tokens of its frame: runs it, unless it is the last one.
gw_status gw_changed_begin(gw_changed *changed, const int32_t *tokens, int64_t count) GW_MUST_CHECK;
const float *gw_changed_outputs(const gw_changed *changed); // of that sequence, with its frame where tokens have them

// Asks for the outputs of another sequence, of which `answer` is told by the next gw_changed_run() at the latest.
// *taken false: it is not asked for, since it is shorter or longer, or would take most of a run.
gw_status gw_changed_ask(gw_changed *changed, const int32_t *tokens, int64_t count, int64_t id,
                         gw_forward_answer *answer, void *context, bool *taken) GW_MUST_CHECK;
gw_status gw_changed_run(gw_changed *changed, gw_forward_answer *answer, void *context) GW_MUST_CHECK;
// Tells of the first sequence that was taken how much of it is computed: the share of all products, and that of each
// layer's rows.
void gw_changed_note(const gw_changed *changed);

#endif
