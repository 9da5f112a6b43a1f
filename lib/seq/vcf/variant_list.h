// SPDX-License-Identifier: MIT
// A list of variants as people write them, as the text of a VCF: for what reads variant files.
#ifndef GW_SEQ_VCF_VARIANT_LIST_H
#define GW_SEQ_VCF_VARIANT_LIST_H

#include "base/string.h"
#include "seq/genome/genome.h"

typedef struct {
    const char *list;  // variant_text.h's forms and names, joined by commas, blanks or line ends; or NULL
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
