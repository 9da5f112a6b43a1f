// SPDX-License-Identifier: MIT
// Common assemblies of genomes, recognised by the length of chromosome 1 or by names in headers; and the command that
// converts a VCF between assemblies.
#ifndef GW_SEQ_GENOME_ASSEMBLIES_H
#define GW_SEQ_GENOME_ASSEMBLIES_H

#include "base/string.h"
#include "seq/genome/genome.h"

typedef struct gw_assembly gw_assembly;

const char *gw_assembly_name(const gw_assembly *assembly);
const gw_assembly *gw_assembly_of_length(int64_t length); // length of a contig in bp; NULL: unknown
const gw_assembly *gw_assembly_of_genome(const gw_genome *genome);
// By the lines ##reference, ##assembly and ##contig of a VCF header.
const gw_assembly *gw_assembly_of_header(const char *header);

// Appends the `godwit liftover` command that converts a VCF to the genome. For "-", standard input, the command has no
// path. from, to: NULL if unknown.
void gw_assembly_put_liftover(const gw_assembly *from, const gw_assembly *to, const char *vcf, const char *fasta,
                              gw_string *out);

#endif
