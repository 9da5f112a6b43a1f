// SPDX-License-Identifier: MIT
// Tokenizers of a vocab.txt whose tokens are looked up in the text as they stand, with no word cut into pieces:
// - of ESM and the Nucleotide Transformer (transformers' EsmTokenizer): from left to right the longest token that the
//   text goes on with. With all 6-mers and single letters in the vocabulary that is 6-mers end to end, and single
//   letters before an N or another unknown letter, for N itself, and for what is left at the end;
// - of DNABERT: every k-mer of a word, each a letter after the one before it. transformers' BertTokenizer has them so
//   of a text in which blanks part k-mers that overlap.
#ifndef GW_TEXT_KMER_KMER_H
#define GW_TEXT_KMER_KMER_H

#include "text/json/id_vocabulary.h"
#include "text/kind.h"

typedef struct {
    gw_text_index index; // of the tokenizer's texts
    int64_t longest;     // letters of the longest token, or of all k-mers
} gw_kmer_vocabulary;

// Reads a vocab.txt that is one of these: EsmTokenizer is the class in tokenizer_config.json, or, where that names
// none, "esm" the model_type in config.json beside it; or its ordinary tokens are all k-mers of A, C, G and T of one
// length. *out is NULL where it is neither.
gw_status gw_kmer_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

// The same in one file of JSON, as saving makes it under another name: {"vocab.txt": text, "tokenizer_config.json":
// {}}.
bool gw_is_kmer_json(const char *bytes, int64_t length);
gw_status gw_kmer_parse(const char *path, const char *bytes, int64_t length, gw_tokenizer **out) GW_MUST_CHECK;

extern const gw_tokenizer_kind gw_longest_kind, gw_overlapping_kind;

// kmer_encode.c
gw_status gw_kmer_scratch_new(const gw_tokenizer *tokenizer, void **out) GW_MUST_CHECK;
void gw_kmer_scratch_free(void *scratch);
gw_status gw_longest_encode(void *scratch, const char *text, int64_t length, gw_encoded *out) GW_MUST_CHECK;
gw_status gw_overlapping_encode(void *scratch, const char *text, int64_t length, gw_encoded *out) GW_MUST_CHECK;
gw_status gw_overlapping_decode(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count,
                                gw_string *out) GW_MUST_CHECK;

#endif
