// SPDX-License-Identifier: MIT
// Counts rows by sorting all their words, and finds a word's place by halves.
#include "measure/word_rows.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 1 << 16, LEAST_ROWS = 2 };

typedef struct {
    uint64_t word;
    int64_t rows;
} counted;

static int by_word(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int by_rows_falling(const void *a, const void *b) {
    const counted *x = a, *y = b;
    if (x->rows != y->rows) return (x->rows < y->rows) - (x->rows > y->rows);
    return by_word(&x->word, &y->word);
}

// Takes sorted words, and returns how many different ones occur often enough.
static int64_t count_words(const uint64_t *sorted, int64_t count, counted *out) {
    int64_t found = 0;
    for (int64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && sorted[end] == sorted[begin]; end++) {
        }
        if (end - begin >= LEAST_ROWS) out[found++] = (counted){sorted[begin], end - begin};
    }
    return found;
}

static void take_most_frequent(counted *words, int64_t count, gw_known_words *out) {
    if (count > 0) qsort(words, (size_t)count, sizeof *words, by_rows_falling);
    out->count = count < MOST_WORDS ? count : MOST_WORDS;
    for (int64_t i = 0; i < out->count; i++) out->word[i] = words[i].word;
    if (count > 0) qsort(out->word, (size_t)out->count, sizeof *out->word, by_word);
}

gw_status gw_known_words_find(const gw_words_of_rows *rows, gw_known_words *out) {
    const int64_t total = rows->start[rows->rows];
    uint64_t *sorted = gw_alloc(total + 1, sizeof *sorted);
    counted *words = gw_alloc(total / LEAST_ROWS + 1, sizeof *words);
    *out = (gw_known_words){.word = gw_alloc(MOST_WORDS, sizeof *out->word)};
    const gw_status status = sorted && words && out->word ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && total > 0) {
        memcpy(sorted, rows->word, (size_t)total * sizeof *sorted);
        qsort(sorted, (size_t)total, sizeof *sorted, by_word);
        take_most_frequent(words, count_words(sorted, total, words), out);
    }
    free(sorted);
    free(words);
    if (status != GW_OK) gw_known_words_free(out);
    return status;
}

void gw_known_words_free(gw_known_words *known) {
    free(known->word);
    *known = (gw_known_words){0};
}

static void add_row(const gw_words_of_rows *rows, int64_t row, const gw_known_words *known, gw_sparse_rows *out) {
    const int64_t begin = out->start[row];
    int64_t end = begin;
    for (int64_t i = rows->start[row]; i < rows->start[row + 1]; i++) {
        const uint64_t *at = bsearch(&rows->word[i], known->word, (size_t)known->count, sizeof *known->word, by_word);
        if (at) out->feature[end++] = (uint16_t)(at - known->word);
    }
    for (int64_t i = begin; i < end; i++) out->value[i] = (float)(1 / sqrt((double)(end - begin)));
    out->start[row + 1] = end;
}

gw_status gw_word_rows_make(const gw_words_of_rows *rows, const gw_known_words *known, gw_sparse_rows *out) {
    const int64_t total = rows->start[rows->rows];
    *out = (gw_sparse_rows){.rows = rows->rows,
                            .features = known->count,
                            .start = gw_alloc(rows->rows + 1, sizeof *out->start),
                            .feature = gw_alloc(total + 1, sizeof *out->feature),
                            .value = gw_alloc(total + 1, sizeof *out->value)};
    if (!out->start || !out->feature || !out->value) return GW_ERR_MEMORY;
    for (int64_t row = 0; row < rows->rows; row++) add_row(rows, row, known, out);
    return GW_OK;
}
