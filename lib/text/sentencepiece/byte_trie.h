// SPDX-License-Identifier: MIT
// A set of byte strings, searched byte by byte: a double array with children at (offset XOR byte).
//
// Every node with children has its own offset, so the label alone identifies a child: one load a byte.
#ifndef GW_TEXT_SENTENCEPIECE_BYTE_TRIE_H
#define GW_TEXT_SENTENCEPIECE_BYTE_TRIE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    GW_TRIE_LABEL_BITS = 9, // a byte, or GW_TRIE_FREE
    GW_TRIE_FREE = 256,
    GW_TRIE_MOST_UNITS = 1 << (32 - GW_TRIE_LABEL_BITS),
    GW_TRIE_NO_VALUE = -1,
};

typedef struct {
    uint32_t link; // offset << GW_TRIE_LABEL_BITS | label; offset 0: no children
    int32_t value; // of the string that ends here, or GW_TRIE_NO_VALUE
} gw_trie_unit;

// Node 0 is the root. A zeroed trie is empty and must not be searched: see gw_trie_is_empty().
typedef struct {
    gw_trie_unit *units;
    int64_t count;
} gw_byte_trie;

typedef struct {
    const char *text;
    int32_t length; // > 0
    int32_t value;  // >= 0
} gw_trie_key;

// Sorts keys. Returns -1, or the position of a key that equals the one before.
int64_t gw_trie_keys_sort(gw_trie_key *keys, int64_t count);
// Builds a trie and sorts keys. If two keys are equal nothing is built, and *duplicate is the position of the later;
// otherwise -1. Memory is at most a small multiple of the keys' bytes. More than 2^23 units are an error.
gw_status gw_byte_trie_build(gw_byte_trie *trie, gw_trie_key *keys, int64_t count, int64_t *duplicate) GW_MUST_CHECK;
void gw_byte_trie_free(gw_byte_trie *trie);

static inline bool gw_byte_trie_is_empty(const gw_byte_trie *trie) {
    return !trie->units;
}

// Moves *node to its child; false (and *node unchanged) without a child.
static inline bool gw_byte_trie_step(const gw_byte_trie *trie, uint32_t *node, uint8_t byte) {
    const uint32_t child = (trie->units[*node].link >> GW_TRIE_LABEL_BITS) ^ byte;
    if ((trie->units[child].link & ((1u << GW_TRIE_LABEL_BITS) - 1)) != byte) return false;
    *node = child;
    return true;
}

// The value of this string, or GW_TRIE_NO_VALUE.
int32_t gw_byte_trie_find(const gw_byte_trie *trie, const char *text, int64_t length);
// Length in bytes of the longest string that text begins with, among the `most` shortest; 0: none.
int64_t gw_byte_trie_longest(const gw_byte_trie *trie, const char *text, int64_t length, int most);

#endif
