// SPDX-License-Identifier: MIT
// Deterministic Turing machines with one two-way infinite tape, from a plain text table, and the textbook simulator.
//
// A file has a line "state read write move next" for each transition, move being L, R or S, symbols being single
// characters; "blank X" names the blank (default _), "start STATE" the first state (default: that of the first line).
// What follows a semicolon is a comment. A state and symbol without a line halt.
#ifndef GW_THEORY_TURING_MACHINE_H
#define GW_THEORY_TURING_MACHINE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

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

gw_status gw_machine_read(const char *path, gw_machine *out) GW_MUST_CHECK;

// The machine that the decoder simulates, which always moves and reads its input as the encoder hands it out, at time t
// cell t: from a blank tape, on cell 0, it marks that cell (a new symbol, which counts as blank from then on), walks
// right over the input to the first blank and back to the mark, and starts `machine` on cell 1. A transition that stays
// goes right, and then left by a state of its own.
gw_status gw_machine_prepare(const gw_machine *machine, gw_machine *out) GW_MUST_CHECK;

// The indices of the input's symbols, length of the text; blanks and unknown symbols are errors.
gw_status gw_machine_input(const gw_machine *machine, const char *text, int *symbols) GW_MUST_CHECK;

// A run of `machine` from `head` on a tape with `count` symbols from cell 1: every moment up to the halt or `most`
// steps.
typedef struct {
    int state, symbol; // under the head
    int64_t head;
} gw_moment;
typedef struct {
    gw_moment *moment; // [steps + 1]
    int64_t steps;     // done
    bool halted;
    int64_t first, last; // cells visited, and those of the input
    int *tape;           // [last - first + 1] at the end
} gw_machine_run;
gw_status gw_machine_simulate(const gw_machine *machine, const int *input, int64_t count, int64_t head, int64_t most,
                              gw_machine_run *out) GW_MUST_CHECK;
void gw_machine_run_free(gw_machine_run *run);

#endif
