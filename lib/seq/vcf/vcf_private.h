// SPDX-License-Identifier: MIT
// Shared parts of the VCF reader and writer. HTSlib's types stay in lib/seq.
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
    char text[48], place[80]; // of the first
} gw_vcf_oddity;

struct gw_vcf_reader {
    char *path;
    gw_genome *genome;
    gw_vcf_filter filter;
    htsFile *file;
    bcf_hdr_t *header;
    gw_string header_text, parsed_text; // all lines; those that HTSlib parses
    int64_t odd_lines, first_odd;       // lines that it does not parse: their count, and the number of the first
    gw_names declared;                  // kinds and IDs of header lines, such as INFO/AC
    int64_t repeated, first_repeated;   // lines that declare one of them again
    bool written;                       // the records were made by this program
    gw_vcf_oddity oddities[GW_ODDITIES];
    int columns;    // of a record, by the #CHROM line; 0 for BCF
    int64_t number; // lines or records read so far
    kstring_t line;
    bool ended;
    struct gw_vcf_expression *expression; // of the filter, or NULL
    gw_snvs *changes;                     // of the filter, or NULL
    // name of the last record's contig, and what it is in the genome
    char *last_name;
    int last_contig;
    // reading through an index
    tbx_t *tabix;
    hts_idx_t *index;
    hts_itr_t *iterator;
    const char **names; // of the index's contigs (tabix), or NULL
    int name_count;
    int64_t region;     // next region to query
    int name;           // next contig of the index to look at for it
    int64_t skip_below; // records that begin before it were given with the region before
};

// vcf_header.c: reads and checks the header, in whichever format.
gw_status gw_vcf_read_header(gw_vcf_reader *reader) GW_MUST_CHECK;
// vcf_record.c: fills the record's fields from reader->line, or from its bcf1_t.
gw_status gw_vcf_parse_line(gw_vcf_reader *reader, gw_vcf_record *record) GW_MUST_CHECK;
gw_status gw_vcf_parse_bcf(gw_vcf_reader *reader, gw_vcf_record *record) GW_MUST_CHECK;
// Error of the file itself: "<path>: <text>", with "truncated" where a BGZF file lacks its end.
gw_status gw_vcf_damaged(const gw_vcf_reader *reader);
// Error of a file that is no variant file.
gw_status gw_vcf_unknown(const gw_vcf_reader *reader);

// Warns of an index that is older than its file: of the one that HTSlib takes, where it is a file.
gw_status gw_vcf_warn_of_older_index(const char *path) GW_MUST_CHECK;

// The header's number of a key; -1: it is not declared as one of this kind (BCF_HL_INFO ...).
int gw_vcf_declared_key(const bcf_hdr_t *header, int kind, const char *key);
// Counts contradictions between a text record and the header.
void gw_vcf_note_oddities(gw_vcf_reader *reader, const gw_vcf_record *record);

#endif
