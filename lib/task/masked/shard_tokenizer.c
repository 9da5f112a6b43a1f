// SPDX-License-Identifier: MIT
// Loads the file that stands beside the shards, and compares token by token.
#include "task/masked/shard_tokenizer.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static gw_status check_same_tokens(const gw_tokenizer *found, const gw_tokenizer *expected, const char *path) {
    const int32_t size = gw_tokenizer_size(expected);
    if (gw_tokenizer_size(found) != size)
        return gw_fail(GW_ERR_MISMATCH, "%s: another vocabulary: found %d tokens, expected %d", path,
                       gw_tokenizer_size(found), size);
    for (int32_t token = 0; token < size; token++)
        if (strcmp(gw_tokenizer_text(found, token), gw_tokenizer_text(expected, token)) != 0)
            return gw_fail(GW_ERR_MISMATCH, "%s: another vocabulary: token %d is %s, expected %s", path, token,
                           gw_tokenizer_text(found, token), gw_tokenizer_text(expected, token));
    return GW_OK;
}

gw_status gw_shard_tokenizer(const char *prefix, const gw_tokenizer *expected, gw_tokenizer **out) {
    *out = NULL;
    char *path = gw_strprintf("%s.tokenizer.json", prefix);
    gw_tokenizer *tokenizer = NULL;
    gw_status status = path ? gw_tokenizer_load(path, &tokenizer) : GW_ERR_MEMORY;
    if (status == GW_OK && expected) status = check_same_tokens(tokenizer, expected, path);
    if (status == GW_OK) *out = tokenizer;
    else gw_tokenizer_free(tokenizer);
    free(path);
    return status;
}
