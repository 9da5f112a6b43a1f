// SPDX-License-Identifier: MIT
// From the peaks of a contig to the labels of its bins: for every target its merged peaks are walked from left to
// right, and the bases that they cover of each bin are summed.
#include "base/memory.h"
#include "label/profile_set.h"

#include <stdlib.h>

typedef struct {
    const gw_profile_set_options *options;
    gw_bin_label *items;
    int64_t count, capacity;
    int32_t target;       // being walked
    int64_t bin, covered; // the bin that the walk is in, and its bases covered so far
} label_walk;

static gw_status leave_bin(label_walk *w) {
    const int64_t doubled = 2 * w->covered, size = w->options->bin;
    const bool points = w->options->rule != GW_LABEL_OVERLAP;
    const bool positive = w->covered > 0 && (points || (w->options->majority ? doubled > size : doubled >= size));
    w->covered = 0;
    if (!positive) return GW_OK;
    GW_TRY(gw_reserve(&w->items, &w->capacity, w->count + 1, sizeof *w->items));
    w->items[w->count++] = (gw_bin_label){w->bin, w->target};
    return GW_OK;
}

// Adds a stretch that starts at or after the end of the one before.
static gw_status cover(label_walk *w, int64_t begin, int64_t end) {
    const int64_t size = w->options->bin;
    while (begin < end) {
        const int64_t bin = begin / size, bin_end = (bin + 1) * size, stop = end < bin_end ? end : bin_end;
        if (bin != w->bin) {
            GW_TRY(leave_bin(w));
            w->bin = bin;
        }
        w->covered += stop - begin;
        begin = stop;
    }
    return GW_OK;
}

static gw_status walk_target(label_walk *w, const gw_peak *peaks, int64_t count) {
    w->target = peaks[0].target;
    w->bin = peaks[0].begin / w->options->bin;
    w->covered = 0;
    int64_t reached = 0; // end of what is covered
    for (int64_t i = 0; i < count; i++) {
        const int64_t begin = peaks[i].begin > reached ? peaks[i].begin : reached;
        GW_TRY(cover(w, begin, peaks[i].end));
        if (peaks[i].end > reached) reached = peaks[i].end;
    }
    return leave_bin(w);
}

static int by_bin_and_target(const void *a, const void *b) {
    const gw_bin_label *x = a, *y = b;
    if (x->bin != y->bin) return x->bin < y->bin ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

gw_status gw_bin_labels(const gw_contig_peaks *peaks, const gw_profile_set_options *options, gw_bin_label **out,
                        int64_t *count) {
    label_walk w = {.options = options};
    gw_status status = GW_OK;
    for (int64_t first = 0, end; status == GW_OK && first < peaks->count; first = end) {
        for (end = first; end < peaks->count && peaks->items[end].target == peaks->items[first].target;) end++;
        status = walk_target(&w, peaks->items + first, end - first);
    }
    if (status != GW_OK) {
        free(w.items);
        w = (label_walk){0};
    }
    if (w.count > 1) qsort(w.items, (size_t)w.count, sizeof *w.items, by_bin_and_target);
    *out = w.items;
    *count = w.count;
    return status;
}
