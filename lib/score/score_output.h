// SPDX-License-Identifier: MIT
// Outputs of a `score` run beside its scores: the header with settings and used contigs, the journal's key, and the
// tables beside the variant file. Private to lib/score, except the MD5 of weights.
#ifndef GW_SCORE_SCORE_OUTPUT_H
#define GW_SCORE_SCORE_OUTPUT_H

#include "file/lines.h"
#include "file/npy.h"
#include "model/config.h"
#include "score/allele_scorer.h"
#include "seq/vcf/variant_text.h"
#include "seq/vcf/vcf.h"

typedef struct gw_score_run gw_score_run; // score/score_run.h

// MD5 of the bytes of a folder's weight files in order of their names, as 32 hex digits; for a single file its own MD5.
gw_status gw_model_md5(const char *folder, char hex[33]) GW_MUST_CHECK;
// The same by a thread, while others read the files too: gw_score() waits for it, or reads the files itself for NULL
// (no thread could be made). end() stops and frees; NULL is fine.
gw_weights_md5 *gw_weights_md5_begin(const char *folder);
void gw_weights_md5_end(gw_weights_md5 *md5);

// Makes the header lines with the settings that scores depend on.
gw_status gw_score_describe(gw_score_run *run) GW_MUST_CHECK;
enum { GW_SCORE_SETTINGS = 64 };
// Fills run->settings, one line for these settings in files of exact values.
gw_status gw_score_settle(gw_score_run *run) GW_MUST_CHECK;
// Opens the journal if the output is a file.
gw_status gw_score_open_journal(gw_score_run *run) GW_MUST_CHECK;
// Opens the table with its columns.
gw_status gw_score_open_table(gw_score_run *run) GW_MUST_CHECK;
// Whether a variant file is written; and opening it, with its header, once its contigs are known.
bool gw_score_writes_variants(const gw_score_options *options);
gw_status gw_score_open_writer(gw_score_run *run) GW_MUST_CHECK;

// Contigs of records, in order of first use. Variant files may lack ##contig lines, but BCF and bcftools need one for
// each contig. Zero-initialise.
typedef struct {
    char **names;
    int *genome_contigs; // -1: not in the genome
    int64_t count, capacity, genome_capacity;
    int64_t last; // contig of the last record: records are often in contig order
} gw_used_contigs;

gw_status gw_used_contigs_add(gw_used_contigs *used, const gw_vcf_record *record) GW_MUST_CHECK;
void gw_used_contigs_free(gw_used_contigs *used);

// Reads a whole file to find its contigs; *records becomes the number of its records. With `to_be_indexed`, a record
// out of order is an error.
gw_status gw_used_contigs_scan(gw_used_contigs *used, const char *path, gw_genome *genome, const gw_vcf_filter *filter,
                               bool to_be_indexed, int64_t *records) GW_MUST_CHECK;

// Tables beside the VCF: unscored alleles with their reasons, and every profile of every allele.
typedef struct {
    gw_text_writer *reasons; // or NULL
    gw_text_writer *rows;    // <profiles without .npy>.rows.tsv, or NULL
    gw_npy profiles;
    char *rows_path, *names_path;
    int64_t alleles; // rows so far
} gw_score_tables;

// Opens the requested tables (paths or NULL); "x.npy" comes with "x.rows.tsv" and "x.profiles.tsv".
gw_status gw_score_tables_open(gw_score_tables *tables, const gw_score_options *options, const gw_config *config,
                               const gw_unread_variants *unread) GW_MUST_CHECK;
// Adds one allele of a record (alt -1: ALT is '.', with a reason but no row). raw [2][labels], NULL without profiles.
gw_status gw_score_tables_add(gw_score_tables *tables, const gw_vcf_record *record, int alt, gw_allele_status status,
                              const float *raw) GW_MUST_CHECK;
gw_status gw_score_tables_close(gw_score_tables *tables) GW_MUST_CHECK; // also releases the tables after a failure
void gw_score_tables_abandon(gw_score_tables *tables);

#endif
