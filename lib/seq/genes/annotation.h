// SPDX-License-Identifier: MIT
// An annotation's transcripts with the data for consequences of variants: biotypes, exons, UTRs, and CDS with its
// frame; and the parts of transcripts that overlap a range of the genome.
//
// Formats: GFF3 in Ensembl's form (gene; transcript with a biotype, or with a type that is one; below it exon, CDS,
// five_prime_UTR and three_prime_UTR; UTRs are only those of the file); GTF (the stop codon is added to CDS; UTRs are
// exons outside CDS); SGD's table (ORFs that are not dubious, and RNA genes with a type that is a biotype).
#ifndef GW_SEQ_GENES_ANNOTATION_H
#define GW_SEQ_GENES_ANNOTATION_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

// Biotypes of transcripts in Ensembl's annotations, with the names that bcftools csq writes.
typedef struct {
    const char *word; // beginning of the biotype in annotations
    const char *name; // name in output; NULL: the word
    bool coding;      // transcripts with CDS are translated
} gw_biotype;

// The biotype at the beginning of a text, or NULL: such transcripts are skipped.
const gw_biotype *gw_biotype_of(const char *text);
const char *gw_biotype_name(const gw_biotype *biotype);
// Whether transcripts decay because of an early stop codon: their consequences have the term NMD_transcript.
bool gw_biotype_decays(const gw_biotype *biotype);

typedef enum { GW_CDS_PART, GW_UTR_PART, GW_EXON_PART, GW_WHOLE_PART, GW_GENE_PARTS } gw_gene_part_kind;

// Positions are 0-based half-open.
typedef struct {
    int64_t transcript, order; // order: among parts of this kind in the file
    int contig;
    int64_t begin, end;
    bool five;     // of a UTR: it is 5'
    int8_t phase;  // of CDS: bases before the first whole codon, in transcript direction; -1: not in the file
    int64_t index; // of CDS: number of CDS parts before it on the forward strand
    int64_t place; // and the number of their bases
} gw_gene_part;

typedef struct {
    char *id, *gene; // gene: name, or identifier
    const gw_biotype *biotype;
    int contig;
    char strand;
    int64_t begin, end;
    gw_gene_part *cds; // [cds_count] ascending, only whole codons
    int64_t cds_count, cds_capacity;
    int64_t coding_length;        // bases of all CDS, a multiple of 3
    bool bacterial;               // start codons other than ATG are possible (gw_codon_starts_bacteria())
    bool starts_late, ends_early; // bases of an incomplete codon were removed at the 5' or the 3' end
} gw_annotated;

// Parts of one kind, sorted by position.
typedef struct {
    gw_gene_part *items;
    int64_t count, capacity;
    int64_t *first; // [contigs + 1] first part of each contig; parts by begin, then by descending end, then as in the
                    // file
    int64_t *reach; // [count] largest end of the contig's parts up to this one
} gw_gene_part_index;

// Zero-initialise.
typedef struct {
    gw_annotated *items; // in the order of their first appearance in the file
    int64_t count, capacity;
    gw_gene_part_index index[GW_GENE_PARTS]; // exons include GW_SPLICE_REACH bases on either side
} gw_annotation;

enum { GW_SPLICE_REACH = 8 }; // bases of an intron that belong to its splice site

// Reads an annotation. Invalid lines are errors that name them; so are a file without any transcript on the genome, and
// CDS with contradictory phases. Warns of skipped content. Free `out`, also after a failure.
gw_status gw_annotation_read(const char *path, gw_genome *genome, gw_annotation *out) GW_MUST_CHECK;
void gw_annotation_free(gw_annotation *annotation);

// The next part behind index *at (-1: the first) that overlaps [begin, end) of the contig; NULL: no further part.
const gw_gene_part *gw_annotation_next(const gw_annotation *annotation, gw_gene_part_kind kind, int contig,
                                       int64_t begin, int64_t end, int64_t *at);

#endif
