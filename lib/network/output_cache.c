// SPDX-License-Identifier: MIT
// Entries stand in a ring; each is in the chain of its hash's bucket.
#include "network/output_cache.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 64 << 20, MOST_ENTRIES = 1 << 16, NONE = -1 };

typedef struct {
    uint64_t hash;
    int64_t count, asked; // count 0: the entry is free
    int64_t next;         // of the chain
    bool computed;
} entry;

struct gw_output_cache {
    int64_t longest, width, capacity;
    entry *entries;  // [capacity]
    int64_t *bucket; // [capacity] first entry of each chain
    int32_t *tokens; // [capacity][longest]
    float *outputs;  // [capacity][width]
    int64_t place;   // that the next entry takes
};

gw_status gw_output_cache_new(int64_t longest, int64_t width, int64_t least, gw_output_cache **out) {
    *out = NULL;
    gw_output_cache *cache = gw_alloc(1, sizeof *cache);
    if (!cache) return GW_ERR_MEMORY;
    const int64_t fit = BYTES / (longest * (int64_t)sizeof(int32_t) + width * (int64_t)sizeof(float));
    cache->longest = longest;
    cache->width = width;
    cache->capacity = fit < least ? least : fit > MOST_ENTRIES ? MOST_ENTRIES : fit;
    cache->entries = gw_alloc(cache->capacity, sizeof *cache->entries);
    cache->bucket = gw_alloc(cache->capacity, sizeof *cache->bucket);
    cache->tokens = gw_alloc(cache->capacity, longest * (int64_t)sizeof *cache->tokens);
    cache->outputs = gw_alloc(cache->capacity, width * (int64_t)sizeof *cache->outputs);
    if (!cache->entries || !cache->bucket || !cache->tokens || !cache->outputs) {
        gw_output_cache_free(cache);
        return GW_ERR_MEMORY;
    }
    gw_output_cache_clear(cache);
    *out = cache;
    return GW_OK;
}

void gw_output_cache_free(gw_output_cache *cache) {
    if (!cache) return;
    free(cache->entries);
    free(cache->bucket);
    free(cache->tokens);
    free(cache->outputs);
    free(cache);
}

void gw_output_cache_clear(gw_output_cache *cache) {
    memset(cache->entries, 0, (size_t)cache->capacity * sizeof *cache->entries);
    for (int64_t i = 0; i < cache->capacity; i++) cache->bucket[i] = NONE;
    cache->place = 0;
}

// FNV-1a over tokens.
static uint64_t hash_of(gw_output_key key) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ (uint64_t)key.asked;
    for (int64_t i = 0; i < key.count; i++) hash = (hash ^ (uint32_t)key.tokens[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static int64_t *bucket_of(const gw_output_cache *cache, uint64_t hash) {
    return &cache->bucket[hash % (uint64_t)cache->capacity];
}

static int32_t *tokens_of(const gw_output_cache *cache, int64_t index) {
    return cache->tokens + index * cache->longest;
}

int64_t gw_output_cache_find(const gw_output_cache *cache, gw_output_key key) {
    const uint64_t hash = hash_of(key);
    for (int64_t i = *bucket_of(cache, hash); i != NONE; i = cache->entries[i].next) {
        const entry *e = &cache->entries[i];
        if (e->hash == hash && e->count == key.count && e->asked == key.asked &&
            memcmp(tokens_of(cache, i), key.tokens, (size_t)key.count * sizeof *key.tokens) == 0)
            return i;
    }
    return NONE;
}

// Takes an entry out of its chain.
static void forget(gw_output_cache *cache, int64_t index) {
    if (cache->entries[index].count == 0) return;
    int64_t *link = bucket_of(cache, cache->entries[index].hash);
    while (*link != index) link = &cache->entries[*link].next;
    *link = cache->entries[index].next;
}

int64_t gw_output_cache_add(gw_output_cache *cache, gw_output_key key) {
    const int64_t index = cache->place;
    cache->place = (index + 1) % cache->capacity;
    forget(cache, index);
    const uint64_t hash = hash_of(key);
    int64_t *bucket = bucket_of(cache, hash);
    cache->entries[index] = (entry){.hash = hash, .count = key.count, .asked = key.asked, .next = *bucket};
    *bucket = index;
    memcpy(tokens_of(cache, index), key.tokens, (size_t)key.count * sizeof *key.tokens);
    return index;
}

void gw_output_cache_set(gw_output_cache *cache, int64_t index, const float *outputs) {
    memcpy(cache->outputs + index * cache->width, outputs, (size_t)cache->width * sizeof *outputs);
    cache->entries[index].computed = true;
}

const float *gw_output_cache_get(const gw_output_cache *cache, int64_t index) {
    return cache->entries[index].computed ? cache->outputs + index * cache->width : NULL;
}
