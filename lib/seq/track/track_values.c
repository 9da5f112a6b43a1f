// SPDX-License-Identifier: MIT
// What was read of a track, value by value.
#include "base/memory.h"
#include "seq/track/track.h"

#include <stdlib.h>

gw_status gw_track_keep(gw_track_values *values, int64_t begin, int64_t end, double value) {
    GW_TRY(gw_reserve(&values->items, &values->capacity, values->count + 1, sizeof *values->items));
    values->items[values->count++] = (gw_track_value){begin, end, value};
    return GW_OK;
}

void gw_track_values_free(gw_track_values *values) {
    free(values->items);
    *values = (gw_track_values){0};
}
