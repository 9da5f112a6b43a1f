// SPDX-License-Identifier: MIT
// Sums a gradient over the ranks piece by piece, each as soon as the backward pass leaves it, on a thread of its own.
//
// The network says after which of its actions a piece changes no more; pieces are summed in that order, which the model
// alone decides, as calls must be that all ranks make. What is computed does not depend on when it is: a step without
// such a thread has the same bits.
#ifndef GW_RUN_OVERLAP_H
#define GW_RUN_OVERLAP_H

#include "network/network.h"

#include <pthread.h>

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
