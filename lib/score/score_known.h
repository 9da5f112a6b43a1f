// SPDX-License-Identifier: MIT
// Exact values of an allele that a model of splicing scored, as text: its status, '|', and 32-bit words of 8
// hexadecimal digits: its fields, then the values in each gene. Who reads them back writes the bytes of who computed.
#ifndef GW_SCORE_SCORE_KNOWN_H
#define GW_SCORE_SCORE_KNOWN_H

#include "base/string.h"
#include "score/allele.h"

extern const char gw_allele_values_key[]; // of INFO, whatever prefix others have
void gw_allele_values_append(const gw_allele *allele, const float *raw, int64_t count, gw_string *out);
// Fills status, fields and raw [count]; false: the text is no such values, and some may be filled.
bool gw_allele_values_parse(const char *text, int64_t count, gw_allele *allele, float *raw);

#endif
