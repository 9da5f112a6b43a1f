// SPDX-License-Identifier: MIT
// The genes of an annotation (GFF3, GTF, SGD's table) by place on a genome: which of them a variant or a window
// overlaps.
#ifndef GW_SEQ_GENES_GENES_H
#define GW_SEQ_GENES_GENES_H

#include "base/string.h"
#include "seq/genes/gff.h"
#include "seq/genome/regions.h"

// Zero-initialise.
typedef struct {
    gw_regions regions; // sorted; names are percent-encoded, & too
    int64_t *reach;     // [count] the furthest end of the contig's genes up to this one
} gw_genes;

// Reads the features that gw_gff_genes takes. A name is the first that a row, or else an ancestor, has of gene_name,
// gene, Name, gene_id, ID and SGD's systematic name. Warns of genes that are left out: without a name, on contigs that
// the genome lacks, past the end of theirs; and a file of which none is left is an error.
gw_status gw_genes_read(const char *path, gw_genome *genome, gw_genes *genes) GW_MUST_CHECK;
void gw_genes_free(gw_genes *genes);

// Appends the names of the genes that share a base with [begin, end) (0-based) of the genome's contig, in the order of
// their starts, each once, joined by &. Returns whether there was any; names NULL: no more is asked. A contig of -1 has
// none.
bool gw_genes_at(const gw_genes *genes, int contig, int64_t begin, int64_t end, gw_string *names);

// Regions that are named by genes.

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
