// SPDX-License-Identifier: MIT
// Words lie end to end in one block; they are numbered by sorting them.
#include "language/rouge_words.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "language/porter.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_STEMMED = 4 }; // letters

typedef struct {
    const char *letters;
    int64_t at, length, index;
} rouge_word;

typedef struct {
    int64_t first_word, first_start, sentences;
} rouge_part;

struct gw_rouge_words {
    char *letters;
    rouge_word *words;
    int32_t *number; // [words]
    int64_t *start;  // of each text's sentences, counted from its first word, and its end
    rouge_part *parts;
    int64_t letter_count, letter_capacity, word_count, word_capacity, number_capacity, start_count, start_capacity,
        part_count, part_capacity;
    int64_t begun; // first letter of the word that is being read
};

gw_status gw_rouge_words_new(gw_rouge_words **out) {
    *out = gw_alloc(1, sizeof **out);
    return *out ? GW_OK : GW_ERR_MEMORY;
}

void gw_rouge_words_free(gw_rouge_words *w) {
    if (!w) return;
    free(w->letters);
    free(w->words);
    free(w->number);
    free(w->start);
    free(w->parts);
    free(w);
}

void gw_rouge_words_clear(gw_rouge_words *w) {
    w->letter_count = w->word_count = w->start_count = w->part_count = w->begun = 0;
}

// The letter or digit that a character's lower case begins with, or 0. Two others than A to Z have one: the Kelvin sign
// and the capital I with a dot.
static char letter_of(uint32_t point) {
    if ((point >= 'a' && point <= 'z') || (point >= '0' && point <= '9')) return (char)point;
    if (point >= 'A' && point <= 'Z') return (char)(point - 'A' + 'a');
    return point == 0x212A ? 'k' : point == 0x130 ? 'i' : 0;
}

static gw_status end_word(gw_rouge_words *w) {
    int64_t length = w->letter_count - w->begun;
    if (length == 0) return GW_OK;
    if (length >= LEAST_STEMMED) length = gw_porter_stem(w->letters + w->begun, length);
    GW_TRY(gw_reserve(&w->words, &w->word_capacity, w->word_count + 1, sizeof *w->words));
    w->words[w->word_count] = (rouge_word){.at = w->begun, .length = length, .index = w->word_count};
    w->word_count += length > 0;
    w->begun = w->letter_count = w->begun + length;
    return GW_OK;
}

static gw_status add_start(gw_rouge_words *w) {
    const rouge_part *part = &w->parts[w->part_count - 1];
    GW_TRY(gw_reserve(&w->start, &w->start_capacity, w->start_count + 1, sizeof *w->start));
    w->start[w->start_count++] = w->word_count - part->first_word;
    return GW_OK;
}

static gw_status add_sentence(gw_rouge_words *w, const char *text, int64_t length) {
    if (length == 0) return GW_OK;
    GW_TRY(add_start(w));
    w->parts[w->part_count - 1].sentences++;
    int bytes;
    for (int64_t i = 0; i < length; i += bytes) {
        const uint32_t point = gw_utf8_read(text + i, &bytes);
        const char letter = letter_of(point);
        GW_TRY(gw_reserve(&w->letters, &w->letter_capacity, w->letter_count + 1, 1));
        if (letter) w->letters[w->letter_count++] = letter;
        if (!letter || point == 0x130) GW_TRY(end_word(w)); // the dot is a character of its own
    }
    return end_word(w);
}

// Bytes of the end of a sentence here, or 0.
static int64_t break_at(const char *text, int64_t left) {
    if (*text == '\n') return 1;
    return left >= 3 && memcmp(text, "<n>", 3) == 0 ? 3 : 0;
}

gw_status gw_rouge_words_add(gw_rouge_words *w, const char *text, int64_t length) {
    GW_TRY(gw_reserve(&w->parts, &w->part_capacity, w->part_count + 1, sizeof *w->parts));
    w->parts[w->part_count++] = (rouge_part){.first_word = w->word_count, .first_start = w->start_count};
    int64_t begin = 0;
    for (int64_t i = 0; i < length;) {
        const int64_t cut = break_at(text + i, length - i);
        if (cut > 0) GW_TRY(add_sentence(w, text + begin, i - begin));
        if (cut > 0) begin = i + cut;
        i += cut > 0 ? cut : 1;
    }
    GW_TRY(add_sentence(w, text + begin, length - begin));
    return add_start(w);
}

static int by_letters(const void *a, const void *b) {
    const rouge_word *x = a, *y = b;
    const int order = memcmp(x->letters, y->letters, (size_t)(x->length < y->length ? x->length : y->length));
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

gw_status gw_rouge_words_number(gw_rouge_words *w) {
    GW_TRY(gw_reserve(&w->number, &w->number_capacity, w->word_count, sizeof *w->number));
    for (int64_t i = 0; i < w->word_count; i++) w->words[i].letters = w->letters + w->words[i].at;
    if (w->word_count > 0) qsort(w->words, (size_t)w->word_count, sizeof *w->words, by_letters);
    int32_t number = 0;
    for (int64_t i = 0; i < w->word_count; i++) {
        number += i > 0 && by_letters(&w->words[i - 1], &w->words[i]) != 0;
        w->number[w->words[i].index] = number;
    }
    return GW_OK;
}

void gw_rouge_words_text(const gw_rouge_words *w, int64_t i, const int32_t **word, const int64_t **start,
                         int64_t *sentences) {
    const rouge_part *part = &w->parts[i];
    *word = w->number + part->first_word;
    *start = w->start + part->first_start;
    *sentences = part->sentences;
}
