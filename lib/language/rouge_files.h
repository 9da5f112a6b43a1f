// SPDX-License-Identifier: MIT
// ROUGE of the lines of one file against those of another.
#ifndef GW_LANGUAGE_ROUGE_FILES_H
#define GW_LANGUAGE_ROUGE_FILES_H

#include "language/rouge_mean.h"

// Line i of `references` belongs to line i of `texts`; a line is a text, "<n>" ends its sentences, and it may be empty.
// Another number of lines and what is not UTF-8 are errors. per_pair: a table with a row for each pair, or NULL.
gw_status gw_rouge_files(const char *references, const char *texts, const char *per_pair, int64_t samples,
                         uint64_t seed, gw_rouge_summary *out) GW_MUST_CHECK;

#endif
