// SPDX-License-Identifier: MIT
// Unigram segmentation: the split of a text into pieces with the largest sum of scores.
//
//   best(end) = max over pieces that end there of best(end - length) + score,  best(0) = 0
//
// A character that is no piece can also be an unknown character, with the unknown score. Of equal sums the first one
// wins; positions are visited from the left, and at each position pieces by length.
#ifndef GW_TEXT_SENTENCEPIECE_UNIGRAM_H
#define GW_TEXT_SENTENCEPIECE_UNIGRAM_H

#include "base/status.h"
#include "text/sentencepiece/byte_trie.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    gw_byte_trie trie; // text -> id
    double *scores;    // [ids] of the pieces in the trie
    int32_t *lengths;  // [ids] bytes
    int32_t longest;   // bytes of the longest piece
    double unknown_score;
    bool single; // sums are rounded to single precision, and restart when they exceed 100,000 (sentencepiece)
} gw_unigram;

void gw_unigram_free(gw_unigram *unigram);

// Scratch memory of one thread. Zero-initialise.
typedef struct {
    int32_t *steps; // [length + 1] last step of the best split to each byte; see gw_unigram_step_back()
    double *sums;   // [ring] sums at positions that pieces can still reach
    int64_t capacity, ring;
} gw_unigram_path;

void gw_unigram_path_free(gw_unigram_path *path);
// length < 2^31 - 1. O(length * longest piece).
gw_status gw_unigram_segment(const gw_unigram *unigram, gw_unigram_path *path, const char *text,
                             int64_t length) GW_MUST_CHECK;

// The last piece of the split of text[0 .. end): its id, or -1 for an unknown character. *length: its bytes.
static inline int32_t gw_unigram_step_back(const gw_unigram *unigram, const gw_unigram_path *path, int64_t end,
                                           int32_t *length) {
    const int32_t step = path->steps[end];
    *length = step > 0 ? unigram->lengths[step - 1] : -step;
    return step > 0 ? step - 1 : -1;
}

// Length in bytes of the character that begins with this byte, as in sentencepiece: a stray byte is one character.
static inline int gw_utf8_length(uint8_t first) {
    return "\1\1\1\1\1\1\1\1\1\1\1\1\2\2\3\4"[first >> 4];
}

#endif
