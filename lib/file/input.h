// SPDX-License-Identifier: MIT
// Bytes from plain, gzip or BGZF files and from standard input, decompressed: the base of the readers of lib/seq.
// Private to lib/seq.
#ifndef GW_FILE_INPUT_H
#define GW_FILE_INPUT_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct BGZF;
typedef struct gw_input gw_input;

// The name by which HTSlib opens a path, a fresh string: addresses of http, https, ftp, s3 and gs ("https://...") stay,
// and every other path is a file on this machine, also where HTSlib has a meaning of its own for it ("mem:", "data:").
char *gw_hts_path(const char *path);
// path NULL or "-": standard input, which its messages call "standard input".
gw_status gw_input_open(const char *path, gw_input **out) GW_MUST_CHECK;
void gw_input_close(gw_input *input); // NULL is fine
// Says, before the first read, that the bytes are text: UTF-8's byte order mark at their beginning is left out.
void gw_input_as_text(gw_input *input);
int64_t gw_input_left_out(const gw_input *input); // bytes of that mark, after the first read: 0 or 3
// Up to `capacity` bytes; *count is 0 only at the end. A file that is cut short or damaged is an error there, a BGZF
// file without its end-of-file block too.
gw_status gw_input_read(gw_input *input, void *bytes, int64_t capacity, int64_t *count) GW_MUST_CHECK;
const char *gw_input_path(const gw_input *input);
bool gw_input_is_gzip(const gw_input *input); // gzip that is not BGZF: no random access
bool gw_input_is_bgzf(const gw_input *input);
struct BGZF *gw_input_bgzf(gw_input *input); // HTSlib's handle, for seeking

// HTSlib's messages on stderr, as a text: it reports reasons nowhere else. Private to lib/seq.
//
// Only for a call that failed already and is made once more: between begin and end the process's stderr is redirected.

typedef struct {
    FILE *file;
    int saved; // descriptor; -1: nothing is caught
} gw_hts_message;

void gw_hts_message_begin(gw_hts_message *message);
// The first message without its "[E::function] "; an empty text where there was none.
void gw_hts_message_end(gw_hts_message *message, char *text, size_t size);

// The version of HTSlib that this process runs with.
const char *gw_htslib_version(void);

#endif
