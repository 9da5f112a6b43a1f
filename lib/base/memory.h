// SPDX-License-Identifier: MIT
// Allocation that reports, growth that cannot overflow, and arenas that are measured and then placed.
#ifndef GW_BASE_MEMORY_H
#define GW_BASE_MEMORY_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

// count * size zeroed bytes, aligned for any type; freed with free(). NULL with a message where memory or the product
// does not suffice; never NULL for 0 bytes.
void *gw_alloc(int64_t count, int64_t size);

// `size` bytes of any content, aligned to lines of the cache; many of them on large pages where the system has some, so
// that reading rows far apart finds their addresses translated. Freed with free(); NULL with a message.
void *gw_alloc_aligned(int64_t size);

// A copy of text, freed with free(); NULL with a message.
char *gw_strdup(const char *text);
char *gw_strndup(const char *text, size_t length);
// printf into a fresh string, freed with free(); NULL with a message.
char *gw_strprintf(const char *format, ...) GW_PRINTF(1, 2);

// Makes room for `need` items of `size` bytes in *array, whose capacity is *capacity: grows by half, keeps content,
// leaves new items undefined. `array` is the address of a pointer to any object type.
gw_status gw_reserve(void *array, int64_t *capacity, int64_t need, int64_t size) GW_MUST_CHECK;

// An arena: run the same sequence of gw_arena_alloc() calls twice, first on an arena without memory (measures), then,
// after gw_arena_place(), on one that has it. Every piece is aligned to 64 bytes.
typedef struct {
    char *memory; // NULL while measuring
    int64_t used; // bytes
    int64_t size; // bytes placed
} gw_arena;

// The next `count * size` bytes: NULL while measuring, zeroed memory once placed.
void *gw_arena_alloc(gw_arena *arena, int64_t count, int64_t size);
// Allocates the measured size and starts again from its beginning.
gw_status gw_arena_place(gw_arena *arena) GW_MUST_CHECK;
void gw_arena_free(gw_arena *arena);

#endif
