// SPDX-License-Identifier: MIT
// Transcripts with their exons. From SpliceAI's gene tables: TSV with the columns #NAME CHROM STRAND TX_START TX_END
// EXON_START EXON_END; starts are 0-based, ends 1-based inclusive, and exon positions are joined by commas. Or from
// GFF3 and GTF: the canonical transcript of each gene, in the order of the genes. This is the one tagged MANE_Select,
// else Ensembl_canonical, else the one with the longest CDS, then the longest exons, then the first name.
#ifndef GW_SEQ_GENES_GENE_MODELS_H
#define GW_SEQ_GENES_GENE_MODELS_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    char *name;       // of the gene
    char *transcript; // identifier, from gw_transcripts_read(); NULL: the gene's only transcript
    bool canonical;   // from gw_transcripts_read(): gene tables would contain it
    // Only from gw_transcripts_read() with GFF3 and GTF: other names of its gene (identifier, locus tags, symbol), each
    // followed by a tab; the protein's identifier, or NULL; NCBI's number of its genetic code, 0: not in the file.
    char *aliases, *protein;
    int code;
    int contig; // of the genome
    char strand;
    int64_t begin, end;  // 0-based half-open
    int64_t *boundaries; // [count] 0-based first and last bases of exons
    int64_t boundary_count;
    int64_t *coding; // [2 coding_count] 0-based half-open begins and ends of CDS ranges, ascending; NULL: none
    int64_t coding_count;
} gw_gene_model;

// Zero-initialise.
typedef struct {
    gw_gene_model *items; // by contig, then as in the file
    int64_t count, capacity;
    int64_t *first;  // [contigs of the genome + 1] first item of each contig
    int64_t deepest; // most genes that share a base; not from gw_transcripts_read()
    int64_t strands; // items for strands, behind the genes: gw_gene_models_add_strands()
    bool of_coding;  // from gw_coding_genes_read()
    bool each;       // from gw_transcripts_read()
} gw_gene_models;

// Invalid lines are errors that name them. Warns of skipped genes: on contigs that the genome lacks, or beyond a
// contig's end. A file without remaining genes is an error. Warns if most introns lack the usual first and last bases,
// because the genes are then of another assembly. Free `out` with gw_gene_models_free(), also after a failure.
gw_status gw_gene_models_read(const char *path, gw_genome *genome, gw_gene_models *out) GW_MUST_CHECK;
// Whether the file is a gene table and no annotation: its first line names the columns.
bool gw_is_gene_table(const char *path);
// The same for coding sequence: stop codons, which are separate in GTF, are coding, and a transcript without exons has
// its CDS as exons. SGD's table is read too, except ORFs marked as dubious.
gw_status gw_coding_genes_read(const char *path, gw_genome *genome, gw_gene_models *out) GW_MUST_CHECK;
// Like gw_coding_genes_read(), with every transcript of each gene.
gw_status gw_transcripts_read(const char *path, gw_genome *genome, gw_gene_models *out) GW_MUST_CHECK;
// Writes a gene table from which gw_gene_models_read() reads the same genes; BGZF if the name ends in .gz; path NULL:
// standard output.
gw_status gw_gene_models_write(const gw_gene_models *models, const gw_genome *genome, const char *path) GW_MUST_CHECK;
void gw_gene_models_free(gw_gene_models *models);

// Adds both strands of each contig, named + and -, as genes without exons for the bases outside all other genes. The
// models may have no genes.
gw_status gw_gene_models_add_strands(gw_gene_models *models, const gw_genome *genome) GW_MUST_CHECK;

// The next gene behind `index` (-1: the first), in the file's order, that contains the base (0-based); -1: none.
int64_t gw_gene_models_next(const gw_gene_models *models, int contig, int64_t position, int64_t index);
// An identifier without its prefix in annotations: "gene-b3987" is b3987.
const char *gw_gene_bare_name(const char *identifier);
// Whether the gene has a name of `length` letters: its own or an alias, with or without prefix.
bool gw_gene_is_called(const gw_gene_model *gene, const char *name, size_t length);
// The distance in bases from a position to the nearest exon boundary, negative to the left. Of two equally near
// boundaries the left one counts. INT64_MAX: no exons.
int64_t gw_gene_model_boundary(const gw_gene_model *gene, int64_t position);

#endif
