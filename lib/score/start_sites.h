// SPDX-License-Identifier: MIT
// Start sites of genes near a variant, around which models of tracks have signals of their own: what an allele does to
// a gene's expression.
#ifndef GW_SCORE_START_SITES_H
#define GW_SCORE_START_SITES_H

#include "seq/genome/genome.h"
#include "seq/genome/regions.h"

// The first base of each gene of an annotation (seq/genes/genes.h) on its strand, of a base each, in the order of the
// genome; names are percent-encoded. Genes without a strand have none. Free it with gw_regions_free(), also on failure.
gw_status gw_start_sites_read(const char *path, gw_genome *genome, gw_regions *out) GW_MUST_CHECK;
// The most of them that lie within so many bases.
int64_t gw_start_sites_most(const gw_regions *sites, int64_t span);
// The number of the first one of the contig at `begin` or behind, or of a later contig's; their count if none.
int64_t gw_start_sites_from(const gw_regions *sites, int contig, int64_t begin);

#endif
