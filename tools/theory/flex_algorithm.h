// SPDX-License-Identifier: MIT
// Which 0/1 matrices a self-attention matrix of query dimension 1 can weakly approximate (Likhosherstov et al.,
// Algorithm 1). Rows are sets of columns as bits.
#ifndef GW_THEORY_FLEX_ALGORITHM_H
#define GW_THEORY_FLEX_ALGORITHM_H

#include <stdbool.h>
#include <stdint.h>

enum { GW_FLEX_MOST = 8 };

// Algorithm 1 as printed, for a matrix of n rows, none of them empty, and d_hid = 1 or more.
bool gw_flex_printed(const uint32_t *row, int n, bool wide);
// The same with line 9 and 10 for the rows that read everything: their side is free.
bool gw_flex_repaired(const uint32_t *row, int n, bool wide);
// By trying: query and key are q_i and k_j with row i's largest products q_i k_j in its set. Only the order of the keys
// and the signs of the queries count: with q_i > 0 the set must hold the largest keys, with q_i < 0 the smallest. For
// d_hid > 1 q and k are free; for d_hid = 1 they are a x and b x.
bool gw_flex_brute_force(const uint32_t *row, int n, bool wide);

#endif
