// SPDX-License-Identifier: MIT
// Porter's stemmer of English words (Porter, 1980, "An algorithm for suffix stripping"), with the departures of NLTK's
// PorterStemmer in its usual mode, by which ROUGE is computed in the field.
#ifndef GW_LANGUAGE_PORTER_H
#define GW_LANGUAGE_PORTER_H

#include <stdint.h>

// Replaces a word of lower-case letters and digits by its stem, which is no longer; returns the stem's length.
int64_t gw_porter_stem(char *word, int64_t length);

#endif
