// SPDX-License-Identifier: MIT
// godwit's own vocabulary: fixed tokens, and tokens made by merges. Encoding is a sweep over letters.
//
// In exact byte-pair encoding no text is made by two different merges, because the merge of two neighbours is the
// unique encoding of its text. Token GW_FIRST_MERGE + k therefore is merge k, and ids have the order of ranks.
#include "text/dna/vocabulary.h"

#include "base/memory.h"
#include "text/dna/bpe_sweep.h"

#include <stdlib.h>
#include <string.h>

enum { A = GW_SPECIAL_TOKENS, C, G, T, N };
#define BOTH(upper, lower, id) [upper] = id, [lower] = id
// clang-format off
const uint8_t gw_letter_ids[256] = {
    BOTH('A', 'a', A), BOTH('C', 'c', C), BOTH('G', 'g', G), BOTH('T', 't', T), BOTH('U', 'u', T), BOTH('N', 'n', N),
    BOTH('R', 'r', N), BOTH('Y', 'y', N), BOTH('S', 's', N), BOTH('W', 'w', N), BOTH('K', 'k', N), BOTH('M', 'm', N),
    BOTH('B', 'b', N), BOTH('D', 'd', N), BOTH('H', 'h', N), BOTH('V', 'v', N),
};
// clang-format on

// --- the vocabulary ------------------------------------------------------------------------------------------------

const char *const gw_fixed_tokens[GW_FIRST_MERGE] = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
                                                     "A",     "C",     "G",     "T",     "N"};

static void free_vocabulary(void *state) {
    gw_dna_vocabulary *vocabulary = state;
    if (!vocabulary) return;
    free(vocabulary->parts);
    gw_pair_table_free(&vocabulary->pairs);
    free(vocabulary);
}

static gw_status add_fixed(gw_tokenizer *tokenizer) {
    for (int32_t i = 0; i < GW_FIRST_MERGE; i++) {
        tokenizer->texts[i] = gw_strdup(gw_fixed_tokens[i]);
        if (!tokenizer->texts[i]) return GW_ERR_MEMORY;
        tokenizer->bases[i] = i >= GW_SPECIAL_TOKENS;
        tokenizer->special[i] = i < GW_SPECIAL_TOKENS;
    }
    static const int32_t ids[GW_SPECIAL_KINDS] = {GW_TOKEN_PAD, GW_TOKEN_UNK, GW_TOKEN_CLS, GW_TOKEN_SEP,
                                                  GW_TOKEN_MASK};
    memcpy(tokenizer->specials, ids, sizeof ids);
    tokenizer->single =
        (gw_template){{{GW_PIECE_TOKEN, GW_TOKEN_CLS, 0}, {GW_PIECE_A}, {GW_PIECE_TOKEN, GW_TOKEN_SEP}}, 3};
    tokenizer->pair = tokenizer->single;
    tokenizer->pair.pieces[3] = (gw_template_piece){GW_PIECE_B, 0, 1};
    tokenizer->pair.pieces[4] = (gw_template_piece){GW_PIECE_TOKEN, GW_TOKEN_SEP, 1};
    tokenizer->pair.count = 5;
    return GW_OK;
}

static gw_status add_merge(gw_tokenizer *tokenizer, int32_t token, const int32_t pair[2]) {
    const int32_t left = pair[0], right = pair[1], merge = token - GW_FIRST_MERGE;
    for (int side = 0; side < 2; side++)
        if (pair[side] < GW_SPECIAL_TOKENS || pair[side] >= token)
            return gw_fail(GW_ERR_FORMAT,
                           "merge %d uses token %d, which is not a letter and not made by an earlier merge", merge,
                           pair[side]);
    if ((int64_t)tokenizer->bases[left] + tokenizer->bases[right] > INT32_MAX)
        return gw_fail(GW_ERR_RANGE, "merge %d makes a token of more than %d bases", merge, INT32_MAX);
    gw_dna_vocabulary *vocabulary = tokenizer->state;
    vocabulary->parts[token][0] = left;
    vocabulary->parts[token][1] = right;
    tokenizer->bases[token] = tokenizer->bases[left] + tokenizer->bases[right];
    tokenizer->texts[token] = gw_strprintf("%s%s", tokenizer->texts[left], tokenizer->texts[right]);
    if (!tokenizer->texts[token]) return GW_ERR_MEMORY;
    return GW_OK;
}

typedef struct {
    const char *text;
    int32_t token;
} named_token;

static int by_text(const void *a, const void *b) {
    const named_token *x = a, *y = b;
    const int order = strcmp(x->text, y->text);
    return order ? order : (x->token > y->token) - (x->token < y->token);
}

static gw_status check_distinct(const gw_tokenizer *tokenizer) {
    named_token *sorted = gw_alloc(tokenizer->size, sizeof *sorted);
    if (!sorted) return GW_ERR_MEMORY;
    for (int32_t i = 0; i < tokenizer->size; i++) sorted[i] = (named_token){tokenizer->texts[i], i};
    qsort(sorted, (size_t)tokenizer->size, sizeof *sorted, by_text);
    gw_status status = GW_OK;
    for (int32_t i = 1; i < tokenizer->size && status == GW_OK; i++)
        if (strcmp(sorted[i - 1].text, sorted[i].text) == 0)
            status = gw_fail(GW_ERR_FORMAT, "tokens %d and %d are both \"%.60s\"", sorted[i - 1].token, sorted[i].token,
                             sorted[i].text);
    free(sorted);
    return status;
}

gw_status gw_tokenizer_from_merges(const int32_t (*merges)[2], int64_t count, gw_tokenizer **out) {
    *out = NULL;
    if (count > GW_LARGEST_VOCABULARY - GW_FIRST_MERGE)
        return gw_fail(GW_ERR_RANGE, "%lld merges, expected at most %d", (long long)count,
                       GW_LARGEST_VOCABULARY - GW_FIRST_MERGE);
    gw_dna_vocabulary *vocabulary = gw_alloc(1, sizeof *vocabulary);
    if (vocabulary) vocabulary->parts = gw_alloc(count + GW_FIRST_MERGE, sizeof *vocabulary->parts);
    if (!vocabulary || !vocabulary->parts) {
        free_vocabulary(vocabulary);
        return GW_ERR_MEMORY;
    }
    gw_tokenizer *tokenizer;
    GW_TRY(gw_tokenizer_new(&gw_dna_kind, vocabulary, (int32_t)count + GW_FIRST_MERGE, &tokenizer));
    gw_status status = add_fixed(tokenizer);
    for (int32_t i = 0; i < count && status == GW_OK; i++) status = add_merge(tokenizer, GW_FIRST_MERGE + i, merges[i]);
    if (status == GW_OK) status = check_distinct(tokenizer);
    if (status == GW_OK)
        status = gw_pair_table_make(&vocabulary->pairs, merges, (int32_t)count, GW_FIRST_MERGE, tokenizer->size);
    if (status == GW_OK) status = gw_tokenizer_finish(tokenizer, NULL, NULL, 0);
    if (status == GW_OK) *out = tokenizer;
    else gw_tokenizer_free(tokenizer);
    return status;
}

gw_status gw_tokenizer_letters(gw_tokenizer **out) {
    return gw_tokenizer_from_merges(NULL, 0, out);
}

// --- encoding ------------------------------------------------------------------------------------------------------

static void free_scratch(void *scratch) {
    if (scratch) gw_bpe_sweep_free(scratch);
    free(scratch);
}

static gw_status new_scratch(const gw_tokenizer *tokenizer, void **out) {
    const gw_dna_vocabulary *vocabulary = tokenizer->state;
    *out = NULL;
    gw_bpe_sweep *sweep = gw_alloc(1, sizeof *sweep);
    if (!sweep) return GW_ERR_MEMORY;
    const gw_status status = gw_bpe_sweep_make(sweep, &vocabulary->pairs, (const int32_t(*)[2])vocabulary->parts,
                                               tokenizer->size, GW_FIRST_MERGE, gw_dense_has_vectors());
    if (status == GW_OK) *out = sweep;
    else free(sweep);
    return status;
}

// [UNK] for what is not a nucleotide letter: one for a whole UTF-8 character, whose bytes after the first give [PAD].
static inline uint8_t token_of_byte(uint8_t byte) {
    const uint8_t letter = gw_letter_ids[byte];
    return letter || (byte & 0xC0) == 0x80 ? letter : GW_TOKEN_UNK;
}

gw_status gw_dna_encode(void *scratch, const char *bases, int64_t length, gw_encoded *out) {
    gw_bpe_sweep *sweep = scratch;
    GW_TRY(gw_bpe_sweep_reserve(sweep, length));
    uint8_t *letters = sweep->bytes;
    int32_t count = 0;
    for (int64_t i = 0; i < length; i++) {
        letters[count] = token_of_byte((uint8_t)bases[i]);
        count += letters[count] != GW_TOKEN_PAD;
    }
    *out = (gw_encoded){.count = gw_bpe_sweep_run_bytes(sweep, count)};
    out->tokens = sweep->token;
    return GW_OK;
}

const gw_tokenizer_kind gw_dna_kind = {
    .file = "tokenizer.json",
    .transformers = "PreTrainedTokenizerFast",
    .own = true,
    .free = free_vocabulary,
    .scratch_new = new_scratch,
    .scratch_free = free_scratch,
    .encode = gw_dna_encode,
    .decode = gw_decode_joined,
};
