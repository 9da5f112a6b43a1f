// SPDX-License-Identifier: MIT
// Puts the blank before the word, of which tokenizers of bases have no use.
#include "data/word_encoder.h"

gw_status gw_word_encode(gw_word_encoder *words, bool first, const char *word, int64_t length, const int32_t **tokens,
                         int64_t *count) {
    gw_string *room = &words->room;
    gw_string_clear(room);
    if (!first && !gw_tokenizer_is_dna(words->tokenizer)) gw_string_putc(room, ' ');
    gw_string_append(room, word, length);
    GW_TRY(gw_string_status(room));
    return gw_encode(words->encoder, room->data ? room->data : "", room->length, tokens, count);
}
