// SPDX-License-Identifier: MIT
// Regular expressions of `~`: Perl's syntax on bytes, run by PCRE2 within bounds of time and memory.
#ifndef GW_SEQ_VCF_VCF_PATTERN_H
#define GW_SEQ_VCF_VCF_PATTERN_H

#include "base/status.h"

#include <stdbool.h>

typedef struct gw_vcf_pattern gw_vcf_pattern;

// GW_ERR_FORMAT: it is none, or too large a one.
gw_status gw_vcf_pattern_new(const char *pattern, bool any_case, gw_vcf_pattern **out) GW_MUST_CHECK;
void gw_vcf_pattern_free(gw_vcf_pattern *pattern); // NULL is fine
// Whether it matches somewhere in the text. GW_ERR_RANGE where it goes back and forth over the text too often.
gw_status gw_vcf_pattern_matches(const gw_vcf_pattern *pattern, const char *text, bool *yes) GW_MUST_CHECK;

#endif
