// SPDX-License-Identifier: MIT
// Older folders, whose vocabulary is in files of its own, as the tokenizer.json that transformers makes of them:
// vocab.json and merges.txt of RoBERTa and GPT-2, vocab.txt of BERT.
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

// Whether the file is called vocab.txt.
bool gw_is_vocab_text(const char *path);
// WordPiece of a vocabulary with one token a line, [CLS] A [SEP] B [SEP] around texts. "do_lower_case" (true),
// "strip_accents" and "tokenize_chinese_chars" (true) are tokenizer_config.json's.
gw_status gw_vocab_text_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

// The folder of a file: "." where its path names none. free() it; NULL: out of memory.
char *gw_folder_of(const char *path);
// A JSON file of the folder; NULL where it may be missing and is.
gw_status gw_folder_json(const char *folder, const char *name, bool required, json_t **out) GW_MUST_CHECK;

#endif
