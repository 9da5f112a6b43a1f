// SPDX-License-Identifier: MIT
// Hashes the words of a row, sorts them, and keeps each once.
#include "language/row_words.h"

#include "base/memory.h"

#include <stdlib.h>

// Of a letter or digit its lower case; 0: no part of a word.
static uint8_t letter_of(char c) {
    const uint8_t byte = (uint8_t)c;
    if (byte >= 'A' && byte <= 'Z') return byte + ('a' - 'A');
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte >= 0x80 ? byte : 0;
}

// FNV-1a of the next word; *text is moved behind it. False where there is none.
static bool next_word(const char **text, uint64_t *hash) {
    const char *c = *text;
    while (*c && !letter_of(*c)) c++;
    *hash = 14695981039346656037u;
    const bool found = *c != 0;
    for (; letter_of(*c); c++) *hash = (*hash ^ letter_of(*c)) * 1099511628211u;
    *text = c;
    return found;
}

static gw_status add_words(gw_row_words *words, const char *text, int64_t *end) {
    for (uint64_t hash; next_word(&text, &hash);) {
        GW_TRY(gw_reserve(&words->word, &words->word_capacity, *end + 1, sizeof *words->word));
        words->word[(*end)++] = hash;
    }
    return GW_OK;
}

static int by_hash(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Sorts words[begin, end) and returns the end of those that differ.
static int64_t keep_once(uint64_t *word, int64_t begin, int64_t end) {
    int64_t kept = begin;
    if (begin == end) return end;
    qsort(word + begin, (size_t)(end - begin), sizeof *word, by_hash);
    for (int64_t i = begin; i < end; i++)
        if (kept == begin || word[i] != word[kept - 1]) word[kept++] = word[i];
    return kept;
}

gw_status gw_row_words_add(gw_row_words *words, const char *text, const char *second) {
    if (words->most == 0) return GW_OK;
    GW_TRY(gw_reserve(&words->start, &words->start_capacity, words->rows + 2, sizeof *words->start));
    if (words->rows == 0) words->start[0] = 0;
    int64_t end = words->start[words->rows];
    GW_TRY(add_words(words, text, &end));
    if (second) GW_TRY(add_words(words, second, &end));
    end = keep_once(words->word, words->start[words->rows], end);
    words->start[++words->rows] = end;
    if (end > words->most) gw_row_words_free(words);
    return GW_OK;
}

void gw_row_words_free(gw_row_words *words) {
    free(words->start);
    free(words->word);
    *words = (gw_row_words){0};
}
