// SPDX-License-Identifier: MIT
// Regions that are named by genes.
#ifndef GW_SEQ_GENES_GENE_REGIONS_H
#define GW_SEQ_GENES_GENE_REGIONS_H

#include "base/string.h"
#include "seq/genome/regions.h"

// Whether a list of regions, or NULL, has "gene:NAME" in it.
bool gw_regions_name_genes(const char *list);
// The list with contig:begin-end in the place of each "gene:NAME": from the first to the last base of the gene's
// transcripts, once for each contig that has it. *list becomes the text of `own`, which outlives it; without such a
// name, and NULL, it stays. A name that the annotation (as of gw_transcripts_read()) lacks is an error, and so is one
// that no annotation explains (path NULL).
gw_status gw_place_genes(const char **list, const char *path, gw_genome *genome, gw_string *own) GW_MUST_CHECK;
// gw_regions_parse() of such a list.
gw_status gw_regions_parse_genes(gw_regions *regions, gw_genome *genome, const char *list,
                                 const char *path) GW_MUST_CHECK;

#endif
