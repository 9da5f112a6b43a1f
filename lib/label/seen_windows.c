// SPDX-License-Identifier: MIT
// A sorted list of hashes.
#include "label/seen_windows.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

uint64_t gw_hash_bases(const char *bases, int64_t length) {
    return gw_hash_bytes(GW_HASH_START, bases, length);
}

static int by_hash(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

gw_status gw_seen_windows_add_hash(gw_seen_windows *seen, uint64_t hash) {
    GW_TRY(gw_reserve(&seen->hashes, &seen->capacity, seen->count + 1, sizeof *seen->hashes));
    seen->hashes[seen->count++] = hash;
    return GW_OK;
}

gw_status gw_seen_windows_add(gw_seen_windows *seen, const char *bases, int64_t length) {
    return gw_seen_windows_add_hash(seen, gw_hash_bases(bases, length));
}

void gw_seen_windows_sort(gw_seen_windows *seen) {
    if (seen->count > 0) qsort(seen->hashes, (size_t)seen->count, sizeof *seen->hashes, by_hash);
}

bool gw_seen_windows_has_hash(const gw_seen_windows *seen, uint64_t hash) {
    return seen->count > 0 && bsearch(&hash, seen->hashes, (size_t)seen->count, sizeof hash, by_hash);
}

bool gw_seen_windows_has(const gw_seen_windows *seen, const char *bases, int64_t length) {
    return gw_seen_windows_has_hash(seen, gw_hash_bases(bases, length));
}

void gw_seen_windows_free(gw_seen_windows *seen) {
    free(seen->hashes);
    *seen = (gw_seen_windows){0};
}
