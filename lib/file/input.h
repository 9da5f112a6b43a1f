// SPDX-License-Identifier: MIT
// Decompressed bytes from plain, gzip or BGZF files and from standard input, for the readers of lib/seq. Private to
// lib/seq.
#ifndef GW_FILE_INPUT_H
#define GW_FILE_INPUT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct BGZF;
typedef struct gw_input gw_input;

// The name by which HTSlib opens a path, a new string. URLs of http, https, ftp, s3 and gs ("https://...") stay
// unchanged. Every other path is a local file, even if HTSlib would interpret it ("mem:", "data:").
char *gw_hts_path(const char *path);
// path NULL or "-": standard input, called "standard input" in messages.
gw_status gw_input_open(const char *path, gw_input **out) GW_MUST_CHECK;
void gw_input_close(gw_input *input); // NULL is fine
// Declares, before the first read, that the bytes are text: a UTF-8 byte order mark at the beginning is skipped.
void gw_input_as_text(gw_input *input);
int64_t gw_input_left_out(const gw_input *input); // bytes of the skipped mark, after the first read: 0 or 3
// Reads up to `capacity` bytes; *count is 0 only at the end. A truncated or damaged file is an error at the damage, and
// so is a BGZF file without its end-of-file block.
gw_status gw_input_read(gw_input *input, void *bytes, int64_t capacity, int64_t *count) GW_MUST_CHECK;
const char *gw_input_path(const gw_input *input);
bool gw_input_is_gzip(const gw_input *input); // gzip but not BGZF: no random access
bool gw_input_is_bgzf(const gw_input *input);
struct BGZF *gw_input_bgzf(gw_input *input); // HTSlib's handle, for seeking

// HTSlib's messages on stderr, as text, because HTSlib reports reasons nowhere else. Private to lib/seq.
//
// Use this only to repeat a call that failed: between begin and end, stderr of the process is redirected.

typedef struct {
    FILE *file;
    int saved; // descriptor; -1: nothing is redirected
} gw_hts_message;

void gw_hts_message_begin(gw_hts_message *message);
// The first message without "[E::function] "; an empty text without a message.
void gw_hts_message_end(gw_hts_message *message, char *text, size_t size);

// The version of HTSlib in this process.
const char *gw_htslib_version(void);

#endif
