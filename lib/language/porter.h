// SPDX-License-Identifier: MIT
// Porter's stemmer for English words (Porter, 1980, "An algorithm for suffix stripping"), with the changes of NLTK's
// PorterStemmer in its default mode, which ROUGE is commonly computed with.
#ifndef GW_LANGUAGE_PORTER_H
#define GW_LANGUAGE_PORTER_H

#include <stdint.h>

// Replaces a word of lower-case letters and digits by its stem, which is not longer. Returns the stem's length.
int64_t gw_porter_stem(char *word, int64_t length);

#endif
