// SPDX-License-Identifier: MIT
// Random access to bytes of a plain or BGZF file, by offsets in the decompressed file. Private to lib/seq.
//
// The offsets of BGZF blocks are from the .gzi beside the file (bgzip -i: u64 count, then count pairs of u64 compressed
// and decompressed offset, little endian, without the first block). If it is missing or older than the file, they are
// from the headers (BSIZE) and trailers (ISIZE) of the blocks (SAM specification, section 4.1).
#ifndef GW_SEQ_GENOME_GENOME_FILE_H
#define GW_SEQ_GENOME_GENOME_FILE_H

#include "base/status.h"
#include "file/input.h"

#include <stdint.h>

typedef struct {
    int64_t compressed, plain; // offsets of the block's first byte
} gw_bgzf_block;

typedef struct {
    gw_input *input;
    gw_bgzf_block *blocks; // ascending, the first is {0, 0}; empty for plain files
    int64_t count, capacity;
} gw_genome_file;

// Standard input and plain gzip are errors that say what to do.
gw_status gw_genome_file_open(gw_genome_file *file, const char *path) GW_MUST_CHECK;
// Reads up to `capacity` bytes from `offset` on; fewer only at the end of the file.
gw_status gw_genome_file_read(gw_genome_file *file, int64_t offset, char *bytes, int64_t capacity,
                              int64_t *count) GW_MUST_CHECK;
void gw_genome_file_close(gw_genome_file *file);

#endif
