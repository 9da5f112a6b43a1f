// SPDX-License-Identifier: MIT
// Assemblies of a genome that many files are of, known by the length of chromosome 1 or by what headers call them; and
// the command that takes a VCF from one to another.
#ifndef GW_SEQ_GENOME_ASSEMBLIES_H
#define GW_SEQ_GENOME_ASSEMBLIES_H

#include "base/string.h"
#include "seq/genome/genome.h"

typedef struct gw_assembly gw_assembly;

const char *gw_assembly_name(const gw_assembly *assembly);
const gw_assembly *gw_assembly_of_length(int64_t length); // of a contig, bp; NULL: none that is known
const gw_assembly *gw_assembly_of_genome(const gw_genome *genome);
// By the lines ##reference, ##assembly and ##contig of a VCF's header.
const gw_assembly *gw_assembly_of_header(const char *header);

// Appends the call of `godwit liftover` that brings a VCF to the genome; of "-", standard input, its path stays out.
// from, to: NULL where they are not known.
void gw_assembly_put_liftover(const gw_assembly *from, const gw_assembly *to, const char *vcf, const char *fasta,
                              gw_string *out);

#endif
