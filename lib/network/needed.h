// SPDX-License-Identifier: MIT
// Logits of masked tokens from the rows alone that lead to them (nn/changes.h): where attention reads what is near, a
// part of a sequence. They are those of whole runs within rounding (docs/numerics.md).
#ifndef GW_NETWORK_NEEDED_H
#define GW_NETWORK_NEEDED_H

#include "model/model.h"
#include "network/network.h"

typedef struct gw_needed gw_needed;

// *out is NULL where sequences can only be run whole, as of gw_changed_new() (network/changed.h). Borrows the model.
gw_status gw_needed_new(gw_model *model, int64_t memory, gw_needed **out) GW_MUST_CHECK;
void gw_needed_free(gw_needed *needed); // NULL is fine
// *logits: [masked tokens of the batch][vocabulary], until the next call; or NULL where the batch is better run whole:
// a sequence has another number of masked tokens than one, or most of its rows lead there.
gw_status gw_needed_run(gw_needed *needed, const gw_batch *batch, const float **logits) GW_MUST_CHECK;
// Tells of the first sequence that was run how much of it is computed, as gw_changed_note() does.
void gw_needed_note(const gw_needed *needed);

#endif
