// SPDX-License-Identifier: MIT
#include "model/safetensors.h"

#include "base/memory.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PREFIX = 8, HEADER_ALIGN = 8 };
static const uint64_t longest_header = 100000000; // the format's own limit

struct gw_safetensors {
    char *path;
    unsigned char *memory;
    int64_t size;
    json_t *header;
    gw_safetensor *list;
    int count;
};

typedef struct {
    const char *name;
    int64_t bytes;
} value_type;
static const value_type types[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F64", 8}, {"I64", 8}, {"I32", 4}, {"I16", 2},
                                   {"I8", 1},  {"U8", 1},  {"BOOL", 1}, {"U16", 2}, {"U32", 4}, {"U64", 8}};

static uint64_t little_endian(const unsigned char *bytes) {
    uint64_t value = 0;
    for (int i = PREFIX - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

static gw_status map_file(gw_safetensors *file) {
    const int handle = open(file->path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (handle < 0) return gw_fail(GW_ERR_IO, "cannot open %s: %s", file->path, strerror(errno));
    gw_status status = GW_OK;
    if (fstat(handle, &info) != 0) {
        status = gw_fail(GW_ERR_IO, "cannot read %s: %s", file->path, strerror(errno));
    } else if (info.st_size < PREFIX) {
        status = gw_fail(GW_ERR_FORMAT, "%s: %lld bytes are too few for a safetensors file", file->path,
                         (long long)info.st_size);
    } else {
        file->size = info.st_size;
        void *memory = mmap(NULL, (size_t)file->size, PROT_READ, MAP_PRIVATE, handle, 0);
        if (memory == MAP_FAILED) status = gw_fail(GW_ERR_IO, "cannot map %s: %s", file->path, strerror(errno));
        else file->memory = memory;
    }
    close(handle);
    return status;
}

static gw_status bad_tensor(const gw_safetensors *file, const char *name, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: tensor %s: %s", file->path, name, what);
}

static gw_status read_shape(const gw_safetensors *file, const json_t *shape, gw_safetensor *tensor) {
    if (!json_is_array(shape) || json_array_size(shape) > GW_SAFETENSOR_DIMENSIONS)
        return bad_tensor(file, tensor->name, "\"shape\" is not a list of at most 8 sizes");
    tensor->dimensions = (int)json_array_size(shape);
    tensor->count = 1;
    for (int i = 0; i < tensor->dimensions; i++) {
        const json_t *size = json_array_get(shape, (size_t)i);
        tensor->shape[i] = json_is_integer(size) ? json_integer_value(size) : -1;
        if (tensor->shape[i] < 0) return bad_tensor(file, tensor->name, "a size in \"shape\" is not a whole number");
        if (__builtin_mul_overflow(tensor->count, tensor->shape[i], &tensor->count))
            return bad_tensor(file, tensor->name, "\"shape\" is too large");
    }
    return GW_OK;
}

// One entry of the header; `data` is where offsets count from.
static gw_status read_entry(const gw_safetensors *file, const char *name, const json_t *entry, int64_t data,
                            gw_safetensor *tensor) {
    *tensor = (gw_safetensor){.name = name};
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    const json_t *offsets = json_object_get(entry, "data_offsets");
    const json_t *first = json_array_get(offsets, 0), *last = json_array_get(offsets, 1);
    if (!type) return bad_tensor(file, name, "\"dtype\" is missing");
    if (json_array_size(offsets) != 2 || !json_is_integer(first) || !json_is_integer(last))
        return bad_tensor(file, name, "\"data_offsets\" is not a pair of numbers");
    const int64_t begin = json_integer_value(first), end = json_integer_value(last);
    if (begin < 0 || end < begin || end > file->size - data)
        return gw_fail(GW_ERR_FORMAT,
                       "%s: tensor %s: its data at %lld to %lld lie outside the file's %lld bytes of data", file->path,
                       name, (long long)begin, (long long)end, (long long)(file->size - data));
    GW_TRY(read_shape(file, json_object_get(entry, "shape"), tensor));
    tensor->type = type;
    tensor->data = file->memory + data + begin;
    tensor->bytes = end - begin;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0 && tensor->bytes / types[i].bytes == tensor->count &&
            tensor->bytes % types[i].bytes == 0)
            return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: tensor %s: %lld bytes do not hold %lld values of type %s", file->path, name,
                   (long long)tensor->bytes, (long long)tensor->count, type);
}

static int by_data(const void *a, const void *b) {
    const gw_safetensor *x = a, *y = b;
    if (x->data != y->data) return x->data < y->data ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

// The tensors cover the data exactly: no overlaps, no holes.
static gw_status check_cover(const gw_safetensors *file, int64_t data) {
    const unsigned char *end = file->memory + data;
    for (int i = 0; i < file->count; i++) {
        const gw_safetensor *tensor = &file->list[i];
        if ((const unsigned char *)tensor->data < end)
            return bad_tensor(file, tensor->name, "its data overlap the tensor before it");
        if ((const unsigned char *)tensor->data > end)
            return bad_tensor(file, tensor->name, "bytes that belong to no tensor lie before it");
        end += tensor->bytes;
    }
    const int64_t surplus = file->memory + file->size - end;
    if (surplus == 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: %lld bytes after the last tensor", file->path, (long long)surplus);
}

static gw_status read_header(gw_safetensors *file) {
    const uint64_t length = little_endian(file->memory);
    if (length > longest_header || length > (uint64_t)(file->size - PREFIX))
        return gw_fail(GW_ERR_FORMAT, "%s: a header of %llu bytes is announced, the file has %lld bytes", file->path,
                       (unsigned long long)length, (long long)file->size);
    json_error_t error;
    file->header = json_loadb((const char *)file->memory + PREFIX, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(file->header))
        return gw_fail(GW_ERR_FORMAT, "%s: the header is not a JSON object: %s", file->path, error.text);
    file->list = gw_alloc((int64_t)json_object_size(file->header), sizeof *file->list);
    if (!file->list) return GW_ERR_MEMORY;
    const int64_t data = PREFIX + (int64_t)length;
    const char *name;
    json_t *entry;
    json_object_foreach(file->header, name, entry) {
        if (strcmp(name, "__metadata__") == 0) continue;
        GW_TRY(read_entry(file, name, entry, data, &file->list[file->count]));
        file->count++;
    }
    qsort(file->list, (size_t)file->count, sizeof *file->list, by_data);
    return check_cover(file, data);
}

gw_status gw_safetensors_open(const char *path, gw_safetensors **out) {
    *out = NULL;
    gw_safetensors *file = gw_alloc(1, sizeof *file);
    if (!file) return GW_ERR_MEMORY;
    file->path = gw_strdup(path);
    gw_status status = file->path ? map_file(file) : GW_ERR_MEMORY;
    if (status == GW_OK) status = read_header(file);
    if (status == GW_OK) *out = file;
    else gw_safetensors_close(file);
    return status;
}

void gw_safetensors_close(gw_safetensors *file) {
    if (!file) return;
    json_decref(file->header);
    if (file->memory) munmap(file->memory, (size_t)file->size);
    free(file->list);
    free(file->path);
    free(file);
}

int gw_safetensors_count(const gw_safetensors *file) {
    return file->count;
}

const gw_safetensor *gw_safetensors_at(const gw_safetensors *file, int index) {
    return &file->list[index];
}

const gw_safetensor *gw_safetensors_find(const gw_safetensors *file, const char *name) {
    for (int i = 0; i < file->count; i++)
        if (strcmp(file->list[i].name, name) == 0) return &file->list[i];
    return NULL;
}

// IEEE half to single: a subnormal h = m 2^-24 is exact in single precision.
static float widen_half(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u, mantissa = half & 1023u;
    uint32_t bits = sign | (exponent + 112) << 23 | mantissa << 13;
    if (exponent == 31) bits = sign | 0x7f800000u | mantissa << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return exponent == 0 ? (sign ? -1.0f : 1.0f) * (float)mantissa * 0x1p-24f : value;
}

static void widen(const gw_safetensor *tensor, bool brain, float *out) {
    const unsigned char *data = tensor->data;
    for (int64_t i = 0; i < tensor->count; i++) {
        uint16_t half;
        memcpy(&half, data + 2 * i, sizeof half);
        const uint32_t bits = (uint32_t)half << 16;
        if (brain) memcpy(&out[i], &bits, sizeof bits);
        else out[i] = widen_half(half);
    }
}

gw_status gw_safetensors_read(const gw_safetensors *file, const gw_safetensor *tensor, float *out) {
    const bool brain = strcmp(tensor->type, "BF16") == 0;
    if (strcmp(tensor->type, "F32") == 0) memcpy(out, tensor->data, (size_t)tensor->bytes);
    else if (brain || strcmp(tensor->type, "F16") == 0) widen(tensor, brain, out);
    else
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: tensor %s has type %s; F32, F16 and BF16 are read", file->path,
                       tensor->name, tensor->type);
    return GW_OK;
}

static json_t *header_entry(const gw_safetensor *tensor, int64_t begin) {
    json_t *shape = json_array();
    for (int i = 0; i < tensor->dimensions; i++) json_array_append_new(shape, json_integer(tensor->shape[i]));
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", "F32", "shape", shape, "data_offsets", (json_int_t)begin,
                     (json_int_t)(begin + tensor->count * 4));
}

// The header's text, padded with spaces so that the data start at a multiple of 8; *length is set.
static char *header_text(const gw_safetensor *tensors, int count, int64_t *length) {
    json_t *header = json_pack("{s:{s:s}}", "__metadata__", "format", "pt");
    int64_t begin = 0;
    for (int i = 0; header && i < count; i++) {
        if (json_object_set_new(header, tensors[i].name, header_entry(&tensors[i], begin)) != 0) {
            json_decref(header);
            header = NULL;
        }
        begin += tensors[i].count * 4;
    }
    char *compact = header ? json_dumps(header, JSON_COMPACT) : NULL;
    json_decref(header);
    if (!compact) return NULL;
    *length = ((int64_t)strlen(compact) + HEADER_ALIGN - 1) / HEADER_ALIGN * HEADER_ALIGN;
    char *text = gw_strprintf("%-*s", (int)*length, compact);
    free(compact);
    return text;
}

static gw_status write_all(gw_output *output, const char *header, int64_t length, const gw_safetensor *tensors,
                           int count) {
    unsigned char prefix[PREFIX];
    for (int i = 0; i < PREFIX; i++) prefix[i] = (unsigned char)((uint64_t)length >> (8 * i));
    GW_TRY(gw_output_write(output, prefix, PREFIX));
    GW_TRY(gw_output_write(output, header, length));
    for (int i = 0; i < count; i++) GW_TRY(gw_output_write(output, tensors[i].data, tensors[i].count * 4));
    return GW_OK;
}

gw_status gw_safetensors_save(const char *path, const gw_safetensor *tensors, int count) {
    int64_t length = 0;
    char *header = header_text(tensors, count, &length);
    if (!header) return gw_fail(GW_ERR_MEMORY, "cannot make the header of %s", path);
    gw_output output;
    gw_status status = gw_output_open(&output, path);
    if (status == GW_OK) {
        status = write_all(&output, header, length, tensors, count);
        if (status == GW_OK) status = gw_output_close(&output);
        else gw_output_abandon(&output);
    }
    free(header);
    return status;
}
