// SPDX-License-Identifier: MIT
// The ##contig lines that a variant file lacks. BCF, and bcftools, need one for every contig in use.
#ifndef GW_SCORE_SCORE_CONTIGS_H
#define GW_SCORE_SCORE_CONTIGS_H

#include "base/string.h"
#include "seq/vcf/vcf.h"

// Contigs seen, in order of first use. Zero-initialise.
typedef struct {
    char **names;
    int *genome_contigs; // -1: not in the genome
    int64_t count, capacity, genome_capacity;
    int64_t last; // of the last record: contigs come in runs
} gw_used_contigs;

gw_status gw_used_contigs_add(gw_used_contigs *used, const gw_vcf_record *record) GW_MUST_CHECK;
void gw_used_contigs_free(gw_used_contigs *used);

// Reads a whole file for the contigs it uses; *records counts its records. Where they are `to_be_indexed`, one that is
// out of order is an error.
gw_status gw_used_contigs_scan(gw_used_contigs *used, const char *path, gw_genome *genome, const gw_vcf_filter *filter,
                               bool to_be_indexed, int64_t *records) GW_MUST_CHECK;

// Appends a ##contig line for each used contig that the header does not declare, under the file's own name and with
// the genome's length. Where `used` may be incomplete (a stream) and one was missing, every contig of the genome that
// is neither declared nor used is added too, with or without "chr" as the used ones have it.
gw_status gw_missing_contigs(const gw_used_contigs *used, bool complete, const gw_vcf_reader *reader,
                             const gw_genome *genome, gw_string *lines) GW_MUST_CHECK;

#endif
