// SPDX-License-Identifier: MIT
// What `score` writes beside the VCF: unscored alleles with their reasons, and every profile of every allele.
#ifndef GW_SCORE_SCORE_TABLES_H
#define GW_SCORE_SCORE_TABLES_H

#include "file/lines.h"
#include "file/npy.h"
#include "model/config.h"
#include "score/allele.h"
#include "seq/vcf/vcf.h"

typedef struct {
    gw_text_writer *reasons; // or NULL
    gw_text_writer *rows;    // <profiles without .npy>.rows.tsv, or NULL
    gw_npy profiles;
    char *rows_path, *names_path;
    int64_t alleles; // rows so far
} gw_score_tables;

// Opens what is asked for (paths or NULL); "x.npy" goes with "x.rows.tsv" and "x.profiles.tsv".
gw_status gw_score_tables_open(gw_score_tables *tables, const char *reasons, const char *profiles,
                               const gw_config *config) GW_MUST_CHECK;
// One allele of a record (alt -1: its ALT is '.', which has a reason but no row); raw [2][labels], NULL without
// profiles.
gw_status gw_score_tables_add(gw_score_tables *tables, const gw_vcf_record *record, int alt, gw_allele_status status,
                              const float *raw) GW_MUST_CHECK;
gw_status gw_score_tables_close(gw_score_tables *tables) GW_MUST_CHECK; // releases whatever happens
void gw_score_tables_abandon(gw_score_tables *tables);

#endif
