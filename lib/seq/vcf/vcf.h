// SPDX-License-Identifier: MIT
// Sequential reading and writing of variant files: reads VCF text (plain, gzip, BGZF) and BCF; writes VCF or BCF with
// additional INFO.
//
// From VCF text to VCF text, a record keeps its original line and only INFO grows, because HTSlib would rewrite numbers
// (QUAL 1234567.89 becomes 1.23457e+06). BCF on either side goes through HTSlib's records. Format: VCFv4.3
// specification. The header keeps its lines; new lines precede #CHROM.
#ifndef GW_SEQ_VCF_VCF_H
#define GW_SEQ_VCF_VCF_H

#include "base/status.h"
#include "base/string.h"
#include "seq/genome/genome.h"
#include "seq/genome/regions.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_vcf_reader gw_vcf_reader;
typedef struct gw_vcf_writer gw_vcf_writer;

// One record. Zero-initialise, reuse for further records, free with gw_vcf_record_free().
typedef struct {
    const char *contig; // as in the file
    int genome_contig;  // index in the genome, by name or alias; -1: none
    int64_t position;   // 0-based; -1 is POS 0, before the first base
    const char *id, *ref;
    int alts;         // 0 if ALT is '.'
    const char **alt; // [alts]
    int64_t number;   // line of the file (VCF) or record (BCF), 1-based; 0 when read through an index
    // private
    gw_string line;               // VCF: the original line without its end
    int64_t info_begin, info_end; // of the INFO column in it
    gw_string fields;             // zero-terminated copies of the first five columns
    int64_t alt_capacity;
    void *bcf; // BCF: the bcf1_t
} gw_vcf_record;

void gw_vcf_record_free(gw_vcf_record *record);
// gw_fail() with "<file>:<line>: " (or the record's number or site) before the message.
gw_status gw_vcf_fail(const gw_vcf_reader *reader, const gw_vcf_record *record, gw_status code, const char *format, ...)
    GW_PRINTF(4, 5);

typedef struct {
    const gw_regions *regions; // merged; only records that overlap one, through the file's index; NULL: all
    const gw_regions *targets; // merged; only records with POS in one; NULL: all
    bool exclude;              // only records with POS in no target instead
    // Only records for which the expression is true (vcf_expression.h), or false; NULL: all. Not both.
    const char *include_if, *exclude_if;
    const gw_regions *changes; // merged; instead of a file: every single-base change of these (seq/vcf/mutate.h); or
                               // NULL
} gw_vcf_filter;

// Beginning of a path that contains the file's text (HTSlib's form). Messages call it "the variants given".
#define GW_VCF_TEXT "data:,"
// path "-": standard input; not read with `changes`. The header is read and compared with the genome: a contig with
// different lengths is an error. Borrows genome and filter (may be NULL). Without a genome (NULL) records have no
// genome_contig.
gw_status gw_vcf_open(const char *path, gw_genome *genome, const gw_vcf_filter *filter,
                      gw_vcf_reader **out) GW_MUST_CHECK;
void gw_vcf_close(gw_vcf_reader *reader);
// The next record; *got is false at the end. Malformed records and damaged files are errors.
gw_status gw_vcf_next(gw_vcf_reader *reader, gw_vcf_record *record, bool *got) GW_MUST_CHECK;
const char *gw_vcf_path(const gw_vcf_reader *reader);
bool gw_vcf_is_bcf(const gw_vcf_reader *reader);
// Warns, once for a file, of header lines that cannot be parsed or that declare a key or a contig again. VCF output
// keeps these lines.
void gw_vcf_warn_of_header(const gw_vcf_reader *reader);
// Warns, once for each kind, of content in the records so far that contradicts the header: contigs, FILTER, INFO and
// FORMAT keys, and INFO values of another number or type.
void gw_vcf_warn_of_records(const gw_vcf_reader *reader);
// The header's text, ending with the #CHROM line.
const char *gw_vcf_header(const gw_vcf_reader *reader);
// The ##contig lines: whether a name is declared; their number; the name (NULL: a gap in BCF's numbering) and the
// length (bp, -1: not given) of each.
bool gw_vcf_declares_contig(const gw_vcf_reader *reader, const char *name);
int gw_vcf_declared_contigs(const gw_vcf_reader *reader);
const char *gw_vcf_declared_contig(const gw_vcf_reader *reader, int contig);
int64_t gw_vcf_declared_length(const gw_vcf_reader *reader, int contig);

// Columns of a record as text: the value of an INFO key (empty: a flag; false if absent), QUAL, and the names in
// FILTER, joined by ';'. `out` is cleared first. gw_string_status() says whether memory was sufficient.
bool gw_vcf_info(const gw_vcf_reader *reader, const gw_vcf_record *record, const char *key, gw_string *out);
void gw_vcf_qual(const gw_vcf_record *record, gw_string *out);
void gw_vcf_filters(const gw_vcf_reader *reader, const gw_vcf_record *record, gw_string *out);

// An INFO key with one value for each ALT; or a `list` with any number of values (Number=.).
typedef enum { GW_INFO_FLOAT, GW_INFO_INTEGER, GW_INFO_STRING } gw_info_kind;
typedef struct {
    const char *key; // complete, with its prefix
    gw_info_kind kind;
    const char *description;
    bool list;
} gw_info_key;

// Values of one key for one record: values[alts] of the key's kind. For a list, strings[0] has all values, joined by
// commas; NULL: the record does not get the key. NaN, INT32_MIN and NULL are written as '.'. Strings must contain white
// space, ';', '=', ',' and '%' only as %-codes.
typedef struct {
    const gw_info_key *key;
    const float *floats;
    const int32_t *integers;
    const char *const *strings;
} gw_info_values;

typedef struct {
    char format;             // 'v', 'z', 'u' (uncompressed BCF) or 'b'
    const char *index;       // "csi", "tbi" or NULL: none
    bool overwrite;          // replaces existing keys; otherwise they are an error
    const gw_info_key *keys; // of later records
    int key_count;
    const char *lines; // further header lines, each "##...\n"
} gw_vcf_output;

// path "-" or NULL: standard output. The file and its index appear at close, whole or not at all.
gw_status gw_vcf_create(const char *path, const gw_vcf_reader *reader, const gw_vcf_output *output,
                        gw_vcf_writer **out) GW_MUST_CHECK;
// Writes the record with additional INFO; `count` 0: unchanged. Lines that HTSlib cannot parse are copied from VCF to
// VCF, and gw_vcf_finish() warns of them once, with their number. For BCF they are an error.
gw_status gw_vcf_write(gw_vcf_writer *writer, gw_vcf_record *record, const gw_info_values *values,
                       int count) GW_MUST_CHECK;
// Whether the writer refused a record because it was out of order for an index; false for a NULL writer.
bool gw_vcf_is_out_of_order(const gw_vcf_writer *writer);
gw_status gw_vcf_finish(gw_vcf_writer *writer) GW_MUST_CHECK; // also releases it after a failure
void gw_vcf_abandon(gw_vcf_writer *writer);                   // NULL is fine

// Checks that records are in order for an index: grouped by contig, and sorted by position. Zero-initialise.
typedef struct {
    char *contig; // of the last record
    int64_t position;
    char **finished; // contigs so far, the last one included
    int64_t count, capacity;
    bool broken; // a record was out of order
} gw_vcf_order;
// Takes the next record. A record out of order is an error that says how to sort a file.
gw_status gw_vcf_order_check(gw_vcf_order *order, const gw_vcf_reader *reader,
                             const gw_vcf_record *record) GW_MUST_CHECK;
void gw_vcf_order_free(gw_vcf_order *order);

// 'z' for *.gz, 'b' for *.bcf, else 'v'.
char gw_vcf_format_of(const char *path);
// Appends text, with bytes that INFO values must not contain as %XX.
void gw_percent_encode(gw_string *out, const char *text);

// The alleles of a record on the two haplotypes of a sample (VCF 4.3, section 1.6.2: GT and PS).

typedef struct {
    int allele[2];   // of the first and second haplotype: 0 REF, 1 .. the ALTs; -1: missing
    bool phased;     // the haplotypes are known: GT has a '|', one haplotype only, or both alleles are equal
    bool everywhere; // both alleles are equal, so the phase set does not matter
    int64_t set;     // PS; 0: none; records without PS form one set
} gw_carried;

// The index of a sample; name NULL: the only sample.
gw_status gw_vcf_find_sample(const gw_vcf_reader *reader, const char *name, int *sample) GW_MUST_CHECK;
gw_status gw_vcf_carried(const gw_vcf_reader *reader, const gw_vcf_record *record, int sample,
                         gw_carried *out) GW_MUST_CHECK;

#endif
