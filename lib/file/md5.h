// SPDX-License-Identifier: MIT
// MD5 of a stream of bytes, by HTSlib: a name for files in provenance headers, not a defence against forgery.
#ifndef GW_FILE_MD5_H
#define GW_FILE_MD5_H

#include "base/status.h"

#include <stdint.h>

typedef struct gw_md5 gw_md5;

gw_status gw_md5_start(gw_md5 **md5) GW_MUST_CHECK;
void gw_md5_add(gw_md5 *md5, const void *bytes, int64_t count);
// Ends the stream and frees it: 32 lower-case hexadecimal digits and a zero byte.
void gw_md5_finish_hex(gw_md5 *md5, char hex[33]);
// All of that for a file's bytes.
gw_status gw_md5_file(const char *path, char hex[33]) GW_MUST_CHECK;

#endif
