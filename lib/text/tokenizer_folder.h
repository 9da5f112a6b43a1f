// SPDX-License-Identifier: MIT
// Which file of a model folder is its tokenizer.
#ifndef GW_TEXT_TOKENIZER_FOLDER_H
#define GW_TEXT_TOKENIZER_FOLDER_H

#include "base/status.h"

// The first that is there of tokenizer.json, spiece.model, sentencepiece.bpe.model, tokenizer.model, vocab.json (which
// has a merges.txt beside it), vocab.txt, and the only other file that ends in ".model"; free() it. GW_ERR_IO where
// there is none, naming these; GW_ERR_UNSUPPORTED where there are several others.
gw_status gw_tokenizer_find(const char *folder, char **path) GW_MUST_CHECK;

#endif
