// SPDX-License-Identifier: MIT
// Byte-pair encoding of DNA, as a Hugging Face tokenizer.json.
//
// The vocabulary: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, then A C G T N, then one token a merge. A whole
// sentence or contig is one word: encoding is O(n). Text is normalised first: upper case, U to T, other IUPAC
// letters to N. Thread-safe after creation: any number of threads may encode with one tokenizer.
#ifndef GW_TEXT_TOKENIZER_H
#define GW_TEXT_TOKENIZER_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_tokenizer gw_tokenizer;

enum {
    GW_TOKEN_PAD = 0,
    GW_TOKEN_UNK = 1,
    GW_TOKEN_CLS = 2,
    GW_TOKEN_SEP = 3,
    GW_TOKEN_MASK = 4,
    GW_SPECIAL_TOKENS = 5
};

// What special tokens are for. Tokenizers made elsewhere have them under other ids and names ("<s>", "[CLS]").
typedef enum { GW_SPECIAL_PAD, GW_SPECIAL_UNK, GW_SPECIAL_CLS, GW_SPECIAL_SEP, GW_SPECIAL_MASK } gw_special;

// A tokenizer.json (this program's own kind, or a BPE pipeline of Hugging Face's), or a SentencePiece .model.
gw_status gw_tokenizer_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;
gw_status gw_tokenizer_save(const gw_tokenizer *tokenizer, const char *path) GW_MUST_CHECK;
void gw_tokenizer_free(gw_tokenizer *tokenizer);
// The smallest vocabulary: specials and letters, no merges.
// A copy of its own.
gw_status gw_tokenizer_copy(const gw_tokenizer *tokenizer, gw_tokenizer **out) GW_MUST_CHECK;
gw_status gw_tokenizer_letters(gw_tokenizer **out) GW_MUST_CHECK;
// From merges (pairs of ids of letters or of what earlier merges make), in order of priority. At most 2^20 tokens.
gw_status gw_tokenizer_from_merges(const int32_t (*merges)[2], int64_t count, gw_tokenizer **out) GW_MUST_CHECK;

int32_t gw_tokenizer_size(const gw_tokenizer *tokenizer); // tokens, specials included
// The text of a token ("ACGT", "[CLS]"), and the bases it covers (0 for specials).
const char *gw_tokenizer_text(const gw_tokenizer *tokenizer, int32_t token);
int32_t gw_tokenizer_bases(const gw_tokenizer *tokenizer, int32_t token);
// Whether the token holds an N; such tokens are never masked. Specials: false.
bool gw_tokenizer_has_n(const gw_tokenizer *tokenizer, int32_t token);
// Mean bases a token over the text it was learnt on; 0 where unknown: "mean_bases_per_token" inside "model" of
// tokenizer.json, which is lost when Hugging Face's package writes the file anew.
double gw_tokenizer_mean_bases(const gw_tokenizer *tokenizer);

// Scratch memory of one thread.
typedef struct gw_encoder gw_encoder;
gw_status gw_encoder_new(const gw_tokenizer *tokenizer, gw_encoder **out) GW_MUST_CHECK;
void gw_encoder_free(gw_encoder *encoder);
// Tokens of `length` bases, without special tokens; [UNK] for a character that is no nucleotide letter. *tokens belongs
// to the encoder until its next call. O(length), 12 bytes of memory a base.
gw_status gw_encode(gw_encoder *encoder, const char *bases, int64_t length, const int32_t **tokens,
                    int64_t *count) GW_MUST_CHECK;

// Learns merges from sentences that the caller feeds (one word each), until `size` tokens or no pair occurs twice. Ties
// go to the pair with the smaller left id, then the smaller right id. A trainer runs once.
typedef struct gw_bpe_trainer gw_bpe_trainer;
gw_status gw_bpe_trainer_new(gw_bpe_trainer **out) GW_MUST_CHECK;
gw_status gw_bpe_trainer_add(gw_bpe_trainer *trainer, const char *bases, int64_t length) GW_MUST_CHECK;
gw_status gw_bpe_trainer_run(gw_bpe_trainer *trainer, int32_t size, gw_tokenizer **out) GW_MUST_CHECK;
void gw_bpe_trainer_free(gw_bpe_trainer *trainer);

#endif
