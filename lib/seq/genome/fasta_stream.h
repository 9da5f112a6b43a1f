// SPDX-License-Identifier: MIT
// Sequential reading of FASTA, contig by contig, in bounded memory: plain, gzip or BGZF, or standard input; lines of
// any length, LF or CRLF. No index is needed.
//
// Errors name the line: text before the first '>', a header without a name, a contig that occurs twice, a character
// that is neither a letter nor '-' or '*'. A file without any bases is an error too. A contig without bases is allowed.
#ifndef GW_SEQ_GENOME_FASTA_STREAM_H
#define GW_SEQ_GENOME_FASTA_STREAM_H

#include "base/status.h"

#include <stdint.h>

typedef struct gw_fasta gw_fasta;
gw_status gw_fasta_open(const char *path, gw_fasta **out) GW_MUST_CHECK; // path NULL or "-": standard input
void gw_fasta_close(gw_fasta *fasta);                                    // NULL is fine
// Allows several contigs with the same name.
void gw_fasta_take_repeats(gw_fasta *fasta);
const char *gw_fasta_path(const gw_fasta *fasta);

// Skips the rest of this contig and moves to the next. *name is the header up to the first blank, valid until the next
// call; NULL at the end of the file.
gw_status gw_fasta_next(gw_fasta *fasta, const char **name) GW_MUST_CHECK;
// The next bases of this contig, unchanged, at most `capacity`; *count is 0 only at the contig's end.
gw_status gw_fasta_read(gw_fasta *fasta, char *bases, int64_t capacity, int64_t *count) GW_MUST_CHECK;

// The layout of a contig in the (decompressed) file, as in a .fai; complete after the contig was read to its end.
typedef struct {
    int64_t length;     // bases so far
    int64_t offset;     // of the first base, bytes
    int64_t line_bases; // bases a line, except the last line
    int64_t line_bytes; // including the line's end
    int64_t odd_line;   // number of the first line with another layout; 0: none, so the contig can be indexed
} gw_fasta_layout;
const gw_fasta_layout *gw_fasta_contig_layout(const gw_fasta *fasta);

#endif
