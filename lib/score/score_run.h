// SPDX-License-Identifier: MIT
// A run of gw_score() and its parts. Private to lib/score.
#ifndef GW_SCORE_SCORE_RUN_H
#define GW_SCORE_SCORE_RUN_H

#include "score/allele_scorer.h"
#include "score/score.h"
#include "score/score_alleles.h"
#include "score/score_contigs.h"
#include "score/score_journal.h"
#include "score/score_keys.h"
#include "score/score_known.h"
#include "score/score_tables.h"
#include "seq/genes/gene_models.h"

typedef struct {
    gw_model *model;
    gw_genome *genome;
    const gw_score_options *options;
    gw_regions regions, targets, sites;
    gw_genes genes;
    gw_gene_models gene_models; // of models of splicing
    gw_vcf_filter filter;
    gw_vcf_reader *reader;
    gw_vcf_writer *writer;
    gw_score_keys *keys;
    gw_background *background; // to compare with, or NULL
    gw_score_tables tables;
    gw_allele_scorer *scorer;
    gw_score_known *known;     // or NULL
    gw_score_journal *journal; // or NULL
    gw_used_contigs used;
    bool scanned; // `used` is complete
    char model_md5[33];
    gw_string lines;    // of the header: what scores depend on
    int64_t first, end; // records of the shard
    int64_t seen;       // records read, those before the shard too
    // the chunk
    gw_vcf_record *records;
    int64_t record_count, record_capacity;
    gw_score_alleles alleles;
    float *raw; // [alleles][gw_score_raw_values()]
    int64_t raw_capacity;
    // counts of the run
    int64_t moved, movable; // insertions and deletions that do not stand leftmost; that have several forms
    int64_t done_records, resumed, left_out, counts[GW_ALLELE_STATUSES], compared;
    bool warned;
    char *unknown; // the first contig that the genome lacks
} gw_score_run;

// score_header.c: the lines of what scores depend on, and what the output is opened with: its journal, where it is a
// file, and once its contigs are known the variant file with its header.
gw_status gw_score_describe(gw_score_run *run) GW_MUST_CHECK;
enum { GW_SCORE_SETTINGS = 64 };
// The line that stands for them in files of exact values.
gw_status gw_score_settings(const gw_score_run *run, char line[GW_SCORE_SETTINGS]) GW_MUST_CHECK;
gw_status gw_score_open_journal(gw_score_run *run) GW_MUST_CHECK;
gw_status gw_score_open_writer(gw_score_run *run) GW_MUST_CHECK;

// score_chunk.c: the next records with their alleles, their scores, and their way out.
gw_status gw_score_read_chunk(gw_score_run *run, bool *more) GW_MUST_CHECK;
gw_status gw_score_chunk(gw_score_run *run) GW_MUST_CHECK;
gw_status gw_score_write_chunk(gw_score_run *run) GW_MUST_CHECK;
// Floats that are kept of each allele beside it: all profiles of REF and ALT where they are wanted, or scores of
// splicing in each gene; 0: none.
int64_t gw_score_raw_values(const gw_score_run *run);

// score_report.c: that REF often differs from the reference, as soon as that is clear; what is said at the end.
void gw_score_warn_of_mismatches(gw_score_run *run, bool at_end);
void gw_score_report(const gw_score_run *run);

#endif
