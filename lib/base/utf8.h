// SPDX-License-Identifier: MIT
// Characters of UTF-8 text: code points of one to four bytes, without surrogates and needlessly long forms (RFC 3629).
#ifndef GW_BASE_UTF8_H
#define GW_BASE_UTF8_H

#include "base/string.h"

#include <stdint.h>

// The bytes of `text` before the first that is not UTF-8; `length` where all are.
int64_t gw_utf8_valid(const char *text, int64_t length);

// Bytes of the byte order mark at the beginning of a text: 3, or 0 where there is none.
int64_t gw_utf8_mark(const char *text, int64_t length);

// The code point at *text, which is valid UTF-8, and the bytes it takes.
static inline uint32_t gw_utf8_read(const char *text, int *bytes) {
    const uint8_t *b = (const uint8_t *)text;
    if (b[0] < 0x80) return *bytes = 1, b[0];
    if (b[0] < 0xE0) return *bytes = 2, (b[0] & 0x1Fu) << 6 | (b[1] & 0x3Fu);
    if (b[0] < 0xF0) return *bytes = 3, (b[0] & 0x0Fu) << 12 | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
    return *bytes = 4, (b[0] & 0x07u) << 18 | (b[1] & 0x3Fu) << 12 | (b[2] & 0x3Fu) << 6 | (b[3] & 0x3Fu);
}

// Writes the code point and returns the bytes it takes.
static inline int gw_utf8_write(uint32_t point, char out[4]) {
    if (point < 0x80) return out[0] = (char)point, 1;
    const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    for (int i = more; i > 0; i--, point >>= 6) out[i] = (char)(0x80 | (point & 0x3F));
    out[0] = (char)((0xFF00 >> (more + 1) & 0xFF) | point);
    return more + 1;
}

// Appends the text with U+FFFD for invalid bytes: a byte that begins no character, or a character that is cut off.
void gw_utf8_append_mended(gw_string *out, const char *text, int64_t length);
// Appends the mended text as HTML and XML have it: & < > " as entities, control characters as U+FFFD.
void gw_utf8_append_markup(gw_string *out, const char *text);

#endif
