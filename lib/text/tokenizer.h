// SPDX-License-Identifier: MIT
// Conversion of text to tokens. There are four kinds:
// - godwit's own byte-pair encoding of DNA. The vocabulary is [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, then
//   A C G T N, then one token for each merge. A whole sentence or contig is one word; encoding is O(n). Text is first
//   normalised: upper case, U to T, other IUPAC letters to N;
// - tokenizer.json of Hugging Face's `tokenizers` package with a BPE model; encoding is O(n log n);
// - SentencePiece .model files;
// - vocab.txt with letters and k-mers that are looked up directly (text/kmer.h).
// A tokenizer is thread-safe after its creation: any number of threads may encode with it.
#ifndef GW_TEXT_TOKENIZER_H
#define GW_TEXT_TOKENIZER_H

#include "base/status.h"
#include "base/string.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_tokenizer gw_tokenizer;

// Uses of special tokens. Other programs' tokenizers have them under other ids and names ("<s>", "[CLS]").
typedef enum { GW_SPECIAL_PAD, GW_SPECIAL_UNK, GW_SPECIAL_CLS, GW_SPECIAL_SEP, GW_SPECIAL_MASK } gw_special;

// path: a file of any of the kinds, or a model folder with such a file.
gw_status gw_tokenizer_load(const char *path, gw_tokenizer **out) GW_MUST_CHECK;
// Saves the tokenizer. Bytes of another program's tokenizer are written unchanged.
gw_status gw_tokenizer_save(const gw_tokenizer *tokenizer, const char *path) GW_MUST_CHECK;
void gw_tokenizer_free(gw_tokenizer *tokenizer);
// The name in a model folder of the file that gw_tokenizer_save() writes: "tokenizer.json".
const char *gw_tokenizer_file(const gw_tokenizer *tokenizer);
// class: the class of transformers that reads the file. special_key: its name of a special token: "sep_token",
// "eos_token".
const char *gw_tokenizer_class(const gw_tokenizer *tokenizer);
const char *gw_tokenizer_special_key(const gw_tokenizer *tokenizer, gw_special use);
bool gw_tokenizer_lowers(const gw_tokenizer *tokenizer); // this class converts texts to lower case by default
// Makes another reference to the same, constant tokenizer.
gw_status gw_tokenizer_copy(const gw_tokenizer *tokenizer, gw_tokenizer **out) GW_MUST_CHECK;
// Makes the smallest vocabulary: specials and letters, no merges.
gw_status gw_tokenizer_letters(gw_tokenizer **out) GW_MUST_CHECK;
// Makes a tokenizer from merges in order of priority (pairs of ids of letters or of earlier merges). At most 2^20
// tokens.
gw_status gw_tokenizer_from_merges(const int32_t (*merges)[2], int64_t count, gw_tokenizer **out) GW_MUST_CHECK;

int32_t gw_tokenizer_size(const gw_tokenizer *tokenizer); // ids: 0 to size - 1, specials included
// The id of the special token for this use; -1 if the tokenizer has none.
int32_t gw_tokenizer_special(const gw_tokenizer *tokenizer, gw_special use);
// The same for callers that need the token: without it GW_ERR_UNSUPPORTED, which names the file and the use.
gw_status gw_tokenizer_need(const gw_tokenizer *tokenizer, gw_special use, int32_t *out) GW_MUST_CHECK;
// The special tokens around a single text: before[0 .. begins) in front of it, after[0 .. ends) behind it. Each is one
// token or none.
typedef struct {
    int32_t before[1], after[1];
    int64_t begins, ends;
} gw_frame;
// The frame [CLS] A [SEP]. It is empty if the tokenizer has neither token, and has no [SEP] if texts may go without an
// end token. A tokenizer with only one of the two is otherwise an error as in gw_tokenizer_need().
gw_status gw_tokenizer_frame(const gw_tokenizer *tokenizer, gw_frame *out) GW_MUST_CHECK;
static inline int64_t gw_frame_tokens(const gw_frame *frame) {
    return frame->begins + frame->ends;
}
// Writes the frame with the tokens of the text; returns their total number.
int64_t gw_frame_put(const gw_frame *frame, const int32_t *tokens, int64_t count, int32_t *out);
// Whether a token is special: for a use above, or by the file's own mark. false for ids outside the vocabulary.
bool gw_tokenizer_is_special(const gw_tokenizer *tokenizer, int32_t token);
// Whether every ordinary token consists of nucleotide letters (IUPAC), gaps ('-') and white space.
bool gw_tokenizer_is_dna(const gw_tokenizer *tokenizer);
// text: a token in the vocabulary's spelling ("ACGT", "[CLS]"; "" for unused ids). bases: the number of bases that it
// covers (0 for specials, and if the tokenizer is not for DNA).
const char *gw_tokenizer_text(const gw_tokenizer *tokenizer, int32_t token);
int32_t gw_tokenizer_bases(const gw_tokenizer *tokenizer, int32_t token);
// Appends these bases, the letters of the token's text.
void gw_tokenizer_append_bases(const gw_tokenizer *tokenizer, int32_t token, gw_string *out);
// Whether the token contains an N. Such tokens are never masked. Specials: false.
bool gw_tokenizer_has_n(const gw_tokenizer *tokenizer, int32_t token);
// Whether several texts may be encoded in one call, joined by newlines: each newline then gives one [UNK], no other
// text gives [UNK], and no merge crosses a newline.
bool gw_tokenizer_parts_lines(const gw_tokenizer *tokenizer);
// Mean bases a token over the training text; 0 if unknown. Stored as "mean_bases_per_token" inside "model" of
// tokenizer.json, which is lost if Hugging Face's package rewrites the file.
double gw_tokenizer_mean_bases(const gw_tokenizer *tokenizer);
// Appends the text of tokens, without special tokens. Ids outside the vocabulary are an error.
gw_status gw_decode(const gw_tokenizer *tokenizer, const int32_t *tokens, int64_t count, gw_string *out) GW_MUST_CHECK;

// Scratch memory of one thread. Borrows the tokenizer.
typedef struct gw_encoder gw_encoder;
gw_status gw_encoder_new(const gw_tokenizer *tokenizer, gw_encoder **out) GW_MUST_CHECK;
// If more than 1 % of the characters so far became [UNK], the first freed encoder of a tokenizer calls gw_warn(). Only
// for DNA tokenizers made by another program.
void gw_encoder_free(gw_encoder *encoder);
// DNA tokenizers without lower-case letters in their vocabulary convert text to upper case, unless `keep` is set.
void gw_encoder_keep_case(gw_encoder *encoder, bool keep);
// Tokens of a text (bases, or UTF-8), without special tokens around it. godwit's own kind gives [UNK] for a character
// that is no nucleotide letter, and takes O(length) time and 12 bytes of memory a base. *tokens is valid until the next
// call of the encoder.
gw_status gw_encode(gw_encoder *encoder, const char *text, int64_t length, const int32_t **tokens,
                    int64_t *count) GW_MUST_CHECK;
// The same with the tokenizer's special tokens around a text, or, if `b` is not NULL, around a pair. For godwit's own
// kind [CLS] A [SEP] B [SEP] with segments 0 0 0 1 1.
gw_status gw_encode_with_specials(gw_encoder *encoder, const char *a, int64_t a_length, const char *b, int64_t b_length,
                                  const int32_t **tokens, const int32_t **segments, int64_t *count) GW_MUST_CHECK;

// Tokens with the tokenizer's special tokens around a text or pair, at most `most` in total. If the tokenizer has no
// template but [CLS] and [SEP], it is [CLS] A [SEP] B [SEP]. If a pair is too long, the longer text is cut to the
// length of the other, then both, like "longest_first" of transformers. The memory is valid until the encoder's next
// call.
typedef struct {
    const int32_t *tokens, *segments;
    int64_t count;
    int64_t begin, own; // A's first token, and the number of A's kept tokens
    bool cut;           // tokens were cut
} gw_wrapped;
gw_status gw_encode_wrapped(gw_encoder *encoder, const char *a, int64_t a_length, const char *b, int64_t b_length,
                            int64_t most, gw_wrapped *out) GW_MUST_CHECK;
// The same for tokens; b NULL: a single text.
gw_status gw_wrap_tokens(gw_encoder *encoder, const int32_t *a, int64_t a_count, const int32_t *b, int64_t b_count,
                         int64_t most, gw_wrapped *out) GW_MUST_CHECK;

// Learns merges from added sentences, until the vocabulary has `size` tokens or no pair occurs twice. Of equally
// frequent pairs the one with the smaller left id, then the smaller right id, is taken. A trainer runs once.
typedef struct gw_bpe_trainer gw_bpe_trainer;
// For DNA: a sentence is one word.
gw_status gw_bpe_trainer_new(gw_bpe_trainer **out) GW_MUST_CHECK;
// For bytes of any text. Words follow GPT-2's regular expression. The vocabulary is [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3,
// [MASK] 4, then the 256 bytes in the order of GPT-2's letters for them, then one token for each merge.
enum { GW_BYTE_VOCABULARY = 261 }; // without merges
gw_status gw_bpe_trainer_new_bytes(gw_bpe_trainer **out) GW_MUST_CHECK;
// `text` must be UTF-8 for a trainer of bytes.
gw_status gw_bpe_trainer_add(gw_bpe_trainer *trainer, const char *text, int64_t length) GW_MUST_CHECK;
gw_status gw_bpe_trainer_run(gw_bpe_trainer *trainer, int32_t size, gw_tokenizer **out) GW_MUST_CHECK;
double gw_bpe_trainer_mean(const gw_bpe_trainer *trainer); // bases, or bytes, a token in the training text
void gw_bpe_trainer_free(gw_bpe_trainer *trainer);

// Token strings, stored end to end, so that encoded texts can be read again.

// String i is token[end[i - 1]] (token[0] for the first) to token[end[i] - 1]. Zero-initialise.
typedef struct {
    int32_t *token;
    int64_t *end; // [count]
    int64_t count, token_capacity, end_capacity;
} gw_token_strings;

typedef struct {
    const int32_t *token; // valid until the next string is added
    int64_t count;
} gw_token_string;

gw_status gw_token_strings_add(gw_token_strings *strings, const int32_t *tokens, int64_t count) GW_MUST_CHECK;
gw_token_string gw_token_strings_at(const gw_token_strings *strings, int64_t index);
void gw_token_strings_cut(gw_token_strings *strings, int64_t count); // keeps the first `count` strings
void gw_token_strings_free(gw_token_strings *strings);

// The tokenizer file of a model folder.

// Finds the first existing file of tokenizer.json, spiece.model, sentencepiece.bpe.model, tokenizer.model, vocab.json
// (with a merges.txt beside it), vocab.txt, and a single other file that ends in ".model"; free() *path. GW_ERR_IO
// without such a file, with these names; GW_ERR_UNSUPPORTED for several others.
gw_status gw_tokenizer_find(const char *folder, char **path) GW_MUST_CHECK;

#endif
