// SPDX-License-Identifier: MIT
// Declarations that the VCF reader and writer share. HTSlib's types stay in lib/seq.
#ifndef GW_SEQ_VCF_VCF_PRIVATE_H
#define GW_SEQ_VCF_VCF_PRIVATE_H

#include "base/names.h"
#include "seq/vcf/mutate.h"
#include "seq/vcf/vcf.h"

#include <htslib/hts.h>
#include <htslib/kstring.h>
#include <htslib/tbx.h>
#include <htslib/vcf.h>

struct gw_vcf_expression;

// Kinds of contradictions between records and header.
enum {
    GW_ODD_CONTIG,
    GW_ODD_FILTER,
    GW_ODD_INFO,
    GW_ODD_FORMAT,
    GW_ODD_NUMBER,
    GW_ODD_TYPE,
    GW_ODDITIES,
};
typedef struct {
    int64_t records;
    char text[48], place[80]; // first occurrence
} gw_vcf_oddity;

struct gw_vcf_reader {
    char *path;
    gw_genome *genome;
    gw_vcf_filter filter;
    htsFile *file;
    bcf_hdr_t *header;
    gw_string header_text, parsed_text; // all lines; lines that HTSlib parses
    int64_t odd_lines, first_odd;       // number of unparsable lines, and line number of the first
    gw_names declared;                  // kinds and IDs of header lines, such as INFO/AC
    int64_t repeated, first_repeated;   // lines that declare one of them again
    bool written;                       // godwit made the records
    gw_vcf_oddity oddities[GW_ODDITIES];
    int columns;    // columns of a record, by the #CHROM line; 0 for BCF
    int64_t number; // lines or records read so far
    kstring_t line;
    bool ended;
    struct gw_vcf_expression *expression; // of the filter, or NULL
    gw_snvs *changes;                     // of the filter, or NULL
    // name of the last record's contig, and its index in the genome
    char *last_name;
    int last_contig;
    // reading through an index
    tbx_t *tabix;
    hts_idx_t *index;
    hts_itr_t *iterator;
    const char **names; // of the index's contigs (tabix), or NULL
    int name_count;
    int64_t region;     // next region to query
    int name;           // next contig of the index for this region
    int64_t skip_below; // records with an earlier begin were returned with the previous region
};

// vcf_header.c: reads and checks the header in any format.
gw_status gw_vcf_read_header(gw_vcf_reader *reader) GW_MUST_CHECK;
// vcf_record.c: fills the record from reader->line, or from its bcf1_t.
gw_status gw_vcf_parse_line(gw_vcf_reader *reader, gw_vcf_record *record) GW_MUST_CHECK;
gw_status gw_vcf_parse_bcf(gw_vcf_reader *reader, gw_vcf_record *record) GW_MUST_CHECK;
// Fails with a file error: "<path>: <text>", with "truncated" if a BGZF file lacks its end.
gw_status gw_vcf_damaged(const gw_vcf_reader *reader);
// Fails because a file is not a variant file.
gw_status gw_vcf_unknown(const gw_vcf_reader *reader);

// Warns if the index that HTSlib would use, if it is a file, is older than the variant file.
gw_status gw_vcf_warn_of_older_index(const char *path) GW_MUST_CHECK;

// The number of a key in the header; -1: not declared as this kind (BCF_HL_INFO ...).
int gw_vcf_declared_key(const bcf_hdr_t *header, int kind, const char *key);
// Counts contradictions between a text record and the header.
void gw_vcf_note_oddities(gw_vcf_reader *reader, const gw_vcf_record *record);

#endif
