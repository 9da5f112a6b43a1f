// SPDX-License-Identifier: MIT
// Changes of a construct: a sequence that was made and measured, which no genome need have.
#ifndef GW_SCORE_CONSTRUCT_CHANGE_H
#define GW_SCORE_CONSTRUCT_CHANGE_H

#include "base/string.h"
#include "seq/vcf/variant.h"

// `text` is POS:REF:ALT, or several between commas: POS counts the sequence's bases from 1, REF and ALT have a base or
// more, in either case. Appends the sequence with all of them in place. *status: PASS; NOALT where the text is empty or
// '.', and the sequence is appended as it is; REFMISMATCH where other bases than REF stand there, or none; AMBIGUOUS
// where an allele has a letter other than A, C, G, T. What has another form, and changes that overlap, are errors.
gw_status gw_construct_change(const char *sequence, int64_t length, const char *text, gw_string *changed,
                              gw_allele_status *status) GW_MUST_CHECK;

#endif
