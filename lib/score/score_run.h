// SPDX-License-Identifier: MIT
// State of a gw_score() run. Private to lib/score.
#ifndef GW_SCORE_SCORE_RUN_H
#define GW_SCORE_SCORE_RUN_H

#include "base/string.h"
#include "file/table_writer.h"
#include "motif/change.h"
#include "score/allele_scorer.h"
#include "score/haplotypes.h"
#include "score/score_alleles.h"
#include "score/score_journal.h"
#include "score/score_known.h"
#include "score/score_output.h"
#include "seq/genes/consequence.h"
#include "seq/genes/genes.h"
#include "seq/vcf/variant_text.h"
#include "seq/vcf/vcf.h"

typedef struct gw_score_keys gw_score_keys; // score/score_keys.h

struct gw_score_run {
    gw_model *model;
    gw_genome *genome;
    const gw_score_options *options;
    gw_string input; // path of the input
    gw_unread_variants unread;
    gw_regions regions, targets;
    gw_genes genes, outside;
    gw_annotation annotation;      // for consequences
    gw_consequences *consequences; // or NULL
    gw_motifs motifs;
    gw_motif_scanner *motif_scanner; // or NULL
    gw_vcf_filter filter;
    gw_vcf_reader *reader;
    gw_vcf_writer *writer;
    gw_table_writer *table; // or NULL
    gw_score_keys *keys;
    gw_background *background; // for comparison, or NULL
    char *background_path;     // its file
    gw_score_tables tables;
    gw_allele_scorer *scorer;
    gw_known_fields known_fields;
    gw_score_known *known;     // or NULL
    gw_score_journal *journal; // or NULL
    gw_used_contigs used;
    bool scanned;                                         // `used` is complete
    char model_md5[33], tracks_md5[33], controls_md5[33]; // "": none
    gw_string lines;                                      // header lines with settings
    char settings[GW_SCORE_SETTINGS];                     // one line for all settings
    int64_t first, end;                                   // records of the shard
    int64_t seen;                                         // records read, including those before the shard
    // the current chunk
    gw_vcf_record *records;
    int64_t record_count, record_capacity;
    gw_score_alleles alleles;
    gw_haplotypes haplotypes; // of the chunk
    int64_t joint;            // index of its first joint allele
    int64_t ahead;            // index of a record that was read for the next chunk; 0: none
    int sample;
    // Floats kept for each allele: all profiles of REF and ALT if requested, or splicing scores in each gene; 0: none.
    int64_t raw_values;
    float *raw; // [alleles][raw_values]
    int64_t raw_capacity;
    // counts of the run
    int64_t crowded;        // insertions and deletions with fewer neutral variants than wanted
    int64_t moved, movable; // insertions and deletions that are not leftmost; that have several forms
    int64_t done_records, resumed, left_out, counts[GW_ALLELE_STATUSES];
    int64_t compared, contradicted; // alleles with REF compared to the reference, and those that differ
    bool warned;
    char *unknown; // the first contig that the genome lacks
};

#endif
