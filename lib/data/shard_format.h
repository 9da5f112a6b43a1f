// SPDX-License-Identifier: MIT
// The header of PREFIX.idx (Megatron's indexed dataset, version 1), for the reader and the writer of shards.
#ifndef GW_DATA_SHARD_FORMAT_H
#define GW_DATA_SHARD_FORMAT_H

#include <stdint.h>

#define GW_SHARD_MAGIC "MMIDIDX\0" // and the zero that ends the literal: 9 bytes
enum { GW_SHARD_INT32 = 4, GW_SHARD_UINT16 = 8, GW_SHARD_UINT16_VOCABULARY = 65500 }; // Megatron's own bound

typedef struct __attribute__((packed)) {
    char magic[9];
    uint64_t version;
    uint8_t dtype;
    uint64_t sentences;
    uint64_t document_entries; // documents + 1
} gw_shard_header;

#endif
