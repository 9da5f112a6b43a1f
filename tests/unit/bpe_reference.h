// SPDX-License-Identifier: MIT
// Byte-pair encoding and learning as the definition says, slowly, for the tests of the fast ones. It shares no code
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
// Merges the leftmost pair of the lowest rank until there is none; returns the new number of tokens. O(length^2).
int64_t ref_encode(const ref_merges *merges, int32_t *tokens, int64_t count);
// One pass over the text for each merge in turn; the same where no merge uses a later one. O(merges * length).
int64_t ref_encode_by_rank(const ref_merges *merges, int32_t *tokens, int64_t count);
// Learns merges from words that stand in `tokens` with a 0 between them, until `size` tokens or no pair occurs twice.
void ref_train(int32_t *tokens, int64_t count, int32_t size, ref_merges *out);

// Any pair of earlier tokens may be the next merge, as long as its text is new: less regular than what is learnt.
void ref_arbitrary_merges(gw_random *random, int32_t count, ref_merges *out);

// Text of many kinds, by `kind`: uniform, a few words again and again, runs, alternating, with N.
void ref_random_bases(gw_random *random, int kind, char *bases, int64_t length);

#endif
