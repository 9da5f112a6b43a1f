// SPDX-License-Identifier: MIT
// Bytes as a SentencePiece model: whatever it says, text can be encoded and decoded. The text is the input's own end,
// so that it has the pieces' letters.
#include "tests/fuzz/fuzz.h"
#include "text/sentencepiece/sentencepiece.h"

static void encode(const gw_sentencepiece *model, const char *text, int64_t length) {
    gw_sentencepiece_encoder *encoder;
    const int32_t *ids;
    int64_t count;
    gw_string decoded = {0};
    if (gw_sentencepiece_encoder_new(model, &encoder) != GW_OK) return;
    if (gw_sentencepiece_encode(encoder, text, length, &ids, &count) == GW_OK &&
        gw_sentencepiece_decode(model, ids, count, &decoded) != GW_OK)
        __builtin_trap(); // ids that came out go in
    gw_string_free(&decoded);
    gw_sentencepiece_encoder_free(encoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gw_sentencepiece *model;
    if (gw_sentencepiece_parse("input", data, (int64_t)size, &model) != GW_OK) return 0;
    const int64_t length = size < 64 ? (int64_t)size : 64;
    static const char odd[] = " a  \xE2\x96\x81\xEF\xBC\xA1[CLS]\xFF"
                              "ab\xF0\x9F\x98\x80 ";
    encode(model, (const char *)data + size - length, length);
    encode(model, odd, sizeof odd - 1);
    encode(model, "", 0);
    gw_sentencepiece_free(model);
    return 0;
}
