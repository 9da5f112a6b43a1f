// SPDX-License-Identifier: MIT
// The tokenizer.json of godwit's own vocabularies. Only for the files of lib/text.
//
// For DNA: gw_tokenizer_json_parse() (kind.h) and gw_dna_save() (dna/vocabulary.h). For bytes: [PAD] [UNK] [CLS] [SEP]
// [MASK], the 256 bytes in the order of GPT-2's letters for them, and one token for each merge. Words follow GPT-2's
// regular expression.
#ifndef GW_TEXT_JSON_OWN_JSON_H
#define GW_TEXT_JSON_OWN_JSON_H

#include "text/dna/vocabulary.h"

enum { GW_FIRST_BYTE_MERGE = GW_SPECIAL_TOKENS + 256 };

// ids[byte]: id of each byte.
void gw_byte_ids(uint16_t ids[256]);
// merges[count]: from the trainer.
gw_status gw_byte_level_new(const int32_t (*merges)[2], int64_t count, gw_tokenizer **out) GW_MUST_CHECK;

#endif
