// SPDX-License-Identifier: MIT
// Converts values by pieces that fit the stack, and hands them to the format's sink.
#include "store/write_values.h"

#include "base/log.h"

#include <math.h>

enum { PIECE = 4096, WIDEST = 8 }; // values, bytes of a value

const gw_value_type *gw_values_type(const gw_tensor_values *tensor, gw_store_type type) {
    static const char *const names[] = {[GW_STORE_F32] = "F32", [GW_STORE_F16] = "F16", [GW_STORE_BF16] = "BF16"};
    if (tensor->values) return gw_value_type_named(names[type]);
    if (tensor->integers) return gw_value_type_named("I64");
    const gw_value_type *stored = gw_value_type_named(tensor->stored->type);
    return gw_value_is_float(stored) ? gw_value_type_named(names[type]) : stored;
}

static gw_status to_stored(const gw_tensor_values *tensor, gw_store_type type, const float *values, int64_t count,
                           uint16_t *out) {
    const uint16_t infinity = type == GW_STORE_F16 ? 0x7c00 : 0x7f80;
    for (int64_t i = 0; i < count; i++) {
        out[i] = type == GW_STORE_F16 ? gw_value_to_f16(values[i]) : gw_value_to_bf16(values[i]);
        if ((out[i] & 0x7fff) == infinity && isfinite(values[i]))
            return gw_fail(GW_ERR_RANGE, "tensor %s: its value %g is too large for %s", tensor->name, (double)values[i],
                           gw_values_type(tensor, type)->name);
    }
    return GW_OK;
}

// The floats first .. first + count; `workspace` is for those that must be widened.
static const float *floats_at(const gw_tensor_values *tensor, int64_t first, int64_t count, float *workspace) {
    if (tensor->values) return tensor->values + first;
    gw_view_to_float((const gw_tensor_view *)tensor->stored, first, count, workspace);
    return workspace;
}

static gw_status write_floats(const gw_tensor_values *tensor, gw_store_type type, gw_values_sink sink, void *context) {
    float workspace[PIECE];
    uint16_t stored[PIECE];
    bool finite = true;
    for (int64_t first = 0; first < tensor->count; first += PIECE) {
        const int64_t count = tensor->count - first < PIECE ? tensor->count - first : PIECE;
        const float *values = floats_at(tensor, first, count, workspace);
        finite = gw_values_finite(values, count) && finite;
        if (type == GW_STORE_F32) {
            GW_TRY(sink(context, values, count * (int64_t)sizeof *values));
        } else {
            GW_TRY(to_stored(tensor, type, values, count, stored));
            GW_TRY(sink(context, stored, count * (int64_t)sizeof *stored));
        }
    }
    if (!finite) gw_warn("tensor %s is written with infinite values or NaN", tensor->name);
    return GW_OK;
}

static gw_status write_stored(const gw_tensor_values *tensor, gw_values_sink sink, void *context) {
    const gw_tensor_view *view = (const gw_tensor_view *)tensor->stored;
    unsigned char bytes[PIECE * WIDEST];
    for (int64_t first = 0; first < tensor->count; first += PIECE) {
        const int64_t count = tensor->count - first < PIECE ? tensor->count - first : PIECE;
        gw_view_to_bytes(view, first, count, bytes);
        GW_TRY(sink(context, bytes, count * view->type->bytes));
    }
    return GW_OK;
}

gw_status gw_write_values(const gw_tensor_values *tensor, gw_store_type type, gw_values_sink sink, void *context) {
    if (gw_value_is_float(gw_values_type(tensor, type))) return write_floats(tensor, type, sink, context);
    if (tensor->integers) return sink(context, tensor->integers, tensor->count * (int64_t)sizeof *tensor->integers);
    return write_stored(tensor, sink, context);
}
