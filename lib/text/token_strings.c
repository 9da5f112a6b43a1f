// SPDX-License-Identifier: MIT
// Appends to one array.
#include "text/token_strings.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int64_t begin_of(const gw_token_strings *strings, int64_t index) {
    return index > 0 ? strings->end[index - 1] : 0;
}

gw_status gw_token_strings_add(gw_token_strings *strings, const int32_t *tokens, int64_t count) {
    const int64_t begin = begin_of(strings, strings->count);
    GW_TRY(gw_reserve(&strings->token, &strings->token_capacity, begin + count, sizeof *strings->token));
    GW_TRY(gw_reserve(&strings->end, &strings->end_capacity, strings->count + 1, sizeof *strings->end));
    if (count > 0) memcpy(strings->token + begin, tokens, (size_t)count * sizeof *tokens);
    strings->end[strings->count++] = begin + count;
    return GW_OK;
}

gw_token_string gw_token_strings_at(const gw_token_strings *strings, int64_t index) {
    const int64_t begin = begin_of(strings, index);
    return (gw_token_string){strings->token + begin, strings->end[index] - begin};
}

void gw_token_strings_cut(gw_token_strings *strings, int64_t count) {
    strings->count = count;
}

void gw_token_strings_free(gw_token_strings *strings) {
    free(strings->token);
    free(strings->end);
    *strings = (gw_token_strings){0};
}
