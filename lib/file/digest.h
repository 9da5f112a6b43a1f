// SPDX-License-Identifier: MIT
// Digests of streams of bytes: MD5, SHA-1 and SHA-256.
#ifndef GW_FILE_DIGEST_H
#define GW_FILE_DIGEST_H

#include "base/status.h"

#include <stdint.h>

// MD5, by HTSlib. It identifies files in provenance headers, and is no protection against forgery.
typedef struct gw_md5 gw_md5;
gw_status gw_md5_start(gw_md5 **md5) GW_MUST_CHECK;
void gw_md5_add(gw_md5 *md5, const void *bytes, int64_t count);
// Ends the stream, frees it and writes 32 lower-case hexadecimal digits and a zero byte.
void gw_md5_finish_hex(gw_md5 *md5, char hex[33]);
// The MD5 of a whole file.
gw_status gw_md5_file(const char *path, char hex[33]) GW_MUST_CHECK;

// SHA-1 (FIPS 180-4). git uses it for all files, and the Hugging Face hub for small ones.
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

// SHA-256 (FIPS 180-4), for checking downloads.
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
