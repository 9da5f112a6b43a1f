// SPDX-License-Identifier: MIT
// Rules of a precompiled charsmap: checking once, then walking.
#include "text/sentencepiece/spm_model.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 4,        // bytes
    BLOCK = 256,       // units
    MOST_MATCHES = 32, // rules of different lengths at one position that are looked at
};

static const uint32_t LEAF = 1u << 31;

static inline uint32_t label_of(uint32_t unit) {
    return unit & (LEAF | 0xFF); // of a leaf: more than any byte
}

static inline uint32_t offset_of(uint32_t unit) {
    return unit >> 10 << ((unit & 1u << 9) >> 6);
}

static inline bool has_leaf(uint32_t unit) {
    return unit >> 8 & 1;
}

static uint32_t little_endian(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// Every unit that is no leaf leads into the array, to a leaf where it says so; every leaf leads into the texts. A byte
// changes the lowest eight bits only, so the last unit of a block stands for all.
static gw_status check_units(const char *field, const gw_charsmap *map) {
    for (int64_t i = 0; i < map->unit_count; i++) {
        const uint32_t unit = map->units[i];
        if (unit & LEAF) {
            if ((int64_t)(unit & ~LEAF) >= map->texts_length)
                return gw_fail(GW_ERR_FORMAT, "%s: unit %lld points to byte %u of %lld bytes of text", field,
                               (long long)i, unit & ~LEAF, (long long)map->texts_length);
            continue;
        }
        const int64_t target = i ^ offset_of(unit);
        if ((target | (BLOCK - 1)) >= map->unit_count)
            return gw_fail(GW_ERR_FORMAT, "%s: unit %lld points to unit %lld of %lld", field, (long long)i,
                           (long long)target, (long long)map->unit_count);
        if (has_leaf(unit) && !(map->units[target] & LEAF))
            return gw_fail(GW_ERR_FORMAT, "%s: unit %lld has no text at unit %lld", field, (long long)i,
                           (long long)target);
    }
    if (label_of(map->units[0]) != 0 || has_leaf(map->units[0]) || offset_of(map->units[0]) == 0)
        return gw_fail(GW_ERR_FORMAT, "%s: unit 0 is no root", field);
    return GW_OK;
}

gw_status gw_charsmap_parse(const char *field, const void *bytes, int64_t count, gw_charsmap *out) {
    *out = (gw_charsmap){0};
    const uint8_t *at = bytes;
    const int64_t array = count > HEADER ? little_endian(at) : 0, texts = count - HEADER - array;
    if (array == 0 || array % (4 * BLOCK) != 0)
        return gw_fail(GW_ERR_FORMAT, "%s: an array of %lld bytes, expected a multiple of %d", field, (long long)array,
                       4 * BLOCK);
    if (texts <= 0)
        return gw_fail(GW_ERR_FORMAT, "%s: an array of %lld bytes in %lld bytes", field, (long long)array,
                       (long long)count);
    if (at[count - 1] != 0) return gw_fail(GW_ERR_FORMAT, "%s: the last text has no end", field);
    gw_charsmap map = {gw_alloc(array / 4, 4), array / 4, gw_alloc(texts, 1), texts};
    gw_status status = map.units && map.texts ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        for (int64_t i = 0; i < map.unit_count; i++) map.units[i] = little_endian(at + HEADER + 4 * i);
        memcpy(map.texts, at + HEADER + array, (size_t)texts);
        status = check_units(field, &map);
    }
    if (status == GW_OK) *out = map;
    else gw_charsmap_free(&map);
    return status;
}

void gw_charsmap_free(gw_charsmap *map) {
    free(map->units);
    free(map->texts);
    *map = (gw_charsmap){0};
}

int64_t gw_charsmap_match(const gw_charsmap *map, const char *text, int64_t length, const char **replacement) {
    if (!map->units) return 0;
    int64_t longest = 0;
    uint32_t node = offset_of(map->units[0]);
    for (int64_t i = 0, matches = 0; i < length && matches < MOST_MATCHES; i++) {
        const uint8_t byte = (uint8_t)text[i];
        const uint32_t unit = map->units[node ^ byte];
        if (label_of(unit) != byte) break;
        node ^= byte ^ offset_of(unit);
        if (!has_leaf(unit)) continue;
        longest = i + 1;
        *replacement = map->texts + (map->units[node] & ~LEAF);
        matches++;
    }
    return longest;
}

bool gw_charsmap_begins(const gw_charsmap *map, uint8_t byte, bool *leaf, bool *ascii) {
    *leaf = *ascii = false;
    if (!map->units) return false;
    const uint32_t first = offset_of(map->units[0]) ^ byte, unit = map->units[first];
    if (label_of(unit) != byte) return false;
    *leaf = has_leaf(unit);
    for (uint32_t b = 0; b < 128; b++) *ascii |= label_of(map->units[first ^ offset_of(unit) ^ b]) == b;
    return true;
}
