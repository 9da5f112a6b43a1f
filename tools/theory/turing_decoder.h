// SPDX-License-Identifier: MIT
// A Turing machine as a decoder of four layers with sparse attention (Big Bird's appendix B, repaired: docs/theory.md).
//
// Decoder node i = j(j+1)/2 + k, 0 <= k <= j, j >= 1, belongs to time t = j - 1 of the machine: k = 0 is its compute
// node, the others look back. Node (j, k) attends to itself and to the compute node k(k+1)/2 of time k - 1; a compute
// node to itself. A node's vector holds, in this order (Q states, S symbols):
//   q [Q], s [S], c          state, symbol and head at time t
//   q' [Q], v [S], c'        state and head at t + 1, symbol written at t; later what is passed on
//   alpha [S], beta          what the encoder says of time t + 1
//   w [S]                    symbol of the best cell so far, then of the best one after this node
//   1, p, 1/p, first, last   position: p = t + 1; first = p where k = 0, last = p where k = j, else 0
//   key c, key 1/p           of the cell that this node stands for
//   best c, best 1/p         of the best cell so far
#ifndef GW_THEORY_TURING_DECODER_H
#define GW_THEORY_TURING_DECODER_H

#include "tools/theory/arithmetic.h"
#include "tools/theory/turing_machine.h"

typedef struct gw_decoder gw_decoder;

// The weights, for a machine that gw_machine_prepare() has made.
gw_status gw_decoder_compile(const gw_machine *machine, gw_decoder **out) GW_MUST_CHECK;
void gw_decoder_free(gw_decoder *decoder);
int gw_decoder_width(const gw_decoder *decoder);
int64_t gw_decoder_weights(const gw_decoder *decoder); // that are not zero

// What a run is compared with and leaves.
typedef struct {
    const gw_machine_run *truth;
    const int *input;
    int64_t input_count;
    const gw_arithmetic *arithmetic;
    bool product;     // layer 4's attention by the product's f32 kernel
    int64_t *carrier; // [steps + 2] out: time whose compute node gave the symbol of each time; -1: not from the tape
    int64_t nodes, edges; // out: of the sparse graph, as far as the run went
    // out: at the compute nodes of the times 0 .. equal_steps - 1 state, symbol and head are the machine's, and the
    // symbol came from the last visit of its cell
    int64_t equal_steps;
} gw_decoder_run;

// Runs to the machine's last moment, or until it parts from it.
gw_status gw_decoder_simulate(const gw_decoder *decoder, gw_decoder_run *run) GW_MUST_CHECK;

#endif
