// SPDX-License-Identifier: MIT
// A reference genome with random access: plain or BGZF FASTA with its .fai, through HTSlib.
//
// A missing .fai is built in memory; one that is merely older than the FASTA is rebuilt in memory with a warning; one
// that contradicts it is an error. Plain gzip is an error that says how to recompress. Windows come upper-cased, with
// anything but A, C, G, T as N.
#ifndef GW_SEQ_GENOME_GENOME_H
#define GW_SEQ_GENOME_GENOME_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Labels of single bases: the name of bases without a class, and the most classes beside it.
#define GW_BASE_NONE "none"
enum { GW_BASE_CLASSES = 250 };

typedef struct gw_genome gw_genome;
gw_status gw_genome_open(const char *path, gw_genome **out) GW_MUST_CHECK;
void gw_genome_close(gw_genome *genome);
const char *gw_genome_path(const gw_genome *genome);

int gw_genome_contigs(const gw_genome *genome);
const char *gw_genome_name(const gw_genome *genome, int contig);
int64_t gw_genome_length(const gw_genome *genome, int contig); // bp
// Index of a contig by its exact name, else by the alias table (chr1/1, chrI/I, MT/M/chrM/Mito/MtDNA ...), which holds
// only where it is unique; `length` (bp, -1: unknown) must agree for an alias to hold. -1: none.
int gw_genome_find(const gw_genome *genome, const char *name, int64_t length);
// Adds names from a two-column TSV (alias, contig); they come before the built-in table.
gw_status gw_genome_read_aliases(gw_genome *genome, const char *path) GW_MUST_CHECK;

// Bases [begin, end), 0-based half-open, of a contig into bases[end - begin] (no zero byte at the end). The range must
// lie on the contig. Keeps the last chunks in memory, so near or ordered windows cost no new reading. Not thread-safe.
gw_status gw_genome_fetch(gw_genome *genome, int contig, int64_t begin, int64_t end, char *bases) GW_MUST_CHECK;

// The same for long stretches that are read once: past the chunks in memory, and in the file's case.
gw_status gw_genome_read_cased(gw_genome *genome, int contig, int64_t begin, int64_t end, char *bases) GW_MUST_CHECK;

// MD5 of the genome: of the concatenation of "<name>\t<length>\t<md5 of upper-cased bases>\n" over its contigs, as 32
// hex digits. Reads everything once; kept for later calls.
gw_status gw_genome_md5(gw_genome *genome, char hex[33]) GW_MUST_CHECK;

// In place: upper case, U to T, anything else to N. Reverse complement of normalised bases (N stays).
void gw_normalise_bases(char *bases, int64_t length);
void gw_reverse_complement(const char *bases, int64_t length, char *out); // out may not overlap bases

#endif
