// SPDX-License-Identifier: MIT
// Counts m-mers on both strands; the sample is thinned by half, and its stride doubled, whenever it is full.
#include "measure/markov_counts.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 1 << 17, MOST_MARKS = 1 << 18, MARK_LENGTH = 24, UNKNOWN = 4 };

gw_status gw_markov_counts_make(gw_markov_counts *counts, int longest) {
    *counts = (gw_markov_counts){.longest = longest, .sample_stride = 1, .mark_limit = UINT64_MAX};
    counts->samples = gw_alloc(MOST_SAMPLES, sizeof *counts->samples);
    counts->marks = gw_alloc(MOST_MARKS, sizeof *counts->marks);
    bool made = counts->samples && counts->marks;
    for (int m = 1; made && m <= longest; m++) {
        counts->table[m] = gw_alloc((int64_t)1 << 2 * m, sizeof *counts->table[m]);
        made = counts->table[m] != NULL;
    }
    if (made) return GW_OK;
    gw_markov_counts_free(counts);
    return GW_ERR_MEMORY;
}

void gw_markov_counts_free(gw_markov_counts *counts) {
    for (int m = 1; m <= counts->longest; m++) free(counts->table[m]);
    free(counts->samples);
    free(counts->marks);
    *counts = (gw_markov_counts){0};
}

gw_base_window gw_base_window_at(const uint8_t *code, int64_t begin, int64_t at, int64_t end) {
    gw_base_window window;
    for (int64_t i = 0; i < 2 * GW_MARKOV_REACH + 1; i++) {
        const int64_t position = at - GW_MARKOV_REACH + i;
        window.code[i] = position >= begin && position < end ? code[position] : UNKNOWN;
    }
    return window;
}

// A full list is thinned by half, and the stride doubled.
static void add_sample(gw_markov_counts *counts, const uint8_t *code, int64_t length, int64_t at) {
    if (counts->bases % counts->sample_stride != 0) return;
    if (counts->sample_count == MOST_SAMPLES) {
        for (int64_t i = 0; i < MOST_SAMPLES / 2; i++) counts->samples[i] = counts->samples[2 * i];
        counts->sample_count = MOST_SAMPLES / 2;
        counts->sample_stride *= 2;
        if (counts->bases % counts->sample_stride != 0) return;
    }
    counts->samples[counts->sample_count++] = gw_base_window_at(code, 0, at, length);
}

static uint64_t mixed(uint64_t value) { // the finaliser of SplitMix64
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

static void add_mark(gw_markov_counts *counts, uint64_t forward, uint64_t reverse) {
    const uint64_t hash = mixed((forward < reverse ? forward : reverse) + 1);
    if (hash > counts->mark_limit) return;
    if (counts->mark_count == MOST_MARKS) {
        counts->mark_limit /= 2;
        int64_t kept = 0;
        for (int64_t i = 0; i < MOST_MARKS; i++)
            if (counts->marks[i] <= counts->mark_limit) counts->marks[kept++] = counts->marks[i];
        counts->mark_count = kept;
        if (hash > counts->mark_limit || kept == MOST_MARKS) return;
    }
    counts->marks[counts->mark_count++] = hash;
}

// Counts saturate rather than wrap.
static void count_one(uint32_t *count) {
    if (*count < UINT32_MAX) ++*count;
}

gw_status gw_markov_counts_add(gw_markov_counts *counts, const uint8_t *code, int64_t length) {
    const uint64_t mark_mask = ((uint64_t)1 << 2 * MARK_LENGTH) - 1;
    // The last 24 bases, 2 bits each: the newest one is lowest in `forward`, and its complement highest in `reverse`,
    // whose top m bases so are the other strand of the last m.
    uint64_t forward = 0, reverse = 0;
    int64_t run = 0;
    for (int64_t i = 0; i < length; i++) {
        if (code[i] >= UNKNOWN) {
            run = 0;
            continue;
        }
        forward = (forward << 2 | code[i]) & mark_mask;
        reverse = reverse >> 2 | (uint64_t)(3 - code[i]) << 2 * (MARK_LENGTH - 1);
        run++;
        for (int m = 1; m <= counts->longest && m <= run; m++) {
            count_one(&counts->table[m][forward & (((uint64_t)1 << 2 * m) - 1)]);
            count_one(&counts->table[m][reverse >> 2 * (MARK_LENGTH - m)]);
        }
        if (run >= MARK_LENGTH) add_mark(counts, forward, reverse);
        add_sample(counts, code, length, i);
        counts->bases++;
    }
    return GW_OK;
}

static int by_value(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

double gw_markov_counts_multiplicity(gw_markov_counts *counts) {
    qsort(counts->marks, (size_t)counts->mark_count, sizeof *counts->marks, by_value);
    // Half of the distinct marks occur at most `median` times.
    int64_t distinct = 0, of_size[65536] = {0};
    for (int64_t i = 0, end; i < counts->mark_count; i = end, distinct++) {
        for (end = i + 1; end < counts->mark_count && counts->marks[end] == counts->marks[i];) end++;
        of_size[end - i < 65535 ? end - i : 65535]++;
    }
    int64_t median = 1, seen = of_size[1];
    while (median < 65535 && 2 * seen < distinct) seen += of_size[++median];
    return (double)median;
}

bool gw_markov_counts_get(const gw_markov_counts *counts, const gw_base_window *window, int left, int right,
                          double n[4]) {
    const uint8_t *middle = window->code + GW_MARKOV_REACH;
    uint64_t index = 0;
    for (int i = -left; i <= right; i++) {
        if (i != 0 && middle[i] >= UNKNOWN) return false;
        index = index << 2 | (i != 0 ? middle[i] : 0);
    }
    const uint32_t *table = counts->table[left + 1 + right];
    for (uint64_t x = 0; x < 4; x++) n[x] = table[index + (x << 2 * right)];
    return true;
}
