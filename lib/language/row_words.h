// SPDX-License-Identifier: MIT
// Which words the rows of a set of texts have, for what looks at words alone.
//
// A word is a run of ASCII letters and digits and of all characters beyond ASCII, ASCII letters in lower case. It is
// known by a hash of 64 bits.
#ifndef GW_LANGUAGE_ROW_WORDS_H
#define GW_LANGUAGE_ROW_WORDS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Zero-initialise, and say how many words to keep.
typedef struct {
    int64_t most;   // of all rows together; where there are more none is kept
    int64_t rows;   // that were added and kept
    int64_t *start; // [rows + 1]
    uint64_t *word; // of each row, each word once, rising
    int64_t start_capacity, word_capacity;
} gw_row_words;

// Adds a row: the words of a text, and those of a second one (NULL: none).
gw_status gw_row_words_add(gw_row_words *words, const char *text, const char *second) GW_MUST_CHECK;
void gw_row_words_free(gw_row_words *words);

#endif
