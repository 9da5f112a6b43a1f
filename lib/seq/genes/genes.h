// SPDX-License-Identifier: MIT
// The genes of an annotation (GFF3, GTF, SGD's table) by position, to find those that overlap a variant or a window.
#ifndef GW_SEQ_GENES_GENES_H
#define GW_SEQ_GENES_GENES_H

#include "base/string.h"
#include "seq/genes/gff.h"
#include "seq/genome/regions.h"

// Zero-initialise.
typedef struct {
    gw_regions regions; // sorted; names are percent-encoded, & too
    int64_t *reach;     // [count] largest end of the contig's genes up to this one
} gw_genes;

// Reads the features of gw_gff_genes. The name is the first of gene_name, gene, Name, gene_id, ID and SGD's systematic
// name that a row, or else an ancestor, has. Warns of skipped genes: without a name, on contigs that the genome lacks,
// or beyond a contig's end. A file without remaining genes is an error.
gw_status gw_genes_read(const char *path, gw_genome *genome, gw_genes *genes) GW_MUST_CHECK;
void gw_genes_free(gw_genes *genes);

// Appends the names of the genes that overlap [begin, end) (0-based) of the genome's contig, sorted by start, each
// once, joined by &. Returns whether there was any; names NULL: only this is needed. Contig -1 has no genes.
bool gw_genes_at(const gw_genes *genes, int contig, int64_t begin, int64_t end, gw_string *names);

// Regions named by genes.

// Whether a list of regions, or NULL, contains "gene:NAME".
bool gw_regions_name_genes(const char *list);
// Replaces each "gene:NAME" in the list by contig:begin-end: from the first to the last base of the gene's transcripts,
// for each contig that has the gene. *list then points to the text in `own`. NULL and lists without genes stay
// unchanged. A name that the annotation (see gw_transcripts_read()) lacks, and a name without an annotation (path
// NULL), are errors.
gw_status gw_place_genes(const char **list, const char *path, gw_genome *genome, gw_string *own) GW_MUST_CHECK;
// gw_regions_parse() for such lists.
gw_status gw_regions_parse_genes(gw_regions *regions, gw_genome *genome, const char *list,
                                 const char *path) GW_MUST_CHECK;

#endif
