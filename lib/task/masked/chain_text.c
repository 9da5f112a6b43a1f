// SPDX-License-Identifier: MIT
// Decodes the shards' tokens into codes of bases, and feeds them to the counts.
#include "task/masked/chain_text.h"

#include "base/log.h"
#include "base/memory.h"

#include <stdlib.h>

static gw_status append_token(gw_chain_text *text, const gw_tokenizer *tokenizer, int32_t token) {
    if (token < 0 || token >= gw_tokenizer_size(tokenizer))
        return gw_fail(GW_ERR_MISMATCH, "the shards hold token %d, but their tokenizer has %d tokens", token,
                       gw_tokenizer_size(tokenizer));
    gw_string_clear(&text->letters);
    gw_tokenizer_append_bases(tokenizer, token, &text->letters);
    GW_TRY(gw_string_status(&text->letters));
    const int64_t count = text->letters.length;
    GW_TRY(gw_reserve(&text->code, &text->code_capacity, text->bases + count, sizeof *text->code));
    for (int64_t i = 0; i < count; i++) text->code[text->bases++] = gw_base_code(text->letters.data[i]);
    return GW_OK;
}

gw_status gw_chain_text_read(gw_chain_text *text, const gw_shards *shards, int64_t document,
                             const gw_tokenizer *tokenizer) {
    int64_t first, last;
    text->tokens = text->bases = 0;
    gw_shards_document(shards, document, &first, &last);
    for (int64_t s = first; s < last; s++) {
        const int64_t count = gw_shards_sentence_length(shards, s);
        GW_TRY(gw_reserve(&text->token, &text->token_capacity, text->tokens + count, sizeof *text->token));
        GW_TRY(gw_reserve(&text->begin, &text->begin_capacity, text->tokens + count + 1, sizeof *text->begin));
        gw_shards_read(shards, s, 0, count, text->token + text->tokens);
        for (int64_t i = 0; i < count; i++) {
            text->begin[text->tokens] = text->bases;
            GW_TRY(append_token(text, tokenizer, text->token[text->tokens++]));
        }
        text->begin[text->tokens] = text->bases;
    }
    return GW_OK;
}

void gw_chain_text_free(gw_chain_text *text) {
    free(text->token);
    free(text->begin);
    free(text->code);
    gw_string_free(&text->letters);
    *text = (gw_chain_text){0};
}

static gw_status count_documents(gw_markov *markov, const gw_shards *shards, const gw_tokenizer *tokenizer) {
    gw_chain_text text = {0};
    gw_status status = GW_OK;
    const int64_t documents = gw_shards_documents(shards);
    for (int64_t d = 0; status == GW_OK && d < documents; d++) {
        status = gw_check_interrupt();
        if (status == GW_OK) status = gw_chain_text_read(&text, shards, d, tokenizer);
        if (status == GW_OK) status = gw_markov_add(markov, text.code, text.bases);
        gw_progress("count", d + 1, documents, "documents", NULL);
    }
    gw_progress_end();
    gw_chain_text_free(&text);
    return status;
}

static gw_status count_prefix(gw_markov *markov, const char *prefix) {
    gw_shards *shards = NULL;
    gw_tokenizer *tokenizer = NULL;
    char *path = gw_strprintf("%s.tokenizer.json", prefix);
    gw_status status = path ? gw_shards_open(prefix, &shards) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_tokenizer_load(path, &tokenizer);
    if (status == GW_OK) status = count_documents(markov, shards, tokenizer);
    gw_tokenizer_free(tokenizer);
    gw_shards_close(shards);
    free(path);
    return status;
}

gw_status gw_markov_of_shards(const char *const *prefixes, int count, int order, gw_markov **out) {
    *out = NULL;
    gw_markov *markov;
    GW_TRY(gw_markov_new(order, &markov));
    gw_status status = GW_OK;
    for (int i = 0; status == GW_OK && i < count; i++) status = count_prefix(markov, prefixes[i]);
    if (status == GW_OK) status = gw_markov_fit(markov);
    if (status == GW_OK) *out = markov;
    else gw_markov_free(markov);
    return status;
}
