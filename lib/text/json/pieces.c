// SPDX-License-Identifier: MIT
// Patterns: finding and replacing their matches. Pieces: a text with its cuts; splitting adds cuts at the matches of a
// pattern.
#include "text/json/pieces.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <string.h>

gw_status gw_text_pattern_literal(const char *text, gw_text_pattern *out) {
    *out = (gw_text_pattern){.kind = GW_PATTERN_TEXT, .text = gw_strdup(text), .length = (int64_t)strlen(text)};
    return out->text ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_text_pattern_read(const char *path, const json_t *json, gw_text_pattern *out) {
    const char *text = json_string_value(json_object_get(json, "String")),
               *regex = json_string_value(json_object_get(json, "Regex"));
    *out = (gw_text_pattern){.kind = GW_PATTERN_REGEX};
    if (json_object_size(json) != 1 || (!text && !regex))
        return gw_fail(GW_ERR_FORMAT, "%s: a \"pattern\" that is neither {\"String\": ..} nor {\"Regex\": ..}", path);
    if (text && !*text) return gw_fail(GW_ERR_UNSUPPORTED, "%s: a \"pattern\" of no text", path);
    if (text) return gw_text_pattern_literal(text, out);
    const gw_status status = gw_regex_new(regex, &out->regex);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", path);
}

void gw_text_pattern_free(gw_text_pattern *pattern) {
    free(pattern->text);
    gw_regex_free(pattern->regex);
    *pattern = (gw_text_pattern){0};
}

// --- kinds of characters -------------------------------------------------------------------------------------------

static bool is_of_kind(int kind, uint32_t point) {
    switch (kind) {
    case GW_PATTERN_SPACE: return gw_is_space(point);
    case GW_PATTERN_NUMBER: return gw_category(point) & GW_CATEGORY_NUMBER;
    default: return gw_is_ascii_punctuation(point) || gw_category(point) & GW_CATEGORY_PUNCTUATION;
    }
}

typedef enum { SPACE, WORD, NUMBER, OTHER } character_kind;

// Of \w+|[^\w\s]+ in the syntax of the `regex` library, whose words hold the two joiners.
static character_kind word_kind(uint32_t point) {
    if (gw_is_space(point)) return SPACE;
    return gw_is_word(point) || point == 0x200C || point == 0x200D ? WORD : OTHER;
}

static character_kind gpt2_kind(uint32_t point) {
    if (gw_is_space(point)) return SPACE;
    const uint32_t category = gw_category(point);
    return category & GW_CATEGORY_LETTER ? WORD : category & GW_CATEGORY_NUMBER ? NUMBER : OTHER;
}

// The end of the characters of one kind from `at` on.
static int64_t run_end(character_kind (*kind_of)(uint32_t), character_kind kind, const char *text, int64_t length,
                       int64_t at) {
    int bytes;
    for (; at < length; at += bytes)
        if (kind_of(gw_utf8_read(text + at, &bytes)) != kind) break;
    return at;
}

// The bytes of 's 't 're 've 'm 'll 'd at the front, or 0.
static int contraction(const char *text, int64_t length) {
    static const char *const endings[] = {"s", "t", "re", "ve", "m", "ll", "d"};
    if (text[0] != '\'') return 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const int64_t bytes = (int64_t)strlen(endings[i]);
        if (bytes < length && memcmp(text + 1, endings[i], (size_t)bytes) == 0) return (int)bytes + 1;
    }
    return 0;
}

// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ at `at`: the end of the match. White space
// before anything else leaves its last character to what follows, unless it is one character alone.
static int64_t gpt2_end(const char *text, int64_t length, int64_t at) {
    const int short_form = contraction(text + at, length - at);
    if (short_form) return at + short_form;
    int bytes;
    int64_t word = at + (text[at] == ' ' && at + 1 < length);
    character_kind kind = gpt2_kind(gw_utf8_read(text + word, &bytes));
    if (kind != SPACE) return run_end(gpt2_kind, kind, text, length, word);
    const int64_t end = run_end(gpt2_kind, SPACE, text, length, at);
    if (end == length) return end;
    int64_t last = end - 1;
    while (((uint8_t)text[last] & 0xC0) == 0x80) last--;
    return last > at ? last : end;
}

static gw_status find(gw_match_walk *w) {
    const gw_text_pattern *pattern = w->pattern;
    const char *text = w->text, *found;
    const int64_t length = w->length, from = w->from;
    int64_t at = from;
    int bytes = 0;
    w->begin = w->end = -1;
    switch (pattern->kind) {
    case GW_PATTERN_TEXT:
        found = memmem(text + from, (size_t)(length - from), pattern->text, (size_t)pattern->length);
        if (!found) break;
        w->begin = found - text;
        w->end = w->begin + pattern->length;
        break;
    case GW_PATTERN_REGEX: return gw_regex_find(pattern->regex, w->scratch, text, length, from, &w->begin, &w->end);
    case GW_PATTERN_WORDS:
        at = run_end(word_kind, SPACE, text, length, from);
        if (at == length) break;
        w->begin = at;
        w->end = run_end(word_kind, word_kind(gw_utf8_read(text + at, &bytes)), text, length, at);
        break;
    case GW_PATTERN_GPT2:
        if (from == length) break;
        w->begin = from;
        w->end = gpt2_end(text, length, from);
        break;
    default: // one character of a kind
        while (at < length && !is_of_kind((int)pattern->kind, gw_utf8_read(text + at, &bytes))) at += bytes;
        if (at == length) break;
        w->begin = at;
        w->end = at + bytes;
    }
    return GW_OK;
}

gw_status gw_match_walk_next(gw_match_walk *w) {
    do {
        if (w->from > w->length) {
            w->begin = -1;
            return GW_OK;
        }
        GW_TRY(find(w));
        if (w->begin < 0 || w->end > w->begin || w->end != w->last_end) break;
        w->from = w->end + 1; // an empty match at the end of the last one
        while (w->from < w->length && ((uint8_t)w->text[w->from] & 0xC0) == 0x80) w->from++;
    } while (true);
    w->from = w->last_end = w->end;
    return GW_OK;
}

gw_status gw_text_pattern_replace(const gw_text_pattern *pattern, gw_regex_scratch *scratch, const char *content,
                                  const char *text, int64_t length, int64_t most, gw_string *out) {
    int64_t covered = 0;
    for (gw_match_walk walk = gw_match_walk_over(pattern, scratch, text, length);;) {
        GW_TRY(gw_match_walk_next(&walk));
        if (walk.begin < 0) break;
        gw_string_append(out, text + covered, walk.begin - covered);
        gw_string_puts(out, content);
        covered = walk.end;
        if (out->length > most) break;
    }
    if (out->length + length - covered > most)
        return gw_fail(GW_ERR_RANGE, "the tokenizer's replacement of a text by \"%.60s\" makes more than %lld bytes",
                       content, (long long)most);
    gw_string_append(out, text + covered, length - covered);
    return GW_OK;
}

// --- pieces --------------------------------------------------------------------------------------------------------

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
