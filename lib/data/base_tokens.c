// SPDX-License-Identifier: MIT
// Asks the tokenizer once for each letter.
#include "data/base_tokens.h"

#include <ctype.h>

static gw_status encode_letter(gw_encoder *encoder, char letter, int32_t *out) {
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encode(encoder, &letter, 1, &tokens, &count));
    if (count != 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "the tokenizer makes %lld tokens of %c", (long long)count, letter);
    *out = tokens[0];
    return GW_OK;
}

static gw_status fill(gw_base_tokens *tokens, gw_encoder *encoder) {
    static const char letters[] = "NACGT";
    for (int i = 0; letters[i]; i++) {
        int32_t token = 0;
        GW_TRY(encode_letter(encoder, letters[i], &token));
        for (int c = 0; c < 256; c++)
            if (i == 0 || toupper(c) == letters[i]) tokens->of[c] = token;
    }
    return GW_OK;
}

gw_status gw_base_tokens_make(gw_base_tokens *tokens, const gw_tokenizer *tokenizer) {
    gw_encoder *encoder;
    for (int32_t t = 0; t < gw_tokenizer_size(tokenizer); t++)
        if (gw_tokenizer_bases(tokenizer, t) > 1)
            return gw_fail(GW_ERR_UNSUPPORTED,
                           "the model's tokens are of several bases (%s): a genome is read by models of single bases, "
                           "others by token shards (see encode)",
                           gw_tokenizer_text(tokenizer, t));
    GW_TRY(gw_tokenizer_frame(tokenizer, &tokens->frame));
    GW_TRY(gw_encoder_new(tokenizer, &encoder));
    const gw_status status = fill(tokens, encoder);
    gw_encoder_free(encoder);
    return status;
}

int64_t gw_base_tokens_append(const gw_base_tokens *tokens, gw_rows *stream, const gw_frame *frame, const char *bases,
                              int64_t count) {
    const int64_t row = stream->count + frame->begins;
    if (frame->begins > 0) stream->token[stream->count] = frame->before[0];
    for (int64_t i = 0; i < count; i++) stream->token[row + i] = tokens->of[(unsigned char)bases[i]];
    if (frame->ends > 0) stream->token[row + count] = frame->after[0];
    stream->count += count + gw_frame_tokens(frame);
    gw_rows_end_sequence(stream);
    return row;
}
