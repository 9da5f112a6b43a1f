// SPDX-License-Identifier: MIT
// Words of texts as sparse rows of features: x of a word is 1 / sqrt(known words of the row) where it occurs, else 0.
#ifndef GW_MEASURE_WORD_ROWS_H
#define GW_MEASURE_WORD_ROWS_H

#include "base/status.h"
#include "measure/logistic.h"

#include <stdint.h>

// Rows of words, each a number: row i has word[start[i] .. start[i + 1]), rising.
typedef struct {
    int64_t rows;
    const int64_t *start;
    const uint64_t *word;
} gw_words_of_rows;

// Words that are features, by their place: those in at least two rows, at most 65,536, the most frequent ones.
typedef struct {
    int64_t count;
    uint64_t *word; // [count] rising
} gw_known_words;

gw_status gw_known_words_find(const gw_words_of_rows *rows, gw_known_words *out) GW_MUST_CHECK;
void gw_known_words_free(gw_known_words *known);

// Free the result with gw_sparse_rows_free(), also on failure.
gw_status gw_word_rows_make(const gw_words_of_rows *rows, const gw_known_words *known,
                            gw_sparse_rows *out) GW_MUST_CHECK;

#endif
