// SPDX-License-Identifier: MIT
// A variant in the usual notations, converted to the fields of a VCF line with the genome.
//
//   chr17:43045711:G:A   contig, position, REF and ALT as in a VCF
//   chr17-43045711-G-A   the same in gnomAD's form
//   chr17:g.43045711G>A  HGVS of a genome (hgvs.h); m. too
//   NM_007294.4:c.68-7T>A   HGVS of a transcript, or of a gene's canonical transcript; n. too
//   rpoB:p.Ser531Leu     HGVS of a protein: every codon change that gives the new residue (hgvs_protein.c)
//   A2717506C, chr17:A43045711C   REF, position, ALT
// For a genome with one contig the contig may be omitted: g.100A>G, A2717506C.
//
// Human contigs may be named by RefSeq's accessions.
//
// HGVS places a change in a repeat at its end (the 3' rule), VCF at its beginning. Insertions and deletions in HGVS are
// therefore moved left as far as possible. They get the base before them, or the base behind if there is none.
#ifndef GW_SEQ_VCF_VARIANT_TEXT_H
#define GW_SEQ_VCF_VARIANT_TEXT_H

#include "base/string.h"
#include "seq/genes/gene_models.h"
#include "seq/genome/genome.h"
#include "seq/vcf/variant.h"

#include <stdbool.h>

// Whether the text is only a name, such as rs80357410, for a file of known variants.
bool gw_variant_text_is_name(const char *text);
bool gw_variant_text_is_of_protein(const char *text);
// Appends the change, or all changes that give a protein change. Errors say what is wrong with the text, what the
// genome has if REF differs, and which forms exist. Free `out`, also after a failure. transcripts: from
// gw_transcripts_read(); NULL: c., n. and p. are errors.
gw_status gw_variant_text_read_all(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                                   gw_written_list *out) GW_MUST_CHECK;
// One change. If several give a protein change, this is an error that names one of them.
gw_status gw_variant_text_read(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                               gw_written_alleles *out) GW_MUST_CHECK;

// A list of variants in these notations, as the text of a VCF, for readers of variant files.
typedef struct {
    const char *list;  // forms as above and names, joined by commas, blanks or line ends; or NULL
    const char *file;  // a text file with the same, "-": standard input; lines that begin with # are comments
    const char *known; // a variant file for names: each name means all records with this ID; or NULL
    const char *genes; // an annotation with transcripts, read only if transcripts are named; or NULL
} gw_variant_list_options;

// A variant that could not be read.
typedef struct {
    char *text, *reason;
    int64_t line; // line of the file; 0: from the list
} gw_unread_variant;

// Zero-initialise.
typedef struct {
    gw_unread_variant *items; // in the list's order
    int64_t count, capacity;
    int64_t read; // number of variants that could be read
} gw_unread_variants;

// Appends a VCF of the variants, in order, each with its text as ID. Unreadable variants, a REF that the genome does
// not have, and unknown names are added to `unread`, also if no variant could be read, which is an error. A protein
// change has one record for each codon, with INFO/CODON.
gw_status gw_variant_list_write(const gw_variant_list_options *options, gw_genome *genome, gw_string *out,
                                gw_unread_variants *unread) GW_MUST_CHECK;
void gw_unread_variants_free(gw_unread_variants *unread);

// Appends a path with which gw_vcf_open() reads a text: HTSlib's "data:,TEXT" with '%' as %25.
void gw_vcf_path_of_text(const char *text, gw_string *out);

#endif
