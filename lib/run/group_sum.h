// SPDX-License-Identifier: MIT
// Sums that come out the same on any number of ranks. The examples of a step stand in G groups, and a rank computes a
// run of them (gw_group_range). What groups give is added pairwise in one tree, which G alone decides: a node of level
// k holds groups i 2^k to (i + 1) 2^k, as far as there are any, and is the sum of the two of level k - 1.
// Floating-point sums depend on their order alone, so who has computed a group, and who adds, changes no bit.
//
// A rank adds up what it can: its groups are the fewest nodes that cover them, at most 2 log2(G / ranks) + 1. Each rank
// then adds a slice of the nodes of all, and the slices go to everyone: of n nodes a rank sends n + 1 times the
// numbers; of one group a rank twice, as an all-reduce does.
//
// No number depends on another, so an array is summed piece by piece, in any order, as its pieces are ready: all groups
// of a rank but the last are added as a whole, and pieces of the last one then bring the sums of all.
#ifndef GW_RUN_GROUP_SUM_H
#define GW_RUN_GROUP_SUM_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_MOST_GROUPS = 1 << 16, GW_GROUP_NODES = 2 * 16 + 2 };

typedef struct {
    int64_t begin, end;
} gw_group_range;

// Those of a rank: as many on each as can be.
gw_group_range gw_groups_of_rank(int64_t groups, int rank, int ranks);

// A run of nodes, which grows by a group at a time.
typedef struct {
    int64_t begin, size;
    float *at; // [floats] of the sum
} gw_group_node;

typedef struct {
    int64_t groups, floats, piece;
    gw_group_range own;
    int64_t added; // of the own groups
    gw_group_node node[GW_GROUP_NODES];
    int count, blocks;
    float *block[GW_GROUP_NODES]; // memory of nodes; those behind `count` are free
    float *out, *in;              // what goes to the other ranks, and what comes
    int64_t *out_at, *in_at;      // [ranks + 1] bytes
} gw_group_sum;

// Of this rank's groups of arrays of `floats` numbers, in pieces of `piece` numbers at most. Free it, also on failure.
gw_status gw_group_sum_make(gw_group_sum *sum, int64_t groups, int64_t floats, int64_t piece) GW_MUST_CHECK;
void gw_group_sum_free(gw_group_sum *sum); // zeros are fine
void gw_group_sum_restart(gw_group_sum *sum);
// Adds the next own group's numbers; not those of the last one.
void gw_group_sum_add(gw_group_sum *sum, const float *numbers);
bool gw_group_sum_misses(const gw_group_sum *sum); // others than the last
// Numbers [begin, begin + length) of the last own group become the sums of all groups. All ranks sum the same pieces in
// the same order.
void gw_group_sum_piece(gw_group_sum *sum, int64_t begin, int64_t length, float *numbers);

// The same of few numbers: values [own groups][count] of this rank; total [count].
gw_status gw_group_sum_few(int64_t groups, const double *values, int64_t count, double *total) GW_MUST_CHECK;

#endif
