// SPDX-License-Identifier: MIT
// Effects of changes in constructs: reads a table of sequences with changes, and writes the table with further columns.
// A construct is a synthetic sequence that was measured. It need not occur in a genome.
#ifndef GW_SCORE_CONSTRUCTS_H
#define GW_SCORE_CONSTRUCTS_H

#include "score/score_options.h"

// The options' `constructs` is a table (file/table.h, "-": standard input) with a column `sequence` and either a column
// `change` (POS:REF:ALT in bases of the sequence, several joined by commas) or a column `changed` with the changed
// sequence. flank5 and flank3 are bases before and behind every sequence in the measurement, or NULL. Letters other
// than A, C, G, T are read as N.
//
// Writes a TSV, BGZF if the output ends in .gz: all columns of the table, then GW_STATUS (PASS, NOALT, REFMISMATCH,
// AMBIGUOUS, or TOOLONG: more tokens than the model's positions), and for each label LABEL.ref, LABEL.alt and
// LABEL.diff: probabilities, or numbers in their unit; '.' if missing. A sequence is read on the given strand, or on
// both if the model averages over both. The model must be fine-tuned, on windows of bases.
gw_status gw_score_constructs(gw_model *model, const gw_score_options *options) GW_MUST_CHECK;

#endif
