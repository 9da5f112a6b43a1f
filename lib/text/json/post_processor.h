// SPDX-License-Identifier: MIT
// The "post_processor" of a tokenizer.json: the special tokens around a text and around a pair of texts.
#ifndef GW_TEXT_JSON_POST_PROCESSOR_H
#define GW_TEXT_JSON_POST_PROCESSOR_H

#include "base/json.h"
#include "text/kind.h"

// Sets single, pair, and specials[GW_SPECIAL_CLS] and [GW_SPECIAL_SEP] where the file says them.
gw_status gw_post_processor_read(const char *path, const json_t *json, gw_tokenizer *tokenizer) GW_MUST_CHECK;

#endif
