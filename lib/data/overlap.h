// SPDX-License-Identifier: MIT
// Whether two pieces of text were read at overlapping places of one genome.
//
// Shards hold no positions, and the repeats of a corpus cover the same contigs again and again, so the text itself has
// to tell. If two pieces overlap, then the overlap begins where one of them begins and ends where one of them ends, and
// within it they agree in every base. That is what is looked for, on both strands. It needs no parameter but the
// shortest overlap that counts, repeats inside the pieces do not disturb it, and unrelated text passes it by chance
// with a probability of about 5 / 4^shortest.
#ifndef GW_DATA_OVERLAP_H
#define GW_DATA_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

enum { GW_SHORTEST_OVERLAP = 8 }; // bases; a piece that is shorter counts where it lies wholly inside the other

// One strand: true where some shift makes a and b overlap in at least min(GW_SHORTEST_OVERLAP, a_length, b_length)
// bases and agree in all of them.
bool gw_texts_overlap(const char *a, int64_t a_length, const char *b, int64_t b_length);

#endif
