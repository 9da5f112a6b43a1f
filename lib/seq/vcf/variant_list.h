// SPDX-License-Identifier: MIT
// A list of variants as people write them, as the text of a VCF: for what reads variant files.
#ifndef GW_SEQ_VCF_VARIANT_LIST_H
#define GW_SEQ_VCF_VARIANT_LIST_H

#include "base/string.h"
#include "seq/genome/genome.h"

// Appends a VCF of the list's variants in their order to `out`, each with its text as ID. `list`: variant_text.h's
// forms, joined by commas, spaces or line ends; or names, each of which stands for all records of the variant file
// `known` that have it as an ID. `genes` is the annotation whose transcripts the list names, which is read where it
// does. Both may be NULL. What cannot be read, a REF that the genome does not have and a name that a file lacks are
// errors that name the variant.
gw_status gw_variant_list_write(const char *list, const char *known, const char *genes, gw_genome *genome,
                                gw_string *out) GW_MUST_CHECK;

// The path at which gw_vcf_open() reads a text: HTSlib's "data:,TEXT" with '%' as %25. Appends to `out`.
void gw_vcf_path_of_text(const char *text, gw_string *out);

#endif
