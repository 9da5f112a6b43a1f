// SPDX-License-Identifier: MIT
// Start sites of genes near a variant. Track models sum signals around them, to measure the effect on a gene's
// expression.
#ifndef GW_SCORE_START_SITES_H
#define GW_SCORE_START_SITES_H

#include "seq/genome/genome.h"
#include "seq/genome/regions.h"

// Reads the start sites of an annotation's genes (seq/genes/genes.h): the first base of each gene on its strand, as
// 1-bp regions in the order of the genome. Names are percent-encoded. Genes without a strand are skipped. Free `out`
// with gw_regions_free(), also after a failure.
gw_status gw_start_sites_read(const char *path, gw_genome *genome, gw_regions *out) GW_MUST_CHECK;
// The largest number of sites within `span` bp.
int64_t gw_start_sites_most(const gw_regions *sites, int64_t span);
// The index of the first site of the contig at `begin` or behind, or of a later contig; the number of sites if none.
int64_t gw_start_sites_from(const gw_regions *sites, int contig, int64_t begin);

#endif
