// SPDX-License-Identifier: MIT
// Text to tokens. Four kinds:
// - byte-pair encoding of DNA, made here. The vocabulary: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, then A C G T N,
//   then one token a merge. A whole sentence or contig is one word: encoding is O(n). Text is normalised first: upper
//   case, U to T, other IUPAC letters to N;
// - a tokenizer.json of Hugging Face's `tokenizers` package with a BPE model; encoding is O(n log n);
// - a SentencePiece .model;
// - a vocab.txt of letters and k-mers that are looked up as they stand (lib/text/kmer).
// Thread-safe after creation: any number of threads may encode with one tokenizer.
#ifndef GW_TEXT_TOKENIZER_H
#define GW_TEXT_TOKENIZER_H

#include "base/status.h"
#include "base/string.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_tokenizer gw_tokenizer;

// What special tokens are for. Tokenizers made elsewhere have them under other ids and names ("<s>", "[CLS]").
typedef enum { GW_SPECIAL_PAD, GW_SPECIAL_UNK, GW_SPECIAL_CLS, GW_SPECIAL_SEP, GW_SPECIAL_MASK } gw_special;

// A file of any of the kinds, or a model folder that holds one.
gw_status gw_tokenizer_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;
// A tokenizer made elsewhere is written as it was read, byte for byte.
gw_status gw_tokenizer_save(const gw_tokenizer *tokenizer, const char *path) GW_MUST_CHECK;
void gw_tokenizer_free(gw_tokenizer *tokenizer);
// What a model folder calls the file that gw_tokenizer_save() writes: "tokenizer.json".
const char *gw_tokenizer_file(const gw_tokenizer *tokenizer);
// The class of transformers that reads it, and what it calls the token for a use: "sep_token", "eos_token".
const char *gw_tokenizer_class(const gw_tokenizer *tokenizer);
const char *gw_tokenizer_special_key(const gw_tokenizer *tokenizer, gw_special use);
bool gw_tokenizer_lowers(const gw_tokenizer *tokenizer); // that class has lower case, unless its settings say no
// Another owner of the same, which nothing changes.
gw_status gw_tokenizer_copy(const gw_tokenizer *tokenizer, gw_tokenizer **out) GW_MUST_CHECK;
// The smallest vocabulary: specials and letters, no merges.
gw_status gw_tokenizer_letters(gw_tokenizer **out) GW_MUST_CHECK;
// From merges (pairs of ids of letters or of what earlier merges make), in order of priority. At most 2^20 tokens.
gw_status gw_tokenizer_from_merges(const int32_t (*merges)[2], int64_t count, gw_tokenizer **out) GW_MUST_CHECK;

int32_t gw_tokenizer_size(const gw_tokenizer *tokenizer); // ids: 0 to size - 1, specials included
// The id of the special token for that use; -1 where the tokenizer has none.
int32_t gw_tokenizer_special(const gw_tokenizer *tokenizer, gw_special use);
// The same where the caller cannot do without: GW_ERR_UNSUPPORTED, naming the file and the use, where there is none.
gw_status gw_tokenizer_need(const gw_tokenizer *tokenizer, gw_special use, int32_t *out) GW_MUST_CHECK;
// The special tokens around a text by itself: before[0 .. begins) in front of it, after[0 .. ends) behind it, each one
// or none.
typedef struct {
    int32_t before[1], after[1];
    int64_t begins, ends;
} gw_frame;
// Those of [CLS] A [SEP]; of a tokenizer without both, none; and no [SEP] where texts may go without an end. One of
// them alone is otherwise an error as of gw_tokenizer_need().
gw_status gw_tokenizer_frame(const gw_tokenizer *tokenizer, gw_frame *out) GW_MUST_CHECK;
static inline int64_t gw_frame_tokens(const gw_frame *frame) {
    return frame->begins + frame->ends;
}
// Writes the frame and the tokens of the text in it; returns how many these are.
int64_t gw_frame_put(const gw_frame *frame, const int32_t *tokens, int64_t count, int32_t *out);
// Whether a token is no text: one for a use as above, or another that the file calls special. Ids outside the
// vocabulary are none.
bool gw_tokenizer_is_special(const gw_tokenizer *tokenizer, int32_t token);
// Whether every ordinary token consists of nucleotide letters (IUPAC), gaps ('-') and white space.
bool gw_tokenizer_is_dna(const gw_tokenizer *tokenizer);
// A token as the vocabulary spells it ("ACGT", "[CLS]"; "" for an id that no token has), and the bases it covers (0 for
// specials, and for tokens of tokenizers that are not of DNA).
const char *gw_tokenizer_text(const gw_tokenizer *tokenizer, int32_t token);
int32_t gw_tokenizer_bases(const gw_tokenizer *tokenizer, int32_t token);
// Appends these bases: the letters of the token's text.
void gw_tokenizer_append_bases(const gw_tokenizer *tokenizer, int32_t token, gw_string *out);
// Whether the token holds an N; such tokens are never masked. Specials: false.
bool gw_tokenizer_has_n(const gw_tokenizer *tokenizer, int32_t token);
// Whether texts may be encoded in one call, joined by newlines: each newline then gives one [UNK], nothing else does,
// and nothing merges across it.
bool gw_tokenizer_parts_lines(const gw_tokenizer *tokenizer);
// Mean bases a token over the text it was learnt on; 0 where unknown: "mean_bases_per_token" inside "model" of
// tokenizer.json, which is lost when Hugging Face's package writes the file anew.
double gw_tokenizer_mean_bases(const gw_tokenizer *tokenizer);
// Appends the text that tokens stand for, special ones left out. Ids outside the vocabulary are an error.
gw_status gw_decode(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count, gw_string *out) GW_MUST_CHECK;

// Scratch memory of one thread. Borrows the tokenizer.
typedef struct gw_encoder gw_encoder;
gw_status gw_encoder_new(const gw_tokenizer *tokenizer, gw_encoder **out) GW_MUST_CHECK;
// Where more than 1 % of the characters that the tokenizer met so far became [UNK], the first encoder that is freed
// says so through gw_warn(): only for tokenizers of DNA that were made elsewhere.
void gw_encoder_free(gw_encoder *encoder);
// Tokenizers of DNA without lower-case letters in their vocabulary get the text in upper case, unless `keep` is set.
void gw_encoder_keep_case(gw_encoder *encoder, bool keep);
// Tokens of a text (bases, or UTF-8), without special tokens around it. The kind made here gives [UNK] for a character
// that is no nucleotide letter, and takes O(length) with 12 bytes of memory a base. *tokens belongs to the encoder
// until its next call.
gw_status gw_encode(gw_encoder *encoder, const char *text, int64_t length, const int32_t **tokens,
                    int64_t *count) GW_MUST_CHECK;
// The same with the special tokens that the tokenizer puts around a text, or around a pair where `b` is not NULL:
// [CLS] A [SEP] B [SEP] of the kind made here, with segments 0 0 0 1 1.
gw_status gw_encode_with_specials(gw_encoder *encoder, const char *a, int64_t a_length, const char *b, int64_t b_length,
                                  const int32_t **tokens, const int32_t **segments, int64_t *count) GW_MUST_CHECK;

// Tokens between the special ones that the tokenizer puts around a text or a pair ([CLS] A [SEP] B [SEP] where it says
// nothing of them, but has such tokens), at most `most` in all. Of a pair that is too long the longer text is cut down
// to the other, then both, as transformers' "longest_first" does. Memory is the encoder's until its next call.
typedef struct {
    const int32_t *tokens, *segments;
    int64_t count;
    int64_t begin, own; // A's first token, and its tokens that stayed
    bool cut;           // something was left out
} gw_wrapped;
gw_status gw_encode_wrapped(gw_encoder *encoder, const char *a, int64_t a_length, const char *b, int64_t b_length,
                            int64_t most, gw_wrapped *out) GW_MUST_CHECK;
// The same of tokens; b NULL: a text alone.
gw_status gw_wrap_tokens(gw_encoder *encoder, const int32_t *a, int64_t a_count, const int32_t *b, int64_t b_count,
                         int64_t most, gw_wrapped *out) GW_MUST_CHECK;

// Learns merges from sentences that the caller feeds, until `size` tokens or no pair occurs twice. Ties go to the pair
// with the smaller left id, then the smaller right id. A trainer runs once.
typedef struct gw_bpe_trainer gw_bpe_trainer;
// Of DNA: a sentence is one word.
gw_status gw_bpe_trainer_new(gw_bpe_trainer **out) GW_MUST_CHECK;
// Of the bytes of any text: words are those of GPT-2's expression. [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, then
// the 256 bytes in the order of GPT-2's letters for them, then one token a merge.
enum { GW_BYTE_VOCABULARY = 261 }; // without merges
gw_status gw_bpe_trainer_new_bytes(gw_bpe_trainer **out) GW_MUST_CHECK;
// `text` is UTF-8 where the trainer is one of bytes.
gw_status gw_bpe_trainer_add(gw_bpe_trainer *trainer, const char *text, int64_t length) GW_MUST_CHECK;
gw_status gw_bpe_trainer_run(gw_bpe_trainer *trainer, int32_t size, gw_tokenizer **out) GW_MUST_CHECK;
double gw_bpe_trainer_mean(const gw_bpe_trainer *trainer); // bases, or bytes, a token over what it learnt from
void gw_bpe_trainer_free(gw_bpe_trainer *trainer);

// Strings of tokens, kept end to end so that what was encoded once can be read again.

// String i is token[end[i - 1]] (token[0] of the first) up to token[end[i]]. Zero-initialise.
typedef struct {
    int32_t *token;
    int64_t *end; // [count]
    int64_t count, token_capacity, end_capacity;
} gw_token_strings;

typedef struct {
    const int32_t *token; // until the next string is added
    int64_t count;
} gw_token_string;

gw_status gw_token_strings_add(gw_token_strings *strings, const int32_t *tokens, int64_t count) GW_MUST_CHECK;
gw_token_string gw_token_strings_at(const gw_token_strings *strings, int64_t index);
void gw_token_strings_cut(gw_token_strings *strings, int64_t count); // keeps the first ones
void gw_token_strings_free(gw_token_strings *strings);

// Which file of a model folder is its tokenizer.

// The first that is there of tokenizer.json, spiece.model, sentencepiece.bpe.model, tokenizer.model, vocab.json (which
// has a merges.txt beside it), vocab.txt, and the only other file that ends in ".model"; free() it. GW_ERR_IO where
// there is none, naming these; GW_ERR_UNSUPPORTED where there are several others.
gw_status gw_tokenizer_find(const char *folder, char **path) GW_MUST_CHECK;

#endif
