// SPDX-License-Identifier: MIT
// Chain files: how the bases of one assembly lie on another (UCSC's format, docs/reference/formats.md).
//
// A chain aligns a stretch of a source contig (the file's t fields, always on the + strand) to a stretch of a target
// contig (its q fields). It consists of blocks without gaps; between two blocks source bases, target bases or both have
// no partner. Where the target strand is '-', a base at offset q of the reverse complement is base
// length - 1 - q of the contig. All coordinates here are 0-based half-open, in bp, and target ones on the + strand.
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
    int64_t aligned; // bases of the span that have a partner; 0: the chain says nothing about the span
    bool reverse;    // on the other strand
} gw_lifted;

// Outcomes of a set of spans. The reasons have liftOver's names.
typedef enum {
    GW_LIFT_ONE,        // one chain holds enough of the bases
    GW_LIFT_NOCONTIG,   // the file has no chain of this contig
    GW_LIFT_DELETED,    // no base has a partner
    GW_LIFT_PARTIAL,    // one chain holds some of the bases, but not enough
    GW_LIFT_SPLIT,      // several chains hold some, none enough
    GW_LIFT_DUPLICATED, // several chains hold enough
    GW_LIFT_RESULTS,
} gw_lift_result;
const char *gw_lift_reason(gw_lift_result result); // "Deleted in new" ...

// Chains by falling score. Zero-initialise, reuse, free() the items.
typedef struct {
    int64_t *items; // for gw_chains_map()
    int64_t count, capacity;
} gw_chain_list;

// Plain, gzip or BGZF. Every header is checked against its blocks and against the sizes of its contigs.
gw_status gw_chains_read(const char *path, gw_chains **out) GW_MUST_CHECK;
void gw_chains_free(gw_chains *chains); // NULL is fine
const char *gw_chains_path(const gw_chains *chains);

int gw_chains_sources(const gw_chains *chains);
const char *gw_chains_source_name(const gw_chains *chains, int source);
// By exact name, the table read by gw_chains_read_aliases(), or the built-in aliases; -1: none.
int gw_chains_find_source(const gw_chains *chains, const char *name);
gw_status gw_chains_read_aliases(gw_chains *chains, const char *path) GW_MUST_CHECK;
int64_t gw_chains_source_length(const gw_chains *chains, int source);
const char *gw_chains_target_name(const gw_chains *chains, int target);
int64_t gw_chains_target_length(const gw_chains *chains, int target);

// Lists the chains that align at least min_match (0 to 1) of the bases of all spans together, which are sorted, do not
// overlap and are not empty; at least one base.
gw_status gw_chains_find(const gw_chains *chains, int source, const gw_span *spans, int count, double min_match,
                         gw_chain_list *list, gw_lift_result *result) GW_MUST_CHECK;
// An empty span is the place between two bases: it has a partner where both have one, side by side.
gw_lifted gw_chains_map(const gw_chains *chains, int64_t chain, gw_span span);
double gw_chains_score(const gw_chains *chains, int64_t chain);

#endif
