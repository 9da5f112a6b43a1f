// SPDX-License-Identifier: MIT
// Graphs of softmax attention to or from rows that a mixer adds (GW_ROWS_MIXER): every query reads every key.
#ifndef GW_NETWORK_MIXERS_FULL_GRAPHS_H
#define GW_NETWORK_MIXERS_FULL_GRAPHS_H

#include "network/network_private.h"

// A gw_graph_source in network->mixing, and its end: `make` and `free` of a mixer's row.
gw_status gw_mixer_make_full_graphs(gw_network *network) GW_MUST_CHECK;
void gw_mixer_free_full_graphs(void *mixing);

#endif
