// SPDX-License-Identifier: MIT
// Scores a whole variant file: writes the same records with more INFO fields, in bounded memory.
//
// score_keys.c has the keys (prefix GW_ or another).
#ifndef GW_SCORE_SCORE_H
#define GW_SCORE_SCORE_H

#include "score/score_options.h"

// If the output is a file, scores are kept in <output>.journal until the output is complete. The same call after a
// stopped run continues from the journal.
gw_status gw_score(gw_model *model, gw_genome *genome, const gw_score_options *options) GW_MUST_CHECK;

#endif
