// SPDX-License-Identifier: MIT
// RoBERTa's and GPT-2's older folders, vocab.json and merges.txt, as the tokenizer.json that transformers makes of
// them.
#ifndef GW_TEXT_JSON_VOCAB_MERGES_H
#define GW_TEXT_JSON_VOCAB_MERGES_H

#include "text/kind.h"

// Whether the file is called vocab.json.
bool gw_is_vocab_json(const char *path);
// Byte-level BPE without normalizer, of the vocab.json at `path` and the merges.txt beside it. With "<s>" and "</s>" in
// the vocabulary texts stand between them, as RoBERTa has it, otherwise nothing stands around them; "add_prefix_space"
// is tokenizer_config.json's.
gw_status gw_vocab_merges_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

#endif
