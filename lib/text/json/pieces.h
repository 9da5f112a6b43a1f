// SPDX-License-Identifier: MIT
// A text on its way through a tokenizer: cut into pieces, some of which are tokens already.
#ifndef GW_TEXT_JSON_PIECES_H
#define GW_TEXT_JSON_PIECES_H

#include "base/string.h"
#include "text/json/text_pattern.h"

typedef struct {
    int64_t begin, end; // bytes of the text
    int32_t token;      // -1: a piece of text
    bool first;         // begins where the whole text does
} gw_piece;

typedef struct {
    int64_t begin, end;
    bool match;
} gw_segment;

// Zero-initialise. The two texts and the two lists take turns.
typedef struct {
    gw_string text, other_text;
    gw_piece *list, *other_list;
    int64_t count, capacity, other_capacity;
    gw_segment *segments;
    int64_t segment_count, segment_capacity;
    gw_regex_scratch regex;
} gw_pieces;

void gw_pieces_free(gw_pieces *pieces);
// The pieces so far become `other_list`, and `list` is empty; returns their number.
int64_t gw_pieces_start_list(gw_pieces *pieces);
gw_status gw_pieces_add(gw_pieces *pieces, gw_piece piece) GW_MUST_CHECK;

typedef enum {
    GW_SPLIT_REMOVED,
    GW_SPLIT_ISOLATED,
    GW_SPLIT_MERGED_WITH_PREVIOUS,
    GW_SPLIT_MERGED_WITH_NEXT,
    GW_SPLIT_CONTIGUOUS
} gw_split;

// Cuts every piece of text at the matches of the pattern; `invert`: at what lies between them. Empty pieces vanish.
gw_status gw_pieces_split(gw_pieces *pieces, const gw_text_pattern *pattern, gw_split behaviour,
                          bool invert) GW_MUST_CHECK;

// Replaces every piece of text by what `map` appends to `out`.
typedef gw_status (*gw_piece_map)(const void *context, const char *text, int64_t length, bool first, gw_string *out);
gw_status gw_pieces_map(gw_pieces *pieces, gw_piece_map map, const void *context) GW_MUST_CHECK;

// The characters by which GPT-2 spells bytes: printable ones stand for themselves, the others begin at U+0100.
void gw_byte_letters(gw_string *out, const char *text, int64_t length);
// The byte that such a character spells, or -1.
int gw_letter_byte(uint32_t point);

#endif
