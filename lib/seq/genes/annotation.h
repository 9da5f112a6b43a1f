// SPDX-License-Identifier: MIT
// An annotation's transcripts with all that consequences of variants are told from: biotypes, exons, UTRs, and CDS with
// its frame; and which of their parts a stretch of the genome meets.
//
// Formats: GFF3 as Ensembl writes it (gene, transcript with a biotype or a type that is one, and exon, CDS,
// five_prime_UTR and three_prime_UTR below it; UTRs are those that the file has); GTF (CDS with its stop codon; UTRs
// are what exons have beside it); SGD's table (ORFs that are not dubious, and RNA genes whose type is a biotype).
#ifndef GW_SEQ_GENES_ANNOTATION_H
#define GW_SEQ_GENES_ANNOTATION_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdbool.h>
#include <stdint.h>

// Biotypes of transcripts, as Ensembl's annotations have them, by the names that bcftools csq writes.
typedef struct {
    const char *word; // as annotations begin it
    const char *name; // as it is written; NULL: the word
    bool coding;      // its transcripts are translated where they have CDS
} gw_biotype;

// The biotype that a text begins with, or NULL where it is none of those: such transcripts are left out.
const gw_biotype *gw_biotype_of(const char *text);
const char *gw_biotype_name(const gw_biotype *biotype);
// Of transcripts that decay since their stop comes early: NMD_transcript is said of all that befalls them.
bool gw_biotype_decays(const gw_biotype *biotype);

typedef enum { GW_CDS_PART, GW_UTR_PART, GW_EXON_PART, GW_WHOLE_PART, GW_GENE_PARTS } gw_gene_part_kind;

// Positions are 0-based half-open.
typedef struct {
    int64_t transcript, order; // order: among those of its kind in the file
    int contig;
    int64_t begin, end;
    bool five;     // of a UTR: 5'
    int8_t phase;  // of CDS: bases before its first whole codon, in the direction of the strand; -1: the file has none
    int64_t index; // of CDS: how many stand before it on the forward strand,
    int64_t place; // and their bases
} gw_gene_part;

typedef struct {
    char *id, *gene; // gene: its name, or its identifier
    const gw_biotype *biotype;
    int contig;
    char strand;
    int64_t begin, end;
    gw_gene_part *cds; // [cds_count] ascending, whole codons alone
    int64_t cds_count, cds_capacity;
    int64_t coding_length;        // their bases, a multiple of 3
    bool bacterial;               // may begin with other codons than ATG (gw_codon_starts_bacteria())
    bool starts_late, ends_early; // bases that are no whole codon were cut at the 5', the 3' end
} gw_annotated;

// Parts of one kind by place.
typedef struct {
    gw_gene_part *items;
    int64_t count, capacity;
    int64_t *first; // [contigs + 1] of each contig; on one by begin, those that end later first, then as in the file
    int64_t *reach; // [count] the furthest end of the contig's parts up to this one
} gw_gene_part_index;

// Zero-initialise.
typedef struct {
    gw_annotated *items; // in the order in which the file speaks of them first
    int64_t count, capacity;
    gw_gene_part_index index[GW_GENE_PARTS]; // exons with GW_SPLICE_REACH bases on either side
} gw_annotation;

enum { GW_SPLICE_REACH = 8 }; // bases of an intron that belong to its splice site

// A line that cannot be is an error that names it; so are a file without any transcript on the genome, and CDS whose
// phases contradict each other. Warns of what is left out. Free it also on failure.
gw_status gw_annotation_read(const char *path, gw_genome *genome, gw_annotation *out) GW_MUST_CHECK;
void gw_annotation_free(gw_annotation *annotation);

// The next part after `at` (-1: the first) that shares a base with [begin, end) of the contig; NULL: no more.
const gw_gene_part *gw_annotation_next(const gw_annotation *annotation, gw_gene_part_kind kind, int contig,
                                       int64_t begin, int64_t end, int64_t *at);

#endif
