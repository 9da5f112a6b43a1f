// SPDX-License-Identifier: MIT
// Stored values: their types, strided views, and conversion from and to f32.
#ifndef GW_STORE_VALUES_H
#define GW_STORE_VALUES_H

#include "store/stored_tensor.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    GW_VALUE_OTHER,
    GW_VALUE_F32,
    GW_VALUE_F16,
    GW_VALUE_BF16,
    GW_VALUE_SIGNED,
    GW_VALUE_UNSIGNED
} gw_value_kind;

typedef struct {
    const char *name;  // in safetensors
    const char *torch; // class of its storage in torch's pickles; NULL: none
    int bytes;
    gw_value_kind kind;
} gw_value_type;

// The type with this name; NULL for unknown names.
const gw_value_type *gw_value_type_named(const char *name);
const gw_value_type *gw_value_type_of_torch(const char *storage_class);

// A tensor in borrowed memory. Value (i, j, ...) is stride[0] i + stride[1] j + ... values behind `data`, little
// endian, at any alignment.
typedef struct {
    gw_stored_tensor stored; // first, so that a pointer to it points to the view; the view owns the name
    const gw_value_type *type;
    const unsigned char *data;
    int64_t stride[GW_STORED_DIMENSIONS];
    bool dense; // in row-major order without gaps
} gw_tensor_view;

// Sets stride and dense for row-major order.
void gw_view_set_dense(gw_tensor_view *view);

// Converts values first .. first + count in row-major order. The type must be F32, F16 or BF16.
void gw_view_to_float(const gw_tensor_view *view, int64_t first, int64_t count, float *out);
// The same for integers: signed of any width, unsigned below 8 bytes.
void gw_view_to_int(const gw_tensor_view *view, int64_t first, int64_t count, int64_t *out);
// Copies the stored bytes of any type.
void gw_view_to_bytes(const gw_tensor_view *view, int64_t first, int64_t count, unsigned char *out);
// Whether shapes and values are equal, both floats or both integers.
bool gw_view_same(const gw_tensor_view *a, const gw_tensor_view *b);
bool gw_values_finite(const float *values, int64_t count);
bool gw_value_is_float(const gw_value_type *type);
bool gw_value_is_int(const gw_value_type *type);

// IEEE half and bfloat16, rounded to nearest, ties to even. Infinities and NaN are kept. A finite value beyond the
// type's range becomes an infinity.
uint16_t gw_value_to_f16(float value);
uint16_t gw_value_to_bf16(float value);
float gw_value_from_f16(uint16_t half);
float gw_value_from_bf16(uint16_t brain);

#endif
