// SPDX-License-Identifier: MIT
// Transcripts with their exons, as SpliceAI's gene tables have them: TSV with the columns #NAME CHROM STRAND TX_START
// TX_END EXON_START EXON_END; starts are 0-based, ends 1-based inclusive, and those of exons are joined by commas. Or
// of GFF3 and GTF the canonical transcript of each gene, in the order of the genes: the one tagged MANE_Select, else
// Ensembl_canonical, else the one of the longest CDS, then of the longest exons, then of the first name.
#ifndef GW_SEQ_GENES_GENE_MODELS_H
#define GW_SEQ_GENES_GENE_MODELS_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *name;       // of the gene
    char *transcript; // its identifier, of gw_transcripts_read(); NULL: that of the gene's only one
    bool canonical;   // of gw_transcripts_read(): what a gene table has, too
    // Of gw_transcripts_read() alone, of GFF3 and GTF: other names of its gene (identifier, locus tags, symbol), each
    // followed by a tab; the protein's identifier, or NULL; NCBI's number of its genetic code, 0: the file does not
    // say.
    char *aliases, *protein;
    int code;
    int contig; // of the genome
    char strand;
    int64_t begin, end;  // 0-based half-open
    int64_t *boundaries; // [count] 0-based first and last bases of exons
    int64_t boundary_count;
    int64_t *coding; // [2 coding_count] 0-based half-open begins and ends of stretches of CDS, ascending; NULL: none
    int64_t coding_count;
} gw_gene_model;

// Zero-initialise.
typedef struct {
    gw_gene_model *items; // by contig, and on one as in the file
    int64_t count, capacity;
    int64_t *first;  // [contigs of the genome + 1] of each contig
    int64_t deepest; // most genes that share a base; not of gw_transcripts_read()
    int64_t strands; // items that stand behind the genes: gw_gene_models_add_strands()
    bool of_coding;  // gw_coding_genes_read()
    bool each;       // gw_transcripts_read()
} gw_gene_models;

// A line that cannot be is an error that names it. Warns of genes that are left out: on contigs that the genome lacks,
// or past the end of theirs; a table of which none is left is an error. Warns where most introns do not begin and end
// as introns do, since the genes are of another assembly then. Free it with gw_gene_models_free(), also on
// failure.
gw_status gw_gene_models_read(const char *path, gw_genome *genome, gw_gene_models *out) GW_MUST_CHECK;
// Whether the file looks like a gene table, not an annotation: its first line names the columns.
bool gw_is_gene_table(const char *path);
// The same where coding sequence counts: stop codons, which GTF keeps apart, are coding, and a transcript without exons
// has its CDS as such. SGD's table is read too, but for ORFs that it calls dubious.
gw_status gw_coding_genes_read(const char *path, gw_genome *genome, gw_gene_models *out) GW_MUST_CHECK;
// As gw_coding_genes_read(), but every transcript of each gene.
gw_status gw_transcripts_read(const char *path, gw_genome *genome, gw_gene_models *out) GW_MUST_CHECK;
// Writes a gene table that gw_gene_models_read() reads as the same genes; BGZF where the name ends in .gz, path NULL:
// standard output.
gw_status gw_gene_models_write(const gw_gene_models *models, const gw_genome *genome, const char *path) GW_MUST_CHECK;
void gw_gene_models_free(gw_gene_models *models);

// Adds both strands of each contig, called + and -, as if they were genes without exons that hold the bases that no
// other gene holds. Models may have no genes before.
gw_status gw_gene_models_add_strands(gw_gene_models *models, const gw_genome *genome) GW_MUST_CHECK;

// The next gene after `index` (-1: the first) in the file's order that holds the base (0-based); -1: no more.
int64_t gw_gene_models_next(const gw_gene_models *models, int contig, int64_t position, int64_t index);
// An identifier without the word that annotations put before it: "gene-b3987" is b3987.
const char *gw_gene_bare_name(const char *identifier);
// Whether the gene has a name of `length` letters: its own or one of its aliases, bare or not.
bool gw_gene_is_called(const gw_gene_model *gene, const char *name, size_t length);
// Bases from a position to the nearest boundary of an exon, negative to the left; of two as near the left one;
// INT64_MAX: there are no exons.
int64_t gw_gene_model_boundary(const gw_gene_model *gene, int64_t position);

#endif
