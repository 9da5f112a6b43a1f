// SPDX-License-Identifier: MIT
// Tokenizers with a vocab.txt that look up tokens directly in the text, without splitting words:
// - ESM and the Nucleotide Transformer (transformers' EsmTokenizer): from left to right, the longest matching token. If
//   the vocabulary has all 6-mers and single letters, these are consecutive 6-mers; and single letters before an N or
//   another unknown letter, for N, and for the rest at the end;
// - DNABERT: every k-mer of a word, each shifted by one letter. transformers' BertTokenizer gives the same tokens for a
//   text of overlapping k-mers separated by blanks.
#ifndef GW_TEXT_KMER_H
#define GW_TEXT_KMER_H

#include "text/kind.h"

// Reads such a vocab.txt. It is of the first kind if tokenizer_config.json names the class EsmTokenizer, or, without a
// class, if config.json beside it has the model_type "esm". It is of the second kind if all ordinary tokens are k-mers
// of A, C, G and T of one length. *out is NULL if it is neither.
gw_status gw_kmer_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

// The same in one JSON file, the format for saving under another name: {"vocab.txt": text, "tokenizer_config.json":
// {}}.
bool gw_is_kmer_json(const char *bytes, int64_t length);
gw_status gw_kmer_parse(const char *path, const char *bytes, int64_t length, gw_tokenizer **out) GW_MUST_CHECK;

#endif
