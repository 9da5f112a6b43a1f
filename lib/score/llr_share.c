// SPDX-License-Identifier: MIT
// Sites of a contig within `span` of the first are a neighbourhood; each of its positions goes to the first window that
// has room at its distance.
#include "score/llr_share.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

static int compare(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int by_position(const void *a, const void *b) {
    const gw_shared_site *x = a, *y = b;
    if (x->contig != y->contig) return compare(x->contig, y->contig);
    return x->position != y->position ? compare(x->position, y->position) : compare(x->allele, y->allele);
}

static int by_window(const void *a, const void *b) {
    const gw_shared_site *x = a, *y = b;
    return x->group != y->group ? compare(x->group, y->group) : by_position(a, b);
}

// Windows in the making: the last position of each, and its sites.
typedef struct {
    int64_t last, count;
} open_window;

// Gives the sites [first, end) of a neighbourhood their windows, numbered from *next on; open[end - first] is scratch.
static void place(gw_shared_site *sites, int64_t first, int64_t end, const gw_share_options *o, open_window *open,
                  int64_t *next) {
    int64_t windows = 0, chosen = 0;
    for (int64_t i = first; i < end; i++) {
        const bool again = i > first && sites[i].position == sites[i - 1].position;
        if (!again) chosen = 0;
        while (!again && chosen < windows &&
               (sites[i].position - open[chosen].last < o->apart || open[chosen].count >= o->most))
            chosen++;
        if (chosen == windows) open[windows++] = (open_window){0};
        open[chosen].last = sites[i].position;
        open[chosen].count++;
        sites[i].group = *next + chosen;
    }
    *next += windows;
}

static void gather(const gw_shared_site *sites, int64_t count, gw_shared_window *windows, int64_t *window_count) {
    *window_count = 0;
    for (int64_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && sites[end].group == sites[first].group;) end++;
        windows[(*window_count)++] =
            (gw_shared_window){(sites[first].position + sites[end - 1].position) / 2, first, end - first};
    }
}

gw_status gw_share_windows(gw_shared_site *sites, int64_t count, const gw_share_options *options,
                           gw_shared_window *windows, int64_t *window_count) {
    open_window *open = gw_alloc(count, sizeof *open);
    int64_t next = 0;
    if (!open) return GW_ERR_MEMORY;
    qsort(sites, (size_t)count, sizeof *sites, by_position);
    for (int64_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && sites[end].contig == sites[first].contig &&
                              sites[end].position - sites[first].position <= options->span;)
            end++;
        place(sites, first, end, options, open, &next);
    }
    qsort(sites, (size_t)count, sizeof *sites, by_window);
    gather(sites, count, windows, window_count);
    free(open);
    return GW_OK;
}
