// SPDX-License-Identifier: MIT
// What folders with a vocabulary in files of their own share on the way to the JSON of a pipeline.
#ifndef GW_TEXT_JSON_FOLDER_PARTS_H
#define GW_TEXT_JSON_FOLDER_PARTS_H

#include "base/json.h"
#include "text/kind.h"

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
