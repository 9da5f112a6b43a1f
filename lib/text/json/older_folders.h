// SPDX-License-Identifier: MIT
// Older folders with separate vocabulary files, read like the tokenizer.json that transformers makes from them:
// vocab.json and merges.txt of RoBERTa and GPT-2, vocab.txt of BERT.
#ifndef GW_TEXT_JSON_OLDER_FOLDERS_H
#define GW_TEXT_JSON_OLDER_FOLDERS_H

#include "base/json.h"
#include "text/kind.h"

// Whether the name of the file is vocab.json.
bool gw_is_vocab_json(const char *path);
// Byte-level BPE without a normalizer, from vocab.json at `path` and merges.txt beside it. If the vocabulary has "<s>"
// and "</s>", they surround texts, as in RoBERTa. "add_prefix_space" is read from tokenizer_config.json.
gw_status gw_vocab_merges_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

// Whether the name of the file is vocab.txt.
bool gw_is_vocab_text(const char *path);
// WordPiece with one token a line, and [CLS] A [SEP] B [SEP] around texts. "do_lower_case" (default true),
// "strip_accents" and "tokenize_chinese_chars" (default true) are read from tokenizer_config.json.
gw_status gw_vocab_text_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

// The folder of a file: "." if the path has none. free() it; NULL: out of memory.
char *gw_folder_of(const char *path);
// Reads a JSON file of the folder. NULL if it is missing and not `required`.
gw_status gw_folder_json(const char *folder, const char *name, bool required, json_t **out) GW_MUST_CHECK;

#endif
