// SPDX-License-Identifier: MIT
// `-m` of the commands that take a tokenizer: a tokenizer.json, or a model folder that holds one.
#ifndef GW_TOOLS_TOKENIZER_PATH_H
#define GW_TOOLS_TOKENIZER_PATH_H

#include "text/tokenizer.h"

gw_status gw_open_tokenizer(const char *path, gw_tokenizer **out) GW_MUST_CHECK;

#endif
