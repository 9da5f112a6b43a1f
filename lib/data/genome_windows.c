// SPDX-License-Identifier: MIT
// Draws a number among all windows, and cuts out the one that has it.
#include "data/genome_windows.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DRAWS = 16 };

static int64_t windows_of(const gw_text_region *region, int64_t length) {
    const int64_t starts = region->end - region->begin - length + 1;
    return starts > 1 ? starts : 1;
}

gw_status gw_genome_windows_make(gw_genome_windows *windows, const gw_genome_text *text, int64_t length,
                                 uint64_t seed) {
    *windows = (gw_genome_windows){.text = text, .length = length, .seed = seed};
    windows->before = gw_alloc(text->region_count + 1, sizeof *windows->before);
    if (!windows->before) return GW_ERR_MEMORY;
    for (int64_t r = 0; r < text->region_count; r++)
        windows->before[r + 1] = windows->before[r] + windows_of(&text->regions[r], length);
    return GW_OK;
}

void gw_genome_windows_free(gw_genome_windows *windows) {
    free(windows->before);
    *windows = (gw_genome_windows){0};
}

// Window number `at` of all, forward.
static gw_genome_window window_at(const gw_genome_windows *windows, int64_t at) {
    const int64_t r = gw_text_region_of(windows->before, windows->text->region_count, at);
    const gw_text_region *region = &windows->text->regions[r];
    const int64_t length = region->end - region->begin;
    return (gw_genome_window){.region = region,
                              .begin = region->first + at - windows->before[r],
                              .count = length < windows->length ? length : windows->length};
}

static bool mostly_unknown(const char *bases, int64_t count) {
    int64_t unknown = 0;
    for (int64_t i = 0; i < count; i++) unknown += (bases[i] & ~0x20) == 'N';
    return 2 * unknown > count;
}

gw_genome_window gw_genome_window_draw(const gw_genome_windows *windows, int64_t number) {
    gw_random random = gw_random_at(windows->seed, GW_SITE_WINDOW, (uint64_t)number, 0);
    gw_genome_window window;
    int draws = 0;
    do {
        const uint64_t at = gw_random_below(&random, 2 * (uint64_t)windows->before[windows->text->region_count]);
        window = window_at(windows, (int64_t)(at / 2));
        window.reverse = at % 2;
    } while (++draws < MOST_DRAWS && mostly_unknown(windows->text->bases + window.begin, window.count));
    return window;
}

// Complements letters of either case, which they keep.
static char complement(char base) {
    static const char of[33] = "NTNGNNNCNNNNNNNNNNNNANNNNNNNNNNN"; // by the low five bits: A 1, C 3, G 7, T 20
    return (char)(of[base & 31] | (base & 0x20));
}

void gw_genome_window_read(const gw_genome_text *text, gw_genome_window window, char *bases) {
    const char *from = text->bases + window.begin;
    if (!window.reverse) memcpy(bases, from, (size_t)window.count);
    for (int64_t i = 0; window.reverse && i < window.count; i++) bases[i] = complement(from[window.count - 1 - i]);
}
