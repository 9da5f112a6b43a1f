// SPDX-License-Identifier: MIT
// Ranges are added in the order of their begins. Touching ranges are joined.
#include "nn/row_set.h"

#include "base/memory.h"
#include "base/number.h"

#include <stdlib.h>

void gw_row_set_free(gw_row_set *set) {
    free(set->range);
    *set = (gw_row_set){0};
}

void gw_row_set_clear(gw_row_set *set) {
    set->count = 0;
}

int64_t gw_row_set_rows(const gw_row_set *set) {
    int64_t rows = 0;
    for (int64_t i = 0; i < set->count; i++) rows += set->range[i].end - set->range[i].begin;
    return rows;
}

gw_status gw_row_set_add(gw_row_set *set, int64_t begin, int64_t end) {
    gw_row_range *last = set->count > 0 ? &set->range[set->count - 1] : NULL;
    if (begin >= end) return GW_OK;
    if (last && begin <= last->end) {
        if (end > last->end) last->end = end;
        return GW_OK;
    }
    GW_TRY(gw_reserve(&set->range, &set->capacity, set->count + 1, sizeof *set->range));
    set->range[set->count++] = (gw_row_range){begin, end};
    return GW_OK;
}

gw_status gw_row_set_widen(const gw_row_set *set, int64_t reach, int64_t rows, gw_row_set *out) {
    gw_row_set_clear(out);
    for (int64_t i = 0; i < set->count; i++) {
        const int64_t begin = set->range[i].begin - reach, end = set->range[i].end + reach;
        GW_TRY(gw_row_set_add(out, gw_max(begin, 0), gw_min(end, rows)));
    }
    return GW_OK;
}

// Of as many copies of the set as there are taps the one whose next range begins first.
gw_status gw_row_set_spread(const gw_row_set *set, int taps, int64_t stride, int64_t rows, gw_row_set *out) {
    int64_t *next = gw_alloc(taps, sizeof *next);
    gw_status status = next ? GW_OK : GW_ERR_MEMORY;
    gw_row_set_clear(out);
    for (int64_t left = set->count * taps; status == GW_OK && left > 0; left--) {
        int tap = -1;
        int64_t first = 0, at = 0;
        for (int t = 0; t < taps; t++) {
            const int64_t shift = (t - (taps - 1) / 2) * stride;
            if (next[t] == set->count) continue;
            at = set->range[next[t]].begin + shift;
            if (tap < 0 || at < first) tap = t, first = at;
        }
        const gw_row_range *range = &set->range[next[tap]++];
        const int64_t end = first + range->end - range->begin;
        status = gw_row_set_add(out, gw_max(first, 0), gw_min(end, rows));
    }
    free(next);
    return status;
}

gw_status gw_row_set_pool(const gw_row_set *set, int64_t factor, gw_row_set *out) {
    gw_row_set_clear(out);
    for (int64_t i = 0; i < set->count; i++)
        GW_TRY(gw_row_set_add(out, set->range[i].begin / factor, (set->range[i].end + factor - 1) / factor));
    return GW_OK;
}

gw_status gw_row_set_repeat(const gw_row_set *set, int64_t factor, int64_t rows, gw_row_set *out) {
    gw_row_set_clear(out);
    for (int64_t i = 0; i < set->count; i++) {
        const int64_t end = set->range[i].end * factor;
        GW_TRY(gw_row_set_add(out, set->range[i].begin * factor, gw_min(end, rows)));
    }
    return GW_OK;
}

gw_status gw_row_set_join(const gw_row_set *a, const gw_row_set *b, gw_row_set *out) {
    gw_row_set_clear(out);
    for (int64_t i = 0, k = 0; i < a->count || k < b->count;) {
        const bool first = k == b->count || (i < a->count && a->range[i].begin <= b->range[k].begin);
        const gw_row_range next = first ? a->range[i++] : b->range[k++];
        GW_TRY(gw_row_set_add(out, next.begin, next.end));
    }
    return GW_OK;
}

gw_status gw_row_set_without(const gw_row_set *a, const gw_row_set *b, gw_row_set *out) {
    gw_row_set_clear(out);
    for (int64_t i = 0, k = 0; i < a->count; i++) {
        int64_t begin = a->range[i].begin;
        const int64_t end = a->range[i].end;
        for (; k < b->count && b->range[k].begin < end; k++) {
            GW_TRY(gw_row_set_add(out, begin, gw_max(begin, b->range[k].begin)));
            begin = gw_max(begin, gw_min(b->range[k].end, end));
            if (b->range[k].end > end) break; // the next range may begin in it
        }
        GW_TRY(gw_row_set_add(out, begin, end));
    }
    return GW_OK;
}

gw_status gw_row_set_meet(const gw_row_set *a, const gw_row_set *b, gw_row_set *out) {
    gw_row_set_clear(out);
    for (int64_t i = 0, k = 0; i < a->count && k < b->count;) {
        const gw_row_range x = a->range[i], y = b->range[k];
        GW_TRY(gw_row_set_add(out, gw_max(x.begin, y.begin), gw_min(x.end, y.end)));
        if (x.end < y.end) i++;
        else k++;
    }
    return GW_OK;
}
