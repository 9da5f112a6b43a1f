// SPDX-License-Identifier: MIT
// Reads: parses the header and checks each tensor's range before its bytes are used. Writes: converts values in pieces
// that fit on the stack.
#include "store/safetensors.h"

#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PREFIX = 8, HEADER_ALIGN = 8 };
enum { PIECE = 4096, WIDEST = 8 };                // values, bytes of a value
static const uint64_t longest_header = 100000000; // the format's own limit

// One entry of the header; `data` is where offsets count from.
static gw_status read_entry(gw_weights_file *file, const char *name, const json_t *entry, int64_t data) {
    gw_tensor_view *view = NULL;
    GW_TRY(gw_weights_file_add(file, name, &view));
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const json_t *first = json_array_get(offsets, 0), *last = json_array_get(offsets, 1);
    if (!type) return gw_weights_file_fault(file, name, "\"dtype\" is missing");
    if (json_array_size(offsets) != 2 || !json_is_integer(first) || !json_is_integer(last))
        return gw_weights_file_fault(file, name, "\"data_offsets\" is not a pair of numbers");
    const int64_t begin = json_integer_value(first), end = json_integer_value(last);
    if (begin < 0 || end < begin || end > file->size - data)
        return gw_fail(GW_ERR_FORMAT,
                       "%s: tensor %s: its data at %lld to %lld lie outside the file's %lld bytes of data", file->path,
                       name, (long long)begin, (long long)end, (long long)(file->size - data));
    const json_t *shape = json_object_get(entry, "shape");
    int64_t sizes[GW_STORED_DIMENSIONS];
    if (!json_is_array(shape) || json_array_size(shape) > GW_STORED_DIMENSIONS)
        return gw_weights_file_fault(file, name, "\"shape\" is not a list of at most 8 sizes");
    const int dimensions = (int)json_array_size(shape);
    for (int i = 0; i < dimensions; i++) {
        const json_t *size = json_array_get(shape, (size_t)i);
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return gw_weights_file_fault(file, name, "a size in \"shape\" is not a whole number");
        sizes[i] = json_integer_value(size);
    }
    GW_TRY(gw_view_set_shape(file, view, sizes, dimensions));
    gw_view_set_dense(view);
    view->type = gw_value_type_named(type);
    view->data = file->bytes + data + begin;
    if (view->type && end - begin == view->stored.count * view->type->bytes) {
        view->stored.type = view->type->name;
        return GW_OK;
    }
    return gw_fail(GW_ERR_FORMAT, "%s: tensor %s: %lld bytes do not hold %lld values of type %s", file->path, name,
                   (long long)(end - begin), (long long)view->stored.count, type);
}

static int64_t bytes_of(const gw_tensor_view *view) {
    return view->stored.count * view->type->bytes;
}

static int by_data(const void *a, const void *b) {
    const gw_tensor_view *x = a, *y = b;
    if (x->data != y->data) return x->data < y->data ? -1 : 1;
    return (bytes_of(x) > bytes_of(y)) - (bytes_of(x) < bytes_of(y));
}

// The tensors cover the data exactly: no overlaps, no holes.
static gw_status check_cover(const gw_weights_file *file, int64_t data) {
    const unsigned char *end = file->bytes + data;
    for (int64_t i = 0; i < file->count; i++) {
        const gw_tensor_view *view = &file->views[i];
        const char *name = view->stored.name;
        if (view->data < end) return gw_weights_file_fault(file, name, "its data overlap the tensor before it");
        if (view->data > end) return gw_weights_file_fault(file, name, "bytes that belong to no tensor lie before it");
        end += bytes_of(view);
    }
    const int64_t surplus = file->bytes + file->size - end;
    if (surplus == 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: %lld bytes after the last tensor", file->path, (long long)surplus);
}

gw_status gw_safetensors_read(gw_weights_file *file) {
    if (file->size < PREFIX)
        return gw_fail(GW_ERR_FORMAT, "%s: %lld bytes are too few for a safetensors file", file->path,
                       (long long)file->size);
    uint64_t length = 0;
    for (int i = PREFIX - 1; i >= 0; i--) length = length << 8 | file->bytes[i];
    if (length > longest_header || length > (uint64_t)(file->size - PREFIX))
        return gw_fail(GW_ERR_FORMAT, "%s: a header of %llu bytes is announced, the file has %lld bytes", file->path,
                       (unsigned long long)length, (long long)file->size);
    json_error_t error;
    int64_t line = 1;
    GW_TRY(gw_json_check(file->path, (const char *)file->bytes + PREFIX, (int64_t)length, &line));
    json_t *header = json_loadb((const char *)file->bytes + PREFIX, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    const int64_t data = PREFIX + (int64_t)length;
    gw_status status = GW_OK;
    if (json_is_object(header)) {
        const char *name;
        json_t *entry;
        json_object_foreach(header, name, entry) {
            if (status == GW_OK && strcmp(name, "__metadata__") != 0) status = read_entry(file, name, entry, data);
        }
        if (status == GW_OK && file->count > 0) qsort(file->views, (size_t)file->count, sizeof *file->views, by_data);
        if (status == GW_OK) status = check_cover(file, data);
    } else
        status = gw_fail(GW_ERR_FORMAT, "%s: the header is not a JSON object: %s", file->path,
                         header ? "another value" : error.text);
    json_decref(header);
    return status;
}

const gw_value_type *gw_values_type(const gw_tensor_values *tensor, gw_store_type type) {
    static const char *const names[] = {[GW_STORE_F32] = "F32", [GW_STORE_F16] = "F16", [GW_STORE_BF16] = "BF16"};
    if (tensor->values) return gw_value_type_named(names[type]);
    if (tensor->integers) return gw_value_type_named("I64");
    const gw_value_type *stored = gw_value_type_named(tensor->stored->type);
    return gw_value_is_float(stored) ? gw_value_type_named(names[type]) : stored;
}

// The header's text, padded with spaces so that the data start at a multiple of 8; *length is set.
static char *header_text(const gw_tensor_values *tensors, int count, gw_store_type stored, int64_t *length) {
    json_t *header = json_pack("{s:{s:s}}", "__metadata__", "format", "pt");
    int64_t begin = 0;
    for (int i = 0; header && i < count; i++) {
        const gw_value_type *type = gw_values_type(&tensors[i], stored);
        const int64_t end = begin + tensors[i].count * type->bytes;
        json_t *shape = json_array();
        for (int d = 0; d < tensors[i].dimensions; d++) json_array_append_new(shape, json_integer(tensors[i].shape[d]));
        json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", type->name, "shape", shape, "data_offsets",
                                  (json_int_t)begin, (json_int_t)end);
        if (json_object_set_new(header, tensors[i].name, entry) != 0) {
            json_decref(header);
            header = NULL;
        }
        begin = end;
    }
    char *compact = header ? json_dumps(header, JSON_COMPACT) : NULL;
    json_decref(header);
    if (!compact) return NULL;
    *length = ((int64_t)strlen(compact) + HEADER_ALIGN - 1) / HEADER_ALIGN * HEADER_ALIGN;
    char *text = gw_strprintf("%-*s", (int)*length, compact);
    free(compact);
    return text;
}

// Floats are rounded; other types stay as they are.
static gw_status write_tensor(gw_output *output, const gw_tensor_values *tensor, gw_store_type type) {
    const gw_tensor_view *view = (const gw_tensor_view *)tensor->stored;
    const gw_value_type *written = gw_values_type(tensor, type);
    const uint16_t infinity = type == GW_STORE_F16 ? 0x7c00 : 0x7f80;
    unsigned char bytes[PIECE * WIDEST];
    float widened[PIECE];
    uint16_t half[PIECE];
    bool finite = true;
    if (tensor->integers && !tensor->values)
        return gw_output_write(output, tensor->integers, tensor->count * (int64_t)sizeof *tensor->integers);
    for (int64_t first = 0; first < tensor->count; first += PIECE) {
        const int64_t count = gw_min(tensor->count - first, PIECE);
        if (!gw_value_is_float(written)) {
            gw_view_to_bytes(view, first, count, bytes);
            GW_TRY(gw_output_write(output, bytes, count * view->type->bytes));
            continue;
        }
        const float *values = tensor->values ? tensor->values + first : widened;
        if (!tensor->values) gw_view_to_float(view, first, count, widened);
        finite = gw_values_finite(values, count) && finite;
        for (int64_t i = 0; type != GW_STORE_F32 && i < count; i++) {
            half[i] = type == GW_STORE_F16 ? gw_value_to_f16(values[i]) : gw_value_to_bf16(values[i]);
            if ((half[i] & 0x7fff) == infinity && isfinite(values[i]))
                return gw_fail(GW_ERR_RANGE, "tensor %s: its value %g is too large for %s", tensor->name,
                               (double)values[i], written->name);
        }
        if (type == GW_STORE_F32) GW_TRY(gw_output_write(output, values, count * (int64_t)sizeof *values));
        else GW_TRY(gw_output_write(output, half, count * (int64_t)sizeof *half));
    }
    if (!finite) gw_warn("tensor %s is written with infinite values or NaN", tensor->name);
    return GW_OK;
}

gw_status gw_safetensors_write(gw_output *output, const gw_tensor_values *tensors, int count, gw_store_type type) {
    int64_t length = 0;
    char *header = header_text(tensors, count, type, &length);
    if (!header) return gw_fail(GW_ERR_MEMORY, "cannot make the header of %s", output->name.path);
    unsigned char prefix[PREFIX];
    for (int i = 0; i < PREFIX; i++) prefix[i] = (unsigned char)((uint64_t)length >> (8 * i));
    gw_status status = gw_output_write(output, prefix, PREFIX);
    if (status == GW_OK) status = gw_output_write(output, header, length);
    for (int i = 0; status == GW_OK && i < count; i++) status = write_tensor(output, &tensors[i], type);
    free(header);
    return status;
}
