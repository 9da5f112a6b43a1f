// SPDX-License-Identifier: MIT
// MD5 (RFC 1321) of a stream of bytes: a name for files in provenance headers, not a defence against forgery.
#ifndef GW_BASE_MD5_H
#define GW_BASE_MD5_H

#include <stdint.h>

typedef struct gw_md5 {
    uint32_t state[4];
    uint64_t length; // bytes added so far
    uint8_t block[64];
} gw_md5;

void gw_md5_start(gw_md5 *md5);
void gw_md5_add(gw_md5 *md5, const void *bytes, int64_t count);
// Ends the stream: 32 lower-case hexadecimal digits and a zero byte. Start again before the next use.
void gw_md5_finish_hex(gw_md5 *md5, char hex[33]);

#endif
