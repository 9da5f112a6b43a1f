// SPDX-License-Identifier: MIT
// Contigs by name: the exact name, else the names of a file, else what convention makes of the name.
//
// Convention drops the prefix "chr" or "CHROMOSOME_" and joins the mitochondrial names M, MT, Mito and MtDNA (letter
// case of these words does not matter). It holds only where exactly one contig has that name. Private to lib/seq.
#ifndef GW_SEQ_GENOME_CONTIG_NAMES_H
#define GW_SEQ_GENOME_CONTIG_NAMES_H

#include "base/status.h"
#include "seq/genome/genome.h"

#include <stdint.h>

typedef struct {
    char *name;
    int contig;
} gw_named_contig;

typedef struct {
    gw_named_contig *items; // sorted by name
    int64_t count, capacity;
} gw_name_table;

typedef struct {
    gw_name_table exact, given, conventional;
} gw_aliases;

// Takes in the name of contig number `contig`; then gw_aliases_sort(), which fails where a name occurs twice.
gw_status gw_aliases_add(gw_aliases *aliases, const char *name, int contig) GW_MUST_CHECK;
gw_status gw_aliases_sort(gw_aliases *aliases, const char *path) GW_MUST_CHECK;
// Reads a TSV of two columns: another name, the contig's exact name. Lines that are empty or start with # are skipped.
gw_status gw_aliases_read(gw_aliases *aliases, const char *path) GW_MUST_CHECK;
// -1: none. *by_convention says that the name was neither exact nor given.
int gw_aliases_find(const gw_aliases *aliases, const char *name, int *by_convention);
// The name without "chr" or "CHROMOSOME_", or "MT": part of `name`, or constant.
const char *gw_conventional_name(const char *name);
void gw_aliases_free(gw_aliases *aliases);

// RefSeq's accessions of human chromosomes, NC_000001.11 and so on, by which HGVS names them.

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

// The contig that somebody may have meant by a name that the genome does not have. For messages: nothing is read by it.

// The fewest letters to change, add or drop between the names, without "chr" and the like and in any case; a number
// also stands for its Roman numeral (chr4, IV). The first of several; -1 where more than half of the letters would
// change.
int gw_nearest_contig(const gw_genome *genome, const char *name);

#endif
