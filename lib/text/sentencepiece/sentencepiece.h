// SPDX-License-Identifier: MIT
// SentencePiece models: a .model file (protocol buffer ModelProto) of the unigram or BPE kind, text to ids and back as
// the sentencepiece package does it, ties included.
//
// A line of text is normalised (rules of the file's charsmap, extra spaces removed, spaces written as U+2581, one of
// them put in front), and its segmentation into pieces has the largest sum of scores (unigram) or is made by merging
// neighbours in the order of scores (BPE). Thread-safe after loading.
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

// Refuses what the sentencepiece package refuses (no pieces, no unknown piece, pieces twice or empty, bytes without
// fallback, rules that point outside), and the word and character kinds. Messages name the file and the field.
gw_status gw_sentencepiece_load(const char *path, gw_sentencepiece **out) GW_MUST_CHECK;
// The same from memory; `name` stands for the file in messages.
gw_status gw_sentencepiece_parse(const char *name, const void *bytes, int64_t count,
                                 gw_sentencepiece **out) GW_MUST_CHECK;
void gw_sentencepiece_free(gw_sentencepiece *model);

int32_t gw_sentencepiece_size(const gw_sentencepiece *model); // pieces
const char *gw_sentencepiece_piece(const gw_sentencepiece *model, int32_t id);
gw_piece_kind gw_sentencepiece_kind(const gw_sentencepiece *model, int32_t id);
float gw_sentencepiece_score(const gw_sentencepiece *model, int32_t id); // as in the file
// The id of a piece, or -1; of two with one text that which is no text (unknown, control, byte). O(pieces).
int32_t gw_sentencepiece_find(const gw_sentencepiece *model, const char *piece);

// The ids the trainer names; -1 where the model has none (or, as in the package, one of another kind).
typedef struct {
    int32_t unk, bos, eos, pad;
} gw_sentencepiece_ids;
gw_sentencepiece_ids gw_sentencepiece_named(const gw_sentencepiece *model);

// Scratch memory of one thread.
typedef struct gw_sentencepiece_encoder gw_sentencepiece_encoder;
gw_status gw_sentencepiece_encoder_new(const gw_sentencepiece *model, gw_sentencepiece_encoder **out) GW_MUST_CHECK;
void gw_sentencepiece_encoder_free(gw_sentencepiece_encoder *encoder);
// Ids of one text without special ones. Bytes that are no UTF-8 become U+FFFD. *ids belongs to the encoder until its
// next call. Unigram: O(length), 4 bytes of memory a byte of normalised text. BPE: O(length log length).
gw_status gw_sentencepiece_encode(gw_sentencepiece_encoder *encoder, const char *text, int64_t length,
                                  const int32_t **ids, int64_t *count) GW_MUST_CHECK;
// Characters of the last text that became the unknown id (a run of them is one id).
int64_t gw_sentencepiece_unknown(const gw_sentencepiece_encoder *encoder);

// Appends the text of ids; control pieces are invisible. An id outside the vocabulary is an error.
gw_status gw_sentencepiece_decode(const gw_sentencepiece *model, const int32_t *ids, int64_t count,
                                  gw_string *out) GW_MUST_CHECK;

#endif
