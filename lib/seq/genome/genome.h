// SPDX-License-Identifier: MIT
// A reference genome with random access: plain or BGZF FASTA with its .fai, through HTSlib.
//
// A missing .fai is built in memory. A .fai that is only older than the FASTA is rebuilt in memory with a warning. A
// .fai that contradicts the FASTA is an error. Plain gzip is an error that says how to recompress. Windows are in upper
// case, with N for letters other than A, C, G, T.
#ifndef GW_SEQ_GENOME_GENOME_H
#define GW_SEQ_GENOME_GENOME_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

// Labels of single bases: the name for bases without a class, and the largest number of other classes.
#define GW_BASE_NONE "none"
enum { GW_BASE_CLASSES = 250 };

typedef struct gw_genome gw_genome;
gw_status gw_genome_open(const char *path, gw_genome **out) GW_MUST_CHECK;
void gw_genome_close(gw_genome *genome);
const char *gw_genome_path(const gw_genome *genome);

int gw_genome_contigs(const gw_genome *genome);
const char *gw_genome_name(const gw_genome *genome, int contig);
int64_t gw_genome_length(const gw_genome *genome, int contig); // bp
// Index of a contig by its exact name, else by alias (chr1/1, chrI/I, MT/M/chrM/Mito/MtDNA ...) if the alias is unique
// and `length` (bp, -1: unknown) agrees. -1: none.
int gw_genome_find(const gw_genome *genome, const char *name, int64_t length);
// Adds names from a two-column TSV (alias, contig). They take precedence over built-in aliases.
gw_status gw_genome_read_aliases(gw_genome *genome, const char *path) GW_MUST_CHECK;

// Reads bases [begin, end), 0-based half-open, of a contig into bases[end - begin] (without a zero byte). The range
// must lie on the contig. The last chunks are cached, so that near or ordered windows need no further reading. Not
// thread-safe.
gw_status gw_genome_fetch(gw_genome *genome, int contig, int64_t begin, int64_t end, char *bases) GW_MUST_CHECK;

// The same for long ranges that are read once: without the cache, and in the file's case.
gw_status gw_genome_read_cased(gw_genome *genome, int contig, int64_t begin, int64_t end, char *bases) GW_MUST_CHECK;

// MD5 of the genome: of "<name>\t<length>\t<md5 of upper-cased bases>\n" for all its contigs, as 32 hex digits. Reads
// the whole file at the first call.
gw_status gw_genome_md5(gw_genome *genome, char hex[33]) GW_MUST_CHECK;

// normalise: in place, upper case, U to T, other letters to N. reverse_complement: of normalised bases (N stays N).
void gw_normalise_bases(char *bases, int64_t length);
void gw_reverse_complement(const char *bases, int64_t length, char *out); // out must not overlap bases

#endif
