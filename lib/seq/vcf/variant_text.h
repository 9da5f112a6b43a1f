// SPDX-License-Identifier: MIT
// One variant as people write it, read against the genome into what a line of a VCF has.
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

#include "seq/genes/gene_models.h"
#include "seq/vcf/variant.h"

#include <stdbool.h>

// Whether the text is but a name, such as rs80357410, which a file of known variants explains.
bool gw_variant_text_is_name(const char *text);
bool gw_variant_text_is_of_transcript(const char *text); // or of its protein
bool gw_variant_text_is_of_protein(const char *text);
// Appends what the text says: one change, or of a protein all that make it. Errors say what is wrong with the text,
// what the genome has where REF differs, and which forms there are. To be released whatever is returned. transcripts:
// gw_transcripts_read(); NULL: c., n. and p. are refused.
gw_status gw_variant_text_read_all(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                                   gw_written_list *out) GW_MUST_CHECK;
// One change; where several make that of a protein, an error that names one of them.
gw_status gw_variant_text_read(const char *text, gw_genome *genome, const gw_gene_models *transcripts,
                               gw_written_alleles *out) GW_MUST_CHECK;

#endif
