// SPDX-License-Identifier: MIT
// Allocation that reports, growth that cannot overflow, and arenas that are measured and then placed.
#ifndef GW_BASE_MEMORY_H
#define GW_BASE_MEMORY_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

// Allocates count * size zeroed bytes, aligned for any type. Free them with free(). NULL with a message if memory is
// out or the product overflows. Not NULL for 0 bytes.
void *gw_alloc(int64_t count, int64_t size);

// Allocates `size` undefined bytes, aligned to cache lines. Large pieces are placed on large pages if the system has
// some, because reading distant rows then needs fewer address translations. Free them with free(). NULL with a message
// if memory is out.
void *gw_alloc_aligned(int64_t size);

// A copy of text, freed with free(); NULL with a message.
char *gw_strdup(const char *text);
char *gw_strndup(const char *text, size_t length);
// printf into a fresh string, freed with free(); NULL with a message.
char *gw_strprintf(const char *format, ...) GW_PRINTF(1, 2);

// Grows *array to at least `need` items of `size` bytes. *capacity is the current capacity; it grows by half at least.
// The content is kept, and new items are undefined. `array` is the address of a pointer to any object type.
gw_status gw_reserve(void *array, int64_t *capacity, int64_t need, int64_t size) GW_MUST_CHECK;

// An arena. Run the same sequence of gw_arena_alloc() calls twice: first on an arena without memory (this measures),
// then, after gw_arena_place(), on the arena with memory. Every piece is aligned to 64 bytes.
typedef struct {
    char *memory; // NULL while measuring
    int64_t used; // bytes
    int64_t size; // bytes placed
} gw_arena;

// Returns the next `count * size` bytes: NULL while measuring, zeroed memory after gw_arena_place().
void *gw_arena_alloc(gw_arena *arena, int64_t count, int64_t size);
// Allocates the measured size and starts again at its beginning.
gw_status gw_arena_place(gw_arena *arena) GW_MUST_CHECK;
void gw_arena_free(gw_arena *arena);

#endif
