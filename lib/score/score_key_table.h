// SPDX-License-Identifier: MIT
// The INFO keys of `score` as a table: one row a key, with the model it belongs to and where its value comes from.
// Private to lib/score.
#ifndef GW_SCORE_SCORE_KEY_TABLE_H
#define GW_SCORE_SCORE_KEY_TABLE_H

#include "score/allele.h"
#include "score/score_key_options.h"
#include "seq/vcf/vcf.h"

#include <stddef.h>

typedef enum {
    GW_KEY_PROFILES,
    GW_KEY_RAW,
    GW_KEY_TOPS,
    GW_KEY_SPREAD,
    GW_KEY_SHIFTS,
    GW_KEY_NULLS,
    GW_KEY_HAPLOTYPES,
    GW_KEY_STATES,
    GW_KEY_SITES,
    GW_KEY_GENES,
    GW_KEY_CONSEQUENCES, // a list
    GW_KEY_PRETRAINED,
    GW_KEY_SPLICE,
    GW_KEY_DELTA, // of other labels of bases
    GW_KEY_VALUES,
    GW_KEY_PROBABILITIES, // a list too
    GW_KEY_ENTRIES,       // a list, called as the options say, without a prefix
    GW_KEY_BACKGROUND,
    GW_KEY_EFFECTS, // of a background: its e-value, by what is counted
    GW_KEY_SIZES,
    GW_KEY_LOWER,
    GW_KEY_CONTEXT, // of one that was made by context
    GW_KEY_ALL
} gw_key_use;
typedef enum {
    GW_FROM_FLOAT,
    GW_FROM_FOLD,
    GW_FROM_EFFECT,
    GW_FROM_EVALUE,
    GW_FROM_Z,
    GW_FROM_PERCENTILE,
    GW_FROM_CONTEXT,
    GW_FROM_TOP,
    GW_FROM_TOP_NAME,
    GW_FROM_TOPS,
    GW_FROM_SITE,
    GW_FROM_GENES,
    GW_FROM_CONSEQUENCES,
    GW_FROM_SHIFT,
    GW_FROM_HAPLOTYPES,
    GW_FROM_ENTRIES,
    GW_FROM_PROBABILITIES,
    GW_FROM_VALUES,
    GW_FROM_STATUS,
} gw_key_source;

typedef struct {
    const char *name;
    const char *score; // by which --scores asks for it; NULL: it is not asked for so
    gw_key_use use;
    gw_info_kind kind;
    gw_key_source source;
    size_t offset;                        // GW_FROM_FLOAT: of the field
    const char *description, *of_numbers; // the second of models whose labels are numbers; NULL: the first
} gw_score_key_row;

enum { GW_SCORE_KEYS = 39 };
extern const gw_score_key_row gw_score_key_rows[]; // [GW_SCORE_KEYS]

bool gw_score_key_is_used(const gw_score_key_row *row, bool classifier, const gw_score_key_options *options);
// Each word of the option must be a score that this model, with or without a background, has.
gw_status gw_score_key_check(bool classifier, const gw_score_key_options *options) GW_MUST_CHECK;

#endif
