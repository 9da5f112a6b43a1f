// SPDX-License-Identifier: MIT
// The contextual mapping of Big Bird's appendix A.2.2 (Lemma 3): n phases of selective shifts. After them every token
// has a number that no other token has, in this input or in any other input of the grid.
//
// Tokens 1 .. n hold P_i = E_i + g_i, with g_i in {0, delta, ..., 1 - delta}^d, E_1 = 0, E_i = delta^-((i-1)d). Token 0
// is global. l_i = u.P_i with u = (1, delta^-1, ..., delta^-(d-1), delta^-nd). The global token starts at delta^-nd.
// Phase k moves token k by lambda (f~ - l_k), then the global token by eta (f_k - l_(k+1)):
//   f_k = lambda (f~_(k-1) - l_k) + l_k,   f~_k = f~_(k-1) + eta (f_k - l_(k+1));   in phase n f_1 is the minimum.
// Both are linear in l, so their exact ranges over the grid are known: S_k <= f~_k <= T_k. A last layer adds kappa
// (f~_n - the minimum of the neighbours) to every f_i.
#ifndef GW_THEORY_CONTEXT_PROOF_H
#define GW_THEORY_CONTEXT_PROOF_H

#include "base/status.h"
#include "base/string.h"
#include "kernels/graph.h"

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

// Arrays of exact rational numbers. GMP ends the process if memory runs out.

// Returns `count` zeros; free them with gw_exact_free(). On failure returns NULL and sets the message.
mpq_t *gw_exact_new(int64_t count);
void gw_exact_free(mpq_t *numbers, int64_t count); // NULL: nothing

void gw_exact_add_product(mpq_t sum, const mpq_t a, const mpq_t b); // sum += a b
// Parts of the proof that are taken as printed, not as repaired; bits.
typedef enum {
    GW_PRINTED_LEMMA2 = 1,       // b on the key
    GW_PRINTED_GRID = 2,         // [0, 1]_delta, both ends included
    GW_PRINTED_LOW_RANGE = 4,    // v in [delta^-(k-1)d, delta^-kd)
    GW_PRINTED_BASE = 8,         // S_0 = delta^-(n+1)d, T_0 = S_0 + delta
    GW_PRINTED_BOUNDS = 16,      // S_k and T_k of (LP) and (UP)
    GW_PRINTED_FACTOR = 32,      // lambda = delta^-d
    GW_PRINTED_LAST_RANGE = 64,  // the last layers are a sweep over [S_1, T_n)
    GW_PRINTED_LAST_FACTOR = 128 // kappa = delta^-(n^2 d)
} gw_printed;

typedef struct {
    int n, d, m; // 1 / delta = m
    unsigned printed;
    bool without_star;                                    // the graph has no star: only distinct contexts are required
    int64_t inputs;                                       // points of the grid
    mpq_t *u;                                             // [d + 1]
    mpq_t *first, *last;                                  // [n + 1] smallest and largest l_i
    mpq_t *low_global, *high_global;                      // [n + 1] S_k, T_k
    mpq_t *low_token, *high_token;                        // [n + 1] range of f_k, k from 1
    mpq_t constant[5];                                    // global's start, lambda, eta, kappa, delta
    mpq_t *global;                                        // [inputs] f~_n
    mpq_t *context;                                       // [inputs][n] u.X_i at the end
    mpq_t *column;                                        // [inputs][n][d + 1] X_i at the end
    gw_string failure;                                    // the first check that failed, with its input
    int64_t checks, shifts, product_shifts, least_shifts; // over all inputs; product: least over inputs
    double *trace;                                        // [2 n + 2][n + 1] log10 of u.X of the last input, by step
} gw_context;

// Runs the whole grid. graph: over n + 1 tokens. A check that fails is reported in `failure`, not by the status.
gw_status gw_context_run(gw_context *c, int n, int d, int m, unsigned printed, const gw_graph *graph) GW_MUST_CHECK;
void gw_context_free(gw_context *c);

// Coordinate t of token i (0-based) of input p without E, as a multiple of delta.
int gw_context_digit(const gw_context *c, int64_t p, int i, int t);
// Appends the tokens of input p without E, as "(0 1/2 | 1/2 0)".
void gw_context_print_input(const gw_context *c, int64_t p, gw_string *out);

#endif
