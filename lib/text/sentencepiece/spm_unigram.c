// SPDX-License-Identifier: MIT
// Viterbi's algorithm over bytes, with the sums of the last few positions only and one number a byte to walk back by.
#include "base/memory.h"
#include "text/sentencepiece/unigram.h"

#include <stdlib.h>
#include <string.h>

static const double RESET = 100000; // where single-precision sums start anew

// steps[end]: 0 nothing reaches this byte, k > 0 piece k - 1, -n an unknown character of n bytes.
typedef struct {
    const gw_unigram *unigram;
    int32_t *steps;
    double *sums;
    int64_t mask;     // sums[position & mask]
    int64_t frontier; // the furthest position reached
} search;

static inline void offer(search *s, int64_t end, int32_t step, double sum) {
    if (end > s->frontier) s->frontier = end;
    if (s->steps[end] != 0 && sum <= s->sums[end & s->mask]) return;
    s->steps[end] = step;
    s->sums[end & s->mask] = sum;
}

// Takes the sum at `at` from all sums that are still to be used.
static void start_anew(search *s, int64_t at) {
    const double here = s->sums[at & s->mask];
    for (int64_t i = at; i <= s->frontier; i++)
        if (i == at || s->steps[i] != 0) s->sums[i & s->mask] = (float)(s->sums[i & s->mask] - here);
}

// The sum of two single-precision numbers, taken in double and rounded, is their single-precision sum.
static inline double add(double sum, double score, bool single) {
    return single ? (double)(float)(sum + score) : sum + score;
}

static inline __attribute__((always_inline)) void sweep(search *s, const char *text, int64_t length, bool single) {
    const gw_unigram *const u = s->unigram;
    for (int64_t at = 0, character; at < length; at += character) {
        if (single && (s->sums[at & s->mask] > RESET || s->sums[at & s->mask] < -RESET)) start_anew(s, at);
        const double here = s->sums[at & s->mask];
        character = gw_utf8_length((uint8_t)text[at]);
        if (character > length - at) character = length - at;
        bool known = false;
        uint32_t node = 0;
        for (int64_t end = at; end < length && gw_byte_trie_step(&u->trie, &node, (uint8_t)text[end]);) {
            const int32_t id = u->trie.units[node].value;
            end++;
            if (id == GW_TRIE_NO_VALUE) continue;
            offer(s, end, id + 1, add(here, u->scores[id], single));
            known |= end - at == character;
        }
        if (!known) offer(s, at + character, (int32_t)-character, add(here, u->unknown_score, single));
    }
}

gw_status gw_unigram_segment(const gw_unigram *unigram, gw_unigram_path *path, const char *text, int64_t length) {
    GW_TRY(gw_reserve(&path->steps, &path->capacity, length + 1, sizeof *path->steps));
    if (!path->sums) {
        int64_t ring = 8; // more than a character or a piece has bytes
        while (ring <= unigram->longest) ring *= 2;
        path->sums = gw_alloc(ring, sizeof *path->sums);
        if (!path->sums) return GW_ERR_MEMORY;
        path->ring = ring;
    }
    memset(path->steps, 0, (size_t)(length + 1) * sizeof *path->steps);
    path->sums[0] = 0;
    search s = {unigram, path->steps, path->sums, path->ring - 1, 0};
    if (unigram->single) sweep(&s, text, length, true);
    else sweep(&s, text, length, false);
    return GW_OK;
}

void gw_unigram_free(gw_unigram *unigram) {
    gw_byte_trie_free(&unigram->trie);
    free(unigram->scores);
    free(unigram->lengths);
    *unigram = (gw_unigram){0};
}

void gw_unigram_path_free(gw_unigram_path *path) {
    free(path->steps);
    free(path->sums);
    *path = (gw_unigram_path){0};
}
