// SPDX-License-Identifier: MIT
// Which tokens of a tokenizer made elsewhere are its special ones: what the files beside it say, or their usual names.
#ifndef GW_TEXT_SPECIAL_NAMES_H
#define GW_TEXT_SPECIAL_NAMES_H

#include "text/kind.h"

// tokenizer_config.json and special_tokens_map.json in the folder of `path` decide; where they are silent (or `path` is
// not a file of a model folder: tokenizer.json, vocab.json) what stands in `specials` already; then usual names such as
// "[CLS]" and "<s>".
gw_status gw_special_names_find(const char *path, gw_tokenizer *tokenizer) GW_MUST_CHECK;

#endif
