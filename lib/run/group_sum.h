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
#include "network/network.h"

#include <pthread.h>
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

// Sums a gradient over the ranks piece by piece, each as soon as the backward pass leaves it, on a thread of its own.
//
// The network says after which of its actions a piece changes no more; pieces are summed in that order, which the model
// alone decides, as calls must be that all ranks make. What is computed does not depend on when it is: a step without
// such a thread has the same bits.

typedef struct {
    int64_t begin, floats;
    int64_t actions; // of the backward pass, after which it changes no more
} gw_piece;

typedef struct {
    void *context;
    void (*ready)(void *context, gw_piece piece); // on the caller's thread, before it is summed
    void (*sum)(void *context, gw_piece piece);   // over the ranks
} gw_piece_calls;

typedef struct {
    gw_network *network;
    gw_piece_calls calls;
    gw_piece *piece; // in the order in which they are summed
    int64_t count, next;
    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t ready, summed; // pieces; what the threads tell each other under the lock
    bool ends;
    double summing;         // seconds that sums have taken in this step
    double seconds, waited; // of the last step: that sums took, and that the caller waited for them
} gw_overlap;

// Most floats of a piece of so many: enough for a message to be worth its start, few enough to begin early.
int64_t gw_piece_floats(int64_t floats);

// Of a network for training, which outlives it; `threaded`: while the backward pass goes on. Free it, also on failure.
gw_status gw_overlap_make(gw_overlap *overlap, gw_network *network, int64_t floats, gw_piece_calls calls,
                          bool threaded) GW_MUST_CHECK;
void gw_overlap_free(gw_overlap *overlap); // zeros are fine
// The network's next backward pass is the last that adds to the gradient of this step.
void gw_overlap_begin(gw_overlap *overlap);
// Sums what has not been, also where nothing began, and waits for the end of it all.
void gw_overlap_end(gw_overlap *overlap);

#endif
