// SPDX-License-Identifier: MIT
// Where the blocks of a BGZF file start, so that any byte of the decompressed file can be reached.
//
// Taken from the .gzi beside the file (bgzip -i: u64 count, then count pairs of u64 compressed and decompressed offset,
// little endian, the first block left out), or, where that is missing or older than the file, from the blocks'
// own headers (BSIZE) and trailers (ISIZE), SAM specification section 4.1. Private to lib/seq.
#ifndef GW_FILE_GENOME_FILE_H
#define GW_FILE_GENOME_FILE_H

#include "base/status.h"
#include "file/input.h"

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

// Where each contig lies in its FASTA: the rows of a .fai (name, length, offset of the first base, bases a line, bytes
// a line; samtools faidx). Read from the file beside the FASTA and checked against it, or made by reading the FASTA.
// Private to lib/seq.

// genome_file.c: bytes at any place of a plain or BGZF file, counted in the decompressed file. Private to lib/seq.

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

typedef struct {
    char *name;
    int64_t length, offset, line_bases, line_bytes;
} gw_indexed_contig;

typedef struct {
    gw_indexed_contig *items; // in the FASTA's order
    int64_t count, capacity;
} gw_genome_index;

// The index of the FASTA at `path`, open as `file`.
gw_status gw_genome_index_make(gw_genome_index *index, const char *path, gw_genome_file *file) GW_MUST_CHECK;
void gw_genome_index_free(gw_genome_index *index);
// Offset in the file of base `at` of a contig; at = length gives the byte behind its last base.
int64_t gw_genome_index_offset(const gw_indexed_contig *contig, int64_t at);

#endif
