// SPDX-License-Identifier: MIT
// Makes normal forms in three passes, as the scripts do: lower case, punctuation, then words and articles.
#include "language/answers.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/unicode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

// --- lower case ------------------------------------------------------------------------------------------------------

typedef struct {
    uint32_t *point; // [count] code points
    int64_t count, capacity;
} points;

enum { CAPITAL_SIGMA = 0x3A3, SIGMA = 0x3C3, FINAL_SIGMA = 0x3C2 };

typedef struct {
    uint32_t first, last;
} range;

static bool is_among(uint32_t point, const range *ranges, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last) return true;
    return false;
}
#define IS_AMONG(point, ranges) is_among(point, ranges, sizeof(ranges) / sizeof(ranges)[0])

// Property Cased: letters with a case, and Other_Lowercase and Other_Uppercase of PropList.txt.
static bool is_cased(uint32_t c) {
    static const range others[] = {{0xAA, 0xAA},     {0xBA, 0xBA},       {0x2B0, 0x2B8},     {0x2C0, 0x2C1},
                                   {0x2E0, 0x2E4},   {0x345, 0x345},     {0x37A, 0x37A},     {0x10FC, 0x10FC},
                                   {0x1D2C, 0x1D6A}, {0x1D78, 0x1D78},   {0x1D9B, 0x1DBF},   {0x2071, 0x2071},
                                   {0x207F, 0x207F}, {0x2090, 0x209C},   {0x2160, 0x217F},   {0x24B6, 0x24E9},
                                   {0x2C7C, 0x2C7D}, {0xA69C, 0xA69D},   {0xA770, 0xA770},   {0xA7F8, 0xA7F9},
                                   {0xAB5C, 0xAB5F}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};
    const uint32_t with_case = 1u << UTF8PROC_CATEGORY_LU | 1u << UTF8PROC_CATEGORY_LL | 1u << UTF8PROC_CATEGORY_LT;
    return (gw_category(c) & with_case) || IS_AMONG(c, others);
}

// Property Case_Ignorable: marks, formats, modifiers, and what stands inside words (Word_Break MidLetter and so on).
static bool is_ignored(uint32_t c) {
    static const range inside[] = {{'\'', '\''},     {'.', '.'},       {':', ':'},       {0xB7, 0xB7},
                                   {0x387, 0x387},   {0x55F, 0x55F},   {0x5F4, 0x5F4},   {0x2018, 0x2019},
                                   {0x2024, 0x2024}, {0x2027, 0x2027}, {0xFE13, 0xFE13}, {0xFE52, 0xFE52},
                                   {0xFE55, 0xFE55}, {0xFF07, 0xFF07}, {0xFF0E, 0xFF0E}, {0xFF1A, 0xFF1A}};
    const uint32_t ignored = 1u << UTF8PROC_CATEGORY_MN | 1u << UTF8PROC_CATEGORY_ME | 1u << UTF8PROC_CATEGORY_CF |
                             1u << UTF8PROC_CATEGORY_LM | 1u << UTF8PROC_CATEGORY_SK;
    return (gw_category(c) & ignored) || IS_AMONG(c, inside);
}

// Whether the first character that is not ignored, from `i` on by `step`, is a cased letter.
static bool is_cased_towards(const points *text, int64_t i, int step) {
    while (i >= 0 && i < text->count && is_ignored(text->point[i])) i += step;
    return i >= 0 && i < text->count && is_cased(text->point[i]);
}

static gw_status append(points *text, uint32_t point) {
    GW_TRY(gw_reserve(&text->point, &text->capacity, text->count + 1, sizeof *text->point));
    text->point[text->count++] = point;
    return GW_OK;
}

// The code points of the lower case of a text, which is valid UTF-8, as Python's str.lower() has it: the mappings of
// Unicode's SpecialCasing.txt that hold in any language, with the final sigma (Unicode 3.13, Final_Sigma), which ends a
// word where a cased letter stands before it and none behind it, whatever is ignored in between.
static gw_status lower_text(const char *text, points *out) {
    points given = {0};
    gw_status status = GW_OK;
    for (int bytes; *text && status == GW_OK; text += bytes) status = append(&given, gw_utf8_read(text, &bytes));
    for (int64_t i = 0; i < given.count && status == GW_OK; i++) {
        uint32_t lower[2] = {SIGMA};
        int count = 1;
        if (given.point[i] != CAPITAL_SIGMA) count = gw_lower_case(given.point[i], lower);
        else if (is_cased_towards(&given, i - 1, -1) && !is_cased_towards(&given, i + 1, 1)) lower[0] = FINAL_SIGMA;
        for (int k = 0; k < count && status == GW_OK; k++) status = append(out, lower[k]);
    }
    free(given.point);
    return status;
}

// --- normal forms ----------------------------------------------------------------------------------------------------

static bool is_mark(uint32_t c, gw_answer_rule rule) {
    return gw_is_ascii_punctuation(c) ||
           (rule == GW_ANSWERS_SPLIT_AT_PUNCTUATION && (c == 0x2018 || c == 0x2019 || c == 0xB4));
}

// \w of Python's regular expressions: letters, numbers and the low line.
static bool is_word(uint32_t c) {
    return c == '_' || (gw_category(c) & (GW_CATEGORY_LETTER | GW_CATEGORY_NUMBER));
}

// What Python's str.split() splits at: white space, and four separators of ASCII.
static bool is_blank(uint32_t c) {
    return gw_is_space(c) || (c >= 0x1C && c <= 0x1F);
}

static bool is_article(const uint32_t *word, int64_t length) {
    static const char *const articles[] = {"a", "an", "the"};
    for (int a = 0; a < 3; a++) {
        int64_t i = 0;
        while (i < length && articles[a][i] && word[i] == (uint32_t)articles[a][i]) i++;
        if (i == length && !articles[a][i]) return true;
    }
    return false;
}

gw_status gw_answer_normalise(const char *answer, gw_answer_rule rule, gw_string *out) {
    points text = {0};
    const gw_status status = lower_text(answer, &text);
    const int64_t given = status == GW_OK ? text.count : 0;
    // Punctuation goes, or a blank takes its place.
    text.count = 0;
    for (int64_t i = 0; i < given; i++) {
        if (!is_mark(text.point[i], rule)) text.point[text.count++] = text.point[i];
        else if (rule == GW_ANSWERS_SPLIT_AT_PUNCTUATION) text.point[text.count++] = ' ';
    }
    // A blank in the place of each article: a run of word characters that is one.
    for (int64_t i = 0, end; i < text.count; i = end) {
        const bool word = is_word(text.point[i]);
        for (end = i + 1; end < text.count && is_word(text.point[end]) == word;) end++;
        if (!word || !is_article(text.point + i, end - i)) continue;
        for (int64_t j = i; j < end; j++) text.point[j] = ' ';
    }
    bool first = true;
    for (int64_t i = 0; i < text.count; i++) {
        char letter[4];
        if (is_blank(text.point[i])) continue;
        if (!first && is_blank(text.point[i - 1])) gw_string_putc(out, ' ');
        gw_string_append(out, letter, gw_utf8_write(text.point[i], letter));
        first = false;
    }
    free(text.point);
    if (status != GW_OK) return status;
    gw_string_puts(out, ""); // a text without words is one too
    return gw_string_status(out);
}

// --- words in common -------------------------------------------------------------------------------------------------

typedef struct {
    char *text;
    char **word; // [count], in the order of bytes
    int64_t count, capacity;
} words;

static void words_free(words *w) {
    free(w->text);
    free(w->word);
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static gw_status words_of(const char *normal, words *out) {
    char *rest = NULL;
    out->text = gw_strdup(normal);
    if (!out->text) return GW_ERR_MEMORY;
    for (char *word = strtok_r(out->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        GW_TRY(gw_reserve(&out->word, &out->capacity, out->count + 1, sizeof *out->word));
        out->word[out->count++] = word;
    }
    if (out->count > 0) qsort(out->word, (size_t)out->count, sizeof *out->word, by_bytes);
    return GW_OK;
}

static int64_t count_common(const words *a, const words *b) {
    int64_t common = 0;
    for (int64_t i = 0, j = 0; i < a->count && j < b->count;) {
        const int order = strcmp(a->word[i], b->word[j]);
        common += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    return common;
}

gw_status gw_answer_match_words(const char *found, const char *expected, gw_answer_match *out) {
    words a = {0}, b = {0};
    gw_status status = words_of(found, &a);
    if (status == GW_OK) status = words_of(expected, &b);
    const int64_t common = status == GW_OK ? count_common(&a, &b) : 0;
    *out = (gw_answer_match){.exact = strcmp(found, expected) == 0};
    if (common > 0) {
        const double precision = (double)common / (double)a.count, recall = (double)common / (double)b.count;
        out->precision = precision;
        out->recall = recall;
        out->f1 = 2 * precision * recall / (precision + recall);
    }
    words_free(&a);
    words_free(&b);
    return status;
}

gw_status gw_answer_compare(const char *found, const char *expected, gw_answer_match *out) {
    gw_string a = {0}, b = {0};
    gw_status status = gw_answer_normalise(found, GW_ANSWERS_WITHOUT_PUNCTUATION, &a);
    if (status == GW_OK) status = gw_answer_normalise(expected, GW_ANSWERS_WITHOUT_PUNCTUATION, &b);
    if (status == GW_OK) status = gw_answer_match_words(a.data, b.data, out);
    if (status == GW_OK && (a.length == 0 || b.length == 0)) out->f1 = out->exact;
    gw_string_free(&a);
    gw_string_free(&b);
    return status;
}
