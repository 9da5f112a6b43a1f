// SPDX-License-Identifier: MIT
// RoBERTa's and GPT-2's older folders, vocab.json and merges.txt, as the tokenizer.json that transformers makes of
// them.
#ifndef GW_TEXT_JSON_OLDER_FOLDERS_H
#define GW_TEXT_JSON_OLDER_FOLDERS_H

#include "base/json.h"
#include "text/kind.h"

// Whether the file is called vocab.json.
bool gw_is_vocab_json(const char *path);
// Byte-level BPE without normalizer, of the vocab.json at `path` and the merges.txt beside it. With "<s>" and "</s>" in
// the vocabulary texts stand between them, as RoBERTa has it, otherwise nothing stands around them; "add_prefix_space"
// is tokenizer_config.json's.
gw_status gw_vocab_merges_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

// BERT's older folders, vocab.txt, as the tokenizer.json that transformers makes of them.

// Whether the file is called vocab.txt.
bool gw_is_vocab_text(const char *path);
// WordPiece of a vocabulary with one token a line, [CLS] A [SEP] B [SEP] around texts. "do_lower_case" (true),
// "strip_accents" and "tokenize_chinese_chars" (true) are tokenizer_config.json's.
gw_status gw_vocab_text_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

// What folders with a vocabulary in files of their own share on the way to the JSON of a pipeline.

bool gw_folder_has(const char *folder, const char *name);
// A JSON file of the folder; NULL where it may be missing and is.
gw_status gw_folder_json(const char *folder, const char *name, bool required, json_t **out) GW_MUST_CHECK;
// Appends to `added` the tokens of the vocabulary that a file of the folder names as "..._token"; without a file (NULL)
// those with usual names.
void gw_list_specials(json_t *added, const json_t *vocabulary, const json_t *named);
// The tokenizer of the JSON (NULL: out of memory), which saving writes as a tokenizer.json; `file` is the folder's, for
// messages and for what stands beside it.
gw_status gw_folder_tokenizer(const char *folder, const char *file, const json_t *json,
                              gw_tokenizer **out) GW_MUST_CHECK;

#endif
