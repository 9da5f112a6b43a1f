// SPDX-License-Identifier: MIT
// Tokenizers of a vocab.txt whose tokens are looked up in the text as they stand, with no word cut into pieces:
// - of ESM and the Nucleotide Transformer (transformers' EsmTokenizer): from left to right the longest token that the
//   text goes on with. With all 6-mers and single letters in the vocabulary that is 6-mers end to end, and single
//   letters before an N or another unknown letter, for N itself, and for what is left at the end;
// - of DNABERT: every k-mer of a word, each a letter after the one before it. transformers' BertTokenizer has them so
//   of a text in which blanks part k-mers that overlap.
#ifndef GW_TEXT_KMER_H
#define GW_TEXT_KMER_H

#include "text/kind.h"

// Reads a vocab.txt that is one of these: EsmTokenizer is the class in tokenizer_config.json, or, where that names
// none, "esm" the model_type in config.json beside it; or its ordinary tokens are all k-mers of A, C, G and T of one
// length. *out is NULL where it is neither.
gw_status gw_kmer_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

// The same in one file of JSON, as saving makes it under another name: {"vocab.txt": text, "tokenizer_config.json":
// {}}.
bool gw_is_kmer_json(const char *bytes, int64_t length);
gw_status gw_kmer_parse(const char *path, const char *bytes, int64_t length, gw_tokenizer **out) GW_MUST_CHECK;

#endif
