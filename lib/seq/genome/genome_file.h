// SPDX-License-Identifier: MIT
// Bytes at any place of a plain or BGZF file, counted in the decompressed file. Private to lib/seq.
#ifndef GW_SEQ_GENOME_GENOME_FILE_H
#define GW_SEQ_GENOME_GENOME_FILE_H

#include "base/status.h"
#include "file/bgzf_blocks.h"
#include "file/input.h"

#include <stdint.h>

typedef struct {
    gw_input *input;
    gw_bgzf_blocks blocks; // empty for a plain file
} gw_genome_file;

// Standard input and plain gzip are errors that say what to do.
gw_status gw_genome_file_open(gw_genome_file *file, const char *path) GW_MUST_CHECK;
// Up to `capacity` bytes from byte `offset` on; fewer only at the end of the file.
gw_status gw_genome_file_read(gw_genome_file *file, int64_t offset, char *bytes, int64_t capacity,
                              int64_t *count) GW_MUST_CHECK;
void gw_genome_file_close(gw_genome_file *file);

#endif
