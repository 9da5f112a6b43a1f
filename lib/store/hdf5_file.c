// SPDX-License-Identifier: MIT
// superblock -> root group -> B-tree -> symbol table nodes -> object headers -> data sets; names are in the group's
// heap. Offsets and lengths have 8 bytes. Every part is checked to lie in the file before it is read. Links may form
// circles, or refer many times to one part, so depth, the number of objects and the number of read entries are limited.
#include "store/hdf5_file.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
enum { WORD = 8, DEEPEST = 32, MOST_OBJECTS = 1 << 16, MOST_ENTRIES = 1 << 20, LONGEST_PATH = 512 };
enum { MESSAGE_SPACE = 1, MESSAGE_TYPE = 3, MESSAGE_LAYOUT = 8, MESSAGE_MORE = 16, MESSAGE_GROUP = 17 };

typedef struct {
    gw_weights_file *file;
    char path[LONGEST_PATH]; // of the object that is read
    int depth, objects;
    int64_t entries; // of trees, symbol tables and headers
} reader;

// A part of the file.
typedef struct {
    const unsigned char *at;
    int64_t size;
} part;

// What the messages of an object's header say; absent parts are NULL.
typedef struct {
    part space, type, layout, group;
} object;

static gw_status fault(const reader *r, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: damaged HDF5: %s%s%s", r->file->path, what, r->path[0] ? " of " : "", r->path);
}

static uint64_t number(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | at[i];
    return value;
}

static gw_status part_at(const reader *r, uint64_t offset, uint64_t size, const char *what, part *out) {
    const uint64_t whole = (uint64_t)r->file->size;
    if (offset > whole || size > whole - offset) return fault(r, what);
    *out = (part){r->file->bytes + offset, (int64_t)size};
    return GW_OK;
}

// Counts entries that are about to be read.
static gw_status count_entries(reader *r, uint64_t count) {
    r->entries += (int64_t)count; // at most 65535 at a time
    return r->entries <= MOST_ENTRIES ? GW_OK
                                      : fault(r, "the number of entries, since parts are named again and again,");
}

// One that begins with four letters.
static gw_status block_at(const reader *r, uint64_t offset, uint64_t size, const char *letters, const char *what,
                          part *out) {
    GW_TRY(part_at(r, offset, size, what, out));
    return memcmp(out->at, letters, strlen(letters)) == 0 ? GW_OK : fault(r, what);
}

// Messages of a block of a header, of which `left` are announced: kind, size (2 bytes each), flags, 3 bytes, data. One
// names another block that goes on.
static gw_status read_messages(const reader *r, part block, int depth, int64_t *left, object *out) {
    enum { HEAD = 8 };
    if (depth == DEEPEST) return fault(r, "the number of parts of a header");
    for (int64_t at = 0; *left > 0 && at + HEAD <= block.size;) {
        const uint64_t kind = number(block.at + at, 2), size = number(block.at + at + 2, 2);
        const part data = {block.at + at + HEAD, (int64_t)size};
        part more;
        at += HEAD + (int64_t)size;
        --*left;
        if (at > block.size) return fault(r, "a message");
        if (kind == MESSAGE_SPACE) out->space = data;
        if (kind == MESSAGE_TYPE) out->type = data;
        if (kind == MESSAGE_LAYOUT) out->layout = data;
        if (kind == MESSAGE_GROUP) out->group = data;
        if (kind != MESSAGE_MORE || size < 2 * WORD) continue;
        GW_TRY(part_at(r, number(data.at, WORD), number(data.at + WORD, WORD), "the rest of a header", &more));
        GW_TRY(read_messages(r, more, depth + 1, left, out));
    }
    return GW_OK;
}

// Version 1: version, a byte, messages (2), links to it (4), bytes of the first block (4), 4 bytes.
static gw_status read_header(reader *r, uint64_t offset, object *out) {
    enum { HEAD = 16, VERSION = 1 };
    part head = {0}, block = {0};
    *out = (object){0};
    GW_TRY(part_at(r, offset, HEAD, "a header", &head));
    if (head.at[0] != VERSION) return fault(r, "the version of a header");
    int64_t left = (int64_t)number(head.at + 2, 2);
    GW_TRY(count_entries(r, (uint64_t)left));
    GW_TRY(part_at(r, offset + HEAD, number(head.at + WORD, 4), "a header", &block));
    return read_messages(r, block, 0, &left, out);
}

// IEEE floats by the places of exponent and mantissa, integers by size; NULL: another type.
static const gw_value_type *type_of(part message) {
    enum { FIXED, FLOATS, HEAD = 8, LITTLE_ENDIAN_BIT = 1, SIGNED_BIT = 8, FLOAT_FIELDS = 12 };
    static const char *const whole[] = {"U8", "U16", "U32", "U64"}, *const with_sign[] = {"I8", "I16", "I32", "I64"};
    if (message.size < HEAD || (message.at[1] & LITTLE_ENDIAN_BIT)) return NULL;
    const uint64_t bytes = number(message.at + 4, 4), class = message.at[0] & 15U;
    if (class == FLOATS && message.size >= HEAD + FLOAT_FIELDS) {
        const unsigned char *field =
            message.at + HEAD; // offset and bits (2 each), exponent's place and size, mantissa's
        if (bytes == 4 && field[5] == 8 && field[7] == 23) return gw_value_type_named("F32");
        if (bytes == 2 && field[5] == 5 && field[7] == 10) return gw_value_type_named("F16");
        if (bytes == 8 && field[5] == 11 && field[7] == 52) return gw_value_type_named("F64");
    }
    for (int i = 0; class == FIXED && i < 4; i++)
        if (bytes == 1U << i) return gw_value_type_named((message.at[1] & SIGNED_BIT ? with_sign : whole)[i]);
    return NULL;
}

// Version 1: version, dimensions, flags, 5 bytes, sizes; version 2 has 1 byte there.
static gw_status read_space(const reader *r, part message, gw_tensor_view *view) {
    int64_t shape[GW_STORED_DIMENSIONS];
    const int64_t head = message.size > 0 && message.at[0] == 1 ? 8 : 4;
    if (message.size < head) return fault(r, "the shape");
    const int dimensions = message.at[1];
    if (dimensions > GW_STORED_DIMENSIONS || message.size < head + dimensions * WORD) return fault(r, "the shape");
    for (int d = 0; d < dimensions; d++) shape[d] = (int64_t)number(message.at + head + d * WORD, WORD);
    GW_TRY(gw_view_set_shape(r->file, view, shape, dimensions));
    gw_view_set_dense(view);
    return GW_OK;
}

// Versions 3 and 4: version, class, and of class 1 (in one place) offset and length; of class 0 (in the header) length
// (2) and the bytes.
static gw_status read_layout(const reader *r, part message, gw_tensor_view *view) {
    enum { COMPACT, CONTIGUOUS, OLDEST = 3, NEWEST = 4 };
    const uint64_t bytes = (uint64_t)view->stored.count * (uint64_t)view->type->bytes;
    part data = {0};
    if (message.size < 4 || message.at[0] < OLDEST || message.at[0] > NEWEST)
        return fault(r, "the version of the layout");
    if (bytes == 0) data.at = r->file->bytes; // no place is named
    else if (message.at[1] == COMPACT) data = (part){message.at + 4, (int64_t)number(message.at + 2, 2)};
    else if (message.at[1] == CONTIGUOUS && message.size >= 2 + 2 * WORD)
        GW_TRY(part_at(r, number(message.at + 2, WORD), number(message.at + 2 + WORD, WORD), "the data", &data));
    else
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: %s is stored in chunks: only numbers in one place are read",
                       r->file->path, r->path);
    if (message.at[1] == COMPACT && data.size > message.size - 4) return fault(r, "the data");
    if ((uint64_t)data.size != bytes) return fault(r, "the number of bytes");
    view->data = data.at;
    return GW_OK;
}

static gw_status read_object(reader *r, uint64_t offset);

// An entry of a symbol table: offset of the name in the heap, of the header, and 24 bytes; a link by name is kind 2.
static gw_status read_entry(reader *r, part names, const unsigned char *entry) {
    enum { LINK = 2 };
    const uint64_t name = number(entry, WORD);
    const size_t length = strlen(r->path);
    if (number(entry + 2 * WORD, 4) == LINK) return GW_OK;
    if (name >= (uint64_t)names.size || !memchr(names.at + name, 0, (size_t)((uint64_t)names.size - name)))
        return fault(r, "a name");
    const int added = snprintf(r->path + length, sizeof r->path - length, "%s%s", length > 0 ? "/" : "",
                               (const char *)names.at + name);
    if (added >= (int)(sizeof r->path - length)) return fault(r, "a name's length");
    GW_TRY(read_object(r, number(entry + WORD, WORD)));
    r->path[length] = 0;
    return GW_OK;
}

// "SNOD", version, a byte, entries (2), entries.
static gw_status read_symbols(reader *r, part names, uint64_t offset) {
    enum { HEAD = 8, ENTRY = 40 };
    part node;
    GW_TRY(block_at(r, offset, HEAD, "SNOD", "a symbol table", &node));
    const uint64_t count = number(node.at + 6, 2);
    GW_TRY(count_entries(r, count));
    GW_TRY(part_at(r, offset + HEAD, count * ENTRY, "a symbol table", &node));
    for (uint64_t i = 0; i < count; i++) GW_TRY(read_entry(r, names, node.at + i * ENTRY));
    return GW_OK;
}

// "TREE", kind (0: of groups), level, children (2), two siblings; then a key before each child. `above`: the level of
// the node that names this one.
static gw_status read_tree(reader *r, part names, uint64_t offset, int above) {
    enum { HEAD = 8 + 2 * WORD };
    part node;
    GW_TRY(block_at(r, offset, HEAD, "TREE", "a tree", &node));
    const int level = node.at[5];
    const uint64_t count = number(node.at + 6, 2);
    if (node.at[4] != 0 || level >= above) return fault(r, "a tree");
    GW_TRY(count_entries(r, count));
    GW_TRY(part_at(r, offset + HEAD, count * 2 * WORD, "a tree", &node));
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t child = number(node.at + (2 * i + 1) * WORD, WORD);
        GW_TRY(level > 0 ? read_tree(r, names, child, level) : read_symbols(r, names, child));
    }
    return GW_OK;
}

// Offsets of a tree and of a heap: "HEAP", version, 3 bytes, bytes of names, free ones, offset of names.
static gw_status read_group(reader *r, part message) {
    enum { HEAP = 8 + 3 * WORD, HIGHEST = 16 };
    part heap, names;
    if (message.size < 2 * WORD) return fault(r, "a group");
    GW_TRY(block_at(r, number(message.at + WORD, WORD), HEAP, "HEAP", "the names", &heap));
    GW_TRY(part_at(r, number(heap.at + 3 * WORD, WORD), number(heap.at + WORD, WORD), "the names", &names));
    return read_tree(r, names, number(message.at, WORD), HIGHEST);
}

static gw_status read_object(reader *r, uint64_t offset) {
    object of;
    if (r->depth == DEEPEST || r->objects++ == MOST_OBJECTS) return fault(r, "the number of groups");
    GW_TRY(read_header(r, offset, &of));
    r->depth++;
    const bool data_set = of.space.at && of.type.at && of.layout.at;
    const gw_value_type *type = data_set ? type_of(of.type) : NULL; // NULL of text and the like, which are not weights
    if (of.group.at) GW_TRY(read_group(r, of.group));
    else if (type) {
        gw_tensor_view *view;
        GW_TRY(gw_weights_file_add(r->file, r->path, &view));
        view->type = type;
        view->stored.type = type->name;
        GW_TRY(read_space(r, of.space, view));
        GW_TRY(read_layout(r, of.layout, view));
    }
    r->depth--;
    return GW_OK;
}

bool gw_hdf5_file_is(const unsigned char *bytes, int64_t size) {
    return size >= (int64_t)sizeof signature && memcmp(bytes, signature, sizeof signature) == 0;
}

// signature, version, 4 bytes, sizes of offsets and lengths, 9 bytes (version 1: 13), four offsets, and the root's
// entry, whose second number is the offset of its header.
gw_status gw_hdf5_file_read(gw_weights_file *file) {
    enum { VERSION = 8, OFFSETS = 13, LENGTHS = 14, BASE = 24, ROOT = BASE + 5 * WORD, LONGER = 4 };
    reader r = {.file = file};
    if (file->size <= VERSION || file->bytes[VERSION] > 1)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "%s: an HDF5 file whose superblock is not of version 0 or 1, as h5py writes it by default",
                       file->path);
    const int longer = file->bytes[VERSION] == 1 ? LONGER : 0;
    if (file->size < ROOT + longer + WORD || file->bytes[OFFSETS] != WORD || file->bytes[LENGTHS] != WORD ||
        number(file->bytes + BASE + longer, WORD) != 0)
        return fault(&r, "the superblock");
    return read_object(&r, number(file->bytes + ROOT + longer, WORD));
}
