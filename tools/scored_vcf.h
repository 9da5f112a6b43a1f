// SPDX-License-Identifier: MIT
// Scores in a scored VCF, and labels for pictures of them.
#ifndef GW_TOOLS_SCORED_VCF_H
#define GW_TOOLS_SCORED_VCF_H

#include "base/string.h"
#include "seq/vcf/vcf.h"
#include "tools/picture/picture.h"

#include <stdbool.h>

// Sets *key to the INFO key of the scores: X_DIFF, X_LLR, X_SPLICE, X_POLYA, X_DELTA or X_LFC. X is GW or a --tag that
// the header names. NULL: the file has no scores. Free *key with free().
gw_status gw_scored_key(const gw_vcf_reader *reader, char **key) GW_MUST_CHECK;
// Whether the key holds scores of a model of measured numbers, not of probabilities.
bool gw_scored_of_numbers(const gw_vcf_reader *reader, const char *key);
bool gw_scored_has(const gw_vcf_reader *reader, const char *key);
// The splicing effect of an ALT: the largest delta score of its entries.
typedef struct {
    char gene[64];
    const char *what; // "acceptor gain", "acceptor loss", "donor gain" or "donor loss"
    int64_t at;       // bases from POS
} gw_scored_splice;
// Fills `out` for ALT number `alt`; false: the record has no entry. text: scratch memory.
bool gw_scored_splicing(const gw_vcf_reader *reader, const gw_vcf_record *record, int alt, gw_string *text,
                        gw_scored_splice *out);
// Appends the consequence terms of this ALT, each once, joined by &. The terms come from TAG_BCSQ if the key is
// TAG_..., otherwise from BCSQ. If a record has several ALTs, entries without a change count for each ALT.
void gw_scored_consequences(const gw_vcf_reader *reader, const gw_vcf_record *record, const char *key, int alt,
                            gw_string *text, gw_string *out);
// Decodes %XX and replaces & between names by a comma. NULL if memory is out; free with free().
char *gw_scored_names(const char *text);
// Appends the Description of an INFO key; appends nothing if the header has none.
void gw_scored_describe(const gw_vcf_reader *reader, const char *key, gw_string *out);

// Labels of an INFO key of scores in pictures.

typedef struct {
    const char *measure;       // NULL: unknown
    const char *above, *below; // meaning of values above and below 0; NULL: no difference
} gw_score_axis;

// Finds the labels by the key's name without its tag: LLR for GW_LLR. numbers: the model predicts measured numbers,
// such as expression.
gw_score_axis gw_score_axis_of(const char *key, bool numbers);
// Appends "KEY (measure)".
void gw_score_axis_label(gw_string *out, const char *key, bool numbers);

// Thresholds of splicing delta scores by SpliceAI's authors, with their names.
enum { GW_SPLICE_LINES = 3 };
extern const gw_picture_line gw_splice_lines[GW_SPLICE_LINES];
bool gw_score_is_splicing(const char *key); // whether these thresholds apply to the key

#endif
