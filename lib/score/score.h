// SPDX-License-Identifier: MIT
// Variant effects of a whole variant file: records in, the same records with more INFO out, in bounded memory.
//
// Keys (prefix GW_ or another): score_keys.c has them.
#ifndef GW_SCORE_SCORE_H
#define GW_SCORE_SCORE_H

#include "score/score_options.h"

// Where the output is a file, what is scored is kept in <output>.journal until the output has its name: the same call
// after a run that was stopped takes it from there.
gw_status gw_score(gw_model *model, gw_genome *genome, const gw_score_options *options) GW_MUST_CHECK;

#endif
