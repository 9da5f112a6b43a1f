// SPDX-License-Identifier: MIT
// Token shards: Megatron's indexed dataset, PREFIX.bin and PREFIX.idx.
//
// .idx, little endian: "MMIDIDX\0\0", u64 version = 1, u8 dtype code (4: int32, 8: uint16), u64 sequences, u64 document
// index entries, i32 length of each sequence (tokens), i64 offset of each sequence (bytes in .bin), i64 document index
// (first sequence of each document, and one past the last). .bin holds the tokens. One sequence is one sentence; no
// special tokens are stored. A third file, PREFIX.tokenizer.json, names the tokens.
#ifndef GW_DATA_SHARDS_H
#define GW_DATA_SHARDS_H

#include "base/status.h"

#include <stdint.h>

// Reader. Both files are memory-mapped and checked against each other once.
typedef struct gw_shards gw_shards;
gw_status gw_shards_open(const char *prefix, gw_shards **out) GW_MUST_CHECK;
void gw_shards_close(gw_shards *shards);
int64_t gw_shards_documents(const gw_shards *shards);
int64_t gw_shards_sentences(const gw_shards *shards);
int64_t gw_shards_tokens(const gw_shards *shards);
// Sentences [*begin, *end) of a document.
void gw_shards_document(const gw_shards *shards, int64_t document, int64_t *begin, int64_t *end);
int64_t gw_shards_sentence_length(const gw_shards *shards, int64_t sentence);
// Copies tokens [from, from + count) of a sentence.
void gw_shards_read(const gw_shards *shards, int64_t sentence, int64_t from, int64_t count, int32_t *tokens);

// Writer. It streams .bin and keeps the index in memory (12 bytes a sentence). Both files appear at close.
typedef struct gw_shard_writer gw_shard_writer;
gw_status gw_shard_writer_open(const char *prefix, int32_t vocabulary, gw_shard_writer **out) GW_MUST_CHECK;
gw_status gw_shard_writer_add(gw_shard_writer *writer, const int32_t *tokens, int64_t count) GW_MUST_CHECK;
gw_status gw_shard_writer_end_document(gw_shard_writer *writer) GW_MUST_CHECK; // an empty document is not stored
gw_status gw_shard_writer_close(gw_shard_writer *writer) GW_MUST_CHECK;        // also releases it after a failure
void gw_shard_writer_abandon(gw_shard_writer *writer);

// The header of PREFIX.idx (Megatron's indexed dataset, version 1), for reader and writer.

#define GW_SHARD_MAGIC "MMIDIDX\0" // with the zero at the end of the literal: 9 bytes
enum { GW_SHARD_INT32 = 4, GW_SHARD_UINT16 = 8, GW_SHARD_UINT16_VOCABULARY = 65500 }; // Megatron's limit

typedef struct __attribute__((packed)) {
    char magic[9];
    uint64_t version;
    uint8_t dtype;
    uint64_t sentences;
    uint64_t document_entries; // documents + 1
} gw_shard_header;

#endif
