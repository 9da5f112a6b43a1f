// SPDX-License-Identifier: MIT
// Characters of UTF-8 text: code points of one to four bytes, without surrogates and overlong forms (RFC 3629).
#ifndef GW_BASE_UTF8_H
#define GW_BASE_UTF8_H

#include "base/string.h"

#include <stdint.h>

// The number of bytes before the first invalid byte; `length` if all are valid.
int64_t gw_utf8_valid(const char *text, int64_t length);

// The length of the byte order mark at the beginning of a text: 3 bytes, or 0 without a mark.
int64_t gw_utf8_mark(const char *text, int64_t length);

// Returns the code point at *text, which must be valid UTF-8, and sets *bytes to its length.
static inline uint32_t gw_utf8_read(const char *text, int *bytes) {
    const uint8_t *b = (const uint8_t *)text;
    if (b[0] < 0x80) return *bytes = 1, b[0];
    if (b[0] < 0xE0) return *bytes = 2, (b[0] & 0x1Fu) << 6 | (b[1] & 0x3Fu);
    if (b[0] < 0xF0) return *bytes = 3, (b[0] & 0x0Fu) << 12 | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
    return *bytes = 4, (b[0] & 0x07u) << 18 | (b[1] & 0x3Fu) << 12 | (b[2] & 0x3Fu) << 6 | (b[3] & 0x3Fu);
}

// Writes the code point and returns its length in bytes.
static inline int gw_utf8_write(uint32_t point, char out[4]) {
    if (point < 0x80) return out[0] = (char)point, 1;
    const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    for (int i = more; i > 0; i--, point >>= 6) out[i] = (char)(0x80 | (point & 0x3F));
    out[0] = (char)((0xFF00 >> (more + 1) & 0xFF) | point);
    return more + 1;
}

// Appends the text. U+FFFD replaces invalid bytes: a byte that cannot begin a character, or a truncated character.
void gw_utf8_append_mended(gw_string *out, const char *text, int64_t length);
// Appends the text for HTML and XML: & < > " become entities; invalid bytes and control characters become U+FFFD.
void gw_utf8_append_markup(gw_string *out, const char *text);

#endif
