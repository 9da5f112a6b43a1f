// SPDX-License-Identifier: MIT
// Graphs of tokens by locality-sensitive hashing (Reformer, Kitaev et al., 2020, section 3): tokens whose vectors point
// alike fall into the same bucket, and read each other.
//
// Of n tokens in chunks of `chunk` there are b = 2 ceil(n / (2 chunk)) buckets, 1 where one chunk holds all. A round
// draws b / 2 directions r; the bucket of x is the index of the largest of (r . x ..., -r . x ...). Tokens are sorted
// by bucket and then place, cut into chunks, and each reads those of its bucket in its chunk and the one before. What
// any round lists is read, once; the token itself only where nothing else is.
#ifndef GW_GRAPH_HASHED_H
#define GW_GRAPH_HASHED_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdbool.h>

typedef struct {
    int64_t tokens, size; // of a vector
    const float *vector;  // [tokens], of the host
    int64_t stride;       // floats between them
    int64_t chunk, rounds;
    bool causal; // tokens up to the one that reads
    // Directions are functions of these and the round.
    uint64_t seed, draw;
    uint32_t place;
} gw_hashing;

// Memory of a graph and of its making, which grows as it is needed; zeros at first.
typedef struct {
    int64_t *row_start;
    int32_t *column;
    int32_t *bucket, *sorted, *rank, *count; // of a round
    float *direction;
    uint64_t *bits; // of the tokens that a token reads
    int64_t row_capacity, column_capacity, bucket_capacity, sorted_capacity, rank_capacity, count_capacity,
        direction_capacity, bits_capacity;
} gw_hashed_memory;
void gw_hashed_memory_free(gw_hashed_memory *memory);

// Buckets of a sequence of so many tokens, and those of its tokens in a round, bucket [tokens].
int64_t gw_hashed_buckets(int64_t tokens, int64_t chunk);
void gw_hashed_directions(const gw_hashing *hashing, int64_t round, float *direction); // [buckets / 2][size]
// The graph, whose arrays are in `memory`.
gw_status gw_hashed_graph(const gw_hashing *hashing, gw_hashed_memory *memory, gw_token_graph *graph) GW_MUST_CHECK;

#endif
