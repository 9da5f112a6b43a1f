// SPDX-License-Identifier: MIT
// Normal forms are made in three passes, as the scripts have them: lower case, punctuation, then words and articles.
#include "language/answers.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <string.h>

static bool is_mark(uint32_t c, gw_answer_rule rule) {
    return gw_is_ascii_punctuation(c) ||
           (rule == GW_ANSWERS_SPLIT_AT_PUNCTUATION && (c == 0x2018 || c == 0x2019 || c == 0xB4));
}

// Takes the punctuation out, or puts a blank in its place; returns how many characters are left.
static int64_t drop_punctuation(gw_points *text, gw_answer_rule rule) {
    int64_t kept = 0;
    for (int64_t i = 0; i < text->count; i++) {
        if (!is_mark(text->point[i], rule)) text->point[kept++] = text->point[i];
        else if (rule == GW_ANSWERS_SPLIT_AT_PUNCTUATION) text->point[kept++] = ' ';
    }
    return kept;
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

// A blank in the place of each article: a run of word characters that is one.
static void blank_articles(gw_points *text) {
    for (int64_t i = 0, end; i < text->count; i = end) {
        const bool word = is_word(text->point[i]);
        for (end = i + 1; end < text->count && is_word(text->point[end]) == word;) end++;
        if (word && is_article(text->point + i, end - i))
            for (int64_t j = i; j < end; j++) text->point[j] = ' ';
    }
}

static void append_words(const gw_points *text, gw_string *out) {
    bool first = true;
    for (int64_t i = 0; i < text->count; i++) {
        char letter[4];
        if (is_blank(text->point[i])) continue;
        if (!first && is_blank(text->point[i - 1])) gw_string_putc(out, ' ');
        gw_string_append(out, letter, gw_utf8_write(text->point[i], letter));
        first = false;
    }
}

gw_status gw_answer_normalise(const char *answer, gw_answer_rule rule, gw_string *out) {
    gw_points text = {0};
    const gw_status status = gw_lower_text(answer, &text);
    if (status == GW_OK) {
        text.count = drop_punctuation(&text, rule);
        blank_articles(&text);
        append_words(&text, out);
        gw_string_puts(out, ""); // a text without words is one too
    }
    gw_points_free(&text);
    return status == GW_OK ? gw_string_status(out) : status;
}

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
