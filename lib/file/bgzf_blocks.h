// SPDX-License-Identifier: MIT
// Where the blocks of a BGZF file start, so that any byte of the decompressed file can be reached.
//
// Taken from the .gzi beside the file (bgzip -i: u64 count, then count pairs of u64 compressed and decompressed offset,
// little endian, the first block left out), or, where that is missing or older than the file, from the blocks'
// own headers (BSIZE) and trailers (ISIZE), SAM specification section 4.1. Private to lib/seq.
#ifndef GW_FILE_BGZF_BLOCKS_H
#define GW_FILE_BGZF_BLOCKS_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    int64_t compressed, plain; // offsets of the block's first byte
} gw_bgzf_block;

typedef struct {
    gw_bgzf_block *items; // ascending; the first is {0, 0}
    int64_t count, capacity;
} gw_bgzf_blocks;

gw_status gw_bgzf_blocks_read(gw_bgzf_blocks *blocks, const char *path) GW_MUST_CHECK;
// The last block that starts at or before byte `plain` of the decompressed file.
gw_bgzf_block gw_bgzf_blocks_find(const gw_bgzf_blocks *blocks, int64_t plain);
void gw_bgzf_blocks_free(gw_bgzf_blocks *blocks);

#endif
