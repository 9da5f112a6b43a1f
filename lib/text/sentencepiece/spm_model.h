// SPDX-License-Identifier: MIT
// Data of a SentencePiece model, and the steps of encoding. Only for the files of lib/text.
#ifndef GW_TEXT_SENTENCEPIECE_SPM_MODEL_H
#define GW_TEXT_SENTENCEPIECE_SPM_MODEL_H

#include "base/status.h"
#include "text/sentencepiece/byte_trie.h"
#include "text/sentencepiece/sentencepiece.h"
#include "text/sentencepiece/unigram.h"

#include <stdbool.h>
#include <stdint.h>

// spm_normalize.c: a precompiled charsmap: replacement rules for byte strings of a SentencePiece normaliser, also in a
// tokenizer.json.
//
// Layout, little endian: u32 bytes of the double array (a multiple of 1024), the double array, and replacement texts,
// each with a zero byte at its end. A unit has 32 bits. If bit 31 is set it is a leaf, and the other bits are the
// position of a replacement text. Otherwise bits 0-7 are its label, bit 8 says that there is a leaf at (unit XOR
// offset), and bits 10-31 are the offset, times 256 if bit 9 is set. The child of unit i by byte b is (i XOR offset XOR
// b), if its label is b.

// Zeroed: no rules.
typedef struct {
    uint32_t *units;
    int64_t unit_count;
    char *texts;
    int64_t texts_length;
} gw_charsmap;

// Copies the map and checks every link, so that lookups need no check. Messages begin with `field`, such as "x.model:
// charsmap".
gw_status gw_charsmap_parse(const char *field, const void *bytes, int64_t count, gw_charsmap *out) GW_MUST_CHECK;
void gw_charsmap_free(gw_charsmap *map);

// The longest rule at the beginning of text: the number of its bytes (0: none), and their replacement.
int64_t gw_charsmap_match(const gw_charsmap *map, const char *text, int64_t length, const char **replacement);
// Whether a rule begins with this byte. *leaf: whether the byte alone is a rule. *ascii: whether an ASCII byte may
// follow.
bool gw_charsmap_begins(const gw_charsmap *map, uint8_t byte, bool *leaf, bool *ascii);

#define GW_SPACE_SYMBOL "\xE2\x96\x81" // U+2581
enum { GW_SPACE_SYMBOL_LENGTH = 3 };

typedef struct {
    const char *text; // zero-terminated
    int32_t length;
    float score;
    gw_piece_kind kind;
} gw_spm_piece;

typedef enum { GW_SPM_UNIGRAM = 1, GW_SPM_BPE = 2, GW_SPM_WORD = 3, GW_SPM_CHAR = 4 } gw_spm_type;

typedef struct {
    gw_charsmap rules;
    bool add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces;
    bool treat_whitespace_as_suffix;
    const gw_byte_trie *symbols; // user-defined symbols, which stay unchanged; empty or NULL: none
    uint8_t plain[256];          // see spm_normalize.c
} gw_spm_normalizer;

struct gw_sentencepiece {
    gw_spm_piece *pieces; // [size]
    int32_t size;
    char *texts; // of all pieces
    gw_spm_type type;
    bool byte_fallback, treat_whitespace_as_suffix, has_unused, space_inside;
    char *unk_piece, *bos_piece, *eos_piece, *pad_piece, *unk_surface;
    gw_spm_normalizer normalizer, denormalizer;
    gw_byte_trie all;      // all pieces; for BPE models
    gw_byte_trie symbols;  // user-defined pieces
    gw_unigram unigram;    // for unigram models
    int32_t unknown;       // the unknown piece; -1: none (the model then has bytes)
    int32_t byte_ids[256]; // with byte_fallback
    gw_sentencepiece_ids named;
};

// Fills a zeroed model from a ModelProto. Only the wire format and the ranges of values are checked.
gw_status gw_spm_read_proto(const char *name, const void *bytes, int64_t count, gw_sentencepiece *model) GW_MUST_CHECK;

// Call this after flags, rules and symbols are set.
void gw_spm_normalizer_prepare(gw_spm_normalizer *normalizer);
// Appends the normalised text.
gw_status gw_spm_normalize(const gw_spm_normalizer *normalizer, const char *text, int64_t length,
                           gw_string *out) GW_MUST_CHECK;

// Ids, written from the last to the first. A run of unknown characters becomes one unknown id, or bytes.
typedef struct {
    int32_t *ids;
    int64_t first; // the written ids are ids[first ..]
    bool after_unknown;
    int64_t unknown; // characters that became the unknown id
} gw_spm_ids;

// Writes a piece, or an unknown character (id: model->unknown), of normalised text. Writes at most `length` ids.
void gw_spm_put(const gw_sentencepiece *model, gw_spm_ids *out, int32_t id, const char *text, int32_t length);

// Merges neighbours of normalised text, the best score first. length < 2^31; out must have space for `length` ids.
typedef struct gw_spm_bpe gw_spm_bpe;
gw_status gw_spm_bpe_new(const gw_sentencepiece *model, gw_spm_bpe **out) GW_MUST_CHECK;
void gw_spm_bpe_free(gw_spm_bpe *bpe);
gw_status gw_spm_bpe_segment(gw_spm_bpe *bpe, const char *text, int64_t length, gw_spm_ids *out) GW_MUST_CHECK;

#endif
