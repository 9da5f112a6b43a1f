// SPDX-License-Identifier: MIT
// Walks from the archive's directory to the pickle and from there to each tensor's bytes.
#include "store/torch_file.h"

#include "base/memory.h"
#include "store/pickle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 512, STORAGE_PARTS = 5, LEAST_TENSOR_PARTS = 6, LONGEST_KEY = 64 };
static const int64_t longest_pickle = 1 << 24; // bytes: some 100,000 tensors
static const char pickle_entry[] = "/data.pkl";

// What the pickle of weights may name.
static const char utilities[] = "torch._utils", rebuild_tensor[] = "_rebuild_tensor_v2",
                  rebuild_parameter[] = "_rebuild_parameter";
static const gw_pickle_name names[] = {
    {"collections", "OrderedDict", GW_PICKLE_AS_DICT}, {utilities, rebuild_tensor, GW_PICKLE_AS_CALL},
    {utilities, rebuild_parameter, GW_PICKLE_AS_CALL}, {"torch", "FloatStorage", GW_PICKLE_AS_VALUE},
    {"torch", "HalfStorage", GW_PICKLE_AS_VALUE},      {"torch", "BFloat16Storage", GW_PICKLE_AS_VALUE},
    {"torch", "DoubleStorage", GW_PICKLE_AS_VALUE},    {"torch", "LongStorage", GW_PICKLE_AS_VALUE},
    {"torch", "IntStorage", GW_PICKLE_AS_VALUE},       {"torch", "ShortStorage", GW_PICKLE_AS_VALUE},
    {"torch", "CharStorage", GW_PICKLE_AS_VALUE},      {"torch", "ByteStorage", GW_PICKLE_AS_VALUE},
    {"torch", "BoolStorage", GW_PICKLE_AS_VALUE},      {NULL},
};

typedef struct {
    gw_weights_file *file;
    gw_zip zip;
    const char *prefix; // with its length, not terminated
    int prefix_length;
} torch_archive;

bool gw_torch_file_is(const unsigned char *bytes, int64_t size) {
    return size >= 4 && memcmp(bytes, "PK\3\4", 4) == 0;
}

// Protocol 2 and the number 0x1950a86a20f9469cfc6c, alone in its pickle.
bool gw_torch_file_is_legacy(const unsigned char *bytes, int64_t size) {
    static const unsigned char magic[] = {0x80, 2,    0x8a, 10,   0x6c, 0xfc, 0x9c,
                                          0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};
    return size >= (int64_t)sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static const gw_zip_entry *find_entry(const torch_archive *archive, const char *name) {
    char path[LONGEST_NAME];
    const int length = snprintf(path, sizeof path, "%.*s%s", archive->prefix_length, archive->prefix, name);
    return length < (int)sizeof path ? gw_zip_find(&archive->zip, path) : NULL;
}

// The one entry <prefix>/data.pkl tells the prefix.
static gw_status find_prefix(torch_archive *archive) {
    const size_t tail = strlen(pickle_entry);
    int found = 0;
    for (int64_t i = 0; i < archive->zip.count; i++) {
        const char *name = archive->zip.entries[i].name, *slash = strchr(name, '/');
        if (!slash || strcmp(slash, pickle_entry) != 0) continue;
        archive->prefix = name;
        archive->prefix_length = (int)(strlen(name) - tail);
        found++;
    }
    if (found == 1) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: a zip archive, but not of torch: %s data.pkl", archive->file->path,
                   found == 0 ? "it has no" : "it has more than one");
}

static gw_status check_kind(const torch_archive *archive) {
    const char *path = archive->file->path;
    if (find_entry(archive, "/constants.pkl"))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: a TorchScript program, not weights", path);
    const gw_zip_entry *order = find_entry(archive, "/byteorder");
    if (order && (order->size != 6 || memcmp(archive->file->bytes + order->offset, "little", 6) != 0))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: its values are not stored little endian", path);
    return GW_OK;
}

static bool text_is(const gw_pickle_value *value, const char *text) {
    return value->kind == GW_PICKLE_TEXT && value->text.length == (int64_t)strlen(text) &&
           memcmp(value->text.at, text, strlen(text)) == 0;
}

static bool is_call_of(const gw_pickle_value *value, const char *name) {
    return value->kind == GW_PICKLE_CALL && strcmp(value->object->name->name, name) == 0;
}

// The tensor behind a parameter, which wraps one; NULL for anything else than a tensor.
static const gw_pickle_value *tensor_in(const gw_pickle_value *value) {
    if (is_call_of(value, rebuild_parameter) && value->object->arguments->count > 0)
        value = &value->object->arguments->items[0];
    return is_call_of(value, rebuild_tensor) ? value : NULL;
}

// Numbers of a tuple; false where it is none, or has other items, or too many.
static bool read_numbers(const gw_pickle_value *tuple, int64_t numbers[GW_STORED_DIMENSIONS], int *count) {
    if (tuple->kind != GW_PICKLE_TUPLE || tuple->object->count > GW_STORED_DIMENSIONS) return false;
    *count = (int)tuple->object->count;
    for (int i = 0; i < *count; i++) {
        const gw_pickle_value *item = &tuple->object->items[i];
        if (item->kind != GW_PICKLE_INT || item->integer < 0) return false;
        numbers[i] = item->integer;
    }
    return true;
}

// ("storage", class, key, device, values): sets the view's type, and data to the storage's first value.
static gw_status read_storage(const torch_archive *archive, const gw_pickle_value *id, gw_tensor_view *view,
                              int64_t *values) {
    const gw_weights_file *file = archive->file;
    const char *name = view->stored.name;
    const gw_pickle_value *part = id->kind == GW_PICKLE_REFERENCE ? id->object->items : NULL;
    if (!part || id->object->count != STORAGE_PARTS || !text_is(&part[0], "storage") ||
        part[1].kind != GW_PICKLE_NAME || part[2].kind != GW_PICKLE_TEXT || part[2].text.length > LONGEST_KEY ||
        part[4].kind != GW_PICKLE_INT)
        return gw_weights_file_fault(file, name, "its storage is not described as torch does");
    view->type = gw_value_type_of_torch(part[1].name->name);
    if (!view->type) return gw_weights_file_fault(file, name, "its storage is not described as torch does");
    view->stored.type = view->type->name;
    char key[LONGEST_KEY + 8];
    snprintf(key, sizeof key, "/data/%.*s", (int)part[2].text.length, part[2].text.at);
    const gw_zip_entry *entry = find_entry(archive, key);
    if (!entry) return gw_fail(GW_ERR_FORMAT, "%s: tensor %s: the archive has no entry %s", file->path, name, key + 1);
    *values = part[4].integer;
    if (*values != entry->size / view->type->bytes || entry->size % view->type->bytes != 0)
        return gw_fail(GW_ERR_FORMAT, "%s: tensor %s: %lld bytes of %s do not hold %lld values of type %s", file->path,
                       name, (long long)entry->size, key + 1, (long long)*values, view->type->name);
    view->data = file->bytes + entry->offset;
    return GW_OK;
}

// The view's last value lies inside the storage: offset + sum of (size - 1) stride < values.
static bool inside(const gw_tensor_view *view, int64_t offset, int64_t values) {
    int64_t last = offset;
    for (int d = 0; d < view->stored.dimensions; d++) {
        int64_t way;
        if (__builtin_mul_overflow(view->stored.shape[d] - 1, view->stride[d], &way) ||
            __builtin_add_overflow(last, way, &last))
            return false;
    }
    return last < values;
}

// Row-major order without gaps, whatever the strides of dimensions of one item.
static bool is_dense(const gw_tensor_view *view) {
    int64_t stride = 1;
    for (int d = view->stored.dimensions - 1; d >= 0; d--) {
        if (view->stored.shape[d] > 1 && view->stride[d] != stride) return false;
        stride *= view->stored.shape[d];
    }
    return true;
}

static gw_status place_view(const torch_archive *archive, gw_tensor_view *view, int64_t offset, int64_t values) {
    const char *name = view->stored.name;
    if (view->stored.count == 0) {
        gw_view_set_dense(view);
        return GW_OK;
    }
    if (!inside(view, offset, values))
        return gw_weights_file_fault(archive->file, name, "it reaches beyond the end of its storage");
    if (view->stored.count > archive->file->size)
        return gw_weights_file_fault(archive->file, name, "it has more values than the file has bytes");
    view->data += offset * view->type->bytes;
    if (is_dense(view)) gw_view_set_dense(view);
    return GW_OK;
}

// (storage, offset, sizes, strides, requires_grad, hooks), and maybe an empty dictionary of further facts.
static gw_status read_tensor(const torch_archive *archive, const gw_pickle_object *arguments, gw_tensor_view *view) {
    const gw_weights_file *file = archive->file;
    const gw_pickle_value *part = arguments->items;
    int64_t shape[GW_STORED_DIMENSIONS], values = 0;
    int dimensions = 0, strides = 0;
    if (arguments->count < LEAST_TENSOR_PARTS || part[1].kind != GW_PICKLE_INT || part[1].integer < 0 ||
        !read_numbers(&part[2], shape, &dimensions) || !read_numbers(&part[3], view->stride, &strides) ||
        dimensions != strides)
        return gw_weights_file_fault(file, view->stored.name, "it is not described by at most 8 sizes and strides");
    if (arguments->count > LEAST_TENSOR_PARTS &&
        (part[6].kind != GW_PICKLE_DICT || part[6].object->count > 0 || arguments->count > LEAST_TENSOR_PARTS + 1))
        return gw_weights_file_fault(file, view->stored.name, "it is conjugated or negated as it is read");
    GW_TRY(gw_view_set_shape(file, view, shape, dimensions));
    GW_TRY(read_storage(archive, &part[0], view, &values));
    return place_view(archive, view, part[1].integer, values);
}

static gw_status read_item(const torch_archive *archive, const gw_pickle_value *key, const gw_pickle_value *value) {
    gw_weights_file *file = archive->file;
    if (key->kind != GW_PICKLE_TEXT || key->text.length == 0 || memchr(key->text.at, 0, (size_t)key->text.length))
        return gw_fail(GW_ERR_FORMAT, "%s: the name of a tensor is not text", file->path);
    char *name = gw_strndup(key->text.at, (size_t)key->text.length);
    if (!name) return GW_ERR_MEMORY;
    const gw_pickle_value *tensor = tensor_in(value);
    gw_tensor_view *view = NULL;
    gw_status status = gw_weights_file_add(file, name, &view);
    if (status == GW_OK && !tensor) status = gw_weights_file_fault(file, name, "it is not a tensor");
    if (status == GW_OK) status = read_tensor(archive, tensor->object->arguments, view);
    free(name);
    return status;
}

static bool has_tensors(const gw_pickle_value *dictionary) {
    for (int64_t i = 1; i < dictionary->object->count; i += 2)
        if (tensor_in(&dictionary->object->items[i])) return true;
    return false;
}

// Where the weights are: the outermost dictionary, or in one without tensors of its own, its only "state_dict" or
// "model".
static gw_status find_weights(const gw_weights_file *file, const gw_pickle_value *root, const gw_pickle_value **out) {
    *out = root;
    if (root->kind != GW_PICKLE_DICT)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: it does not hold a dictionary of tensors", file->path);
    if (root->object->count == 0 || has_tensors(root)) return GW_OK;
    int found = 0;
    for (int64_t i = 0; i < root->object->count; i += 2) {
        const gw_pickle_value *key = &root->object->items[i], *value = &root->object->items[i + 1];
        if (value->kind != GW_PICKLE_DICT || (!text_is(key, "state_dict") && !text_is(key, "model"))) continue;
        *out = value;
        found++;
    }
    if (found == 1) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: its dictionary has no tensors, and %s \"state_dict\" %s \"model\"",
                   file->path, found == 0 ? "neither a" : "both a", found == 0 ? "nor a" : "and a");
}

static gw_status read_items(torch_archive *archive) {
    gw_weights_file *file = archive->file;
    const gw_zip_entry *entry = find_entry(archive, pickle_entry);
    if (!entry) return gw_fail(GW_ERR_FORMAT, "%s: the name of its data.pkl is too long", file->path);
    if (entry->size > longest_pickle)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: a data.pkl of %lld bytes is no list of tensors", file->path,
                       (long long)entry->size);
    gw_pickle pickle;
    GW_TRY(gw_pickle_read(file->path, file->bytes + entry->offset, entry->size, names, &pickle));
    const gw_pickle_value *weights;
    gw_status status = find_weights(file, &pickle.root, &weights);
    for (int64_t i = 0; status == GW_OK && i < weights->object->count; i += 2)
        status = read_item(archive, &weights->object->items[i], &weights->object->items[i + 1]);
    gw_pickle_free(&pickle);
    return status;
}

gw_status gw_torch_file_read(gw_weights_file *file) {
    torch_archive archive = {.file = file};
    GW_TRY(gw_zip_read(file->path, file->bytes, file->size, &archive.zip));
    gw_status status = find_prefix(&archive);
    if (status == GW_OK) status = check_kind(&archive);
    if (status == GW_OK) status = read_items(&archive);
    gw_zip_free(&archive.zip);
    return status;
}
