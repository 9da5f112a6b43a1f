// SPDX-License-Identifier: MIT
// A float is sign, exponent, mantissa: f32 1 + 8 + 23 bits (bias 127), f16 1 + 5 + 10 (bias 15), bf16 the upper half of
// f32. Rounding off n bits to nearest, ties to even: add 2^(n-1) - 1 plus the lowest kept bit, then cut. A carry
// correctly increases the exponent.
#include "store/values.h"

#include "base/memory.h"
#include "base/number.h"
#include "store/weights_file.h"

#include <assert.h>
#include <string.h>

static const gw_value_type types[] = {
    {"F32", "FloatStorage", 4, GW_VALUE_F32},
    {"F16", "HalfStorage", 2, GW_VALUE_F16},
    {"BF16", "BFloat16Storage", 2, GW_VALUE_BF16},
    {"F64", "DoubleStorage", 8, GW_VALUE_OTHER},
    {"I64", "LongStorage", 8, GW_VALUE_SIGNED},
    {"I32", "IntStorage", 4, GW_VALUE_SIGNED},
    {"I16", "ShortStorage", 2, GW_VALUE_SIGNED},
    {"I8", "CharStorage", 1, GW_VALUE_SIGNED},
    {"U8", "ByteStorage", 1, GW_VALUE_UNSIGNED},
    {"BOOL", "BoolStorage", 1, GW_VALUE_UNSIGNED},
    {"U16", NULL, 2, GW_VALUE_UNSIGNED},
    {"U32", NULL, 4, GW_VALUE_UNSIGNED},
    {"U64", NULL, 8, GW_VALUE_OTHER},
    {"F8_E4M3", NULL, 1, GW_VALUE_OTHER},
    {"F8_E5M2", NULL, 1, GW_VALUE_OTHER},
    {"C64", "ComplexFloatStorage", 8, GW_VALUE_OTHER},
};
enum { TYPES = sizeof types / sizeof *types, COMPARED = 2048 };

const gw_value_type *gw_value_type_named(const char *name) {
    for (int i = 0; i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0) return &types[i];
    return NULL;
}

const gw_value_type *gw_value_type_of_torch(const char *storage_class) {
    for (int i = 0; i < TYPES; i++)
        if (types[i].torch && strcmp(types[i].torch, storage_class) == 0) return &types[i];
    return NULL;
}

bool gw_value_is_float(const gw_value_type *type) {
    return type->kind == GW_VALUE_F32 || type->kind == GW_VALUE_F16 || type->kind == GW_VALUE_BF16;
}

bool gw_value_is_int(const gw_value_type *type) {
    return type->kind == GW_VALUE_SIGNED || type->kind == GW_VALUE_UNSIGNED;
}

void gw_view_set_dense(gw_tensor_view *view) {
    int64_t stride = 1;
    for (int d = view->stored.dimensions - 1; d >= 0; d--) {
        view->stride[d] = stride;
        stride *= view->stored.shape[d] > 0 ? view->stored.shape[d] : 1;
    }
    view->dense = true;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A subnormal h = m 2^-24 is exact in single precision.
float gw_value_from_f16(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u, mantissa = half & 1023u;
    if (exponent == 31) return float_of(sign | 0x7f800000u | mantissa << 13);
    if (exponent == 0) return (sign ? -1.0f : 1.0f) * (float)mantissa * 0x1p-24f;
    return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
}

float gw_value_from_bf16(uint16_t brain) {
    return float_of((uint32_t)brain << 16);
}

static uint32_t cut(uint32_t bits, int bits_lost) {
    return (bits + (1u << (bits_lost - 1)) - 1 + (bits >> bits_lost & 1u)) >> bits_lost;
}

uint16_t gw_value_to_f16(float value) {
    const uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u) { // NaN keeps the upper part of its payload, and stays one
        const uint32_t payload = size >> 13 & 1023u;
        return (uint16_t)(sign | 0x7c00u | (payload ? payload : 0x200u));
    }
    if (size >= 0x47800000u) return (uint16_t)(sign | 0x7c00u); // 2^16
    if (size >= 0x38800000u) return (uint16_t)(sign | cut(size - (112u << 23), 13));
    if (size < 0x33000000u) return (uint16_t)sign; // below half of the smallest subnormal
    const int bits_lost = 126 - (int)(size >> 23); // 1.m 2^(e-127) as a multiple of 2^-24
    return (uint16_t)(sign | cut((size & 0x7fffffu) | 0x800000u, bits_lost));
}

uint16_t gw_value_to_bf16(float value) {
    const uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffffu) <= 0x7f800000u) return (uint16_t)cut(bits, 16);
    const uint32_t upper = bits >> 16;
    return (uint16_t)(upper & 0x7fu ? upper : upper | 0x40u);
}

// Values that lie one step apart.
typedef struct {
    const unsigned char *data;
    int64_t step, count; // bytes, values
} value_run;

// The run that begins at index `at` of the row-major order, of at most `most` values: all that is left of a dense view,
// else of one row.
static value_run run_at(const gw_tensor_view *view, int64_t at, int64_t most) {
    const gw_stored_tensor *stored = &view->stored;
    const int last = stored->dimensions - 1, bytes = view->type->bytes;
    if (view->dense) return (value_run){view->data + at * bytes, bytes, gw_min(stored->count - at, most)};
    const int64_t column = at % stored->shape[last];
    int64_t offset = column * view->stride[last], row = at / stored->shape[last];
    for (int d = last - 1; d >= 0; d--) {
        offset += row % stored->shape[d] * view->stride[d];
        row /= stored->shape[d];
    }
    return (value_run){view->data + offset * bytes, view->stride[last] * bytes,
                       gw_min(stored->shape[last] - column, most)};
}

void gw_view_to_float(const gw_tensor_view *view, int64_t first, int64_t count, float *out) {
    const gw_value_kind kind = view->type->kind;
    assert(gw_value_is_float(view->type) && first >= 0 && first + count <= view->stored.count);
    for (int64_t done = 0; done < count;) {
        const value_run run = run_at(view, first + done, count - done);
        float *to = out + done;
        if (kind == GW_VALUE_F32 && run.step == sizeof *to) {
            memcpy(to, run.data, (size_t)run.count * sizeof *to);
        } else if (kind == GW_VALUE_F32) {
            for (int64_t i = 0; i < run.count; i++) memcpy(&to[i], run.data + i * run.step, sizeof *to);
        } else {
            for (int64_t i = 0; i < run.count; i++) {
                uint16_t half;
                memcpy(&half, run.data + i * run.step, sizeof half);
                to[i] = kind == GW_VALUE_F16 ? gw_value_from_f16(half) : gw_value_from_bf16(half);
            }
        }
        done += run.count;
    }
}

void gw_view_to_int(const gw_tensor_view *view, int64_t first, int64_t count, int64_t *out) {
    const gw_value_type *type = view->type;
    const uint64_t sign = type->kind == GW_VALUE_SIGNED ? 1ull << (8 * type->bytes - 1) : 0;
    assert(gw_value_is_int(type) && first >= 0 && first + count <= view->stored.count);
    for (int64_t done = 0; done < count;) {
        const value_run run = run_at(view, first + done, count - done);
        for (int64_t i = 0; i < run.count; i++) {
            uint64_t value = 0;
            memcpy(&value, run.data + i * run.step, (size_t)type->bytes);
            out[done + i] = (int64_t)((value ^ sign) - sign);
        }
        done += run.count;
    }
}

void gw_view_to_bytes(const gw_tensor_view *view, int64_t first, int64_t count, unsigned char *out) {
    const size_t bytes = (size_t)view->type->bytes;
    for (int64_t done = 0; done < count;) {
        const value_run run = run_at(view, first + done, count - done);
        for (int64_t i = 0; i < run.count; i++)
            memcpy(out + (size_t)(done + i) * bytes, run.data + i * run.step, bytes);
        done += run.count;
    }
}

// x is infinite or NaN where all bits of its exponent are set.
bool gw_values_finite(const float *values, int64_t count) {
    uint32_t found = 0;
    for (int64_t i = 0; i < count; i++) found |= (bits_of(values[i]) & 0x7f800000u) == 0x7f800000u;
    return !found;
}

bool gw_view_same(const gw_tensor_view *a, const gw_tensor_view *b) {
    const gw_stored_tensor *x = &a->stored, *y = &b->stored;
    const bool floats = gw_value_is_float(a->type) && gw_value_is_float(b->type);
    bool same = x->dimensions == y->dimensions && memcmp(x->shape, y->shape, sizeof x->shape) == 0;
    if (same && a->type == b->type && a->data == b->data && memcmp(a->stride, b->stride, sizeof a->stride) == 0)
        return true;
    same = same && (floats || (gw_value_is_int(a->type) && gw_value_is_int(b->type)));
    for (int64_t first = 0; same && first < x->count; first += COMPARED) {
        const int64_t count = gw_min(x->count - first, COMPARED);
        if (floats) {
            float of_a[COMPARED], of_b[COMPARED];
            gw_view_to_float(a, first, count, of_a);
            gw_view_to_float(b, first, count, of_b);
            same = memcmp(of_a, of_b, (size_t)count * sizeof *of_a) == 0;
        } else {
            int64_t of_a[COMPARED], of_b[COMPARED];
            gw_view_to_int(a, first, count, of_a);
            gw_view_to_int(b, first, count, of_b);
            same = memcmp(of_a, of_b, (size_t)count * sizeof *of_a) == 0;
        }
    }
    return same;
}

gw_status gw_weights_file_add(gw_weights_file *file, const char *name, gw_tensor_view **out) {
    for (const char *c = name; *c; c++) // names reach the user's terminal in messages
        if ((unsigned char)*c < ' ' || *c == 127)
            return gw_fail(GW_ERR_FORMAT, "%s: the name of a tensor holds control characters", file->path);
    GW_TRY(gw_reserve(&file->views, &file->capacity, file->count + 1, sizeof *file->views));
    char *copy = gw_strdup(name);
    if (!copy) return GW_ERR_MEMORY;
    *out = &file->views[file->count++];
    **out = (gw_tensor_view){.stored = {.name = copy, .file = file->path}};
    return GW_OK;
}

gw_status gw_weights_file_fault(const gw_weights_file *file, const char *name, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: tensor %s: %s", file->path, name, what);
}

gw_status gw_view_set_shape(const gw_weights_file *file, gw_tensor_view *view, const int64_t *shape, int dimensions) {
    gw_stored_tensor *stored = &view->stored;
    stored->dimensions = dimensions;
    stored->count = 1;
    bool empty = false, huge = false;
    for (int d = 0; d < dimensions; d++) {
        if (shape[d] < 0) return gw_weights_file_fault(file, stored->name, "a size in its shape is negative");
        stored->shape[d] = shape[d];
        empty = empty || shape[d] == 0;
        if (shape[d] > 0) huge = __builtin_mul_overflow(stored->count, shape[d], &stored->count) || huge;
    }
    if (huge || stored->count > INT64_MAX / 16)
        return gw_weights_file_fault(file, stored->name, "its shape is too large");
    if (empty) stored->count = 0;
    return GW_OK;
}
