// SPDX-License-Identifier: MIT
// What a run of gw_score() holds. Private to lib/score.
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
    gw_string input; // path of what is read
    gw_unread_variants unread;
    gw_regions regions, targets;
    gw_genes genes, outside;
    gw_annotation annotation;      // of consequences
    gw_consequences *consequences; // or NULL
    gw_motifs motifs;
    gw_motif_scanner *motif_scanner; // or NULL
    gw_vcf_filter filter;
    gw_vcf_reader *reader;
    gw_vcf_writer *writer;
    gw_table_writer *table; // or NULL
    gw_score_keys *keys;
    gw_background *background; // to compare with, or NULL
    char *background_path;     // of its file
    gw_score_tables tables;
    gw_allele_scorer *scorer;
    gw_known_fields known_fields;
    gw_score_known *known;     // or NULL
    gw_score_journal *journal; // or NULL
    gw_used_contigs used;
    bool scanned;                                         // `used` is complete
    char model_md5[33], tracks_md5[33], controls_md5[33]; // "": it has none
    gw_string lines;                                      // of the header: what scores depend on
    char settings[GW_SCORE_SETTINGS];                     // the line that stands for them all
    int64_t first, end;                                   // records of the shard
    int64_t seen;                                         // records read, those before the shard too
    // the chunk
    gw_vcf_record *records;
    int64_t record_count, record_capacity;
    gw_score_alleles alleles;
    gw_haplotypes haplotypes; // of the chunk
    int64_t joint;            // its first joined allele
    int64_t ahead;            // index of a record that was read for the next chunk; 0: none
    int sample;
    // Floats that are kept of each allele beside it: all profiles of REF and ALT where they are wanted, or scores of
    // splicing in each gene; 0: none.
    int64_t raw_values;
    float *raw; // [alleles][raw_values]
    int64_t raw_capacity;
    // counts of the run
    int64_t crowded;        // insertions and deletions with fewer neutral ones than wanted
    int64_t moved, movable; // insertions and deletions that do not stand leftmost; that have several forms
    int64_t done_records, resumed, left_out, counts[GW_ALLELE_STATUSES];
    int64_t compared, contradicted; // alleles whose REF was held to the reference, and those that it contradicts
    bool warned;
    char *unknown; // the first contig that the genome lacks
};

#endif
