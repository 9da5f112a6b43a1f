// SPDX-License-Identifier: MIT
// Encoding with a vocabulary made here: bases to letters, and the sweep over them.
#include "base/memory.h"
#include "text/dna/bpe_sweep.h"
#include "text/dna/vocabulary.h"

#include <stdlib.h>

enum { A = GW_SPECIAL_TOKENS, C, G, T, N };
#define BOTH(upper, lower, id) [upper] = id, [lower] = id
// clang-format off
const uint8_t gw_letter_ids[256] = {
    BOTH('A', 'a', A), BOTH('C', 'c', C), BOTH('G', 'g', G), BOTH('T', 't', T), BOTH('U', 'u', T), BOTH('N', 'n', N),
    BOTH('R', 'r', N), BOTH('Y', 'y', N), BOTH('S', 's', N), BOTH('W', 'w', N), BOTH('K', 'k', N), BOTH('M', 'm', N),
    BOTH('B', 'b', N), BOTH('D', 'd', N), BOTH('H', 'h', N), BOTH('V', 'v', N),
};
// clang-format on

void gw_dna_scratch_free(void *scratch) {
    if (scratch) gw_bpe_sweep_free(scratch);
    free(scratch);
}

gw_status gw_dna_scratch_new(const gw_tokenizer *tokenizer, void **out) {
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

// [UNK] for what is no nucleotide letter: one for a whole UTF-8 character, whose bytes after the first give [PAD].
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
