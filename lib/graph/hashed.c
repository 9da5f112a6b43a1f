// SPDX-License-Identifier: MIT
// Rounds of hashing: buckets, a counting sort, and of each token the chunk that it stands in and the one before.
#include "graph/hashed.h"

#include "base/memory.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

void gw_hashed_memory_free(gw_hashed_memory *memory) {
    free(memory->row_start);
    free(memory->column);
    free(memory->bucket);
    free(memory->sorted);
    free(memory->rank);
    free(memory->count);
    free(memory->direction);
}

int64_t gw_hashed_buckets(int64_t tokens, int64_t chunk) {
    return tokens <= chunk ? 1 : 2 * ((tokens + 2 * chunk - 1) / (2 * chunk));
}

void gw_hashed_directions(const gw_hashing *h, int64_t round, float *direction) {
    const int64_t floats = gw_hashed_buckets(h->tokens, h->chunk) / 2 * h->size;
    gw_random random = gw_random_at(h->seed, GW_SITE_FEATURES, h->draw << 8 | (uint64_t)round, h->place);
    for (int64_t i = 0; i < floats; i++) direction[i] = gw_random_normal(&random);
}

static gw_status reserve(const gw_hashing *h, gw_hashed_memory *m) {
    const int64_t buckets = gw_hashed_buckets(h->tokens, h->chunk), listed = h->tokens * h->rounds;
    GW_TRY(gw_reserve(&m->row_start, &m->row_capacity, h->tokens + 1, sizeof *m->row_start));
    GW_TRY(gw_reserve(&m->bucket, &m->bucket_capacity, listed, sizeof *m->bucket));
    GW_TRY(gw_reserve(&m->sorted, &m->sorted_capacity, listed, sizeof *m->sorted));
    GW_TRY(gw_reserve(&m->rank, &m->rank_capacity, listed, sizeof *m->rank));
    GW_TRY(gw_reserve(&m->count, &m->count_capacity, buckets + 1, sizeof *m->count));
    // Directions, the same turned, and how far a vector goes along each.
    return gw_reserve(&m->direction, &m->direction_capacity, buckets / 2 * (2 * h->size + 1) + 1, sizeof *m->direction);
}

// to [columns][rows] = from [rows][columns]
static void turn(const float *from, int64_t rows, int64_t columns, float *to) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) to[c * rows + r] = from[r * columns + c];
}

// along[half]: sums over the vector's numbers in their order, for all directions [size][half] at a time.
static int32_t bucket_of(const gw_hashing *h, const float *turned, int64_t half, const float *vector, float *along) {
    float largest = -1;
    int32_t bucket = 0;
    for (int64_t b = 0; b < half; b++) along[b] = 0;
    for (int64_t d = 0; d < h->size; d++)
        for (int64_t b = 0; b < half; b++) along[b] += turned[d * half + b] * vector[d];
    for (int64_t b = 0; b < half; b++) {
        const float size = along[b] < 0 ? -along[b] : along[b];
        if (size > largest) largest = size, bucket = (int32_t)(along[b] < 0 ? half + b : b);
    }
    return bucket;
}

// The order of the tokens by bucket and place, and where each stands in it.
static void sort(const gw_hashing *h, int64_t buckets, const int32_t *bucket, int32_t *count, int32_t *sorted,
                 int32_t *rank) {
    memset(count, 0, (size_t)(buckets + 1) * sizeof *count);
    for (int64_t i = 0; i < h->tokens; i++) count[bucket[i] + 1]++;
    for (int64_t b = 0; b < buckets; b++) count[b + 1] += count[b];
    for (int64_t i = 0; i < h->tokens; i++) {
        rank[i] = count[bucket[i]]++;
        sorted[rank[i]] = (int32_t)i;
    }
}

static void hash(const gw_hashing *h, gw_hashed_memory *m, int64_t round) {
    const int64_t buckets = gw_hashed_buckets(h->tokens, h->chunk), half = buckets / 2, at = round * h->tokens;
    float *turned = m->direction + half * h->size, *along = turned + half * h->size;
    gw_hashed_directions(h, round, m->direction);
    turn(m->direction, half, h->size, turned);
    for (int64_t i = 0; i < h->tokens; i++)
        m->bucket[at + i] = bucket_of(h, turned, half, h->vector + i * h->stride, along);
    sort(h, buckets, m->bucket + at, m->count, m->sorted + at, m->rank + at);
}

// What a round lists for a token, ascending: those of its bucket stand side by side in their order.
typedef struct {
    const int32_t *listed;
    int64_t count;
} listing;

static listing list_round(const gw_hashing *h, const gw_hashed_memory *m, int64_t round, int64_t token) {
    const int64_t at = round * h->tokens, place = m->rank[at + token], chunk = place / h->chunk;
    const int64_t least = chunk > 0 ? (chunk - 1) * h->chunk : 0, after = (chunk + 1) * h->chunk;
    const int64_t most = h->causal ? place + 1 : after < h->tokens ? after : h->tokens;
    const int32_t *sorted = m->sorted + at, *bucket = m->bucket + at;
    int64_t begin = place, end = place + 1;
    while (begin > least && bucket[sorted[begin - 1]] == bucket[token]) begin--;
    while (end < most && bucket[sorted[end]] == bucket[token]) end++;
    return (listing){sorted + begin, end - begin};
}

// Adds a listing, less the token itself, to `count` columns, both ascending and distinct; work: room for the columns.
static int64_t merge(listing with, int64_t token, int32_t *columns, int64_t count, int32_t *work) {
    int64_t merged = 0, w = 0;
    memcpy(work, columns, (size_t)count * sizeof *work);
    for (int64_t i = 0; i < with.count; i++) {
        const int32_t other = with.listed[i];
        if (other == token) continue;
        while (w < count && work[w] < other) columns[merged++] = work[w++];
        w += w < count && work[w] == other;
        columns[merged++] = other;
    }
    while (w < count) columns[merged++] = work[w++];
    return merged;
}

// Columns of a token, ascending and distinct; itself where there is no other.
static int64_t list_token(const gw_hashing *h, const gw_hashed_memory *m, int64_t token, int32_t *to, int32_t *work) {
    int64_t count = 0;
    for (int64_t round = 0; round < h->rounds; round++)
        count = merge(list_round(h, m, round, token), token, to, count, work);
    if (count == 0) to[count++] = (int32_t)token;
    return count;
}

gw_status gw_hashed_graph(const gw_hashing *h, gw_hashed_memory *m, gw_token_graph *graph) {
    const int64_t most = 2 * h->chunk * h->rounds + 1;
    int64_t edges = 0;
    GW_TRY(reserve(h, m));
    for (int64_t round = 0; round < h->rounds; round++) hash(h, m, round);
    for (int64_t i = 0; i < h->tokens; i++) {
        GW_TRY(gw_reserve(&m->column, &m->column_capacity, edges + 2 * most, sizeof *m->column));
        m->row_start[i] = edges;
        edges += list_token(h, m, i, m->column + edges, m->column + edges + most);
    }
    m->row_start[h->tokens] = edges;
    *graph = (gw_token_graph){h->tokens, h->tokens, m->row_start, m->column};
    return GW_OK;
}
