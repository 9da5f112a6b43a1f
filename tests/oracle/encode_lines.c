// SPDX-License-Identifier: MIT
// For tokenizer oracles: the ids that a tokenizer gives for texts.   encode_lines TOKENIZER ids|text <texts.jsonl
// Every line of the input is a JSON string, or a list of one or two: then special tokens are added, and segments
// follow. `text` decodes the ids of a text. A text that cannot be encoded gives "error: " and the message.
#include "base/memory.h"
#include "text/tokenizer.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_list(const int32_t *list, int64_t count) {
    for (int64_t i = 0; i < count; i++) printf(i ? " %d" : "%d", list[i]);
}

static gw_status encode_text(const gw_tokenizer *tokenizer, gw_encoder *encoder, const json_t *text, bool decode) {
    const int32_t *tokens;
    int64_t count;
    GW_TRY(gw_encode(encoder, json_string_value(text), (int64_t)json_string_length(text), &tokens, &count));
    if (!decode) {
        print_list(tokens, count);
        return GW_OK;
    }
    gw_string out = {0};
    const gw_status status = gw_decode(tokenizer, tokens, count, &out);
    json_t *string = json_stringn_nocheck(out.data ? out.data : "", (size_t)out.length);
    if (status == GW_OK) json_dumpf(string, stdout, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    json_decref(string);
    gw_string_free(&out);
    return status;
}

static gw_status encode_pair(gw_encoder *encoder, const json_t *list) {
    const json_t *a = json_array_get(list, 0), *b = json_array_get(list, 1);
    const int32_t *tokens, *segments;
    int64_t count;
    GW_TRY(gw_encode_with_specials(encoder, json_string_value(a), (int64_t)json_string_length(a),
                                   b ? json_string_value(b) : NULL, b ? (int64_t)json_string_length(b) : 0, &tokens,
                                   &segments, &count));
    print_list(tokens, count);
    printf(" | ");
    print_list(segments, count);
    return GW_OK;
}

int main(int count, char **arguments) {
    gw_tokenizer *tokenizer;
    gw_encoder *encoder;
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    if (count != 3) return 2;
    if (gw_tokenizer_load(arguments[1], &tokenizer) != GW_OK || gw_encoder_new(tokenizer, &encoder) != GW_OK) {
        fprintf(stderr, "%s\n", gw_message());
        return 1;
    }
    gw_encoder_keep_case(encoder, true);
    while ((length = getline(&line, &capacity, stdin)) > 0) {
        json_t *json = json_loadb(line, (size_t)length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        const gw_status status = json_is_array(json)
                                     ? encode_pair(encoder, json)
                                     : encode_text(tokenizer, encoder, json, strcmp(arguments[2], "text") == 0);
        if (status != GW_OK) printf("error: %s", gw_message());
        putchar('\n');
        json_decref(json);
    }
    free(line);
    gw_encoder_free(encoder);
    gw_tokenizer_free(tokenizer);
    return 0;
}
