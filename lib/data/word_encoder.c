// SPDX-License-Identifier: MIT
// Puts the blank before the word, of which tokenizers of bases have no use.
#include "data/word_encoder.h"

gw_status gw_word_encode(gw_word_encoder *words, bool first, const char *word, int64_t length, const int32_t **tokens,
                         int64_t *count) {
    gw_string *text = &words->text;
    gw_string_clear(text);
    if (!first && !gw_tokenizer_is_dna(words->tokenizer)) gw_string_putc(text, ' ');
    gw_string_append(text, word, length);
    GW_TRY(gw_string_status(text));
    return gw_encode(words->encoder, text->data ? text->data : "", text->length, tokens, count);
}
