// SPDX-License-Identifier: MIT
// Algorithm 1 on sets of columns as bits, as printed and repaired, and the search over all orders of the keys.
#include "tools/theory/flex_algorithm.h"

static bool is_subset(uint32_t a, uint32_t b) {
    return (a & ~b) == 0;
}

static bool are_nested(uint32_t a, uint32_t b) {
    return is_subset(a, b) || is_subset(b, a);
}

// The rows reachable from `first` by nested sets within `rows`.
static uint32_t component(const uint32_t *row, int n, uint32_t rows, int first) {
    uint32_t found = 1u << first, before = 0;
    while (found != before) {
        before = found;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (found >> i & 1 && rows >> j & 1 && are_nested(row[i], row[j])) found |= 1u << j;
    }
    return found;
}

static int lowest(uint32_t bits) {
    return __builtin_ctz(bits);
}

// Lines 1 to 6: K_1 and K_2, and the sets I' in rising order. False where the answer is False.
typedef struct {
    uint32_t all, k1, k2;
    uint32_t chain[GW_FLEX_MOST]; // I' of the rows of K_0, and of the others (all columns) at the end
} split;

static bool split_rows(const uint32_t *row, int n, split *s) {
    *s = (split){.all = (1u << n) - 1};
    uint32_t k0 = 0;
    for (int i = 0; i < n; i++) k0 |= (uint32_t)(row[i] != s->all) << i;
    if (k0 != 0) s->k1 = component(row, n, k0, lowest(k0));
    if (k0 != s->k1) s->k2 = component(row, n, k0, lowest(k0 & ~s->k1));
    if ((s->k1 | s->k2) != k0) return false;
    for (int i = 0; i < n; i++) { // insertion into the chain, by size
        const uint32_t set = s->k2 >> i & 1 ? s->all & ~row[i] : row[i];
        int at = i;
        for (; at > 0 && __builtin_popcount(s->chain[at - 1]) > __builtin_popcount(set); at--)
            s->chain[at] = s->chain[at - 1];
        s->chain[at] = set;
    }
    for (int i = 0; i + 1 < n; i++)
        if (!is_subset(s->chain[i], s->chain[i + 1])) return false;
    return true;
}

bool gw_flex_printed(const uint32_t *row, int n, bool wide) {
    split s;
    if (!split_rows(row, n, &s)) return false;
    if ((s.k1 | s.k2) == 0 || wide) return true;
    const uint32_t *i = s.chain, first = i[0], last = i[n - 1], *c = i;
    if (is_subset(s.k2, first) || is_subset(last, s.k2)) return true; // line 9
    for (int r = 0; r + 1 < n; r++)
        if (is_subset(c[r], s.k2) && is_subset(s.k2, c[r + 1])) return true;
    if (is_subset(s.k2, s.all & ~last) || is_subset(s.all & ~first, s.k2)) return true; // line 10
    for (int r = 0; r + 1 < n; r++)
        if (is_subset(s.all & ~c[r + 1], s.k2) && is_subset(s.k2, s.all & ~c[r])) return true;
    return false;
}

// Whether some N with least <= N <= most stands in the chain: I'_r <= N <= I'_(r+1), with nothing before the first set
// and everything after the last.
static bool fits(const split *s, int n, uint32_t least, uint32_t most) {
    for (int r = -1; r < n; r++) {
        const uint32_t below = r < 0 ? 0 : s->chain[r], above = r + 1 < n ? s->chain[r + 1] : s->all;
        if (is_subset(below, most) && is_subset(least, above)) return true;
    }
    return false;
}

// The rows N with a negative query hold K_2 and nothing of K_1. With q = x, k = -x (or both signs changed) they are
// those with the largest keys, with q = k those with the smallest, so that N or its complement stands in the chain.
bool gw_flex_repaired(const uint32_t *row, int n, bool wide) {
    split s;
    if (!split_rows(row, n, &s)) return false;
    if (wide) return true;
    return fits(&s, n, s.k2, s.all & ~s.k1) || fits(&s, n, s.k1, s.all & ~s.k2);
}

// order[r]: the column with the r-th smallest key.
static bool order_fits(const uint32_t *row, int n, const int *order, bool wide) {
    uint32_t all = (1u << n) - 1, low[GW_FLEX_MOST + 1] = {0};
    for (int r = 0; r < n; r++) low[r + 1] = low[r] | 1u << order[r];
    uint32_t top_rows = 0, bottom_rows = 0; // rows for which a positive, a negative query will do
    for (int i = 0; i < n; i++)
        for (int r = 0; r <= n; r++) {
            top_rows |= (uint32_t)(row[i] == (all & ~low[r])) << i;
            bottom_rows |= (uint32_t)(row[i] == low[r]) << i;
        }
    if (wide) return (top_rows | bottom_rows) == all;
    for (int r = 0; r <= n; r++) { // x < 0 for the r smallest; k = x, q = x or -x
        if (is_subset(low[r], bottom_rows) && is_subset(all & ~low[r], top_rows)) return true;
        if (is_subset(low[r], top_rows) && is_subset(all & ~low[r], bottom_rows)) return true;
    }
    return false;
}

static bool any_order(const uint32_t *row, int n, int *order, int placed, bool wide) {
    if (placed == n) return order_fits(row, n, order, wide);
    for (int r = placed; r < n; r++) {
        const int keep = order[placed];
        order[placed] = order[r], order[r] = keep;
        const bool found = any_order(row, n, order, placed + 1, wide);
        order[r] = order[placed], order[placed] = keep;
        if (found) return true;
    }
    return false;
}

bool gw_flex_brute_force(const uint32_t *row, int n, bool wide) {
    int order[GW_FLEX_MOST];
    for (int i = 0; i < n; i++) order[i] = i;
    return any_order(row, n, order, 0, wide);
}
