// SPDX-License-Identifier: MIT
// Keeps a text and its cuts; splitting makes new cuts where a pattern matches.
#include "text/json/pieces.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <stdlib.h>

void gw_pieces_free(gw_pieces *pieces) {
    gw_string_free(&pieces->text);
    gw_string_free(&pieces->other_text);
    free(pieces->list);
    free(pieces->other_list);
    free(pieces->segments);
    gw_regex_scratch_free(&pieces->regex);
    *pieces = (gw_pieces){0};
}

gw_status gw_pieces_add(gw_pieces *pieces, gw_piece piece) {
    GW_TRY(gw_reserve(&pieces->list, &pieces->capacity, pieces->count + 1, sizeof *pieces->list));
    pieces->list[pieces->count++] = piece;
    return GW_OK;
}

int64_t gw_pieces_start_list(gw_pieces *p) {
    gw_piece *const list = p->list;
    const int64_t capacity = p->capacity, count = p->count;
    p->list = p->other_list;
    p->capacity = p->other_capacity;
    p->other_list = list;
    p->other_capacity = capacity;
    p->count = 0;
    return count;
}

static gw_status add_segment(gw_pieces *p, int64_t begin, int64_t end, bool match) {
    GW_TRY(gw_reserve(&p->segments, &p->segment_capacity, p->segment_count + 1, sizeof *p->segments));
    p->segments[p->segment_count++] = (gw_segment){begin, end, match};
    return GW_OK;
}

// Matches and what lies between them, from left to right.
static gw_status find_segments(gw_pieces *p, gw_piece piece, const gw_text_pattern *pattern, bool invert) {
    const char *text = p->text.data + piece.begin;
    const int64_t length = piece.end - piece.begin;
    int64_t covered = 0;
    p->segment_count = 0;
    for (gw_match_walk walk = gw_match_walk_over(pattern, &p->regex, text, length);;) {
        GW_TRY(gw_match_walk_next(&walk));
        if (walk.begin < 0) break;
        if (walk.begin > covered) GW_TRY(add_segment(p, piece.begin + covered, piece.begin + walk.begin, invert));
        GW_TRY(add_segment(p, piece.begin + walk.begin, piece.begin + walk.end, !invert));
        covered = walk.end;
    }
    if (covered < length) GW_TRY(add_segment(p, piece.begin + covered, piece.end, invert));
    return GW_OK;
}

// Whether segment i goes on the piece of its neighbour, which comes before it in the order of merging.
static bool joins(gw_split behaviour, bool match, bool neighbour_match) {
    return behaviour == GW_SPLIT_CONTIGUOUS ? match == neighbour_match : match && !neighbour_match;
}

// Joins segments as the behaviour says, in place.
static void merge_segments(gw_pieces *p, gw_split behaviour) {
    gw_segment *s = p->segments;
    const int64_t n = p->segment_count;
    if (behaviour == GW_SPLIT_REMOVED || behaviour == GW_SPLIT_ISOLATED || n == 0) return;
    int64_t kept = 1;
    if (behaviour == GW_SPLIT_MERGED_WITH_NEXT) { // from the right
        bool match = s[n - 1].match;
        for (int64_t i = n - 2; i >= 0; i--) {
            const gw_segment here = s[i];
            if (joins(behaviour, here.match, match)) s[n - kept].begin = here.begin;
            else s[n - ++kept] = here;
            match = here.match;
        }
        for (int64_t i = 0; i < kept; i++) s[i] = s[n - kept + i];
    } else {
        bool match = s[0].match;
        for (int64_t i = 1; i < n; i++) {
            const gw_segment here = s[i];
            if (joins(behaviour, here.match, match)) s[kept - 1].end = here.end;
            else s[kept++] = here;
            match = here.match;
        }
    }
    p->segment_count = kept;
}

gw_status gw_pieces_split(gw_pieces *p, const gw_text_pattern *pattern, gw_split behaviour, bool invert) {
    const int64_t count = gw_pieces_start_list(p);
    for (int64_t i = 0; i < count; i++) {
        const gw_piece piece = p->other_list[i];
        if (piece.token >= 0) {
            GW_TRY(gw_pieces_add(p, piece));
            continue;
        }
        GW_TRY(find_segments(p, piece, pattern, invert));
        merge_segments(p, behaviour);
        for (int64_t s = 0; s < p->segment_count; s++) {
            const gw_segment *here = &p->segments[s];
            if (here->begin == here->end || (here->match && behaviour == GW_SPLIT_REMOVED)) continue;
            GW_TRY(gw_pieces_add(p, (gw_piece){here->begin, here->end, -1, piece.first && here->begin == piece.begin}));
        }
    }
    return GW_OK;
}

gw_status gw_pieces_map(gw_pieces *p, gw_piece_map map, const void *context) {
    gw_string_clear(&p->other_text);
    int64_t kept = 0;
    for (int64_t i = 0; i < p->count; i++) {
        gw_piece piece = p->list[i];
        if (piece.token < 0) {
            const int64_t begin = p->other_text.length;
            GW_TRY(map(context, p->text.data + piece.begin, piece.end - piece.begin, piece.first, &p->other_text));
            piece.begin = begin;
            piece.end = p->other_text.length;
            if (piece.begin == piece.end) continue;
        }
        p->list[kept++] = piece;
    }
    p->count = kept;
    const gw_string old = p->text;
    p->text = p->other_text;
    p->other_text = old;
    return gw_string_status(&p->text);
}

static bool is_own_letter(int byte) {
    return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

void gw_byte_letters(gw_string *out, const char *text, int64_t length) {
    for (int64_t i = 0; i < length; i++) {
        const int byte = (uint8_t)text[i];
        int others = byte < '!' ? byte : byte == 0xAD ? 67 : byte - 0x7F + 33; // the how manieth that is no own letter
        char letter[4];
        const int bytes = gw_utf8_write((uint32_t)(is_own_letter(byte) ? byte : 256 + others), letter);
        gw_string_append(out, letter, bytes);
    }
}

int gw_letter_byte(uint32_t point) {
    if (point < 256) return is_own_letter((int)point) ? (int)point : -1;
    if (point < 256 + 33) return (int)point - 256;
    if (point < 256 + 67) return (int)point - 256 - 33 + 0x7F;
    return point == 256 + 67 ? 0xAD : -1;
}
