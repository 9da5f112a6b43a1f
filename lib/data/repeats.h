// SPDX-License-Identifier: MIT
// Repeats of a genome by counting: bases that lie in a 31-mer which occurs at least twice in the genome, on either
// strand.
#ifndef GW_DATA_REPEATS_H
#define GW_DATA_REPEATS_H

#include "base/status.h"
#include "data/genome_text.h"

enum { GW_REPEAT_LENGTH = 31 };

// Puts these bases in lower case in the regions from number `first` on, which were read from `genome`. The whole genome
// is read; memory is 18 to 36 bytes a base of these regions.
gw_status gw_repeats_mark(gw_genome_text *text, int64_t first, gw_genome *genome) GW_MUST_CHECK;

#endif
