// SPDX-License-Identifier: MIT
// What of other genomes is too like held-out sequence to be trained on.
#ifndef GW_DATA_HOMOLOGS_H
#define GW_DATA_HOMOLOGS_H

#include "data/genome_text.h"

enum { GW_HOMOLOG_LENGTH = 24, GW_HOMOLOG_MARGIN = 1000 };

// Cuts out of the regions of all genomes of the text but the first what shares a 24-mer with `held_out`, on either
// strand, and 1,000 bp on both sides of it. *bases: how much was cut out. The text keeps its bases, and loses regions.
gw_status gw_homologs_cut(gw_genome_text *text, const gw_genome_text *held_out, int64_t *bases) GW_MUST_CHECK;

#endif
