// SPDX-License-Identifier: MIT
// What a scored VCF says of its scores, and what pictures say of their keys.
#ifndef GW_TOOLS_SCORED_VCF_H
#define GW_TOOLS_SCORED_VCF_H

#include "base/string.h"
#include "seq/vcf/vcf.h"
#include "tools/picture/picture.h"

#include <stdbool.h>

// Sets *key to the INFO key of the scores, X_DIFF, X_LLR, X_SPLICE, X_POLYA, X_DELTA or X_LFC, X being GW or a --tag
// that the header names; NULL: there is none. Free it with free().
gw_status gw_scored_key(const gw_vcf_reader *reader, char **key) GW_MUST_CHECK;
// Whether the key's numbers are of a model of measured numbers, not probabilities.
bool gw_scored_of_numbers(const gw_vcf_reader *reader, const char *key);
bool gw_scored_has(const gw_vcf_reader *reader, const char *key);
// What a model of splicing says of an ALT: the largest delta score of its entries.
typedef struct {
    char gene[64];
    const char *what; // "acceptor gain", "acceptor loss", "donor gain" or "donor loss"
    int64_t at;       // bases from POS
} gw_scored_splice;
// Of ALT number `alt`; false: the record has none. text: room.
bool gw_scored_splicing(const gw_vcf_reader *reader, const gw_vcf_record *record, int alt, gw_string *text,
                        gw_scored_splice *out);
// Appends the terms of consequence of that ALT, each once, joined by &, of TAG_BCSQ where the key is TAG_..., or of
// BCSQ. Of several ALTs entries without a change count for each.
void gw_scored_consequences(const gw_vcf_reader *reader, const gw_vcf_record *record, const char *key, int alt,
                            gw_string *text, gw_string *out);
// Names as people write them: %XX as its byte, & between names as a comma. NULL without memory; free with free().
char *gw_scored_names(const char *text);
// Appends the Description of an INFO key; nothing where the header has none.
void gw_scored_describe(const gw_vcf_reader *reader, const char *key, gw_string *out);

// What pictures say of an INFO key of scores.

typedef struct {
    const char *measure;       // NULL: unknown
    const char *above, *below; // what values above and below 0 mean; NULL: there are none to tell apart
} gw_score_axis;

// By the key's name without its tag: LLR for GW_LLR. numbers: of a model of measured numbers, such as expression.
gw_score_axis gw_score_axis_of(const char *key, bool numbers);
// Appends "KEY (measure)".
void gw_score_axis_label(gw_string *out, const char *key, bool numbers);

// Delta scores of splicing that SpliceAI's authors name: from these on they are called so.
enum { GW_SPLICE_LINES = 3 };
extern const gw_picture_line gw_splice_lines[GW_SPLICE_LINES];
bool gw_score_is_splicing(const char *key); // a key that these lines are of

#endif
