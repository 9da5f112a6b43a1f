// SPDX-License-Identifier: MIT
// The second eigenvalue of an undirected graph.
#ifndef GW_GRAPH_SPECTRUM_H
#define GW_GRAPH_SPECTRUM_H

#include "base/status.h"

#include <stdint.h>

// A square matrix of bits, `words` 64-bit words a row.
typedef struct {
    int64_t blocks, words;
    uint64_t *bits; // [blocks][words]
} gw_bit_rows;

// The second largest eigenvalue (by value, not by size) of N = D^-1/2 A D^-1/2, for a symmetric, connected graph A of
// at least two blocks without loops, D its degrees. N's largest eigenvalue is 1. Accurate to about 1e-9.
gw_status gw_second_eigenvalue(const gw_bit_rows *links, double *out) GW_MUST_CHECK;

#endif
