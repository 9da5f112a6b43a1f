// SPDX-License-Identifier: MIT
// Bytes as a tokenizer.json: whatever it says, text can be encoded, and ids that came out can be decoded. The texts are
// some odd ones and the input's own begin, which has its tokens' letters.
#include "base/string.h"
#include "base/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "text/kind.h"

static void encode(const gw_tokenizer *tokenizer, const char *text, int64_t length) {
    gw_encoder *encoder;
    const int32_t *tokens, *segments;
    int64_t count;
    gw_string decoded = {0};
    if (gw_encoder_new(tokenizer, &encoder) != GW_OK) return;
    if (gw_encode(encoder, text, length, &tokens, &count) == GW_OK &&
        gw_decode(tokenizer, tokens, count, &decoded) != GW_OK)
        __builtin_trap(); // ids that came out go in
    if (gw_encode_with_specials(encoder, text, length, "AC", 2, &tokens, &segments, &count) == GW_OK)
        for (int64_t i = 0; i < count; i++)
            if (tokens[i] < 0 || tokens[i] >= gw_tokenizer_size(tokenizer)) __builtin_trap();
    gw_string_free(&decoded);
    gw_encoder_free(encoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char odd[] =
        " ACGTNNNNNNNNNNNN-ac  can't 42\xC2\xBD e\xCC\x81\xE2\x96\x81\xF0\x9F\xA7\xAC[CLS]<mask> \xC4\xB0";
    static const char run[] =
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACACACACACACACACACAC";
    gw_tokenizer *tokenizer;
    if (gw_tokenizer_json_parse("input", (const char *)data, (int64_t)size, &tokenizer) != GW_OK) return 0;
    const int64_t length = size < 200 ? (int64_t)size : 200;
    encode(tokenizer, odd, sizeof odd - 1);
    encode(tokenizer, run, sizeof run - 1);
    encode(tokenizer, (const char *)data, gw_utf8_valid((const char *)data, length));
    encode(tokenizer, "", 0);
    gw_tokenizer_free(tokenizer);
    return 0;
}
