// SPDX-License-Identifier: MIT
// SHA-1 (FIPS 180-4) of bytes: git names files by it, and the Hugging Face hub its small ones.
#ifndef GW_FILE_SHA1_H
#define GW_FILE_SHA1_H

#include <stdint.h>

enum { GW_SHA1_HEX = 41 };

typedef struct {
    uint32_t state[5];
    uint64_t bytes; // so far
    unsigned char block[64];
} gw_sha1;

void gw_sha1_start(gw_sha1 *sha);
void gw_sha1_add(gw_sha1 *sha, const void *bytes, int64_t count);
// 40 lower-case hexadecimal digits and a zero byte.
void gw_sha1_finish(gw_sha1 *sha, char hex[GW_SHA1_HEX]);

#endif
