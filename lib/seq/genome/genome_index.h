// SPDX-License-Identifier: MIT
// Where each contig lies in its FASTA: the rows of a .fai (name, length, offset of the first base, bases a line, bytes
// a line; samtools faidx). Read from the file beside the FASTA and checked against it, or made by reading the FASTA.
// Private to lib/seq.
#ifndef GW_SEQ_GENOME_GENOME_INDEX_H
#define GW_SEQ_GENOME_GENOME_INDEX_H

#include "base/status.h"
#include "file/bgzf_blocks.h"
#include "file/input.h"

#include <stdint.h>

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
