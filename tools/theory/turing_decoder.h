// SPDX-License-Identifier: MIT
// A Turing machine as a decoder of four layers with sparse attention (Big Bird's appendix B, repaired:
// docs/background/theory.md).
//
// Decoder node i = j(j+1)/2 + k, 0 <= k <= j, j >= 1, belongs to time t = j - 1 of the machine: k = 0 is its compute
// node, the others look back. Node (j, k) attends to itself and to the compute node k(k+1)/2 of time k - 1; a compute
// node to itself. A node's vector holds, in this order (Q states, S symbols):
//   q [Q], s [S], c          state, symbol and head at time t
//   q' [Q], v [S], c'        state and head at t + 1, symbol written at t; later the values that are passed on
//   alpha [S], beta          the encoder's data of time t + 1
//   w [S]                    symbol of the best cell so far, then of the best one after this node
//   1, p, 1/p, first, last   position: p = t + 1; first = p where k = 0, last = p where k = j, else 0
//   key c, key 1/p           of this node's cell
//   best c, best 1/p         of the best cell so far
#ifndef GW_THEORY_TURING_DECODER_H
#define GW_THEORY_TURING_DECODER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Deterministic Turing machines with one two-way infinite tape.

enum { GW_MOST_STATES = 128, GW_MOST_SYMBOLS = 32 };

typedef struct {
    bool halts;
    int write, move, next; // move -1, 0, 1
} gw_transition;

typedef struct {
    int states, symbols, start;
    char state[GW_MOST_STATES][32];
    char symbol[GW_MOST_SYMBOLS]; // symbol 0 is the blank
    gw_transition table[GW_MOST_STATES][GW_MOST_SYMBOLS];
} gw_machine;

// A run of `machine` from cell `head` on a tape with `count` symbols from cell 1 on: every moment up to the halt, or up
// to `most` steps.
typedef struct {
    int state, symbol; // under the head
    int64_t head;
} gw_moment;
typedef struct {
    gw_moment *moment; // [steps + 1]
    int64_t steps;     // done
    bool halted;
    int64_t first, last; // the cells visited and the cells of the input
    int *tape;           // [last - first + 1] at the end
} gw_machine_run;
// The arithmetic of a network of small rational weights: exact rational numbers, f64 or f32.

typedef struct {
    const char *name;
    size_t size; // bytes of a number
    void (*init)(void *x);
    void (*clear)(void *x);
    void (*set)(void *x, long numerator, long denominator);
    void (*copy)(void *to, const void *from);
    void (*add_scaled)(void *sum, long numerator, long denominator, const void *x); // sum += numerator / denominator x
    void (*multiply)(void *out, const void *a, const void *b);
    int (*compare)(const void *a, const void *b); // sign of a - b
    double (*value)(const void *x);
} gw_arithmetic;

extern const gw_arithmetic gw_exact_arithmetic, gw_f64_arithmetic, gw_f32_arithmetic;

static inline void *gw_number(const gw_arithmetic *a, void *numbers, int64_t i) {
    return (char *)numbers + (size_t)i * a->size;
}

typedef struct gw_decoder gw_decoder;

// Makes the weights for a machine that gw_machine_prepare() has prepared.
gw_status gw_decoder_compile(const gw_machine *machine, gw_decoder **out) GW_MUST_CHECK;
void gw_decoder_free(gw_decoder *decoder);
int gw_decoder_width(const gw_decoder *decoder);
int64_t gw_decoder_weights(const gw_decoder *decoder); // number of weights that are not zero

// The inputs and results of a run.
typedef struct {
    const gw_machine_run *truth;
    const int *input;
    int64_t input_count;
    const gw_arithmetic *arithmetic;
    bool product;         // layer 4's attention by the product's f32 kernel
    int64_t *carrier;     // [steps + 2] out: the time whose compute node gave each time's symbol; -1: not from the tape
    int64_t nodes, edges; // out: counts of the sparse graph, up to the end of the run
    // out: at the compute nodes of times 0 .. equal_steps - 1, state, symbol and head equal the machine's, and each
    // symbol came from the last visit of its cell
    int64_t equal_steps;
} gw_decoder_run;

// Runs to the machine's last moment, or until the run differs from the machine's.
gw_status gw_decoder_simulate(const gw_decoder *decoder, gw_decoder_run *run) GW_MUST_CHECK;

#endif
