// SPDX-License-Identifier: MIT
// SentencePiece models: a .model file (protocol buffer ModelProto) of the unigram or BPE kind. Text is converted to ids
// and back as in the sentencepiece package, including ties.
//
// A line of text is normalised (rules of the file's charsmap, extra spaces removed, spaces written as U+2581, one of
// them put in front). Unigram: the segmentation into pieces has the largest sum of scores. BPE: neighbours are merged
// in the order of scores. Thread-safe after loading.
#ifndef GW_TEXT_SENTENCEPIECE_SENTENCEPIECE_H
#define GW_TEXT_SENTENCEPIECE_SENTENCEPIECE_H

#include "base/status.h"
#include "base/string.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_sentencepiece gw_sentencepiece;

// Numbers of the file format.
typedef enum {
    GW_PIECE_NORMAL = 1,
    GW_PIECE_UNKNOWN = 2,
    GW_PIECE_CONTROL = 3,
    GW_PIECE_USER_DEFINED = 4,
    GW_PIECE_UNUSED = 5,
    GW_PIECE_BYTE = 6
} gw_piece_kind;

// Fails for models that the sentencepiece package rejects (no pieces, no unknown piece, repeated or empty pieces, bytes
// without fallback, rules that point outside), and for the word and character kinds. Messages name the file and the
// field.
gw_status gw_sentencepiece_load(const char *path, gw_sentencepiece **out) GW_MUST_CHECK;
// The same from memory; `name` is the file's name in messages.
gw_status gw_sentencepiece_parse(const char *name, const void *bytes, int64_t count,
                                 gw_sentencepiece **out) GW_MUST_CHECK;
void gw_sentencepiece_free(gw_sentencepiece *model);

int32_t gw_sentencepiece_size(const gw_sentencepiece *model); // pieces
const char *gw_sentencepiece_piece(const gw_sentencepiece *model, int32_t id);
gw_piece_kind gw_sentencepiece_kind(const gw_sentencepiece *model, int32_t id);
float gw_sentencepiece_score(const gw_sentencepiece *model, int32_t id); // as in the file
// The id of a piece, or -1. If two pieces have one text, the id of the one that is no text (unknown, control, byte).
// O(pieces).
int32_t gw_sentencepiece_find(const gw_sentencepiece *model, const char *piece);

// The ids that the trainer names; -1 if the model has none (or, as in the package, one of another kind).
typedef struct {
    int32_t unk, bos, eos, pad;
} gw_sentencepiece_ids;
gw_sentencepiece_ids gw_sentencepiece_named(const gw_sentencepiece *model);

// Scratch memory of one thread.
typedef struct gw_sentencepiece_encoder gw_sentencepiece_encoder;
gw_status gw_sentencepiece_encoder_new(const gw_sentencepiece *model, gw_sentencepiece_encoder **out) GW_MUST_CHECK;
void gw_sentencepiece_encoder_free(gw_sentencepiece_encoder *encoder);
// Ids of a text without special ids. Invalid UTF-8 becomes U+FFFD. *ids is valid until the encoder's next call.
// Unigram: O(length), 4 bytes of memory a byte of normalised text. BPE: O(length log length).
gw_status gw_sentencepiece_encode(gw_sentencepiece_encoder *encoder, const char *text, int64_t length,
                                  const int32_t **ids, int64_t *count) GW_MUST_CHECK;
// Characters of the last text that became the unknown id (a run of them is one id).
int64_t gw_sentencepiece_unknown(const gw_sentencepiece_encoder *encoder);

// Appends the text of ids; control pieces have no text. An id outside the vocabulary is an error.
gw_status gw_sentencepiece_decode(const gw_sentencepiece *model, const int32_t *ids, int64_t count,
                                  gw_string *out) GW_MUST_CHECK;

#endif
