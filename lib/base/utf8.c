// SPDX-License-Identifier: MIT
// Decodes and encodes code points, and finds the first byte that is not UTF-8.
#include "base/utf8.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

// Bytes of the character at b[0 .. left), 0 where it is none.
static int character(const uint8_t *b, int64_t left) {
    if (b[0] < 0x80) return 1;
    const int bytes = b[0] < 0xC2 ? 0 : b[0] < 0xE0 ? 2 : b[0] < 0xF0 ? 3 : b[0] < 0xF5 ? 4 : 0;
    if (bytes > left) return 0;
    for (int i = 1; i < bytes; i++)
        if ((b[i] & 0xC0) != 0x80) return 0;
    const int needlessly_long = (b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xF0 && b[1] < 0x90);
    const int surrogate = b[0] == 0xED && b[1] > 0x9F, too_large = b[0] == 0xF4 && b[1] > 0x8F;
    return bytes > 0 && (needlessly_long || surrogate || too_large) ? 0 : bytes;
}

// Bytes at the front, eight at a time, that are ASCII.
static int64_t ascii_words(const char *text, int64_t length) {
    int64_t at = 0;
    for (uint64_t word; at + 8 <= length; at += 8) {
        memcpy(&word, text + at, sizeof word);
        if (word & 0x8080808080808080u) break;
    }
    return at;
}

int64_t gw_utf8_mark(const char *text, int64_t length) {
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

int64_t gw_utf8_valid(const char *text, int64_t length) {
    int64_t at = 0;
    while (at < length) {
        at += ascii_words(text + at, length - at);
        if (at == length) break;
        const int bytes = character((const uint8_t *)text + at, length - at);
        if (bytes == 0) break;
        at += bytes;
    }
    return at;
}

static bool continues(char byte) {
    return ((uint8_t)byte & 0xC0) == 0x80;
}

void gw_utf8_append_mended(gw_string *out, const char *text, int64_t length) {
    while (length > 0) {
        const int64_t valid = gw_utf8_valid(text, length);
        gw_string_append(out, text, valid);
        if (valid == length) return;
        gw_string_puts(out, "\xEF\xBF\xBD");
        int64_t next = valid + 1;
        while (!continues(text[valid]) && next < length && continues(text[next])) next++;
        text += next;
        length -= next;
    }
}

void gw_utf8_append_markup(gw_string *out, const char *text) {
    gw_string mended = {0};
    gw_utf8_append_mended(&mended, text, (int64_t)strlen(text));
    for (const char *c = mended.data; c && *c; c++) {
        switch (*c) {
        case '&': gw_string_puts(out, "&amp;"); break;
        case '<': gw_string_puts(out, "&lt;"); break;
        case '>': gw_string_puts(out, "&gt;"); break;
        case '"': gw_string_puts(out, "&quot;"); break;
        default: gw_string_puts(out, iscntrl((unsigned char)*c) ? "\xEF\xBF\xBD" : (char[]){*c, 0});
        }
    }
    out->failed |= mended.failed;
    gw_string_free(&mended);
}
