// SPDX-License-Identifier: MIT
// A zip archive, its pickle, and the bytes of each tensor in it.
#include "store/torch_file.h"

#include "base/memory.h"
#include "base/string.h"
#include "store/pickle.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Zip archives whose entries are stored, not compressed, in memory (PKWARE APPNOTE 6.3, with the zip64 records).
// What the central directory says is held against the local headers and the size of the file.
//   local header + name + extra | content | descriptor?     for each entry
//   central header + name + extra + comment                 for each entry
//   zip64 end record, its locator                           where sizes or counts need more than 32 or 16 bits
//   end record, comment

typedef struct {
    char *name;
    int64_t begin;        // of the local header in the file
    int64_t offset, size; // of the content
} zip_entry;

typedef struct {
    zip_entry *entries; // in order of name, each once
    int64_t count;
} zip_entries;

enum {
    LOCAL_HEADER = 30,
    CENTRAL_HEADER = 46,
    END_RECORD = 22,
    END64_RECORD = 56,
    LOCATOR = 20,
    LONGEST_COMMENT = 65535,
    ZIP64_EXTRA = 1,
    FLAG_ENCRYPTED = 1,
    FLAG_DESCRIPTOR = 8,
};
static const uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                      end64_mark = 0x06064b50, locator_mark = 0x07064b50, saturated = 0xffffffff;

// The archive as it is read; the central directory lies at [directory, directory + directory_size).
typedef struct {
    const char *path;
    const unsigned char *bytes;
    int64_t size, directory, directory_size, count;
} zip_file;

static uint64_t zip_number(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | at[i];
    return value;
}

static int u16(const unsigned char *at) {
    return (int)zip_number(at, 2);
}

static uint32_t u32(const unsigned char *at) {
    return (uint32_t)zip_number(at, 4);
}

static gw_status broken(const zip_file *zip, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: not a whole zip archive: %s", zip->path, what);
}

// Sets directory, directory_size and count; these may come from the zip64 record before the end record.
static gw_status read_end(zip_file *zip) {
    // behind the end record lies nothing but the comment that it announces
    const int64_t last = zip->size - END_RECORD;
    int64_t end = last;
    while (end >= 0 && last - end <= LONGEST_COMMENT &&
           (u32(zip->bytes + end) != end_mark || u16(zip->bytes + end + 20) != last - end))
        end--;
    if (end < 0 || last - end > LONGEST_COMMENT) return broken(zip, "its end record is missing");
    const unsigned char *record = zip->bytes + end;
    uint64_t count = zip_number(record + 10, 2), size = u32(record + 12), offset = u32(record + 16);
    int64_t limit = end;
    if (end >= LOCATOR && u32(record - LOCATOR) == locator_mark) {
        const uint64_t at = zip_number(record - LOCATOR + 8, 8);
        if (at > (uint64_t)end || (uint64_t)end - at < END64_RECORD + LOCATOR || u32(zip->bytes + at) != end64_mark)
            return broken(zip, "its zip64 end record is missing");
        const unsigned char *wide = zip->bytes + at;
        count = zip_number(wide + 32, 8);
        size = zip_number(wide + 40, 8);
        offset = zip_number(wide + 48, 8);
        limit = (int64_t)at;
    }
    if (offset > (uint64_t)limit || size != (uint64_t)limit - offset)
        return broken(zip, "its central directory does not end where the end record begins");
    if (count > size / CENTRAL_HEADER) return broken(zip, "its central directory is too short for its entries");
    zip->directory = (int64_t)offset;
    zip->directory_size = (int64_t)size;
    zip->count = (int64_t)count;
    return GW_OK;
}

static gw_status bad_entry(const zip_file *zip, const zip_entry *entry, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: entry %s: %s", zip->path, entry->name, what);
}

// What stands in the 32 bits at `at`, or in the next 8 bytes of the zip64 field where they are all ones.
static bool wide_number(const unsigned char *at, const unsigned char **field, const unsigned char *end, int64_t *out) {
    uint64_t value = u32(at);
    if (value == saturated) {
        if (end - *field < 8) return false;
        value = zip_number(*field, 8);
        *field += 8;
    }
    *out = (int64_t)value;
    return value <= INT64_MAX;
}

// Reads sizes and offset of a central header, which may be continued in its zip64 extra field.
static gw_status read_sizes(const zip_file *zip, const unsigned char *header, zip_entry *entry) {
    const unsigned char *extra = header + CENTRAL_HEADER + u16(header + 28), *end = extra + u16(header + 30);
    const unsigned char *field = end, *field_end = end;
    while (end - extra >= 4 && end - extra - 4 >= u16(extra + 2)) {
        if (u16(extra) == ZIP64_EXTRA) field = extra + 4, field_end = field + u16(extra + 2);
        extra += 4 + u16(extra + 2);
    }
    int64_t packed;
    if (!wide_number(header + 24, &field, field_end, &entry->size) ||
        !wide_number(header + 20, &field, field_end, &packed) ||
        !wide_number(header + 42, &field, field_end, &entry->begin))
        return bad_entry(zip, entry, "its sizes are missing");
    if (packed != entry->size) return bad_entry(zip, entry, "its two sizes differ though it is not compressed");
    return GW_OK;
}

// The local header repeats the central one; its sizes may be left to the descriptor behind the content.
static gw_status check_local(const zip_file *zip, const unsigned char *central, zip_entry *entry) {
    if (entry->begin > zip->directory - LOCAL_HEADER) return bad_entry(zip, entry, "it begins outside the file");
    const unsigned char *local = zip->bytes + entry->begin;
    const int name_length = u16(central + 28);
    if (u32(local) != local_mark) return bad_entry(zip, entry, "no local header where it begins");
    entry->offset = entry->begin + LOCAL_HEADER + u16(local + 26) + u16(local + 28);
    if (entry->offset > zip->directory || entry->size > zip->directory - entry->offset)
        return bad_entry(zip, entry, "its content lies outside the file");
    if (u16(local + 26) != name_length ||
        memcmp(local + LOCAL_HEADER, central + CENTRAL_HEADER, (size_t)name_length) != 0 ||
        u16(local + 6) != u16(central + 8) || u16(local + 8) != u16(central + 10))
        return bad_entry(zip, entry, "its local header contradicts the central directory");
    const uint32_t size = u32(local + 22);
    const bool later = u16(local + 6) & FLAG_DESCRIPTOR && size == 0;
    if (!later && size != saturated && size != entry->size)
        return bad_entry(zip, entry, "its local header states another size");
    return GW_OK;
}

// Reads the entry whose central header begins at *at, and moves *at to the next.
static gw_status read_entry(const zip_file *zip, const unsigned char **at, zip_entries *out) {
    const unsigned char *header = *at, *end = zip->bytes + zip->directory + zip->directory_size;
    if (end - header < CENTRAL_HEADER || u32(header) != central_mark) return broken(zip, "a central header is missing");
    const int64_t length = u16(header + 28), rest = length + u16(header + 30) + u16(header + 32);
    if (end - header - CENTRAL_HEADER < rest) return broken(zip, "a central header is cut off");
    *at = header + CENTRAL_HEADER + rest;
    const char *name = (const char *)header + CENTRAL_HEADER;
    for (int64_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ') return broken(zip, "the name of an entry holds control characters");
    zip_entry *entry = &out->entries[out->count];
    entry->name = gw_strndup(name, (size_t)length);
    if (!entry->name) return GW_ERR_MEMORY;
    out->count++;
    if (u16(header + 8) & FLAG_ENCRYPTED)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: entry %s is encrypted", zip->path, entry->name);
    if (u16(header + 10) != 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "%s: entry %s is compressed; torch stores the entries of weights as they are", zip->path,
                       entry->name);
    GW_TRY(read_sizes(zip, header, entry));
    return check_local(zip, header, entry);
}

static int by_begin(const void *a, const void *b) {
    const zip_entry *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const zip_entry *)a)->name, ((const zip_entry *)b)->name);
}

static gw_status check_places(const zip_file *zip, zip_entries *out) {
    qsort(out->entries, (size_t)out->count, sizeof *out->entries, by_begin);
    for (int64_t i = 1; i < out->count; i++) {
        const zip_entry *before = &out->entries[i - 1], *entry = &out->entries[i];
        if (entry->begin < before->offset + before->size) return bad_entry(zip, entry, "it overlaps another entry");
    }
    qsort(out->entries, (size_t)out->count, sizeof *out->entries, by_name);
    for (int64_t i = 1; i < out->count; i++)
        if (by_name(&out->entries[i - 1], &out->entries[i]) == 0)
            return bad_entry(zip, &out->entries[i], "it is there twice");
    return GW_OK;
}

static void free_zip(zip_entries *zip) {
    for (int64_t i = 0; i < zip->count; i++) free(zip->entries[i].name);
    free(zip->entries);
    *zip = (zip_entries){0};
}

// `path` is for messages. Compressed and encrypted entries are GW_ERR_UNSUPPORTED; entries that overlap, leave the file
// or contradict their local headers are GW_ERR_FORMAT.
static gw_status read_zip(const char *path, const unsigned char *bytes, int64_t size, zip_entries *out) {
    *out = (zip_entries){0};
    zip_file zip = {.path = path, .bytes = bytes, .size = size};
    GW_TRY(read_end(&zip));
    out->entries = gw_alloc(zip.count, sizeof *out->entries);
    if (!out->entries) return GW_ERR_MEMORY;
    const unsigned char *at = bytes + zip.directory;
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < zip.count; i++) status = read_entry(&zip, &at, out);
    if (status == GW_OK && at != bytes + zip.directory + zip.directory_size)
        status = broken(&zip, "its central directory holds more than its entries");
    if (status == GW_OK) status = check_places(&zip, out);
    if (status != GW_OK) free_zip(out);
    return status;
}

static const zip_entry *find_in_zip(const zip_entries *zip, const char *name) {
    const zip_entry key = {.name = (char *)name};
    return bsearch(&key, zip->entries, (size_t)zip->count, sizeof *zip->entries, by_name);
}

// What torch puts into an archive.

enum { LONGEST_NAME = 512, STORAGE_PARTS = 5, LEAST_TENSOR_PARTS = 6, LONGEST_KEY = 64 };
static const int64_t longest_pickle = 1 << 24; // bytes: some 100,000 tensors
static const char pickle_entry[] = "/data.pkl";

// What the pickle of weights may name.
static const char utilities[] = "torch._utils", rebuild_tensor[] = "_rebuild_tensor_v2",
                  rebuild_parameter[] = "_rebuild_parameter";
static const gw_pickle_name names[] = {
    {"collections", "OrderedDict", GW_PICKLE_AS_DICT},
    {utilities, rebuild_tensor, GW_PICKLE_AS_CALL},
    {utilities, rebuild_parameter, GW_PICKLE_AS_CALL},
    {"torch", "FloatStorage", GW_PICKLE_AS_VALUE},
    {"torch", "HalfStorage", GW_PICKLE_AS_VALUE},
    {"torch", "BFloat16Storage", GW_PICKLE_AS_VALUE},
    {"torch", "DoubleStorage", GW_PICKLE_AS_VALUE},
    {"torch", "LongStorage", GW_PICKLE_AS_VALUE},
    {"torch", "IntStorage", GW_PICKLE_AS_VALUE},
    {"torch", "ShortStorage", GW_PICKLE_AS_VALUE},
    {"torch", "CharStorage", GW_PICKLE_AS_VALUE},
    {"torch", "ByteStorage", GW_PICKLE_AS_VALUE},
    {"torch", "BoolStorage", GW_PICKLE_AS_VALUE},
    {"__builtin__", "set", GW_PICKLE_AS_CALL},
    {"bpnetlite.bpnet", "BPNet", GW_PICKLE_AS_MODULE},
    {"bpnetlite.chrombpnet", "ChromBPNet", GW_PICKLE_AS_MODULE},
    {"bpnetlite.logging", "Logger", GW_PICKLE_AS_MODULE},
    {"torch.nn.modules.conv", "Conv1d", GW_PICKLE_AS_MODULE},
    {"torch.nn.modules.linear", "Linear", GW_PICKLE_AS_MODULE},
    {"torch.nn.modules.activation", "ReLU", GW_PICKLE_AS_MODULE},
    {"torch.nn.modules.container", "ModuleList", GW_PICKLE_AS_MODULE},
    {NULL},
};

typedef struct {
    gw_weights_file *file;
    zip_entries zip;
    const char *prefix; // with its length, not terminated
    int prefix_length;
} torch_archive;

// Protocol 2 and the number 0x1950a86a20f9469cfc6c, alone in its pickle.
static bool is_legacy(const unsigned char *bytes, int64_t size) {
    static const unsigned char magic[] = {0x80, 2,    0x8a, 10,   0x6c, 0xfc, 0x9c,
                                          0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19};
    return size >= (int64_t)sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

bool gw_torch_file_is(const unsigned char *bytes, int64_t size) {
    return (size >= 4 && memcmp(bytes, "PK\3\4", 4) == 0) || is_legacy(bytes, size);
}

static const zip_entry *find_entry(const torch_archive *archive, const char *name) {
    char path[LONGEST_NAME];
    const int length = snprintf(path, sizeof path, "%.*s%s", archive->prefix_length, archive->prefix, name);
    return length < (int)sizeof path ? find_in_zip(&archive->zip, path) : NULL;
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
    const zip_entry *entry = find_entry(archive, key);
    if (!entry) return gw_fail(GW_ERR_FORMAT, "%s: tensor %s: the archive has no entry %s", file->path, name, key + 1);
    *values = part[4].integer;
    if (*values != entry->size / view->type->bytes || entry->size % view->type->bytes != 0)
        return gw_fail(GW_ERR_FORMAT, "%s: tensor %s: %lld bytes of %s do not hold %lld values of type %s", file->path,
                       name, (long long)entry->size, key + 1, (long long)*values, view->type->name);
    view->data = file->bytes + entry->offset;
    return GW_OK;
}

static gw_status place_view(const torch_archive *archive, gw_tensor_view *view, int64_t offset, int64_t values) {
    const gw_stored_tensor *stored = &view->stored;
    int64_t last = offset, stride = 1; // of the last value: offset + sum of (size - 1) stride
    bool inside = true, dense = true;  // dense: row-major without gaps, whatever the strides of dimensions of one item
    for (int d = stored->dimensions - 1; d >= 0; d--) {
        int64_t way;
        inside = inside && !__builtin_mul_overflow(stored->shape[d] - 1, view->stride[d], &way) &&
                 !__builtin_add_overflow(last, way, &last);
        dense = dense && (stored->shape[d] <= 1 || view->stride[d] == stride);
        stride *= stored->shape[d];
    }
    if (stored->count > 0 && (!inside || last >= values))
        return gw_weights_file_fault(archive->file, stored->name, "it reaches beyond the end of its storage");
    if (stored->count > archive->file->size)
        return gw_weights_file_fault(archive->file, stored->name, "it has more values than the file has bytes");
    if (stored->count > 0) view->data += offset * view->type->bytes;
    if (dense || stored->count == 0) gw_view_set_dense(view);
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

static const gw_pickle_value *attribute_of(const gw_pickle_value *module, const char *name) {
    const gw_pickle_object *all = module->object->arguments;
    for (int64_t i = 0; all && i < all->count; i += 2)
        if (text_is(&all->items[i], name) && all->items[i + 1].kind == GW_PICKLE_DICT) return &all->items[i + 1];
    return NULL;
}

// The tensors of a module and of those in it, named as its state dict names them: behind `prefix`.
static gw_status read_module(const torch_archive *archive, const gw_pickle_value *module, const char *prefix,
                             int depth) {
    static const char *const parts[] = {"_parameters", "_buffers", "_modules"};
    enum { DEEPEST = 16 };
    gw_status status = depth > DEEPEST ? gw_fail(GW_ERR_UNSUPPORTED, "%s: modules within modules, more than %d deep",
                                                 archive->file->path, DEEPEST)
                                       : GW_OK;
    for (int part = 0; part < 3; part++) {
        const gw_pickle_value *of = attribute_of(module, parts[part]);
        for (int64_t i = 0; of && status == GW_OK && i < of->object->count; i += 2) {
            const gw_pickle_value *key = &of->object->items[i], *value = &of->object->items[i + 1];
            const bool inner = value->kind == GW_PICKLE_MODULE;
            if (key->kind != GW_PICKLE_TEXT || (part < 2 ? value->kind == GW_PICKLE_NONE : !inner)) continue;
            char *name = gw_strprintf("%s%.*s%s", prefix, (int)key->text.length, key->text.at, inner ? "." : "");
            const gw_pickle_value whole = {.kind = GW_PICKLE_TEXT, .text = {name, name ? (int64_t)strlen(name) : 0}};
            status = !name   ? GW_ERR_MEMORY
                     : inner ? read_module(archive, value, name, depth + 1)
                             : read_item(archive, &whole, value);
            free(name);
        }
    }
    return status;
}

// Where the weights are: the outermost dictionary, or in one without tensors of its own, its only "state_dict" or
// "model".
static gw_status find_weights(const gw_weights_file *file, const gw_pickle_value *root, const gw_pickle_value **out) {
    *out = root;
    if (root->kind != GW_PICKLE_DICT)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: it does not hold a dictionary of tensors", file->path);
    bool tensors = root->object->count == 0;
    for (int64_t i = 1; !tensors && i < root->object->count; i += 2)
        tensors = tensor_in(&root->object->items[i]) != NULL;
    if (tensors) return GW_OK;
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
    const zip_entry *entry = find_entry(archive, pickle_entry);
    if (!entry) return gw_fail(GW_ERR_FORMAT, "%s: the name of its data.pkl is too long", file->path);
    if (entry->size > longest_pickle)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: a data.pkl of %lld bytes is not a list of tensors", file->path,
                       (long long)entry->size);
    gw_pickle pickle;
    GW_TRY(gw_pickle_read(file->path, file->bytes + entry->offset, entry->size, names, &pickle));
    const gw_pickle_value *weights = &pickle.root;
    const bool module = weights->kind == GW_PICKLE_MODULE;
    gw_status status = module ? read_module(archive, weights, "", 0) : find_weights(file, &pickle.root, &weights);
    for (int64_t i = 0; !module && status == GW_OK && i < weights->object->count; i += 2)
        status = read_item(archive, &weights->object->items[i], &weights->object->items[i + 1]);
    gw_pickle_free(&pickle);
    return status;
}

gw_status gw_torch_file_read(gw_weights_file *file) {
    torch_archive archive = {.file = file};
    if (is_legacy(file->bytes, file->size))
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "%s: written in the form that torch had before 1.6; open it with torch.load() and write it again "
            "with torch.save(), both with a dictionary of tensors",
            file->path);
    GW_TRY(read_zip(file->path, file->bytes, file->size, &archive.zip));
    gw_status status = find_prefix(&archive);
    const zip_entry *order = status == GW_OK ? find_entry(&archive, "/byteorder") : NULL;
    if (status == GW_OK && find_entry(&archive, "/constants.pkl"))
        status = gw_fail(GW_ERR_UNSUPPORTED, "%s: a TorchScript program, not weights", file->path);
    if (status == GW_OK && order && (order->size != 6 || memcmp(file->bytes + order->offset, "little", 6) != 0))
        status = gw_fail(GW_ERR_UNSUPPORTED, "%s: its values are not stored little endian", file->path);
    if (status == GW_OK) status = read_items(&archive);
    free_zip(&archive.zip);
    return status;
}
