// SPDX-License-Identifier: MIT
// Arithmetic of ranges.
#include "score/splice_cone.h"

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

gw_splice_change gw_splice_change_of(const char *ref, int64_t offset, int64_t span, const char *alt, int64_t length) {
    const int64_t least = smaller(span, length);
    int64_t before = 0, behind = 0;
    while (before < least && ref[offset + before] == alt[before]) before++;
    while (behind < least - before && ref[offset + span - 1 - behind] == alt[length - 1 - behind]) behind++;
    return (gw_splice_change){
        .at = offset + before, .removed = span - before - behind, .put = length - before - behind};
}

gw_splice_range gw_splice_felt(const gw_splice_layers *layers, const gw_splice_change *c, int level) {
    const int64_t reach = layers->reach[level];
    return (gw_splice_range){c->at - reach, c->at + c->put + reach};
}

gw_splice_range gw_splice_cone(const gw_splice_layers *layers, const gw_splice_change *c, int level) {
    const int64_t needed = layers->reach[layers->count] - layers->reach[level];
    const gw_splice_range felt = gw_splice_felt(layers, c, level);
    const int64_t begin = larger(felt.begin, c->begin - needed), end = smaller(felt.end, c->end + needed);
    return (gw_splice_range){begin, larger(begin, end)};
}

gw_splice_range gw_splice_all_cones(const gw_splice_layers *layers, const gw_splice_change *change) {
    gw_splice_range all = {0};
    for (int level = 0; level <= layers->count; level++) {
        const gw_splice_range cone = gw_splice_cone(layers, change, level);
        if (cone.begin == cone.end) continue;
        const bool first = all.begin == all.end;
        all.begin = first ? cone.begin : smaller(all.begin, cone.begin);
        all.end = first ? cone.end : larger(all.end, cone.end);
    }
    return all;
}

int64_t gw_splice_ref_row(const gw_splice_change *change, int64_t row) {
    return row < change->at ? row : row - change->put + change->removed;
}
