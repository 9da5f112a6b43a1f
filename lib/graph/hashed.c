// SPDX-License-Identifier: MIT
// Rounds of hashing: buckets, a counting sort, and for each token its chunk and the previous one.
#include "graph/hashed.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Directions go eight at a time, in two vectors that every processor has: sums over a vector's numbers, in their order.
enum { FOUR = 4, EIGHT = 2 * FOUR };
typedef float four __attribute__((vector_size(FOUR * sizeof(float)), aligned(sizeof(float)), may_alias));

static int64_t rounded_up(int64_t count, int64_t to) {
    return (count + to - 1) / to * to;
}

void gw_hashed_memory_free(gw_hashed_memory *memory) {
    free(memory->row_start);
    free(memory->column);
    free(memory->bucket);
    free(memory->sorted);
    free(memory->rank);
    free(memory->count);
    free(memory->direction);
    free(memory->bits);
}

int64_t gw_hashed_buckets(int64_t tokens, int64_t chunk) {
    return tokens <= chunk ? 1 : 2 * ((tokens + 2 * chunk - 1) / (2 * chunk));
}

void gw_hashed_directions(const gw_hashing *h, int64_t round, float *direction) {
    const int64_t floats = gw_hashed_buckets(h->tokens, h->chunk) / 2 * h->size;
    gw_random random = gw_random_at(h->seed, GW_SITE_FEATURES, h->draw << 8 | (uint64_t)round, h->place);
    for (int64_t i = 0; i < floats; i++) direction[i] = gw_random_normal(&random);
}

static int32_t bucket_of(const gw_hashing *h, const float *turned, int64_t half, const float *vector) {
    float largest = -1;
    int32_t bucket = 0;
    for (int64_t first = 0; first < half; first += EIGHT) {
        const four *direction = (const four *)(turned + first * h->size);
        four low = {0}, high = {0};
        for (int64_t d = 0; d < h->size; d++, direction += 2) {
            low += direction[0] * vector[d];
            high += direction[1] * vector[d];
        }
        for (int64_t b = first; b < half && b < first + EIGHT; b++) {
            const float along = b - first < FOUR ? low[b - first] : high[b - first - FOUR], size = fabsf(along);
            if (size > largest) largest = size, bucket = (int32_t)(along < 0 ? half + b : b);
        }
    }
    return bucket;
}

// Buckets of a round's tokens, and their order by bucket and place; rank: where each token stands in that order. At the
// end bucket b is from count[b - 1] to count[b].
static void hash(const gw_hashing *h, gw_hashed_memory *m, int64_t round) {
    const int64_t buckets = gw_hashed_buckets(h->tokens, h->chunk), half = buckets / 2;
    int32_t *bucket = m->bucket + round * h->tokens, *sorted = m->sorted + round * h->tokens;
    int32_t *rank = m->rank + round * h->tokens, *count = m->count + round * (buckets + 1);
    float *turned = m->direction + half * h->size; // [half / EIGHT][size][EIGHT], with directions of 0 behind
    gw_hashed_directions(h, round, m->direction);
    memset(turned, 0, (size_t)(rounded_up(half, EIGHT) * h->size) * sizeof *turned);
    for (int64_t b = 0; b < half; b++)
        for (int64_t d = 0; d < h->size; d++)
            turned[(b / EIGHT * h->size + d) * EIGHT + b % EIGHT] = m->direction[b * h->size + d];
    for (int64_t i = 0; i < h->tokens; i++) bucket[i] = bucket_of(h, turned, half, h->vector + i * h->stride);
    memset(count, 0, (size_t)(buckets + 1) * sizeof *count);
    for (int64_t i = 0; i < h->tokens; i++) count[bucket[i] + 1]++;
    for (int64_t b = 0; b < buckets; b++) count[b + 1] += count[b];
    for (int64_t i = 0; i < h->tokens; i++) {
        rank[i] = count[bucket[i]]++;
        sorted[rank[i]] = (int32_t)i;
    }
}

// Columns of a token, ascending and distinct; itself where there is no other. Those that a round lists stand side by
// side in its order. m->bits: of the tokens, and behind them of their words that have any; all are 0 again at the end.
static int64_t list_token(const gw_hashing *h, const gw_hashed_memory *m, int64_t token, int32_t *to) {
    const int64_t words = gw_bit_words(h->tokens), buckets = gw_hashed_buckets(h->tokens, h->chunk);
    uint64_t *bits = m->bits, *used = m->bits + words;
    int64_t count = 0;
    for (int64_t round = 0; round < h->rounds; round++) {
        const int64_t at = round * h->tokens, place = m->rank[at + token], chunk = place / h->chunk;
        const int32_t bucket = m->bucket[at + token], *ends = m->count + round * (buckets + 1);
        const int64_t begin = gw_max(bucket > 0 ? ends[bucket - 1] : 0, (chunk - 1) * h->chunk);
        const int64_t most = h->causal ? place + 1 : gw_min((chunk + 1) * h->chunk, h->tokens);
        const int64_t end = gw_min(ends[bucket], most);
        for (int64_t i = begin; i < end; i++) {
            const uint32_t other = (uint32_t)m->sorted[at + i], word = other / 64;
            bits[word] |= (uint64_t)1 << other % 64;
            used[word / 64] |= (uint64_t)1 << word % 64;
        }
    }
    bits[token / 64] &= ~((uint64_t)1 << token % 64);
    for (int64_t u = 0; u < gw_bit_words(words); u++) {
        for (; used[u] != 0; used[u] &= used[u] - 1) {
            const int64_t w = 64 * u + __builtin_ctzll(used[u]);
            for (uint64_t left = bits[w]; left != 0; left &= left - 1)
                to[count++] = (int32_t)(64 * w + __builtin_ctzll(left));
            bits[w] = 0;
        }
    }
    if (count == 0) to[count++] = (int32_t)token;
    return count;
}

gw_status gw_hashed_graph(const gw_hashing *h, gw_hashed_memory *m, gw_token_graph *graph) {
    const int64_t most = 2 * h->chunk * h->rounds + 1, listed = h->tokens * h->rounds;
    const int64_t buckets = gw_hashed_buckets(h->tokens, h->chunk), words = gw_bit_words(h->tokens);
    const int64_t directions = buckets / 2 + rounded_up(buckets / 2, EIGHT); // and the same turned
    int64_t edges = 0;
    GW_TRY(gw_reserve(&m->row_start, &m->row_capacity, h->tokens + 1, sizeof *m->row_start));
    GW_TRY(gw_reserve(&m->bucket, &m->bucket_capacity, listed, sizeof *m->bucket));
    GW_TRY(gw_reserve(&m->sorted, &m->sorted_capacity, listed, sizeof *m->sorted));
    GW_TRY(gw_reserve(&m->rank, &m->rank_capacity, listed, sizeof *m->rank));
    GW_TRY(gw_reserve(&m->count, &m->count_capacity, h->rounds * (buckets + 1), sizeof *m->count));
    GW_TRY(gw_reserve(&m->direction, &m->direction_capacity, directions * h->size + 1, sizeof *m->direction));
    GW_TRY(gw_reserve(&m->bits, &m->bits_capacity, words + gw_bit_words(words), sizeof *m->bits));
    memset(m->bits, 0, (size_t)m->bits_capacity * sizeof *m->bits);
    for (int64_t round = 0; round < h->rounds; round++) hash(h, m, round);
    for (int64_t i = 0; i < h->tokens; i++) {
        GW_TRY(gw_reserve(&m->column, &m->column_capacity, edges + most, sizeof *m->column));
        m->row_start[i] = edges;
        edges += list_token(h, m, i, m->column + edges);
    }
    m->row_start[h->tokens] = edges;
    *graph = (gw_token_graph){.queries = h->tokens, .keys = h->tokens, .row_start = m->row_start, .column = m->column};
    return GW_OK;
}
