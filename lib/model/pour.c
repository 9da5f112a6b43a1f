// SPDX-License-Identifier: MIT
#include "model/pour.h"

#include "base/log.h"

#include <math.h>

enum { PIECE = 4096, WIDEST = 8 }; // values, bytes of a value

const gw_value_type *gw_pour_type(const gw_tensor_values *tensor, gw_store_type type) {
    static const char *const names[] = {[GW_STORE_F32] = "F32", [GW_STORE_F16] = "F16", [GW_STORE_BF16] = "BF16"};
    if (tensor->values) return gw_value_type_named(names[type]);
    if (tensor->integers) return gw_value_type_named("I64");
    const gw_value_type *stored = gw_value_type_named(tensor->stored->type);
    return gw_value_is_float(stored) ? gw_value_type_named(names[type]) : stored;
}

static gw_status narrow(const gw_tensor_values *tensor, gw_store_type type, const float *values, int64_t count,
                        uint16_t *out) {
    const uint16_t infinity = type == GW_STORE_F16 ? 0x7c00 : 0x7f80;
    for (int64_t i = 0; i < count; i++) {
        out[i] = type == GW_STORE_F16 ? gw_narrow_half(values[i]) : gw_narrow_brain(values[i]);
        if ((out[i] & 0x7fff) == infinity && isfinite(values[i]))
            return gw_fail(GW_ERR_RANGE, "tensor %s: its value %g is too large for %s", tensor->name, (double)values[i],
                           gw_pour_type(tensor, type)->name);
    }
    return GW_OK;
}

// The floats first .. first + count; `room` is for those that must be widened.
static const float *floats_at(const gw_tensor_values *tensor, int64_t first, int64_t count, float *room) {
    if (tensor->values) return tensor->values + first;
    gw_view_to_float((const gw_tensor_view *)tensor->stored, first, count, room);
    return room;
}

static gw_status pour_floats(const gw_tensor_values *tensor, gw_store_type type, gw_pour_sink sink, void *context) {
    float room[PIECE];
    uint16_t narrowed[PIECE];
    bool finite = true;
    for (int64_t first = 0; first < tensor->count; first += PIECE) {
        const int64_t count = tensor->count - first < PIECE ? tensor->count - first : PIECE;
        const float *values = floats_at(tensor, first, count, room);
        finite = gw_values_finite(values, count) && finite;
        if (type == GW_STORE_F32) {
            GW_TRY(sink(context, values, count * (int64_t)sizeof *values));
        } else {
            GW_TRY(narrow(tensor, type, values, count, narrowed));
            GW_TRY(sink(context, narrowed, count * (int64_t)sizeof *narrowed));
        }
    }
    if (!finite) gw_warn("tensor %s is written with infinite values or NaN", tensor->name);
    return GW_OK;
}

static gw_status pour_stored(const gw_tensor_values *tensor, gw_pour_sink sink, void *context) {
    const gw_tensor_view *view = (const gw_tensor_view *)tensor->stored;
    unsigned char bytes[PIECE * WIDEST];
    for (int64_t first = 0; first < tensor->count; first += PIECE) {
        const int64_t count = tensor->count - first < PIECE ? tensor->count - first : PIECE;
        gw_view_to_bytes(view, first, count, bytes);
        GW_TRY(sink(context, bytes, count * view->type->bytes));
    }
    return GW_OK;
}

gw_status gw_pour(const gw_tensor_values *tensor, gw_store_type type, gw_pour_sink sink, void *context) {
    if (gw_value_is_float(gw_pour_type(tensor, type))) return pour_floats(tensor, type, sink, context);
    if (tensor->integers) return sink(context, tensor->integers, tensor->count * (int64_t)sizeof *tensor->integers);
    return pour_stored(tensor, sink, context);
}
