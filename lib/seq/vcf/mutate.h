// SPDX-License-Identifier: MIT
// Saturation mutagenesis: every single-base change of some regions as VCF, one record for each ALT, in the genome's
// order. Bases that are not A, C, G or T are skipped. Overlapping regions give each change once.
#ifndef GW_SEQ_VCF_MUTATE_H
#define GW_SEQ_VCF_MUTATE_H

#include "base/status.h"
#include "base/string.h"
#include "seq/genome/regions.h"

#include <stdbool.h>
#include <stdint.h>

// Iterates over the changes. Zero-initialise all but genome and regions (merged), which are borrowed.
enum { GW_SNVS_PIECE = 4096 };
typedef struct {
    gw_genome *genome;
    const gw_regions *regions;
    // private: the next change
    int64_t region, at;
    int alt;
    int64_t begin, end; // of the bases in memory
    char bases[GW_SNVS_PIECE];
} gw_snvs;
typedef struct {
    int contig;
    int64_t position; // 0-based
    char ref, alt;
} gw_snv;
gw_status gw_snvs_next(gw_snvs *changes, gw_snv *out, bool *got) GW_MUST_CHECK; // *got is false at the end
// The header of a VCF with all contigs of the genome; `lines`: further lines, each with its end.
void gw_snvs_header(const gw_genome *genome, const char *lines, gw_string *out);

typedef struct {
    const char *output;           // NULL or "-": standard output
    bool bgzf;                    // compressed output
    const char *source, *command; // for the header: ##source, ##godwit_command
} gw_mutate_options;

// Writes the changes of all regions. Sorts and merges the regions. *count: number of written records.
gw_status gw_mutate_write(gw_genome *genome, gw_regions *regions, const gw_mutate_options *options,
                          int64_t *count) GW_MUST_CHECK;

#endif
