// SPDX-License-Identifier: MIT
// The INFO keys of `score`, and their values for a record.
#ifndef GW_SCORE_SCORE_KEYS_H
#define GW_SCORE_SCORE_KEYS_H

#include "base/string.h"
#include "model/config.h"
#include "score/allele.h"
#include "score/score_key_options.h"
#include "seq/vcf/vcf.h"

typedef struct gw_score_keys gw_score_keys;

// Appends what GW_SITE calls a start site: its name, percent-encoded, or contig:position:strand.
void gw_site_name(gw_string *name, const gw_region *site, const gw_genome *genome);

// The options are read here only, but for genes and background. The config is borrowed.
gw_status gw_score_keys_new(const gw_config *config, const gw_score_key_options *options,
                            gw_score_keys **out) GW_MUST_CHECK;
void gw_score_keys_free(gw_score_keys *keys);
const gw_info_key *gw_score_keys_list(const gw_score_keys *keys, int *count);
// Values of the record's alleles, valid until the next call. raw: [count][2][labels], needed where profiles are listed,
// or of models of splicing as gw_splice_scorer_run() gives it.
gw_status gw_score_keys_values(gw_score_keys *keys, const gw_vcf_record *record, const gw_allele *alleles,
                               const float *raw, const gw_info_values **values) GW_MUST_CHECK;

#endif
