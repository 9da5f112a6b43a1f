// SPDX-License-Identifier: MIT
// Normalisation as SentencePiece does it: at each position a user-defined symbol stays as it is, otherwise the longest
// rule of the charsmap replaces what it covers, otherwise one character is copied, and a byte that is no UTF-8 becomes
// U+FFFD. Of what comes out, spaces at both ends and all but the first of several are dropped
// (remove_extra_whitespaces), one is put in front or behind (add_dummy_prefix), and each is written as U+2581
// (escape_whitespaces).
#include "text/sentencepiece/spm_model.h"

#include <string.h>

enum { MOST_SYMBOLS = 64 }; // nested user-defined symbols at one position that are looked at

// What a byte needs: SLOW the whole procedure; PLAIN is copied; PLAIN_BEFORE_ASCII is copied where the next byte is
// ASCII or there is none, since rules that begin with it go on with other characters (accents to compose).
enum { SLOW, PLAIN, PLAIN_BEFORE_ASCII };

static uint8_t class_of(const gw_spm_normalizer *n, uint8_t byte) {
    uint32_t node = 0;
    bool leaf, ascii;
    if (byte >= 0x80 || byte == ' ') return SLOW;
    if (n->symbols && !gw_byte_trie_is_empty(n->symbols) && gw_byte_trie_step(n->symbols, &node, byte)) return SLOW;
    if (!gw_charsmap_begins(&n->rules, byte, &leaf, &ascii)) return PLAIN;
    return leaf || ascii ? SLOW : PLAIN_BEFORE_ASCII;
}

void gw_spm_normalizer_prepare(gw_spm_normalizer *n) {
    for (int b = 0; b < 256; b++) n->plain[b] = class_of(n, (uint8_t)b);
}

// Bytes of the UTF-8 character at text; 0 where it is none. Overlong forms, surrogates and what lies behind U+10FFFF
// are none.
static int64_t character_length(const char *text, int64_t length) {
    const uint8_t *b = (const uint8_t *)text;
    const int bytes = gw_utf8_length(b[0]);
    if (bytes == 1) return b[0] < 0x80;
    if (bytes > length) return 0;
    uint32_t point = b[0] & 0x7Fu >> bytes;
    for (int i = 1; i < bytes; i++) {
        if ((b[i] & 0xC0) != 0x80) return 0;
        point = point << 6 | (b[i] & 0x3F);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool valid = b[0] < 0xF8 && point >= least[bytes] && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
    return valid ? bytes : 0;
}

typedef struct {
    const char *text; // what comes out
    int64_t length;
    int64_t taken; // bytes that it stands for
} chunk;

static chunk next_chunk(const gw_spm_normalizer *n, const char *text, int64_t length) {
    const int64_t symbol = n->symbols ? gw_byte_trie_longest(n->symbols, text, length, MOST_SYMBOLS) : 0;
    if (symbol > 0) return (chunk){text, symbol, symbol};
    const char *replacement;
    const int64_t rule = gw_charsmap_match(&n->rules, text, length, &replacement);
    if (rule > 0) return (chunk){replacement, (int64_t)strlen(replacement), rule};
    const int64_t bytes = character_length(text, length);
    if (bytes > 0) return (chunk){text, bytes, bytes};
    return (chunk){"\xEF\xBF\xBD", 3, 1};
}

static void append_space(const gw_spm_normalizer *n, gw_string *out) {
    if (n->escape_whitespaces) gw_string_append(out, GW_SPACE_SYMBOL, GW_SPACE_SYMBOL_LENGTH);
    else gw_string_putc(out, ' ');
}

static void append_chunk(const gw_spm_normalizer *n, const char *text, int64_t length, gw_string *out) {
    const char *const end = text + length;
    while (text < end) {
        const char *space = memchr(text, ' ', (size_t)(end - text));
        gw_string_append(out, text, (space ? space : end) - text);
        if (!space) return;
        append_space(n, out);
        text = space + 1;
    }
}

// The length of the plain bytes that text begins with.
static int64_t plain_run(const gw_spm_normalizer *n, const char *text, int64_t length) {
    int64_t i = 0;
    for (; i < length; i++) {
        const uint8_t class = n->plain[(uint8_t)text[i]];
        if (class == SLOW) break;
        if (class == PLAIN_BEFORE_ASCII && i + 1 < length && (uint8_t)text[i + 1] >= 0x80) break;
    }
    return i;
}

// Spaces at the end, also those that stood in the text as U+2581.
static void drop_last_spaces(const gw_spm_normalizer *n, gw_string *out, int64_t from) {
    const char *const space = n->escape_whitespaces ? GW_SPACE_SYMBOL : " ";
    const int64_t bytes = n->escape_whitespaces ? GW_SPACE_SYMBOL_LENGTH : 1;
    while (out->length - from >= bytes && memcmp(out->data + out->length - bytes, space, (size_t)bytes) == 0)
        out->length -= bytes;
}

gw_status gw_spm_normalize(const gw_spm_normalizer *n, const char *text, int64_t length, gw_string *out) {
    const int64_t from = out->length;
    const bool trim = n->remove_extra_whitespaces;
    int64_t at = 0;
    while (trim && at < length) {
        const chunk c = next_chunk(n, text + at, length - at);
        if (c.length != 1 || c.text[0] != ' ') break;
        at += c.taken;
    }
    if (at == length) return GW_OK;
    if (!n->treat_whitespace_as_suffix && n->add_dummy_prefix) append_space(n, out);
    for (bool after_space = trim; at < length && !out->failed;) {
        const int64_t plain = plain_run(n, text + at, length - at);
        if (plain > 0) {
            gw_string_append(out, text + at, plain);
            at += plain;
            after_space = false;
            continue;
        }
        chunk c = next_chunk(n, text + at, length - at);
        for (; after_space && c.length > 0 && c.text[0] == ' '; c.length--) c.text++;
        append_chunk(n, c.text, c.length, out);
        if (c.length > 0) after_space = trim && c.text[c.length - 1] == ' ';
        at += c.taken;
    }
    GW_TRY(gw_string_status(out));
    if (trim) drop_last_spaces(n, out, from);
    if (n->treat_whitespace_as_suffix && n->add_dummy_prefix) append_space(n, out);
    return gw_string_status(out);
}
