// SPDX-License-Identifier: MIT
// What runs that compute a part of their rows have in common (changed.h, needed.h): a network whose values stay, with
// room for the rows of other sequences behind them.
#ifndef GW_NETWORK_PARTIAL_H
#define GW_NETWORK_PARTIAL_H

#include "network/network_private.h"
#include "nn/changes.h"

enum { GW_PARTIAL_SEQUENCES = 256 }; // at a time, behind the first

typedef struct {
    gw_network *network;
    gw_changes *changes;
    gw_tensor output; // of the rows that are asked for
    double share;     // of a whole run's products, by the first sequence that was taken
    gw_string shares; // of each layer's rows; empty: none was taken yet
} gw_partial;

typedef gw_status gw_partial_flush(void *context); // runs what was added, does something with it, and clears it

// `rows`: the row set of the outputs. *can false: sequences can only be run whole, as changed.h says.
gw_status gw_partial_make(gw_partial *partial, gw_model *model, int rows, int64_t memory, bool *can) GW_MUST_CHECK;
void gw_partial_free(gw_partial *partial);
void gw_partial_begin(gw_partial *partial); // the network's run is the first sequence's from now on
// gw_changes_add(); where there is no more room, after `flush`. *taken false: whole it takes hardly more.
gw_status gw_partial_add(gw_partial *partial, const int32_t *token, int64_t row, gw_partial_flush *flush, void *context,
                         bool *taken) GW_MUST_CHECK;
// "an allele computes" 3 % of its window's products ..., of the first sequence that was taken, if any was.
void gw_partial_note(const gw_partial *partial, const char *what);

#endif
