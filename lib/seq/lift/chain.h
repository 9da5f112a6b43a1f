// SPDX-License-Identifier: MIT
// Chain files: alignments between two assemblies (UCSC's format, docs/reference/formats.md).
//
// A chain aligns a range of a source contig (the file's t fields, always on the + strand) to a range of a target contig
// (its q fields). It consists of blocks without gaps. Between two blocks, source bases, target bases or both are not
// aligned. If the target strand is '-', the base at offset q of the reverse complement is base length - 1 - q of the
// contig. All coordinates here are 0-based half-open, in bp; target coordinates are on the + strand.
#ifndef GW_SEQ_LIFT_CHAIN_H
#define GW_SEQ_LIFT_CHAIN_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct gw_chains gw_chains;

typedef struct {
    int64_t begin, end;
} gw_span;

// A span lifted by one chain: the target bases from its first aligned base to its last.
typedef struct {
    int target; // contig
    int64_t begin, end;
    int64_t aligned; // aligned bases of the span; 0: the chain does not cover the span
    bool reverse;    // on the other strand
} gw_lifted;

// Results for a set of spans. The reasons have liftOver's names.
typedef enum {
    GW_LIFT_ONE,        // one chain aligns enough bases
    GW_LIFT_NOCONTIG,   // the file has no chain for this contig
    GW_LIFT_DELETED,    // no base is aligned
    GW_LIFT_PARTIAL,    // one chain aligns some bases, but not enough
    GW_LIFT_SPLIT,      // several chains align some bases, none enough
    GW_LIFT_DUPLICATED, // several chains align enough bases
    GW_LIFT_RESULTS,
} gw_lift_result;
const char *gw_lift_reason(gw_lift_result result); // "Deleted in new" ...

// Chains by descending score. Zero-initialise, reuse, free() the items.
typedef struct {
    int64_t *items; // for gw_chains_map()
    int64_t count, capacity;
} gw_chain_list;

// Reads a plain, gzip or BGZF file. Every header is checked against its blocks and the sizes of its contigs.
gw_status gw_chains_read(const char *path, gw_chains **out) GW_MUST_CHECK;
void gw_chains_free(gw_chains *chains); // NULL is fine
const char *gw_chains_path(const gw_chains *chains);

int gw_chains_sources(const gw_chains *chains);
const char *gw_chains_source_name(const gw_chains *chains, int source);
// By the exact name, the table from gw_chains_read_aliases(), or built-in aliases; -1: none.
int gw_chains_find_source(const gw_chains *chains, const char *name);
gw_status gw_chains_read_aliases(gw_chains *chains, const char *path) GW_MUST_CHECK;
int64_t gw_chains_source_length(const gw_chains *chains, int source);
const char *gw_chains_target_name(const gw_chains *chains, int target);
int64_t gw_chains_target_length(const gw_chains *chains, int target);

// Lists the chains that align at least min_match (0 to 1) of the bases of all spans together, and at least one base.
// Spans must be sorted, disjoint and not empty.
gw_status gw_chains_find(const gw_chains *chains, int source, const gw_span *spans, int count, double min_match,
                         gw_chain_list *list, gw_lift_result *result) GW_MUST_CHECK;
// An empty span is the position between two bases. It is aligned if both bases are, side by side.
gw_lifted gw_chains_map(const gw_chains *chains, int64_t chain, gw_span span);
double gw_chains_score(const gw_chains *chains, int64_t chain);

#endif
