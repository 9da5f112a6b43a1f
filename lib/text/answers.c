// SPDX-License-Identifier: MIT
// Turns both texts into words, each with a zero behind it, and counts the words they share.
#include "text/answers.h"

#include "base/memory.h"
#include "base/string.h"
#include "base/utf8.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    gw_string text; // words with zeros behind them
    char **word;    // [count] and room
    int64_t count, capacity;
} words;

static void words_free(words *w) {
    gw_string_free(&w->text);
    free(w->word);
}

// Lower case, without ASCII punctuation, with a blank for each white space.
static gw_status simplify(const char *text, gw_string *out) {
    for (int bytes; *text; text += bytes) {
        uint32_t lower[2];
        const uint32_t point = gw_utf8_read(text, &bytes);
        if (gw_is_space(point)) gw_string_putc(out, ' ');
        else if (!gw_is_ascii_punctuation(point))
            for (int i = 0, n = gw_lower_case(point, lower); i < n; i++) {
                char letter[4];
                gw_string_append(out, letter, gw_utf8_write(lower[i], letter));
            }
    }
    return gw_string_status(out);
}

static bool is_article(const char *word) {
    return strcmp(word, "a") == 0 || strcmp(word, "an") == 0 || strcmp(word, "the") == 0;
}

static gw_status split(const char *text, words *out) {
    char *rest = NULL;
    GW_TRY(simplify(text, &out->text));
    if (!out->text.data) return GW_OK;
    for (char *word = strtok_r(out->text.data, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (is_article(word)) continue;
        GW_TRY(gw_reserve(&out->word, &out->capacity, out->count + 1, sizeof *out->word));
        out->word[out->count++] = word;
    }
    return GW_OK;
}

// Words in common; takes them out of b.
static int64_t take_common(const words *a, words *b) {
    int64_t common = 0;
    for (int64_t i = 0; i < a->count; i++)
        for (int64_t j = 0; j < b->count; j++) {
            if (!b->word[j] || strcmp(a->word[i], b->word[j]) != 0) continue;
            b->word[j] = NULL;
            common++;
            break;
        }
    return common;
}

static bool same(const words *a, const words *b) {
    bool same = a->count == b->count;
    for (int64_t i = 0; same && i < a->count; i++) same = strcmp(a->word[i], b->word[i]) == 0;
    return same;
}

gw_status gw_answer_compare(const char *found, const char *expected, gw_answer_match *out) {
    words a = {0}, b = {0};
    gw_status status = split(found, &a);
    if (status == GW_OK) status = split(expected, &b);
    if (status == GW_OK) {
        const double exact = same(&a, &b);
        *out = (gw_answer_match){exact, exact};
        if (a.count > 0 && b.count > 0) out->f1 = 2.0 * (double)take_common(&a, &b) / (double)(a.count + b.count);
    }
    words_free(&a);
    words_free(&b);
    return status;
}
