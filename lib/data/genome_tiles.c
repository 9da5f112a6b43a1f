// SPDX-License-Identifier: MIT
// A tile's number gives its region and its place there.
#include "data/genome_tiles.h"

#include "base/memory.h"

#include <stdlib.h>

// How far windows begin apart.
static int64_t stride(int64_t length) {
    return length > 1 ? length / 2 : 1;
}

static int64_t tiles_of(const gw_text_region *region, int64_t length) {
    const int64_t beyond = region->end - region->begin - length;
    return beyond <= 0 ? 1 : 1 + (beyond + stride(length) - 1) / stride(length);
}

gw_status gw_genome_tiles_make(gw_genome_tiles *tiles, const gw_genome_text *text, int64_t length) {
    *tiles = (gw_genome_tiles){.text = text, .length = length};
    tiles->before = gw_alloc(text->region_count + 1, sizeof *tiles->before);
    if (!tiles->before) return GW_ERR_MEMORY;
    for (int64_t r = 0; r < text->region_count; r++)
        tiles->before[r + 1] = tiles->before[r] + tiles_of(&text->regions[r], length);
    tiles->count = tiles->before[text->region_count];
    return GW_OK;
}

void gw_genome_tiles_free(gw_genome_tiles *tiles) {
    free(tiles->before);
    *tiles = (gw_genome_tiles){0};
}

gw_genome_tile gw_genome_tile_at(const gw_genome_tiles *tiles, int64_t number) {
    const int64_t r = gw_text_region_of(tiles->before, tiles->text->region_count, number);
    const gw_text_region *region = &tiles->text->regions[r];
    const int64_t h = stride(tiles->length), margin = (tiles->length - h) / 2, end = region->end - region->begin,
                  place = number - tiles->before[r];
    const bool starts = place == 0, ends = number + 1 == tiles->before[r + 1];
    const int64_t begin = !ends ? place * h : end > tiles->length ? end - tiles->length : 0;
    return (gw_genome_tile){.region = region,
                            .begin = region->first + begin,
                            .end = region->first + (ends ? end : begin + tiles->length),
                            .first = region->first + (starts ? 0 : place * h + margin),
                            .last = region->first + (ends ? end : (place + 1) * h + margin)};
}
