// SPDX-License-Identifier: MIT
// The contig that somebody may have meant by a name that the genome does not have. For messages: nothing is read by it.
#ifndef GW_SEQ_GENOME_NEAREST_CONTIG_H
#define GW_SEQ_GENOME_NEAREST_CONTIG_H

#include "seq/genome/genome.h"

// The fewest letters to change, add or drop between the names, without "chr" and the like and in any case; a number
// also stands for its Roman numeral (chr4, IV). The first of several; -1 where more than half of the letters would
// change.
int gw_nearest_contig(const gw_genome *genome, const char *name);

#endif
