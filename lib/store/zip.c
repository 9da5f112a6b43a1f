// SPDX-License-Identifier: MIT
//   local header + name + extra | content | descriptor?     for each entry
//   central header + name + extra + comment                 for each entry
//   zip64 end record, its locator                           where sizes or counts need more than 32 or 16 bits
//   end record, comment
#include "store/torch_file.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
} archive;

static uint64_t number(const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--) value = value << 8 | at[i];
    return value;
}

static int u16(const unsigned char *at) {
    return (int)number(at, 2);
}

static uint32_t u32(const unsigned char *at) {
    return (uint32_t)number(at, 4);
}

static gw_status broken(const archive *zip, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: not a whole zip archive: %s", zip->path, what);
}

// Where the end record is: behind it lies nothing but the comment that it announces. -1: nowhere.
static int64_t find_end(const archive *zip) {
    for (int64_t at = zip->size - END_RECORD, left = LONGEST_COMMENT; at >= 0 && left >= 0; at--, left--)
        if (u32(zip->bytes + at) == end_mark && at + END_RECORD + u16(zip->bytes + at + 20) == zip->size) return at;
    return -1;
}

// Sets directory, directory_size and count; these may come from the zip64 record before the end record.
static gw_status read_end(archive *zip) {
    const int64_t end = find_end(zip);
    if (end < 0) return broken(zip, "its end record is missing");
    const unsigned char *record = zip->bytes + end;
    uint64_t count = number(record + 10, 2), size = u32(record + 12), offset = u32(record + 16);
    int64_t limit = end;
    if (end >= LOCATOR && u32(record - LOCATOR) == locator_mark) {
        const uint64_t at = number(record - LOCATOR + 8, 8);
        if (at > (uint64_t)end || (uint64_t)end - at < END64_RECORD + LOCATOR || u32(zip->bytes + at) != end64_mark)
            return broken(zip, "its zip64 end record is missing");
        const unsigned char *wide = zip->bytes + at;
        count = number(wide + 32, 8);
        size = number(wide + 40, 8);
        offset = number(wide + 48, 8);
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

static gw_status bad_entry(const archive *zip, const gw_zip_entry *entry, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s: entry %s: %s", zip->path, entry->name, what);
}

// What stands in the 32 bits at `at`, or in the next 8 bytes of the zip64 field where they are all ones.
static bool wide_number(const unsigned char *at, const unsigned char **field, const unsigned char *end, int64_t *out) {
    uint64_t value = u32(at);
    if (value == saturated) {
        if (end - *field < 8) return false;
        value = number(*field, 8);
        *field += 8;
    }
    *out = (int64_t)value;
    return value <= INT64_MAX;
}

// Reads sizes and offset of a central header, which may be continued in its zip64 extra field.
static gw_status read_sizes(const archive *zip, const unsigned char *header, gw_zip_entry *entry) {
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

static gw_status check_method(const archive *zip, const unsigned char *header, const gw_zip_entry *entry) {
    if (u16(header + 8) & FLAG_ENCRYPTED)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: entry %s is encrypted", zip->path, entry->name);
    if (u16(header + 10) == 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: entry %s is compressed; torch stores the entries of weights as they are",
                   zip->path, entry->name);
}

// The local header repeats the central one; its sizes may be left to the descriptor behind the content.
static gw_status check_local(const archive *zip, const unsigned char *central, gw_zip_entry *entry) {
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
static gw_status read_entry(const archive *zip, const unsigned char **at, gw_zip *out) {
    const unsigned char *header = *at, *end = zip->bytes + zip->directory + zip->directory_size;
    if (end - header < CENTRAL_HEADER || u32(header) != central_mark) return broken(zip, "a central header is missing");
    const int64_t length = u16(header + 28), rest = length + u16(header + 30) + u16(header + 32);
    if (end - header - CENTRAL_HEADER < rest) return broken(zip, "a central header is cut off");
    *at = header + CENTRAL_HEADER + rest;
    const char *name = (const char *)header + CENTRAL_HEADER;
    for (int64_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < ' ') return broken(zip, "the name of an entry holds control characters");
    gw_zip_entry *entry = &out->entries[out->count];
    entry->name = gw_strndup(name, (size_t)length);
    if (!entry->name) return GW_ERR_MEMORY;
    out->count++;
    GW_TRY(check_method(zip, header, entry));
    GW_TRY(read_sizes(zip, header, entry));
    return check_local(zip, header, entry);
}

static int by_begin(const void *a, const void *b) {
    const gw_zip_entry *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const gw_zip_entry *)a)->name, ((const gw_zip_entry *)b)->name);
}

static gw_status check_places(const archive *zip, gw_zip *out) {
    qsort(out->entries, (size_t)out->count, sizeof *out->entries, by_begin);
    for (int64_t i = 1; i < out->count; i++) {
        const gw_zip_entry *before = &out->entries[i - 1], *entry = &out->entries[i];
        if (entry->begin < before->offset + before->size) return bad_entry(zip, entry, "it overlaps another entry");
    }
    qsort(out->entries, (size_t)out->count, sizeof *out->entries, by_name);
    for (int64_t i = 1; i < out->count; i++)
        if (by_name(&out->entries[i - 1], &out->entries[i]) == 0)
            return bad_entry(zip, &out->entries[i], "it is there twice");
    return GW_OK;
}

gw_status gw_zip_read(const char *path, const unsigned char *bytes, int64_t size, gw_zip *out) {
    *out = (gw_zip){0};
    archive zip = {.path = path, .bytes = bytes, .size = size};
    GW_TRY(read_end(&zip));
    out->entries = gw_alloc(zip.count, sizeof *out->entries);
    if (!out->entries) return GW_ERR_MEMORY;
    const unsigned char *at = bytes + zip.directory;
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < zip.count; i++) status = read_entry(&zip, &at, out);
    if (status == GW_OK && at != bytes + zip.directory + zip.directory_size)
        status = broken(&zip, "its central directory holds more than its entries");
    if (status == GW_OK) status = check_places(&zip, out);
    if (status != GW_OK) gw_zip_free(out);
    return status;
}

void gw_zip_free(gw_zip *zip) {
    for (int64_t i = 0; i < zip->count; i++) free(zip->entries[i].name);
    free(zip->entries);
    *zip = (gw_zip){0};
}

const gw_zip_entry *gw_zip_find(const gw_zip *zip, const char *name) {
    const gw_zip_entry key = {.name = (char *)name};
    return bsearch(&key, zip->entries, (size_t)zip->count, sizeof *zip->entries, by_name);
}
