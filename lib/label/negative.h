// SPDX-License-Identifier: MIT
// Negatives made from a promoter's own sequence.
//
// The window of W bases is cut into 20 near-equal pieces, piece i being [i W / 20, (i + 1) W / 20). 12 of them are
// drawn without replacement, afresh for every example; the other 8 stay. (Oubounyt et al. 2019; BigBird section 5.)
#ifndef GW_LABEL_NEGATIVE_H
#define GW_LABEL_NEGATIVE_H

#include "base/random.h"

#include <stdint.h>

enum { GW_PIECES = 20, GW_PIECES_CHANGED = 12 };

// The drawn pieces are replaced by uniform random A, C, G, T, in place.
void gw_negative_substitute(gw_random *random, char *bases, int64_t length);
// The drawn pieces are permuted among themselves: the k-th drawn slot receives another drawn piece. Pieces differ by
// one base at most where W is no multiple of 20, and what follows moves by as much. out may not overlap bases.
void gw_negative_shuffle(gw_random *random, const char *bases, int64_t length, char *out);

#endif
