// SPDX-License-Identifier: MIT
// Byte-pair merges of words of letters, whatever the letters are. For the files of lib/text only.
//
// count(l, r) = neighbouring tokens l, r inside the words, overlapping ones in runs included. Ties go to the smaller l,
// then the smaller r. This is the rule of Hugging Face's BpeTrainer with min_frequency 2.
#ifndef GW_TEXT_BPE_LEARN_H
#define GW_TEXT_BPE_LEARN_H

#include "base/status.h"

#include <stdint.h>

typedef struct gw_bpe_learner gw_bpe_learner;
// Letters are the ids [first_letter, first_merge), at most some hundreds; ids below them are never part of a merge.
gw_status gw_bpe_learner_new(int32_t first_letter, int32_t first_merge, gw_bpe_learner **out) GW_MUST_CHECK;
void gw_bpe_learner_free(gw_bpe_learner *learner); // NULL is fine
// A word: ids[byte] of each of its bytes.
gw_status gw_bpe_learner_add(gw_bpe_learner *learner, const uint16_t ids[256], const char *word,
                             int64_t length) GW_MUST_CHECK;
int64_t gw_bpe_learner_letters(const gw_bpe_learner *learner); // that were added
// Learns merges until there are `size` ids or no pair occurs twice: merges[0 .. *count), room for size - first_merge,
// pairs of ids; merge k makes id first_merge + k. *merged: their occurrences, so that letters - *merged tokens are
// left. A learner runs once.
gw_status gw_bpe_learner_run(gw_bpe_learner *learner, int32_t size, int32_t (*merges)[2], int64_t *count,
                             int64_t *merged) GW_MUST_CHECK;

#endif
