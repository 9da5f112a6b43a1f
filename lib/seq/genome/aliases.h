// SPDX-License-Identifier: MIT
// Contigs by name: by the exact name, else by a table of names, else by convention.
//
// By convention the prefixes "chr" and "CHROMOSOME_" are ignored, and the mitochondrial names M, MT, Mito and MtDNA are
// the same (in any case). The convention applies only if exactly one contig matches. Private to lib/seq.
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

// add: adds the name of contig number `contig`. sort: must follow; fails if a name occurs twice.
gw_status gw_aliases_add(gw_aliases *aliases, const char *name, int contig) GW_MUST_CHECK;
gw_status gw_aliases_sort(gw_aliases *aliases, const char *path) GW_MUST_CHECK;
// Reads a TSV of two columns: another name, the contig's exact name. Empty lines and lines that start with # are
// skipped.
gw_status gw_aliases_read(gw_aliases *aliases, const char *path) GW_MUST_CHECK;
// -1: none. *by_convention: the name was neither exact nor in the table.
int gw_aliases_find(const gw_aliases *aliases, const char *name, int *by_convention);
// The name without "chr" or "CHROMOSOME_", or "MT"; points into `name`, or to a constant.
const char *gw_conventional_name(const char *name);
void gw_aliases_free(gw_aliases *aliases);

#endif
