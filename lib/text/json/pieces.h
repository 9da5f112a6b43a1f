// SPDX-License-Identifier: MIT
// The pattern of a normalizer or pre-tokenizer: a text, a regular expression, or categories of characters.
#ifndef GW_TEXT_JSON_PIECES_H
#define GW_TEXT_JSON_PIECES_H

#include "base/json.h"
#include "base/string.h"
#include "text/json/regex.h"

typedef struct {
    enum {
        GW_PATTERN_TEXT,
        GW_PATTERN_REGEX,
        GW_PATTERN_SPACE,       // one character of white space
        GW_PATTERN_NUMBER,      // one number (N)
        GW_PATTERN_PUNCTUATION, // one character of punctuation (P, or ASCII's)
        GW_PATTERN_WORDS,       // \w+|[^\w\s]+
        GW_PATTERN_GPT2         // pieces of GPT-2's regular expression, which cover any text
    } kind;
    char *text; // GW_PATTERN_TEXT; owned
    int64_t length;
    gw_regex *regex; // GW_PATTERN_REGEX; owned
} gw_text_pattern;

// Reads {"String": ..} or {"Regex": ..} of a component of `path`. Free `out`, also after a failure.
gw_status gw_text_pattern_read(const char *path, const json_t *json, gw_text_pattern *out) GW_MUST_CHECK;
gw_status gw_text_pattern_literal(const char *text, gw_text_pattern *out) GW_MUST_CHECK;
void gw_text_pattern_free(gw_text_pattern *pattern);

// Iterates over the matches in valid UTF-8 text, from left to right. Start with gw_match_walk_over().
typedef struct {
    const gw_text_pattern *pattern;
    gw_regex_scratch *scratch;
    const char *text;
    int64_t length, from, last_end;
    int64_t begin, end; // the match
} gw_match_walk;

static inline gw_match_walk gw_match_walk_over(const gw_text_pattern *pattern, gw_regex_scratch *scratch,
                                               const char *text, int64_t length) {
    return (gw_match_walk){pattern, scratch, text, length, 0, -1, -1, -1};
}
// The next match; walk->begin is -1 after the last. An empty match directly behind another match is skipped.
gw_status gw_match_walk_next(gw_match_walk *walk) GW_MUST_CHECK;

// Most bytes that all replacements together may make of a text. Several steps can each multiply its length.
static inline int64_t gw_replaced_most(int64_t length) {
    return (1 << 20) + 256 * length;
}
// Appends the text with every match replaced. More than `most` bytes in `out` are an error.
gw_status gw_text_pattern_replace(const gw_text_pattern *pattern, gw_regex_scratch *scratch, const char *content,
                                  const char *text, int64_t length, int64_t most, gw_string *out) GW_MUST_CHECK;

// A text while a tokenizer processes it: pieces of text and finished tokens.

typedef struct {
    int64_t begin, end; // bytes of the text
    int32_t token;      // -1: a piece of text
    bool first;         // begins at the start of the whole text
} gw_piece;

typedef struct {
    int64_t begin, end;
    bool match;
} gw_segment;

// Zero-initialise. The two texts, and the two lists, are used in turn.
typedef struct {
    gw_string text, other_text;
    gw_piece *list, *other_list;
    int64_t count, capacity, other_capacity;
    gw_segment *segments;
    int64_t segment_count, segment_capacity;
    gw_regex_scratch regex;
} gw_pieces;

void gw_pieces_free(gw_pieces *pieces);
// Moves the pieces to `other_list` and empties `list`; returns their number.
int64_t gw_pieces_start_list(gw_pieces *pieces);
gw_status gw_pieces_add(gw_pieces *pieces, gw_piece piece) GW_MUST_CHECK;

typedef enum {
    GW_SPLIT_REMOVED,
    GW_SPLIT_ISOLATED,
    GW_SPLIT_MERGED_WITH_PREVIOUS,
    GW_SPLIT_MERGED_WITH_NEXT,
    GW_SPLIT_CONTIGUOUS
} gw_split;

// Splits every piece of text at the matches of the pattern; `invert`: at the text between them. Empty pieces are
// removed.
gw_status gw_pieces_split(gw_pieces *pieces, const gw_text_pattern *pattern, gw_split behaviour,
                          bool invert) GW_MUST_CHECK;

// Replaces every piece of text by the output of `map`.
typedef gw_status (*gw_piece_map)(const void *context, const char *text, int64_t length, bool first, gw_string *out);
gw_status gw_pieces_map(gw_pieces *pieces, gw_piece_map map, const void *context) GW_MUST_CHECK;

// GPT-2's characters for bytes: printable characters stand for themselves, the others begin at U+0100.
void gw_byte_letters(gw_string *out, const char *text, int64_t length);
// The byte of such a character, or -1.
int gw_letter_byte(uint32_t point);

#endif
