// SPDX-License-Identifier: MIT
// FNV-1a, 64 bits: a hash of bytes for tables and checks, not against malice.
#ifndef GW_BASE_HASH_H
#define GW_BASE_HASH_H

#include <stdint.h>

// Continues from `hash`. The first call takes GW_HASH_START.
#define GW_HASH_START UINT64_C(0xcbf29ce484222325)
static inline uint64_t gw_hash_bytes(uint64_t hash, const void *bytes, int64_t count) {
    const uint8_t *byte = bytes;
    for (int64_t i = 0; i < count; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
