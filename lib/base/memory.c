// SPDX-License-Identifier: MIT
// Checks every size for overflow before allocation. Arenas first count and then allocate one block.
#include "base/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { LINE = 64, SMALLEST_CAPACITY = 16, LARGE_PAGE = 1 << 21, LARGE = 4 * LARGE_PAGE };

static gw_status out_of_memory(int64_t count, int64_t size) {
    return gw_fail(GW_ERR_MEMORY, "out of memory: %lld items of %lld bytes", (long long)count, (long long)size);
}

// A hint, before the memory is first written: where the system refuses it, small pages do as well.
static void want_large_pages(void *memory, int64_t size) {
#ifdef MADV_HUGEPAGE
    if (size < LARGE) return;
    const uintptr_t begin = ((uintptr_t)memory + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    const uintptr_t end = ((uintptr_t)memory + (uintptr_t)size) / LARGE_PAGE * LARGE_PAGE;
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)memory, (void)size;
#endif
}

void *gw_alloc(int64_t count, int64_t size) {
    assert(count >= 0 && size >= 0);
    void *memory = calloc(count > 0 ? (size_t)count : 1, size > 0 ? (size_t)size : 1);
    if (!memory) out_of_memory(count, size);
    else want_large_pages(memory, count * size);
    return memory;
}

void *gw_alloc_aligned(int64_t size) {
    const int64_t alignment = size < LARGE ? LINE : LARGE_PAGE;
    const int64_t whole = (size / alignment + 1) * alignment;
    void *memory = aligned_alloc((size_t)alignment, (size_t)whole);
    if (!memory) out_of_memory(1, size);
    else want_large_pages(memory, whole);
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

void *gw_arena_alloc(gw_arena *arena, int64_t count, int64_t size) {
    assert(count >= 0 && size > 0 && count <= INT64_MAX / 4 / size);
    const int64_t bytes = (count * size + LINE - 1) / LINE * LINE;
    void *piece = arena->memory ? arena->memory + arena->used : NULL;
    arena->used += bytes;
    assert(!arena->memory || arena->used <= arena->size);
    return piece;
}

gw_status gw_arena_place(gw_arena *arena) {
    assert(!arena->memory);
    const int64_t size = arena->used > 0 ? arena->used : LINE;
    arena->memory = gw_alloc_aligned(size);
    if (!arena->memory) return GW_ERR_MEMORY;
    memset(arena->memory, 0, (size_t)size);
    arena->size = size;
    arena->used = 0;
    return GW_OK;
}

void gw_arena_free(gw_arena *arena) {
    free(arena->memory);
    *arena = (gw_arena){0};
}
