// SPDX-License-Identifier: MIT
// How chains lie in memory; shared by chain.c and chain_read.c.
#ifndef GW_SEQ_LIFT_CHAIN_PRIVATE_H
#define GW_SEQ_LIFT_CHAIN_PRIVATE_H

#include "seq/genome/aliases.h"
#include "seq/lift/chain.h"

typedef struct {
    int64_t source, target, size; // target: offset on the chain's strand
} gw_chain_block;

typedef struct {
    int source, target; // contigs
    bool reverse;
    double score;
    int64_t begin, end;         // of the source
    int64_t reach;              // largest end among the chains of its subtree, see chain.c
    int64_t first_block, count; // into gw_chains.blocks, in order of the source
} gw_chain;

typedef struct {
    char *name;
    int64_t length;
    int64_t first, count; // source contigs: their chains
} gw_chain_contig;

typedef struct {
    gw_chain_contig *items;
    int64_t count, capacity;
    gw_aliases names;
    int last; // the contig met last: they come in runs
} gw_chain_contigs;

struct gw_chains {
    char *path;
    gw_chain_contigs sources, targets;
    gw_chain *chains; // sorted by source, begin, falling score
    int64_t count, capacity;
    gw_chain_block *blocks;
    int64_t block_count, block_capacity;
};

// chain.c: sorts the chains and makes them searchable.
void gw_chains_index(gw_chains *chains);

#endif
