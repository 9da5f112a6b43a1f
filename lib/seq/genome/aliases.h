// SPDX-License-Identifier: MIT
// Contigs by name: the exact name, else the names of a file, else what convention makes of the name.
//
// Convention drops the prefix "chr" or "CHROMOSOME_" and joins the mitochondrial names M, MT, Mito and MtDNA (letter
// case of these words does not matter). It holds only where exactly one contig has that name. Private to lib/seq.
#ifndef GW_SEQ_GENOME_ALIASES_H
#define GW_SEQ_GENOME_ALIASES_H

#include "base/status.h"

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

#endif
