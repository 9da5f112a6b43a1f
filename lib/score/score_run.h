// SPDX-License-Identifier: MIT
// A run of gw_score() and its parts. Private to lib/score.
#ifndef GW_SCORE_SCORE_RUN_H
#define GW_SCORE_SCORE_RUN_H

#include "base/string.h"
#include "file/lines.h"
#include "file/npy.h"
#include "model/config.h"
#include "score/allele.h"
#include "score/allele_scorer.h"
#include "score/haplotypes.h"
#include "score/score_alleles.h"
#include "score/score_journal.h"
#include "seq/genes/consequence.h"
#include "seq/genes/genes.h"
#include "seq/vcf/variant_list.h"
#include "seq/vcf/vcf.h"

// score_tables.c: what `score` writes beside the VCF: unscored alleles with their reasons, and every profile of every
// allele.

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

// score_known.c: scores that an indexed file of `score --all-snvs` has, in the place of computing them.

typedef struct gw_score_known gw_score_known;
// settings: the line of the header that stands for all that scores depend on, which the file must have; `lines`: these
// in full, of which a message names one that differs. `raw`: floats of an allele beside it. The genome is borrowed.
gw_status gw_score_known_open(const char *path, gw_genome *genome, const char *settings, const char *lines, int64_t raw,
                              gw_score_known **out) GW_MUST_CHECK;
void gw_score_known_free(gw_score_known *known);           // NULL is fine
int64_t gw_score_known_taken(const gw_score_known *known); // alleles so far
const char *gw_score_known_path(const gw_score_known *known);
// gw_allele_scorer_run(), but for alleles that the file has.
gw_status gw_score_known_run(gw_score_known *known, gw_allele_scorer *scorer, gw_allele *alleles, int64_t count,
                             float *raw) GW_MUST_CHECK;

// score_contigs.c: the ##contig lines that a variant file lacks. BCF, and bcftools, need one for every contig in use.

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

typedef struct gw_score_run gw_score_run;
typedef struct gw_score_keys gw_score_keys; // score/score_keys.h

struct gw_score_run {
    gw_model *model;
    gw_genome *genome;
    const gw_score_options *options;
    gw_string input; // path of what is read
    gw_unread_variants unread;
    gw_regions regions, targets;
    gw_genes genes, outside;
    gw_annotation annotation;      // of consequences
    gw_consequences *consequences; // or NULL
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
    gw_haplotypes haplotypes; // of the chunk
    int64_t joint;            // its first joined allele
    int64_t ahead;            // index of a record that was read for the next chunk; 0: none
    int sample;
    float *raw; // [alleles][gw_score_raw_values()]
    int64_t raw_capacity;
    // counts of the run
    int64_t crowded;        // insertions and deletions with fewer neutral ones than wanted
    int64_t moved, movable; // insertions and deletions that do not stand leftmost; that have several forms
    int64_t done_records, resumed, left_out, counts[GW_ALLELE_STATUSES], compared;
    bool warned;
    char *unknown; // the first contig that the genome lacks
};

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

// score_haplotypes.c: the variants of a chunk that one haplotype carries: each record's, what they make, and what that
// scores.
gw_status gw_score_add_carried(gw_score_run *run, const gw_vcf_record *record, int64_t first) GW_MUST_CHECK;
bool gw_score_may_join(const gw_score_run *run, const gw_vcf_record *record); // a record with those before it
gw_status gw_score_add_joint(gw_score_run *run) GW_MUST_CHECK;
int64_t
gw_score_longest_haplotype(const gw_score_run *run); // bp from the first of the variants that are joined to the last
void gw_score_finish_joint(gw_score_run *run, const float *raw);

// score_report.c: that REF often differs from the reference, as soon as that is clear; what is said at the end.
void gw_score_warn_of_mismatches(gw_score_run *run, bool at_end);
void gw_score_report(const gw_score_run *run);

#endif
