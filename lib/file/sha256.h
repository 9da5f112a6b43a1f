// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4) of bytes: what downloads are held to.
#ifndef GW_FILE_SHA256_H
#define GW_FILE_SHA256_H

#include <stdint.h>

enum { GW_SHA256_HEX = 65 };

typedef struct {
    uint32_t state[8];
    uint64_t bytes; // so far
    unsigned char block[64];
} gw_sha256;

void gw_sha256_start(gw_sha256 *sha);
void gw_sha256_add(gw_sha256 *sha, const void *bytes, int64_t count);
// 64 lower-case hexadecimal digits and a zero byte.
void gw_sha256_finish(gw_sha256 *sha, char hex[GW_SHA256_HEX]);

#endif
