// SPDX-License-Identifier: MIT
// Variant files in order: VCF text (plain, gzip, BGZF) and BCF in; VCF or BCF with more INFO out.
//
// From VCF text to VCF text a record is its original line, and only the INFO column grows: HTSlib would rewrite numbers
// (QUAL 1234567.89 becomes 1.23457e+06). BCF on either side goes through HTSlib's records.
// Format: VCFv4.3 specification; the header keeps its lines, new ones stand before #CHROM.
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

// One record. Zero-initialise, reuse for as many records as wanted, free with gw_vcf_record_free().
typedef struct {
    const char *contig; // as the file names it
    int genome_contig;  // of the genome, by name or alias; -1: none
    int64_t position;   // 0-based; -1 stands for POS 0, before the first base
    const char *id, *ref;
    int alts;         // 0 where ALT is '.'
    const char **alt; // [alts]
    int64_t number;   // line of the file (VCF) or record (BCF), 1-based; 0 where read through an index
    // private
    gw_string line;               // VCF: the line as it stands, without its end
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
    const gw_regions *regions; // merged; records that overlap one, through the file's index; NULL: all
    const gw_regions *targets; // merged; records whose POS lies in one; NULL: all
    bool exclude;              // records whose POS lies in no target instead
    // Records for which the expression holds (vcf_expression.h), or does not; NULL: all. Not both.
    const char *include_if, *exclude_if;
    const gw_regions *changes; // merged; no file is read: every single-base change of these (seq/vcf/mutate.h); or NULL
} gw_vcf_filter;

// Begins a path that is itself the file's text, as HTSlib takes it; messages call it "the variants given".
#define GW_VCF_TEXT "data:,"
// path "-": standard input; of changes it is not read. The header is read and checked against the genome: a contig that
// both know with different lengths is an error. The genome is borrowed; filter (may be NULL) too. Without a genome
// (NULL) no record lies on one.
gw_status gw_vcf_open(const char *path, gw_genome *genome, const gw_vcf_filter *filter,
                      gw_vcf_reader **out) GW_MUST_CHECK;
void gw_vcf_close(gw_vcf_reader *reader);
// The next record; *got is false at the end. Malformed records and damaged files are errors.
gw_status gw_vcf_next(gw_vcf_reader *reader, gw_vcf_record *record, bool *got) GW_MUST_CHECK;
const char *gw_vcf_path(const gw_vcf_reader *reader);
bool gw_vcf_is_bcf(const gw_vcf_reader *reader);
// Warns of header lines that cannot be parsed and of such that declare a key or a contig again, once for a file; they
// are kept as they are in VCF output.
void gw_vcf_warn_of_header(const gw_vcf_reader *reader);
// Warns of what the records read so far have beside what the header declares, once for each kind: contigs, FILTER, INFO
// and FORMAT keys, and INFO values of another number or type.
void gw_vcf_warn_of_records(const gw_vcf_reader *reader);
// The header's text, ending with the #CHROM line.
const char *gw_vcf_header(const gw_vcf_reader *reader);
// Its ##contig lines: whether there is one of that name; their number; name (NULL: a gap in BCF's numbering) and length
// (bp, -1: not given) of each.
bool gw_vcf_declares_contig(const gw_vcf_reader *reader, const char *name);
int gw_vcf_declared_contigs(const gw_vcf_reader *reader);
const char *gw_vcf_declared_contig(const gw_vcf_reader *reader, int contig);
int64_t gw_vcf_declared_length(const gw_vcf_reader *reader, int contig);

// Columns of a record as text: the value of an INFO key (empty: a flag; false where it is absent), QUAL, and FILTER
// with its names joined by ';'. `out` is cleared first; gw_string_status() tells whether memory sufficed.
bool gw_vcf_info(const gw_vcf_reader *reader, const gw_vcf_record *record, const char *key, gw_string *out);
void gw_vcf_qual(const gw_vcf_record *record, gw_string *out);
void gw_vcf_filters(const gw_vcf_reader *reader, const gw_vcf_record *record, gw_string *out);

// An INFO key with one value per ALT; or, a `list`, with as many as the record has (Number=.).
typedef enum { GW_INFO_FLOAT, GW_INFO_INTEGER, GW_INFO_STRING } gw_info_kind;
typedef struct {
    const char *key; // whole, prefix included
    gw_info_kind kind;
    const char *description;
    bool list;
} gw_info_key;

// Values of one key for one record: values[alts] of the key's kind; of a list strings[0] has all of them, joined by
// commas, and where it is NULL the record does not get the key. NaN, INT32_MIN and NULL are written as '.'.
// Strings hold no white space, ';', '=', ',' or '%' but as %-codes.
typedef struct {
    const gw_info_key *key;
    const float *floats;
    const int32_t *integers;
    const char *const *strings;
} gw_info_values;

typedef struct {
    char format;             // 'v', 'z', 'u' (uncompressed BCF) or 'b'
    const char *index;       // "csi", "tbi" or NULL: none
    bool overwrite;          // keys that are there already are replaced; otherwise they are an error
    const gw_info_key *keys; // of the records to come
    int key_count;
    const char *lines; // further header lines, each "##...\n"
} gw_vcf_output;

// path "-" or NULL: standard output. The file appears at close, whole or not at all; its index too.
gw_status gw_vcf_create(const char *path, const gw_vcf_reader *reader, const gw_vcf_output *output,
                        gw_vcf_writer **out) GW_MUST_CHECK;
// Writes the record with more INFO; `count` 0 leaves it as it was. Lines that HTSlib cannot parse go from VCF to VCF
// all the same, and gw_vcf_finish() warns of them once, with their number; into BCF they are an error.
gw_status gw_vcf_write(gw_vcf_writer *writer, gw_vcf_record *record, const gw_info_values *values,
                       int count) GW_MUST_CHECK;
// Whether a record was refused because an index needs them in order; NULL: no.
bool gw_vcf_is_out_of_order(const gw_vcf_writer *writer);
gw_status gw_vcf_finish(gw_vcf_writer *writer) GW_MUST_CHECK; // releases also on failure
void gw_vcf_abandon(gw_vcf_writer *writer);                   // NULL is fine

// Whether records come as an index needs them: each contig's together, and by position. Zero-initialise.
typedef struct {
    char *contig; // of the last record
    int64_t position;
    char **finished; // contigs seen, the last one's too
    int64_t count, capacity;
    bool broken; // a record did not come in order
} gw_vcf_order;
// Takes the next record; one out of order is an error that says how a file is sorted.
gw_status gw_vcf_order_check(gw_vcf_order *order, const gw_vcf_reader *reader,
                             const gw_vcf_record *record) GW_MUST_CHECK;
void gw_vcf_order_free(gw_vcf_order *order);

// 'z' for *.gz, 'b' for *.bcf, else 'v'.
char gw_vcf_format_of(const char *path);
// Appends text with every byte that INFO values may not hold as %XX.
void gw_percent_encode(gw_string *out, const char *text);

// Which alleles of a record a sample carries on which of its two haplotypes (VCF 4.3, section 1.6.2: GT and PS).

typedef struct {
    int allele[2];   // of the first and second haplotype: 0 REF, 1 .. the ALTs; -1: missing, or there is none
    bool phased;     // which is which is known: GT has a '|', one haplotype alone, or both alleles are the same
    bool everywhere; // both are the same, so that it holds whatever the phase set
    int64_t set;     // PS; 0: the record names none, and is phased with all others that do not
} gw_carried;

// The number of a sample; name NULL: of the only one.
gw_status gw_vcf_find_sample(const gw_vcf_reader *reader, const char *name, int *sample) GW_MUST_CHECK;
gw_status gw_vcf_carried(const gw_vcf_reader *reader, const gw_vcf_record *record, int sample,
                         gw_carried *out) GW_MUST_CHECK;

#endif
