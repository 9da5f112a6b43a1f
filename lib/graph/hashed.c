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
    return gw_reserve(&m->direction, &m->direction_capacity, buckets / 2 * h->size + 1, sizeof *m->direction);
}

static int32_t bucket_of(const gw_hashing *h, const float *direction, int64_t half, const float *vector) {
    float largest = -1;
    int32_t bucket = 0;
    for (int64_t b = 0; b < half; b++) {
        float along = 0;
        for (int64_t d = 0; d < h->size; d++) along += direction[b * h->size + d] * vector[d];
        const float size = along < 0 ? -along : along;
        if (size > largest) largest = size, bucket = (int32_t)(along < 0 ? half + b : b);
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
    const int64_t buckets = gw_hashed_buckets(h->tokens, h->chunk), at = round * h->tokens;
    gw_hashed_directions(h, round, m->direction);
    for (int64_t i = 0; i < h->tokens; i++)
        m->bucket[at + i] = bucket_of(h, m->direction, buckets / 2, h->vector + i * h->stride);
    sort(h, buckets, m->bucket + at, m->count, m->sorted + at, m->rank + at);
}

static int compare(const void *a, const void *b) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// Appends what a round lists for a token.
static int64_t list_round(const gw_hashing *h, const gw_hashed_memory *m, int64_t round, int64_t token, int32_t *to) {
    const int64_t at = round * h->tokens, chunk = m->rank[at + token] / h->chunk;
    const int64_t begin = chunk > 0 ? (chunk - 1) * h->chunk : 0, past = (chunk + 1) * h->chunk;
    int64_t count = 0;
    for (int64_t i = begin; i < past && i < h->tokens; i++) {
        const int32_t other = m->sorted[at + i];
        const bool alike = m->bucket[at + other] == m->bucket[at + token];
        if (alike && other != token && !(h->causal && other > token)) to[count++] = other;
    }
    return count;
}

// Columns of a token, ascending and distinct.
static int64_t list_token(const gw_hashing *h, const gw_hashed_memory *m, int64_t token, int32_t *to) {
    int64_t count = 0, distinct = 0;
    for (int64_t round = 0; round < h->rounds; round++) count += list_round(h, m, round, token, to + count);
    qsort(to, (size_t)count, sizeof *to, compare);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || to[i] != to[distinct - 1]) to[distinct++] = to[i];
    if (distinct == 0) to[distinct++] = (int32_t)token;
    return distinct;
}

gw_status gw_hashed_graph(const gw_hashing *h, gw_hashed_memory *m, gw_token_graph *graph) {
    const int64_t most = 2 * h->chunk * h->rounds + 1;
    int64_t edges = 0;
    GW_TRY(reserve(h, m));
    for (int64_t round = 0; round < h->rounds; round++) hash(h, m, round);
    for (int64_t i = 0; i < h->tokens; i++) {
        GW_TRY(gw_reserve(&m->column, &m->column_capacity, edges + most, sizeof *m->column));
        m->row_start[i] = edges;
        edges += list_token(h, m, i, m->column + edges);
    }
    m->row_start[h->tokens] = edges;
    *graph = (gw_token_graph){h->tokens, h->tokens, m->row_start, m->column};
    return GW_OK;
}
