// SPDX-License-Identifier: MIT
// A precompiled charsmap: rules "these bytes become those" of a SentencePiece normaliser, also found in tokenizer.json.
//
// Layout, little endian: u32 bytes of the double array (a multiple of 1024), the double array, replacement texts, each
// ended by a zero byte. A unit of 32 bits is a leaf where bit 31 is set: the other bits are the position of a
// replacement text. Otherwise bits 0-7 are its label, bit 8 says that a leaf stands at (unit XOR offset), and the
// offset is bits 10-31, times 256 where bit 9 is set. The child of unit i by byte b is (i XOR offset XOR b), if its
// label is b.
#ifndef GW_TEXT_SENTENCEPIECE_CHARSMAP_H
#define GW_TEXT_SENTENCEPIECE_CHARSMAP_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Zeroed: no rules.
typedef struct {
    uint32_t *units;
    int64_t unit_count;
    char *texts;
    int64_t texts_length;
} gw_charsmap;

// Copies and checks every link, so that lookups need no check. Messages begin with `field`, "x.model: charsmap" say.
gw_status gw_charsmap_parse(const char *field, const void *bytes, int64_t count, gw_charsmap *out) GW_MUST_CHECK;
void gw_charsmap_free(gw_charsmap *map);

// The longest rule at the beginning of text: the bytes that it covers (0: none), and what they become.
int64_t gw_charsmap_match(const gw_charsmap *map, const char *text, int64_t length, const char **replacement);
// Whether rules begin with this byte; *leaf: whether the byte alone is one, *ascii: whether an ASCII byte may follow.
bool gw_charsmap_begins(const gw_charsmap *map, uint8_t byte, bool *leaf, bool *ascii);

#endif
