// SPDX-License-Identifier: MIT
// Byte-pair encoding and learning directly from the definition, slow, for tests of the fast versions. It shares no code
// with them.
#ifndef TESTS_UNIT_BPE_REFERENCE_H
#define TESTS_UNIT_BPE_REFERENCE_H

#include "base/random.h"

#include <stdint.h>

enum { REF_MOST_TOKENS = 512 };

typedef struct {
    int32_t merges[REF_MOST_TOKENS][2]; // merge k makes token 10 + k
    int32_t count;
} ref_merges;

// Letters A C G T N as 5 .. 9.
int64_t ref_letters(const char *bases, int64_t length, int32_t *tokens);
// Merges the leftmost pair of the lowest rank until there is none. Returns the new number of tokens. O(length^2).
int64_t ref_encode(const ref_merges *merges, int32_t *tokens, int64_t count);
// One pass over the text for each merge in order. Gives the same result if no merge uses a later one. O(merges *
// length).
int64_t ref_encode_by_rank(const ref_merges *merges, int32_t *tokens, int64_t count);
// Learns merges from words in `tokens`, separated by 0, until `size` tokens or no pair occurs twice.
void ref_train(int32_t *tokens, int64_t count, int32_t size, ref_merges *out);

// Random merges of any earlier tokens with a new text: less regular than learned merges.
void ref_arbitrary_merges(gw_random *random, int32_t count, ref_merges *out);

// Text of several kinds, by `kind`: uniform, a few repeated words, runs, alternating, with N.
void ref_random_bases(gw_random *random, int kind, char *bases, int64_t length);

#endif
