// SPDX-License-Identifier: MIT
// SentencePiece's normalisation, by the rules of a precompiled charsmap, which are checked once.
#include "base/memory.h"
#include "text/sentencepiece/spm_model.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 4,        // bytes
    BLOCK = 256,       // units
    MOST_MATCHES = 32, // rules of different lengths at one position that are looked at
};

static const uint32_t LEAF = 1u << 31;

static inline uint32_t label_of(uint32_t unit) {
    return unit & (LEAF | 0xFF); // of a leaf: more than any byte
}

static inline uint32_t offset_of(uint32_t unit) {
    return unit >> 10 << ((unit & 1u << 9) >> 6);
}

static inline bool has_leaf(uint32_t unit) {
    return unit >> 8 & 1;
}

static uint32_t little_endian(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// Every unit that is no leaf leads into the array, to a leaf where it says so; every leaf leads into the texts. A byte
// changes the lowest eight bits only, so the last unit of a block stands for all.
static gw_status check_units(const char *field, const gw_charsmap *map) {
    for (int64_t i = 0; i < map->unit_count; i++) {
        const uint32_t unit = map->units[i];
        if (unit & LEAF) {
            if ((int64_t)(unit & ~LEAF) >= map->texts_length)
                return gw_fail(GW_ERR_FORMAT, "%s: unit %lld points to byte %u of %lld bytes of text", field,
                               (long long)i, unit & ~LEAF, (long long)map->texts_length);
            continue;
        }
        const int64_t target = i ^ offset_of(unit);
        if ((target | (BLOCK - 1)) >= map->unit_count)
            return gw_fail(GW_ERR_FORMAT, "%s: unit %lld points to unit %lld of %lld", field, (long long)i,
                           (long long)target, (long long)map->unit_count);
        if (has_leaf(unit) && !(map->units[target] & LEAF))
            return gw_fail(GW_ERR_FORMAT, "%s: unit %lld has no text at unit %lld", field, (long long)i,
                           (long long)target);
    }
    if (label_of(map->units[0]) != 0 || has_leaf(map->units[0]) || offset_of(map->units[0]) == 0)
        return gw_fail(GW_ERR_FORMAT, "%s: unit 0 is not a root", field);
    return GW_OK;
}

gw_status gw_charsmap_parse(const char *field, const void *bytes, int64_t count, gw_charsmap *out) {
    *out = (gw_charsmap){0};
    const uint8_t *at = bytes;
    const int64_t array = count > HEADER ? little_endian(at) : 0, texts = count - HEADER - array;
    if (array == 0 || array % (4 * BLOCK) != 0)
        return gw_fail(GW_ERR_FORMAT, "%s: an array of %lld bytes, expected a multiple of %d", field, (long long)array,
                       4 * BLOCK);
    if (texts <= 0)
        return gw_fail(GW_ERR_FORMAT, "%s: an array of %lld bytes in %lld bytes", field, (long long)array,
                       (long long)count);
    if (at[count - 1] != 0) return gw_fail(GW_ERR_FORMAT, "%s: the last text has no end", field);
    gw_charsmap map = {gw_alloc(array / 4, 4), array / 4, gw_alloc(texts, 1), texts};
    gw_status status = map.units && map.texts ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        for (int64_t i = 0; i < map.unit_count; i++) map.units[i] = little_endian(at + HEADER + 4 * i);
        memcpy(map.texts, at + HEADER + array, (size_t)texts);
        status = check_units(field, &map);
    }
    if (status == GW_OK) *out = map;
    else gw_charsmap_free(&map);
    return status;
}

void gw_charsmap_free(gw_charsmap *map) {
    free(map->units);
    free(map->texts);
    *map = (gw_charsmap){0};
}

int64_t gw_charsmap_match(const gw_charsmap *map, const char *text, int64_t length, const char **replacement) {
    if (!map->units) return 0;
    int64_t longest = 0;
    uint32_t node = offset_of(map->units[0]);
    for (int64_t i = 0, matches = 0; i < length && matches < MOST_MATCHES; i++) {
        const uint8_t byte = (uint8_t)text[i];
        const uint32_t unit = map->units[node ^ byte];
        if (label_of(unit) != byte) break;
        node ^= byte ^ offset_of(unit);
        if (!has_leaf(unit)) continue;
        longest = i + 1;
        *replacement = map->texts + (map->units[node] & ~LEAF);
        matches++;
    }
    return longest;
}

bool gw_charsmap_begins(const gw_charsmap *map, uint8_t byte, bool *leaf, bool *ascii) {
    *leaf = *ascii = false;
    if (!map->units) return false;
    const uint32_t first = offset_of(map->units[0]) ^ byte, unit = map->units[first];
    if (label_of(unit) != byte) return false;
    *leaf = has_leaf(unit);
    for (uint32_t b = 0; b < 128; b++) *ascii |= label_of(map->units[first ^ offset_of(unit) ^ b]) == b;
    return true;
}

// --- normalising ---------------------------------------------------------------------------------------------------

// Normalisation as SentencePiece does it: at each position a user-defined symbol stays as it is, otherwise the longest
// rule of the charsmap replaces what it covers, otherwise one character is copied, and a byte that is no UTF-8 becomes
// U+FFFD. Of what comes out, spaces at both ends and all but the first of several are dropped
// (remove_extra_whitespaces), one is put in front or behind (add_dummy_prefix), and each is written as U+2581
// (escape_whitespaces).

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
    if (trim) {
        // Spaces at the end, also those that stood in the text as U+2581.
        const char *const space = n->escape_whitespaces ? GW_SPACE_SYMBOL : " ";
        const int64_t bytes = n->escape_whitespaces ? GW_SPACE_SYMBOL_LENGTH : 1;
        while (out->length - from >= bytes && memcmp(out->data + out->length - bytes, space, (size_t)bytes) == 0)
            out->length -= bytes;
    }
    if (n->treat_whitespace_as_suffix && n->add_dummy_prefix) append_space(n, out);
    return gw_string_status(out);
}
