// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARENA_ALIGNMENT = 64, SMALLEST_CAPACITY = 16 };

static gw_status out_of_memory(int64_t count, int64_t size) {
    return gw_fail(GW_ERR_MEMORY, "out of memory: %lld items of %lld bytes", (long long)count, (long long)size);
}

void *gw_alloc(int64_t count, int64_t size) {
    assert(count >= 0 && size >= 0);
    void *memory = calloc(count > 0 ? (size_t)count : 1, size > 0 ? (size_t)size : 1);
    if (!memory) out_of_memory(count, size);
    return memory;
}

char *gw_strndup(const char *text, size_t length) {
    char *copy = gw_alloc((int64_t)length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

char *gw_strdup(const char *text) {
    return gw_strndup(text, strlen(text));
}

char *gw_strprintf(const char *format, ...) {
    va_list args;
    char *text = NULL;
    va_start(args, format);
    const int length = vasprintf(&text, format, args);
    va_end(args);
    if (length >= 0) return text;
    out_of_memory(1, 1);
    return NULL;
}

gw_status gw_reserve(void *array, int64_t *capacity, int64_t need, int64_t size) {
    if (need <= *capacity) return GW_OK;
    int64_t grown = *capacity + *capacity / 2;
    if (grown < need) grown = need;
    if (grown < SMALLEST_CAPACITY) grown = SMALLEST_CAPACITY;
    if (grown > INT64_MAX / 2 / (size > 0 ? size : 1)) return out_of_memory(grown, size);
    void *old;
    memcpy(&old, array, sizeof old); // any pointer type behind array
    void *fresh = realloc(old, (size_t)(grown * size));
    if (!fresh) return out_of_memory(grown, size);
    memcpy(array, &fresh, sizeof fresh);
    *capacity = grown;
    return GW_OK;
}

void *gw_arena_take(gw_arena *arena, int64_t count, int64_t size) {
    assert(count >= 0 && size > 0 && count <= INT64_MAX / 4 / size);
    const int64_t bytes = (count * size + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
    void *piece = arena->memory ? arena->memory + arena->used : NULL;
    arena->used += bytes;
    assert(!arena->memory || arena->used <= arena->size);
    return piece;
}

gw_status gw_arena_place(gw_arena *arena) {
    assert(!arena->memory);
    const int64_t size = arena->used > 0 ? arena->used : ARENA_ALIGNMENT;
    arena->memory = aligned_alloc(ARENA_ALIGNMENT, (size_t)size);
    if (!arena->memory) return out_of_memory(1, size);
    memset(arena->memory, 0, (size_t)size);
    arena->size = size;
    arena->used = 0;
    return GW_OK;
}

void gw_arena_free(gw_arena *arena) {
    free(arena->memory);
    *arena = (gw_arena){0};
}
