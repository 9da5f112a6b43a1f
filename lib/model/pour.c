// SPDX-License-Identifier: MIT
#include "model/pour.h"

#include <math.h>

enum { PIECE = 4096 }; // values

const gw_value_type *gw_store_value_type(gw_store_type type) {
    static const char *const names[] = {[GW_STORE_F32] = "F32", [GW_STORE_F16] = "F16", [GW_STORE_BF16] = "BF16"};
    return gw_value_type_named(names[type]);
}

static gw_status narrow(const gw_tensor_values *tensor, gw_store_type type, int64_t first, int64_t count,
                        uint16_t *out) {
    const uint16_t infinity = type == GW_STORE_F16 ? 0x7c00 : 0x7f80;
    for (int64_t i = 0; i < count; i++) {
        const float value = tensor->values[first + i];
        out[i] = type == GW_STORE_F16 ? gw_narrow_half(value) : gw_narrow_brain(value);
        if ((out[i] & 0x7fff) == infinity && isfinite(value))
            return gw_fail(GW_ERR_RANGE, "tensor %s: value %lld, which is %g, is too large for %s", tensor->name,
                           (long long)(first + i), (double)value, gw_store_value_type(type)->name);
    }
    return GW_OK;
}

gw_status gw_pour(const gw_tensor_values *tensor, gw_store_type type, gw_pour_sink sink, void *context) {
    if (type == GW_STORE_F32) return sink(context, tensor->values, tensor->count * (int64_t)sizeof(float));
    uint16_t piece[PIECE];
    for (int64_t first = 0; first < tensor->count; first += PIECE) {
        const int64_t count = tensor->count - first < PIECE ? tensor->count - first : PIECE;
        GW_TRY(narrow(tensor, type, first, count, piece));
        GW_TRY(sink(context, piece, count * (int64_t)sizeof *piece));
    }
    return GW_OK;
}
