// SPDX-License-Identifier: MIT
// The tokenizer.json of vocabularies made here. For the files of lib/text only.
//
// Of DNA: gw_tokenizer_json_parse() (kind.h) and gw_dna_save() (dna/vocabulary.h). Of bytes: [PAD] [UNK] [CLS] [SEP]
// [MASK], the 256 bytes in the order of the letters that GPT-2 spells them by, and a token a merge. Words are those of
// GPT-2's expression.
#ifndef GW_TEXT_JSON_OWN_JSON_H
#define GW_TEXT_JSON_OWN_JSON_H

#include "text/dna/vocabulary.h"

enum { GW_FIRST_BYTE_MERGE = GW_SPECIAL_TOKENS + 256 };

// ids[byte]
void gw_byte_ids(uint16_t ids[256]);
// merges[count], as the learner gives them.
gw_status gw_byte_level_new(const int32_t (*merges)[2], int64_t count, gw_tokenizer **out) GW_MUST_CHECK;

#endif
