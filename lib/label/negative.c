// SPDX-License-Identifier: MIT
// Draws 12 of the 20 pieces, and replaces or permutes them.
#include "label/negative.h"

#include <string.h>

static void swap(int *a, int *b) {
    const int kept = *a;
    *a = *b;
    *b = kept;
}

// The first `chosen` items of order[0 .. count) become a uniform draw without replacement, in random order.
static void draw(gw_random *random, int *order, int count, int chosen) {
    for (int i = 0; i < chosen; i++) swap(&order[i], &order[i + (int)gw_random_below(random, (uint64_t)(count - i))]);
}

static void draw_pieces(gw_random *random, int drawn[GW_PIECES]) {
    for (int i = 0; i < GW_PIECES; i++) drawn[i] = i;
    draw(random, drawn, GW_PIECES, GW_PIECES_CHANGED);
}

static int64_t piece_begin(int piece, int64_t length) {
    return piece * length / GW_PIECES;
}

void gw_negative_substitute(gw_random *random, char *bases, int64_t length) {
    int drawn[GW_PIECES];
    draw_pieces(random, drawn);
    for (int i = 0; i < GW_PIECES_CHANGED; i++) {
        const int64_t end = piece_begin(drawn[i] + 1, length);
        for (int64_t at = piece_begin(drawn[i], length); at < end; at++) bases[at] = "ACGT"[gw_random_below(random, 4)];
    }
}

void gw_negative_shuffle(gw_random *random, const char *bases, int64_t length, char *out) {
    int drawn[GW_PIECES], source[GW_PIECES], given[GW_PIECES_CHANGED];
    draw_pieces(random, drawn);
    memcpy(given, drawn, sizeof given);
    draw(random, given, GW_PIECES_CHANGED, GW_PIECES_CHANGED);
    for (int i = 0; i < GW_PIECES; i++) source[i] = i;
    for (int i = 0; i < GW_PIECES_CHANGED; i++) source[drawn[i]] = given[i];
    for (int i = 0; i < GW_PIECES; i++) {
        const int64_t begin = piece_begin(source[i], length), size = piece_begin(source[i] + 1, length) - begin;
        memcpy(out, bases + begin, (size_t)size);
        out += size;
    }
}
