// SPDX-License-Identifier: MIT
// What the tokenizer.json of every vocabulary made here has in common. For the files of lib/text only.
#ifndef GW_TEXT_JSON_OWN_JSON_H
#define GW_TEXT_JSON_OWN_JSON_H

#include "base/json.h"
#include "text/dna/vocabulary.h"

// Literals, with single quotes: the settings of the BPE model beside its vocabulary, and [CLS] A [SEP] B [SEP].
extern const char *const gw_own_model, *const gw_own_specials;

// JSON from such a literal; NULL with a message where memory is short.
json_t *gw_json_literal(const char *literal);
json_t *gw_own_added_token(int32_t id);
// The file: `components` is a literal of the parts that differ; vocabulary and merges are owned at once. A mean of 0 is
// not written.
gw_status gw_own_json(const char *components, json_t *vocabulary, json_t *merges, double mean_bases,
                      json_t **out) GW_MUST_CHECK;

// The byte-level vocabulary made here: [PAD] [UNK] [CLS] [SEP] [MASK], the 256 bytes in the order of the letters that
// GPT-2 spells them by, and a token a merge. Words are those of GPT-2's expression.

enum { GW_FIRST_BYTE_MERGE = GW_SPECIAL_TOKENS + 256 };

// ids[byte]
void gw_byte_ids(uint16_t ids[256]);
// merges[count], as the learner gives them.
gw_status gw_byte_level_new(const int32_t (*merges)[2], int64_t count, gw_tokenizer **out) GW_MUST_CHECK;

#endif
