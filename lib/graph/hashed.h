// SPDX-License-Identifier: MIT
// Token graphs by locality-sensitive hashing (Reformer, Kitaev et al., 2020, section 3). Tokens with similar vector
// directions fall into the same bucket and read each other.
//
// For n tokens in chunks of `chunk` there are b = 2 ceil(n / (2 chunk)) buckets, or 1 if one chunk holds all tokens. A
// round draws b / 2 directions r. The bucket of x is the index of the largest of (r . x ..., -r . x ...). Tokens are
// sorted by bucket, then by position, and cut into chunks. Each token reads the tokens of its bucket in its chunk and
// in the previous chunk. A token listed in several rounds is read once. A token reads itself only if it reads nothing
// else.
#ifndef GW_GRAPH_HASHED_H
#define GW_GRAPH_HASHED_H

#include "base/status.h"
#include "kernels/graph.h"

#include <stdbool.h>

typedef struct {
    int64_t tokens, size; // of a vector
    const float *vector;  // [tokens], on the host
    int64_t stride;       // floats between vectors
    int64_t chunk, rounds;
    bool causal; // reads only earlier tokens and itself
    // Directions are functions of these and of the round.
    uint64_t seed, draw;
    uint32_t place;
} gw_hashing;

// Memory of a graph and of its construction, which grows as needed. Zero-initialise.
typedef struct {
    int64_t *row_start;
    int32_t *column;
    int32_t *bucket, *sorted, *rank, *count; // of one round
    float *direction;
    uint64_t *bits; // tokens that a token reads
    int64_t row_capacity, column_capacity, bucket_capacity, sorted_capacity, rank_capacity, count_capacity,
        direction_capacity, bits_capacity;
} gw_hashed_memory;
void gw_hashed_memory_free(gw_hashed_memory *memory);

// buckets: the number of buckets for a sequence. directions: the directions of a round.
int64_t gw_hashed_buckets(int64_t tokens, int64_t chunk);
void gw_hashed_directions(const gw_hashing *hashing, int64_t round, float *direction); // [buckets / 2][size]
// Makes the graph. Its arrays are in `memory`.
gw_status gw_hashed_graph(const gw_hashing *hashing, gw_hashed_memory *memory, gw_token_graph *graph) GW_MUST_CHECK;

#endif
