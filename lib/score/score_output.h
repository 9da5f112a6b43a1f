// SPDX-License-Identifier: MIT
// What a run of `score` writes around its scores: the header with what they depend on and the contigs in use, the
// journal's key, and the tables beside the variant file. Private to lib/score, but for gw_model_md5().
#ifndef GW_SCORE_SCORE_OUTPUT_H
#define GW_SCORE_SCORE_OUTPUT_H

#include "file/lines.h"
#include "file/npy.h"
#include "model/config.h"
#include "score/allele_scorer.h"
#include "seq/vcf/variant_text.h"
#include "seq/vcf/vcf.h"

typedef struct gw_score_run gw_score_run; // score/score_run.h

// MD5 over the bytes of a folder's files of weights in order of their names, as 32 hex digits; of one file it is that
// file's MD5.
gw_status gw_model_md5(const char *folder, char hex[33]) GW_MUST_CHECK;

// The lines of the header that say what scores depend on.
gw_status gw_score_describe(gw_score_run *run) GW_MUST_CHECK;
enum { GW_SCORE_SETTINGS = 64 };
// Fills run->settings, the line that stands for them in files of exact values.
gw_status gw_score_settle(gw_score_run *run) GW_MUST_CHECK;
// The journal of an output that is a file.
gw_status gw_score_open_journal(gw_score_run *run) GW_MUST_CHECK;
// The table with its columns.
gw_status gw_score_open_table(gw_score_run *run) GW_MUST_CHECK;
// Whether there is a variant file; it, with its header, once its contigs are known.
bool gw_score_writes_variants(const gw_score_options *options);
gw_status gw_score_open_writer(gw_score_run *run) GW_MUST_CHECK;

// Contigs of records, in order of first use: their ##contig lines are what a variant file may lack, and BCF and
// bcftools need one for each. Zero-initialise.
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

// What `score` writes beside the VCF: unscored alleles with their reasons, and every profile of every allele.
typedef struct {
    gw_text_writer *reasons; // or NULL
    gw_text_writer *rows;    // <profiles without .npy>.rows.tsv, or NULL
    gw_npy profiles;
    char *rows_path, *names_path;
    int64_t alleles; // rows so far
} gw_score_tables;

// Opens what is asked for (paths or NULL); "x.npy" goes with "x.rows.tsv" and "x.profiles.tsv".
gw_status gw_score_tables_open(gw_score_tables *tables, const gw_score_options *options, const gw_config *config,
                               const gw_unread_variants *unread) GW_MUST_CHECK;
// One allele of a record (alt -1: its ALT is '.', which has a reason but no row); raw [2][labels], NULL without
// profiles.
gw_status gw_score_tables_add(gw_score_tables *tables, const gw_vcf_record *record, int alt, gw_allele_status status,
                              const float *raw) GW_MUST_CHECK;
gw_status gw_score_tables_close(gw_score_tables *tables) GW_MUST_CHECK; // releases whatever happens
void gw_score_tables_abandon(gw_score_tables *tables);

#endif
