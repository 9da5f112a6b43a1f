// SPDX-License-Identifier: MIT
// One variant as people write it, read against the genome into the fields of a VCF line.
//
//   chr17:43045711:G:A   contig, position, REF and ALT as a VCF has them
//   chr17-43045711-G-A   the same as gnomAD joins them
//   chr17:g.43045711G>A  HGVS of a genome (hgvs.h); m. too
//   NM_007294.4:c.68-7T>A   HGVS of a transcript, or of a gene's canonical one; n. too
//   rpoB:p.Ser531Leu     HGVS of a protein: every change of its codon that makes it (hgvs_protein.c)
//   A2717506C, chr17:A43045711C   REF, position, ALT
// Of a genome of one contig the contig may be left out: g.100A>G, A2717506C.
//
// Human contigs may be named by RefSeq's accessions.
//
// HGVS puts a change of a repeat at its end (the 3' rule), VCF at its beginning: insertions and deletions that HGVS
// says are moved to the left as far as they go, and get the base before them; the base behind, where there is none.
#ifndef GW_SEQ_VCF_VARIANT_TEXT_H
#define GW_SEQ_VCF_VARIANT_TEXT_H

#include "base/string.h"
#include "seq/genes/gene_models.h"
#include "seq/genome/genome.h"
#include "seq/vcf/variant.h"

#include <stdbool.h>

// Whether the text is but a name, such as rs80357410, which a file of known variants explains.
bool gw_variant_text_is_name(const char *text);
bool gw_variant_text_is_of_protein(const char *text);
// Appends what the text says: one change, or of a protein all that make it. Errors say what is wrong with the text,
// what the genome has where REF differs, and which forms there are. To be released whatever is returned. transcripts:
// gw_transcripts_read(); NULL: c., n. and p. are refused.
gw_status gw_variant_text_read_all(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                                   gw_written_list *out) GW_MUST_CHECK;
// One change; where several make that of a protein, an error that names one of them.
gw_status gw_variant_text_read(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                               gw_written_alleles *out) GW_MUST_CHECK;

// A list of variants as people write them, as the text of a VCF, for readers of variant files.
typedef struct {
    const char *list;  // forms as above and names, joined by commas, blanks or line ends; or NULL
    const char *file;  // a text file of the same, "-" standard input, in which lines that begin with # say nothing
    const char *known; // a variant file that explains names: each stands for all records that have it as an ID; or NULL
    const char *genes; // an annotation whose transcripts are named, read where they are; or NULL
} gw_variant_list_options;

// A variant that could not be read.
typedef struct {
    char *text, *reason;
    int64_t line; // of the file; 0: of the list
} gw_unread_variant;

// Zero-initialise.
typedef struct {
    gw_unread_variant *items; // in the list's order
    int64_t count, capacity;
    int64_t read; // those that could be read
} gw_unread_variants;

// Appends a VCF of the variants in their order to `out`, each with its text as ID. What cannot be read, a REF that the
// genome does not have and a name that a file lacks are put into `unread`, also where no variant could be read, which
// is an error. A change of a protein has a record for each codon that makes it, with INFO/CODON.
gw_status gw_variant_list_write(const gw_variant_list_options *options, gw_genome *genome, gw_string *out,
                                gw_unread_variants *unread) GW_MUST_CHECK;
void gw_unread_variants_free(gw_unread_variants *unread);

// The path at which gw_vcf_open() reads a text: HTSlib's "data:,TEXT" with '%' as %25. Appends to `out`.
void gw_vcf_path_of_text(const char *text, gw_string *out);

#endif
