// SPDX-License-Identifier: MIT
// FASTA from beginning to end, contig by contig, in bounded memory: plain, gzip or BGZF, or standard input; lines of
// any length, LF or CRLF. No index is needed.
//
// Errors name the line: text before the first '>', a header without a name, a contig that occurs twice, a character
// that is neither a letter nor '-' or '*'; a file without any bases is an error too. A contig without bases is none.
#ifndef GW_SEQ_GENOME_FASTA_STREAM_H
#define GW_SEQ_GENOME_FASTA_STREAM_H

#include "base/status.h"

#include <stdint.h>

typedef struct gw_fasta gw_fasta;
gw_status gw_fasta_open(const char *path, gw_fasta **out) GW_MUST_CHECK; // path NULL or "-": standard input
void gw_fasta_close(gw_fasta *fasta);                                    // NULL is fine
// Lets several contigs have one name.
void gw_fasta_take_repeats(gw_fasta *fasta);
const char *gw_fasta_path(const gw_fasta *fasta);

// Goes to the next contig (skipping what is left of this one). *name is the header up to the first blank, valid until
// the next call; NULL at the end of the file.
gw_status gw_fasta_next(gw_fasta *fasta, const char **name) GW_MUST_CHECK;
// The next bases of this contig as the file has them, at most `capacity`; *count is 0 only at the contig's end.
gw_status gw_fasta_read(gw_fasta *fasta, char *bases, int64_t capacity, int64_t *count) GW_MUST_CHECK;

// How the contig lies in the (decompressed) file, as a row of a .fai; complete once the contig was read to its end.
typedef struct {
    int64_t length;     // bases so far
    int64_t offset;     // of the first base, bytes
    int64_t line_bases; // bases a line, the last excepted
    int64_t line_bytes; // with the line's end
    int64_t odd_line;   // number of the first line that breaks this layout; 0: none, so it can be indexed
} gw_fasta_layout;
const gw_fasta_layout *gw_fasta_contig_layout(const gw_fasta *fasta);

#endif
