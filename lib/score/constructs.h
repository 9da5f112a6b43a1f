// SPDX-License-Identifier: MIT
// What changes of constructs do: a table of sequences and their changes in, the same table with numbers behind it out.
// A construct is a sequence that was made and measured, which no genome need have.
#ifndef GW_SCORE_CONSTRUCTS_H
#define GW_SCORE_CONSTRUCTS_H

#include "score/score_options.h"

// The options' `constructs` is a table (file/table.h, "-": standard input) whose header has `sequence` and either
// `change` (POS:REF:ALT of the sequence's bases, several between commas) or `changed`, the sequence with its change.
// flank5 and flank3 are bases before and behind every sequence, as it stood when it was measured, or NULL. Letters
// other than A, C, G, T are read as N.
//
// Writes a TSV, BGZF where the output ends in .gz: all columns of the table, then GW_STATUS (PASS, NOALT, REFMISMATCH,
// AMBIGUOUS, TOOLONG: more tokens than the model's positions), and for each label LABEL.ref, LABEL.alt and LABEL.diff,
// '.' where there is none: the model's probabilities, or numbers in their unit. A sequence is read on the strand given,
// or on both where the model reads both. The model is fine-tuned, on windows of bases.
gw_status gw_score_constructs(gw_model *model, const gw_score_options *options) GW_MUST_CHECK;

#endif
