// SPDX-License-Identifier: MIT
// Sums with the same bits on any number of ranks. The examples of a step are divided into G groups, and a rank computes
// consecutive groups (gw_group_range). The gradients of the groups are added pairwise in a tree that depends only on G:
// a node of level k is the sum of groups i 2^k to (i + 1) 2^k, as far as they exist, made from two nodes of level k -
// 1. Floating-point sums depend only on their order. The rank that computes a group, or adds, therefore changes no bit.
//
// A rank first adds its own groups to the fewest nodes that cover them, at most 2 log2(G / ranks) + 1. Each rank then
// adds a slice of all nodes, and the slices are sent to all ranks. With n nodes a rank sends n + 1 times the numbers;
// with one group twice, like an all-reduce.
//
// Each number is summed independently, so an array is summed in pieces, in any order, when each is ready. All groups of
// a rank except the last are added whole. Pieces of the last group then give the sums of all.
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

// The groups of a rank. Ranks have equal numbers of groups as far as possible.
gw_group_range gw_groups_of_rank(int64_t groups, int rank, int ranks);

// A node over consecutive groups. It grows by one group at a time.
typedef struct {
    int64_t begin, size;
    float *at; // [floats] the sum
} gw_group_node;

typedef struct {
    int64_t groups, floats, piece;
    gw_group_range own;
    int64_t added; // of the own groups
    gw_group_node node[GW_GROUP_NODES];
    int count, blocks;
    float *block[GW_GROUP_NODES]; // memory of nodes; entries behind `count` are free
    float *out, *in;              // to send to the other ranks, and received
    int64_t *out_at, *in_at;      // [ranks + 1] bytes
} gw_group_sum;

// For this rank's groups, arrays of `floats` numbers, and pieces of at most `piece` numbers. Free `sum`, also after a
// failure.
gw_status gw_group_sum_make(gw_group_sum *sum, int64_t groups, int64_t floats, int64_t piece) GW_MUST_CHECK;
void gw_group_sum_free(gw_group_sum *sum); // zeros are fine
void gw_group_sum_restart(gw_group_sum *sum);
// Adds the numbers of the next own group, except the last group.
void gw_group_sum_add(gw_group_sum *sum, const float *numbers);
bool gw_group_sum_misses(const gw_group_sum *sum); // whether own groups before the last were not added
// Numbers [begin, begin + length) of the last own group become the sums of all groups. All ranks must sum the same
// pieces in the same order.
void gw_group_sum_piece(gw_group_sum *sum, int64_t begin, int64_t length, float *numbers);

// The same for few numbers: values [own groups][count] of this rank; total [count].
gw_status gw_group_sum_few(int64_t groups, const double *values, int64_t count, double *total) GW_MUST_CHECK;

// Sums a gradient over the ranks in pieces, on a separate thread, as soon as the backward pass has finished each piece.
//
// The network gives the action after which a piece is final. Pieces are summed in this order. It depends only on the
// model, because all ranks must make the same calls. Results do not depend on the timing: a step without a separate
// thread has the same bits.

typedef struct {
    int64_t begin, floats;
    int64_t actions; // number of backward actions after which the piece is final
} gw_piece;

typedef struct {
    void *context;
    void (*ready)(void *context, gw_piece piece); // called on the caller's thread, before the sum
    void (*sum)(void *context, gw_piece piece);   // sums over the ranks
} gw_piece_calls;

typedef struct {
    gw_network *network;
    gw_piece_calls calls;
    gw_piece *piece; // in the order of summing
    int64_t count, next;
    bool threaded;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t ready, summed; // numbers of pieces that are ready and summed, under the lock
    bool ends;
    double summing;         // seconds of sums in this step
    double seconds, waited; // last step: seconds of sums, and seconds that the caller waited for them
} gw_overlap;

// Most floats of a piece for a gradient of `floats`: large enough for an efficient message, small enough to begin
// early.
int64_t gw_piece_floats(int64_t floats);

// For a training network, which must outlive `overlap`. threaded: sums during the backward pass. Free `overlap`, also
// after a failure.
gw_status gw_overlap_make(gw_overlap *overlap, gw_network *network, int64_t floats, gw_piece_calls calls,
                          bool threaded) GW_MUST_CHECK;
void gw_overlap_free(gw_overlap *overlap); // zeros are fine
// Declares that the next backward pass is the last that adds to the gradient of this step.
void gw_overlap_begin(gw_overlap *overlap);
// Sums the remaining pieces, or all if nothing began, and waits for the end.
void gw_overlap_end(gw_overlap *overlap);

#endif
