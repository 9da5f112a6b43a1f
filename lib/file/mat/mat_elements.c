// SPDX-License-Identifier: MIT
// Walks through the file once; nothing of it is kept.
#ifdef GW_HAVE_MAT

#include "file/mat/mat_file.h"

#include "base/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = 128, ENDIAN_AT = 126, TAG = 8, BUFFER = 1 << 16 };
enum { TYPE_INT32 = 5, TYPE_UINT32 = 6, TYPE_MATRIX = 14, TYPE_DEFLATED = 15 };
enum { CLASS_DOUBLE = 6, CLASS_UINT64 = 15, FLAG_COMPLEX = 0x0800, MOST_DIMENSIONS = 32 };

typedef struct {
    const char *path;
    FILE *stream;
    int64_t at, size;  // of the file
    bool swap;         // its bytes are in the other order
    z_stream *deflate; // NULL: the element lies plain
    int64_t packed;    // bytes of a deflated element that were not read yet
    uint8_t in[BUFFER];
} walk;

typedef struct {
    uint32_t type;
    int64_t bytes, behind; // of its data; with what fills it up to 8
    bool small;            // the data, of 4 bytes, were part of the tag
    uint8_t data[4];
} tag;

static gw_status damaged(const walk *w, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s is truncated or damaged: %s, at byte %lld of %lld", w->path, what,
                   (long long)w->at, (long long)w->size);
}

static gw_status read_file(walk *w, void *bytes, int64_t count) {
    if (count > w->size - w->at) return damaged(w, "the file ends inside of an element");
    if (fread(bytes, 1, (size_t)count, w->stream) != (size_t)count)
        return gw_fail(GW_ERR_IO, "cannot read %s: %s", w->path, errno ? strerror(errno) : "it became shorter");
    w->at += count;
    return GW_OK;
}

static gw_status refill(walk *w) {
    const int64_t count = w->packed < BUFFER ? w->packed : BUFFER;
    GW_TRY(read_file(w, w->in, count));
    w->packed -= count;
    w->deflate->next_in = w->in;
    w->deflate->avail_in = (uInt)count;
    return GW_OK;
}

// Up to `capacity` bytes of a deflated element; *count is 0 at its end.
static gw_status inflate_some(walk *w, uint8_t *bytes, int64_t capacity, int64_t *count) {
    *count = 0;
    w->deflate->next_out = bytes;
    w->deflate->avail_out = (uInt)(capacity < BUFFER ? capacity : BUFFER);
    const uInt before = w->deflate->avail_out;
    int result = Z_OK;
    while (result == Z_OK && w->deflate->avail_out > 0) {
        if (w->deflate->avail_in == 0 && w->packed > 0) GW_TRY(refill(w));
        result = inflate(w->deflate, Z_NO_FLUSH);
    }
    *count = before - w->deflate->avail_out;
    return result == Z_OK || result == Z_STREAM_END ? GW_OK : damaged(w, "a compressed element cannot be unpacked");
}

static gw_status read_data(walk *w, void *bytes, int64_t count) {
    if (!w->deflate) return read_file(w, bytes, count);
    for (int64_t got; count > 0; count -= got) {
        GW_TRY(inflate_some(w, bytes, count, &got));
        if (got == 0) return damaged(w, "a compressed element ends early");
        bytes = (uint8_t *)bytes + got;
    }
    return GW_OK;
}

static gw_status skip_data(walk *w, int64_t count) {
    uint8_t bytes[BUFFER];
    for (int64_t piece; count > 0; count -= piece) {
        piece = count < BUFFER ? count : BUFFER;
        GW_TRY(read_data(w, bytes, piece));
    }
    return GW_OK;
}

static uint32_t word(const walk *w, const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return w->swap ? __builtin_bswap32(value) : value;
}

static gw_status read_tag(walk *w, tag *out) {
    uint8_t bytes[TAG];
    GW_TRY(read_data(w, bytes, TAG));
    const uint32_t first = word(w, bytes);
    *out = (tag){.type = first, .bytes = word(w, bytes + 4)};
    out->behind = (out->bytes + 7) / 8 * 8;
    if (first >> 16 == 0) return GW_OK;
    *out = (tag){.type = first & 0xFFFF, .bytes = first >> 16, .small = true};
    memcpy(out->data, bytes + 4, sizeof out->data);
    return out->bytes <= 4 ? GW_OK : damaged(w, "a small element says that it is large");
}

// An element of at most `most` bytes inside of an array, whole.
static gw_status read_element(walk *w, int64_t *left, uint8_t *bytes, int64_t most, tag *out) {
    GW_TRY(read_tag(w, out));
    *left -= TAG + out->behind;
    if (*left < 0 || out->bytes > most) return damaged(w, "an array does not hold what it consists of");
    if (!out->small) return read_data(w, bytes, out->behind);
    memcpy(bytes, out->data, (size_t)out->bytes);
    return GW_OK;
}

static int64_t bytes_of_type(uint32_t type) {
    static const int64_t bytes[] = {
        [1] = 1, [2] = 1, [3] = 2, [4] = 2, [5] = 4, [6] = 4, [7] = 4, [9] = 8, [12] = 8, [13] = 8};
    return type < sizeof bytes / sizeof bytes[0] ? bytes[type] : 0;
}

// The real or the imaginary part of an array of numbers: one value for each place.
static gw_status check_part(walk *w, int64_t *left, int64_t count) {
    tag part;
    GW_TRY(read_tag(w, &part));
    const int64_t bytes = bytes_of_type(part.type);
    if (bytes == 0 || part.bytes % bytes != 0 || part.bytes / bytes != count)
        return damaged(w, "an array has other values than its dimensions say");
    const int64_t here = part.small ? 0 : part.behind < *left - TAG ? part.behind : part.bytes;
    *left -= TAG + here;
    return *left < 0 ? damaged(w, "an array does not hold its values") : skip_data(w, here);
}

static gw_status count_values(const walk *w, const tag *dimensions, const uint8_t *bytes, int64_t *count) {
    *count = 1;
    for (int64_t d = 0; d < dimensions->bytes / 4; d++) {
        const int32_t size = (int32_t)word(w, bytes + 4 * d);
        if (size < 0 || __builtin_mul_overflow(*count, (int64_t)size, count))
            return damaged(w, "an array has impossible dimensions");
    }
    return GW_OK;
}

// An array of so many bytes. Those that are not of numbers are passed over.
static gw_status check_array(walk *w, int64_t left) {
    enum { LONGEST_NAME = 4096 };
    uint8_t flags[8], dimensions[4 * MOST_DIMENSIONS], name[LONGEST_NAME];
    tag element, sizes;
    int64_t count;
    if (left == 0) return GW_OK; // MATLAB's empty cell
    GW_TRY(read_element(w, &left, flags, sizeof flags, &element));
    if (element.type != TYPE_UINT32 || element.bytes != 8) return damaged(w, "an array does not begin with its flags");
    const uint32_t class = word(w, flags) & 0xFF;
    if (class < CLASS_DOUBLE || class > CLASS_UINT64) return skip_data(w, left);
    GW_TRY(read_element(w, &left, dimensions, sizeof dimensions, &sizes));
    if (sizes.type != TYPE_INT32) return damaged(w, "an array lacks its dimensions");
    GW_TRY(count_values(w, &sizes, dimensions, &count));
    GW_TRY(read_element(w, &left, name, sizeof name, &element));
    GW_TRY(check_part(w, &left, count));
    if (word(w, flags) & FLAG_COMPLEX) GW_TRY(check_part(w, &left, count));
    return skip_data(w, left);
}

static gw_status check_deflated(walk *w, int64_t bytes) {
    z_stream stream = {0};
    tag element;
    uint8_t more[256];
    int64_t count = 0;
    if (bytes > w->size - w->at) return damaged(w, "the file ends inside of a compressed element");
    if (inflateInit(&stream) != Z_OK) return gw_fail(GW_ERR_MEMORY, "out of memory for zlib");
    w->deflate = &stream;
    w->packed = bytes;
    gw_status status = read_tag(w, &element);
    if (status == GW_OK && element.type != TYPE_MATRIX) status = damaged(w, "a compressed element is no array");
    if (status == GW_OK) status = check_array(w, element.bytes);
    while (status == GW_OK && (status = inflate_some(w, more, sizeof more, &count)) == GW_OK && count > 0) continue;
    inflateEnd(&stream);
    w->deflate = NULL;
    if (status != GW_OK || w->packed == 0) return status;
    return damaged(w, "a compressed element ends early");
}

static gw_status check_header(walk *w) {
    uint8_t header[HEADER];
    GW_TRY(read_file(w, header, HEADER));
    const uint8_t *order = header + ENDIAN_AT;
    if (memcmp(order, "IM", 2) != 0 && memcmp(order, "MI", 2) != 0) return damaged(w, "the header says no byte order");
    const uint16_t one = 1;
    const bool little_host = *(const uint8_t *)&one == 1;
    w->swap = (order[0] == 'I') != little_host;
    return GW_OK;
}

static gw_status check_elements(walk *w) {
    GW_TRY(check_header(w));
    while (w->at < w->size) {
        tag element;
        GW_TRY(read_tag(w, &element));
        if (element.type == TYPE_DEFLATED) GW_TRY(check_deflated(w, element.bytes));
        else if (element.type == TYPE_MATRIX && !element.small && element.bytes <= w->size - w->at)
            GW_TRY(check_array(w, element.bytes));
        else
            return damaged(w,
                           element.type == TYPE_MATRIX ? "the file ends inside of an array" : "an element is no array");
    }
    return GW_OK;
}

gw_status gw_mat_elements_check(const char *path) {
    walk *w = gw_alloc(1, sizeof *w);
    if (!w) return GW_ERR_MEMORY;
    w->path = path;
    w->stream = fopen(path, "rbe");
    gw_status status = w->stream ? GW_OK : gw_fail(GW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    if (status == GW_OK && fseeko(w->stream, 0, SEEK_END) == 0) w->size = ftello(w->stream);
    if (status == GW_OK) rewind(w->stream);
    if (status == GW_OK) status = check_elements(w);
    if (w->stream) fclose(w->stream);
    free(w);
    return status;
}

#endif
