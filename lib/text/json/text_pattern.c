// SPDX-License-Identifier: MIT
// Finds the matches of a pattern, and splits or replaces by them.
#include "text/json/text_pattern.h"

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

static void find_character(int kind, const char *text, int64_t length, int64_t from, int64_t *begin, int64_t *end) {
    int bytes;
    for (int64_t at = from; at < length; at += bytes) {
        if (!is_of_kind(kind, gw_utf8_read(text + at, &bytes))) continue;
        *begin = at;
        *end = at + bytes;
        return;
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

static void find_words(const char *text, int64_t length, int64_t from, int64_t *begin, int64_t *end) {
    const int64_t at = run_end(word_kind, SPACE, text, length, from);
    int bytes;
    if (at == length) return;
    *begin = at;
    *end = run_end(word_kind, word_kind(gw_utf8_read(text + at, &bytes)), text, length, at);
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

static void find_text(const gw_text_pattern *pattern, const char *text, int64_t length, int64_t from, int64_t *begin,
                      int64_t *end) {
    const char *found = memmem(text + from, (size_t)(length - from), pattern->text, (size_t)pattern->length);
    if (!found) return;
    *begin = found - text;
    *end = *begin + pattern->length;
}

static gw_status find(gw_match_walk *w) {
    const gw_text_pattern *pattern = w->pattern;
    w->begin = w->end = -1;
    switch (pattern->kind) {
    case GW_PATTERN_TEXT: find_text(pattern, w->text, w->length, w->from, &w->begin, &w->end); break;
    case GW_PATTERN_REGEX:
        return gw_regex_find(pattern->regex, w->scratch, w->text, w->length, w->from, &w->begin, &w->end);
    case GW_PATTERN_WORDS: find_words(w->text, w->length, w->from, &w->begin, &w->end); break;
    case GW_PATTERN_GPT2:
        if (w->from == w->length) break;
        w->begin = w->from;
        w->end = gpt2_end(w->text, w->length, w->from);
        break;
    default: find_character((int)pattern->kind, w->text, w->length, w->from, &w->begin, &w->end);
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
