// SPDX-License-Identifier: MIT
// RefSeq's accessions of human chromosomes, NC_000001.11 and so on, by which HGVS names them.
#ifndef GW_SEQ_GENOME_HUMAN_ACCESSIONS_H
#define GW_SEQ_GENOME_HUMAN_ACCESSIONS_H

#include "base/status.h"
#include "seq/genome/genome.h"

typedef struct {
    const char *chromosome; // "1" to "22", "X", "Y", "MT"
    const char *assembly;   // "GRCh37", "GRCh38"; of MT the human reference
    int64_t length;         // bp
} gw_human_chromosome;

// False where the name is no such accession.
bool gw_human_accession(const char *name, gw_human_chromosome *out);
// The genome's contig by its name (gw_genome_find()) or by such an accession, whose length it must have then: another
// assembly is an error that says so. A name that is neither is one that names the genome's.
gw_status gw_genome_find_accession(const gw_genome *genome, const char *name, int *contig) GW_MUST_CHECK;

#endif
