// SPDX-License-Identifier: MIT
// BERT's older folders, vocab.txt, as the tokenizer.json that transformers makes of them.
#ifndef GW_TEXT_JSON_VOCAB_TEXT_H
#define GW_TEXT_JSON_VOCAB_TEXT_H

#include "text/kind.h"

// Whether the file is called vocab.txt.
bool gw_is_vocab_text(const char *path);
// WordPiece of a vocabulary with one token a line, [CLS] A [SEP] B [SEP] around texts. "do_lower_case" (true),
// "strip_accents" and "tokenize_chinese_chars" (true) are tokenizer_config.json's.
gw_status gw_vocab_text_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

#endif
