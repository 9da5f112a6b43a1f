// SPDX-License-Identifier: MIT
// Sequences that were met, by their 64-bit hashes (FNV-1a, or what the caller has): which of others occur among them.
#ifndef GW_LABEL_SEEN_WINDOWS_H
#define GW_LABEL_SEEN_WINDOWS_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

uint64_t gw_hash_bases(const char *bases, int64_t length);

// Zero-initialise.
typedef struct {
    uint64_t *hashes;
    int64_t count, capacity;
} gw_seen_windows;

gw_status gw_seen_windows_add(gw_seen_windows *seen, const char *bases, int64_t length) GW_MUST_CHECK;
gw_status gw_seen_windows_add_hash(gw_seen_windows *seen, uint64_t hash) GW_MUST_CHECK;
// To be called after the last one was added, and before the first is asked for.
void gw_seen_windows_sort(gw_seen_windows *seen);
bool gw_seen_windows_has(const gw_seen_windows *seen, const char *bases, int64_t length);
bool gw_seen_windows_has_hash(const gw_seen_windows *seen, uint64_t hash);
void gw_seen_windows_free(gw_seen_windows *seen);

#endif
