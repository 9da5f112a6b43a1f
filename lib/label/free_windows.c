// SPDX-License-Identifier: MIT
// Lists the gaps between obstacles, and draws a window from all of their positions alike.
#include "label/free_windows.h"

#include "base/memory.h"

#include <stdlib.h>

static gw_status add_gap(gw_free_windows *windows, int contig, int64_t begin, int64_t end) {
    if (end - begin < windows->width) return GW_OK;
    return gw_regions_add(&windows->gaps, (gw_region){.contig = contig, .begin = begin, .end = end, .strand = '.'});
}

// What the obstacles leave of one zone.
static gw_status add_zone(gw_free_windows *windows, const gw_region *zone, const gw_regions *obstacles, int64_t first) {
    int64_t begin = zone->begin;
    for (int64_t i = first; i < obstacles->count; i++) {
        const gw_region *o = &obstacles->items[i];
        if (o->contig != zone->contig || o->begin >= zone->end) break;
        GW_TRY(add_gap(windows, zone->contig, begin, o->begin));
        if (o->end > begin) begin = o->end;
    }
    return add_gap(windows, zone->contig, begin, zone->end);
}

static gw_status count_starts(gw_free_windows *windows) {
    windows->starts_before = gw_alloc(windows->gaps.count + 1, sizeof *windows->starts_before);
    if (!windows->starts_before) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < windows->gaps.count; i++) {
        const gw_region *gap = &windows->gaps.items[i];
        windows->starts_before[i + 1] = windows->starts_before[i] + gap->end - gap->begin - windows->width + 1;
    }
    return GW_OK;
}

gw_status gw_free_windows_find(gw_free_windows *windows, const gw_regions *zones, const gw_regions *obstacles,
                               int64_t width) {
    *windows = (gw_free_windows){.width = width};
    gw_status status = GW_OK;
    int64_t first = 0; // obstacles before it end before every later zone
    for (int64_t i = 0; status == GW_OK && i < zones->count; i++) {
        const gw_region *zone = &zones->items[i];
        for (; first < obstacles->count; first++) {
            const gw_region *o = &obstacles->items[first];
            if (o->contig > zone->contig || (o->contig == zone->contig && o->end > zone->begin)) break;
        }
        status = add_zone(windows, zone, obstacles, first);
    }
    if (status == GW_OK) status = count_starts(windows);
    if (status != GW_OK) gw_free_windows_free(windows);
    return status;
}

int64_t gw_free_windows_count(const gw_free_windows *windows) {
    return windows->starts_before ? windows->starts_before[windows->gaps.count] : 0;
}

void gw_free_windows_draw(const gw_free_windows *windows, gw_random *random, int *contig, int64_t *begin) {
    const int64_t start = (int64_t)gw_random_below(random, (uint64_t)gw_free_windows_count(windows));
    int64_t low = 0, high = windows->gaps.count; // starts_before[low] <= start < starts_before[high]
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (windows->starts_before[middle] <= start) low = middle;
        else high = middle;
    }
    *contig = windows->gaps.items[low].contig;
    *begin = windows->gaps.items[low].begin + start - windows->starts_before[low];
}

void gw_free_windows_free(gw_free_windows *windows) {
    gw_regions_free(&windows->gaps);
    free(windows->starts_before);
    *windows = (gw_free_windows){0};
}
