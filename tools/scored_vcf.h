// SPDX-License-Identifier: MIT
// What the header of a scored VCF says of its scores.
#ifndef GW_TOOLS_SCORED_VCF_H
#define GW_TOOLS_SCORED_VCF_H

#include "base/string.h"
#include "seq/vcf/vcf.h"

// Sets *key to the INFO key of the scores, X_DIFF or X_LLR where X is GW or a --tag that the header names; NULL: there
// is none. Free it with free().
gw_status gw_scored_key(const gw_vcf_reader *reader, char **key) GW_MUST_CHECK;
bool gw_scored_has(const gw_vcf_reader *reader, const char *key);
// Appends the Description of an INFO key; nothing where the header has none.
void gw_scored_describe(const gw_vcf_reader *reader, const char *key, gw_string *out);

#endif
