// SPDX-License-Identifier: MIT
// MATLAB files of version 5 through matio, after a check of their elements; and of version 7.3 through HDF5. Their
// results are checked again here, because they come from a child process that may be damaged.
#include "file/mat.h"

#ifdef GW_HAVE_MAT

#include "base/child.h"
#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <hdf5.h>
#include <matio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

// Up to `capacity` bytes of a deflated element; *count is 0 at its end.
static gw_status inflate_some(walk *w, uint8_t *bytes, int64_t capacity, int64_t *count) {
    *count = 0;
    w->deflate->next_out = bytes;
    w->deflate->avail_out = (uInt)gw_min(capacity, BUFFER);
    const uInt before = w->deflate->avail_out;
    int result = Z_OK;
    while (result == Z_OK && w->deflate->avail_out > 0) {
        if (w->deflate->avail_in == 0 && w->packed > 0) {
            const int64_t more = gw_min(w->packed, BUFFER);
            GW_TRY(read_file(w, w->in, more));
            w->packed -= more;
            w->deflate->next_in = w->in;
            w->deflate->avail_in = (uInt)more;
        }
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
        piece = gw_min(count, BUFFER);
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
    if (*left < 0 || out->bytes > most) return damaged(w, "an array lacks some of its parts");
    if (!out->small) return read_data(w, bytes, out->behind);
    memcpy(bytes, out->data, (size_t)out->bytes);
    return GW_OK;
}

// The real or the imaginary part of an array of numbers: one value for each place.
static gw_status check_part(walk *w, int64_t *left, int64_t count) {
    static const int64_t of_type[] = {
        [1] = 1, [2] = 1, [3] = 2, [4] = 2, [5] = 4, [6] = 4, [7] = 4, [9] = 8, [12] = 8, [13] = 8};
    tag part;
    GW_TRY(read_tag(w, &part));
    const int64_t bytes = part.type < sizeof of_type / sizeof of_type[0] ? of_type[part.type] : 0;
    if (bytes == 0 || part.bytes % bytes != 0 || part.bytes / bytes != count)
        return damaged(w, "an array has other values than its dimensions say");
    const int64_t here = part.small ? 0 : part.behind < *left - TAG ? part.behind : part.bytes;
    *left -= TAG + here;
    return *left < 0 ? damaged(w, "an array does not hold its values") : skip_data(w, here);
}

// An array of so many bytes. Those that are not of numbers are passed over.
static gw_status check_array(walk *w, int64_t left) {
    enum { LONGEST_NAME = 4096 };
    uint8_t flags[8], dimensions[4 * MOST_DIMENSIONS], name[LONGEST_NAME];
    tag element, sizes;
    int64_t count = 1;
    if (left == 0) return GW_OK; // MATLAB's empty cell
    GW_TRY(read_element(w, &left, flags, sizeof flags, &element));
    if (element.type != TYPE_UINT32 || element.bytes != 8) return damaged(w, "an array does not begin with its flags");
    const uint32_t class = word(w, flags) & 0xFF;
    if (class < CLASS_DOUBLE || class > CLASS_UINT64) return skip_data(w, left);
    GW_TRY(read_element(w, &left, dimensions, sizeof dimensions, &sizes));
    if (sizes.type != TYPE_INT32) return damaged(w, "an array lacks its dimensions");
    for (int64_t d = 0; d < sizes.bytes / 4; d++) {
        const int32_t size = (int32_t)word(w, dimensions + 4 * d);
        if (size < 0 || __builtin_mul_overflow(count, (int64_t)size, &count))
            return damaged(w, "an array has impossible dimensions");
    }
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
    if (status == GW_OK && element.type != TYPE_MATRIX) status = damaged(w, "a compressed element is not an array");
    if (status == GW_OK) status = check_array(w, element.bytes);
    while (status == GW_OK && (status = inflate_some(w, more, sizeof more, &count)) == GW_OK && count > 0) continue;
    inflateEnd(&stream);
    w->deflate = NULL;
    if (status != GW_OK || w->packed == 0) return status;
    return damaged(w, "a compressed element ends early");
}

static gw_status check_elements(walk *w) {
    uint8_t header[HEADER];
    GW_TRY(read_file(w, header, HEADER));
    const uint8_t *order = header + ENDIAN_AT;
    if (memcmp(order, "IM", 2) != 0 && memcmp(order, "MI", 2) != 0) return damaged(w, "the header says no byte order");
    const uint16_t one = 1;
    const bool little_host = *(const uint8_t *)&one == 1;
    w->swap = (order[0] == 'I') != little_host;
    while (w->at < w->size) {
        tag element;
        GW_TRY(read_tag(w, &element));
        if (element.type == TYPE_DEFLATED) GW_TRY(check_deflated(w, element.bytes));
        else if (element.type == TYPE_MATRIX && !element.small && element.bytes <= w->size - w->at)
            GW_TRY(check_array(w, element.bytes));
        else
            return damaged(w, element.type == TYPE_MATRIX ? "the file ends inside of an array"
                                                          : "an element is not an array");
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

// What reads one of the two formats, in the child.
typedef struct gw_mat_reader {
    gw_status (*check)(const char *path); // of the whole file, before all; NULL: the library finds what is wrong
    gw_status (*open)(gw_mat_file *file);
    gw_status (*read)(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                      float *values);
    void (*close)(gw_mat_file *file);
} reader;

static gw_status open_matio(gw_mat_file *file) {
    file->handle = Mat_Open(file->path, MAT_ACC_RDONLY);
    if (!file->handle) return gw_fail(GW_ERR_FORMAT, "cannot read %s: matio cannot open it", file->path);
    for (matvar_t *found; (found = Mat_VarReadNextInfo(file->handle)) != NULL; Mat_VarFree(found)) {
        gw_mat_array *array = &file->arrays[file->count];
        const bool numbers = found->class_type >= MAT_C_DOUBLE && found->class_type <= MAT_C_UINT64;
        if (file->count == GW_MAT_ARRAYS || !numbers || !found->name || found->isComplex || found->rank < 2 ||
            found->rank > GW_MAT_AXES || strlen(found->name) >= sizeof array->name)
            continue;
        array->axes = found->rank;
        for (int a = 0; a < found->rank; a++) array->size[a] = (int64_t)found->dims[a];
        strcpy(array->name, found->name);
        array->value_bytes = 1;
        array->stored_bytes = INT64_MAX; // gw_mat_elements_check() has seen every value
        file->count++;
    }
    return GW_OK;
}

// values[count] of the class that matio gives them in.
static gw_status convert_values(const void *bytes, enum matio_classes class, int64_t count, float *values) {
#define TAKE(NAME, TYPE)                                                                                               \
    case NAME:                                                                                                         \
        for (int64_t i = 0; i < count; i++) values[i] = (float)((const TYPE *)bytes)[i];                               \
        return GW_OK;
    switch ((int)class) {
        TAKE(MAT_C_DOUBLE, double)
        TAKE(MAT_C_SINGLE, float)
        TAKE(MAT_C_INT8, int8_t)
        TAKE(MAT_C_UINT8, uint8_t)
        TAKE(MAT_C_INT16, int16_t)
        TAKE(MAT_C_UINT16, uint16_t)
        TAKE(MAT_C_INT32, int32_t)
        TAKE(MAT_C_UINT32, uint32_t)
        TAKE(MAT_C_INT64, int64_t)
        TAKE(MAT_C_UINT64, uint64_t)
    }
#undef TAKE
    return GW_ERR_UNSUPPORTED;
}

static gw_status read_matio_box(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                                float *values) {
    int start[GW_MAT_AXES], stride[GW_MAT_AXES] = {1, 1, 1}, edge[GW_MAT_AXES];
    int64_t count = 1;
    for (int a = 0; a < array->axes; a++) {
        start[a] = (int)first[a];
        edge[a] = (int)size[a];
        count *= size[a];
    }
    matvar_t *found = Mat_VarReadInfo(file->handle, array->name);
    void *bytes = found ? gw_alloc(count, sizeof(double)) : NULL;
    gw_status status = found ? (bytes ? GW_OK : GW_ERR_MEMORY) : GW_ERR_FORMAT;
    if (status == GW_OK && Mat_VarReadData(file->handle, found, bytes, start, stride, edge) != 0)
        status = GW_ERR_FORMAT;
    if (status == GW_OK) status = convert_values(bytes, found->class_type, count, values);
    free(bytes);
    Mat_VarFree(found);
    if (status != GW_ERR_FORMAT) return status;
    return gw_fail(GW_ERR_FORMAT, "%s: %s cannot be read (truncated or damaged?)", file->path, array->name);
}

static void close_matio(gw_mat_file *file) {
    Mat_Close(file->handle);
}

static const reader version_5 = {gw_mat_elements_check, open_matio, read_matio_box, close_matio};

// Appends the array of a name where it has two or three axes of numbers; others are not of interest.
static herr_t note_hdf5_array(hid_t root, const char *name, const H5L_info_t *info, void *context) {
    (void)info;
    gw_mat_file *file = context;
    gw_mat_array *array = &file->arrays[file->count];
    if (file->count == GW_MAT_ARRAYS || strlen(name) >= sizeof array->name) return 0;
    const hid_t set = H5Dopen2(root, name, H5P_DEFAULT);
    if (set < 0) return 0; // a group
    const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const H5T_class_t class = H5Tget_class(type);
    const int axes = H5Sget_simple_extent_ndims(space);
    if ((axes == 2 || axes == GW_MAT_AXES) && (class == H5T_INTEGER || class == H5T_FLOAT)) {
        hsize_t sizes[GW_MAT_AXES];
        H5Sget_simple_extent_dims(space, sizes, NULL);
        array->axes = axes;
        for (int a = 0; a < axes; a++) array->size[a] = (int64_t)sizes[axes - 1 - a];
        strcpy(array->name, name);
        array->value_bytes = (int64_t)H5Tget_size(type);
        array->stored_bytes = (int64_t)H5Dget_storage_size(set);
        file->count++;
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(set);
    return 0;
}

static gw_status open_hdf5(gw_mat_file *file) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // we say ourselves what went wrong
    hid_t *handle = gw_alloc(1, sizeof *handle);
    if (!handle) return GW_ERR_MEMORY;
    *handle = H5Fopen(file->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (*handle < 0) {
        free(handle);
        return gw_fail(GW_ERR_FORMAT, "cannot read %s: HDF5 cannot open it (truncated or damaged?)", file->path);
    }
    file->handle = handle;
    if (H5Literate(*handle, H5_INDEX_NAME, H5_ITER_INC, NULL, note_hdf5_array, file) < 0)
        return gw_fail(GW_ERR_FORMAT, "cannot read the arrays of %s", file->path);
    return GW_OK;
}

static gw_status read_hdf5_box(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                               float *values) {
    hsize_t from[GW_MAT_AXES], count[GW_MAT_AXES];
    for (int a = 0; a < array->axes; a++) {
        from[array->axes - 1 - a] = (hsize_t)first[a];
        count[array->axes - 1 - a] = (hsize_t)size[a];
    }
    const hid_t set = H5Dopen2(*(hid_t *)file->handle, array->name, H5P_DEFAULT);
    const hid_t stored = H5Dget_space(set), box = H5Screate_simple(array->axes, count, NULL);
    herr_t failed = H5Sselect_hyperslab(stored, H5S_SELECT_SET, from, NULL, count, NULL);
    if (failed >= 0) failed = H5Dread(set, H5T_NATIVE_FLOAT, box, stored, H5P_DEFAULT, values);
    H5Sclose(box);
    H5Sclose(stored);
    H5Dclose(set);
    if (failed >= 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: %s cannot be read (truncated or damaged?)", file->path, array->name);
}

static void close_hdf5(gw_mat_file *file) {
    H5Fclose(*(hid_t *)file->handle);
    free(file->handle);
}

// Its axes are in C's order: the last one fastest.
static const reader hdf5 = {NULL, open_hdf5, read_hdf5_box, close_hdf5};

// HDF5 begins at byte 0, or, as MATLAB writes it, at 512 behind a header of its own; version 5 says so in its header.
static gw_status find_reader(gw_mat_file *file) {
    enum { HDF5_AT = 512 };
    static const char signature[8] = {(char)0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
    char bytes[HDF5_AT + sizeof signature] = {0};
    FILE *stream = fopen(file->path, "rb");
    if (!stream) return gw_fail(GW_ERR_IO, "cannot open %s: %s", file->path, strerror(errno));
    const size_t got = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    if (memcmp(bytes, signature, sizeof signature) == 0 || memcmp(bytes + HDF5_AT, signature, sizeof signature) == 0)
        file->reader = &hdf5;
    else if (strncmp(bytes, "MATLAB 5.0 MAT-file", 19) == 0) file->reader = &version_5;
    else if (got == 0) return gw_fail(GW_ERR_FORMAT, "%s is empty", file->path);
    else return gw_fail(GW_ERR_FORMAT, "%s is not a MATLAB file of version 5 or 7.3 (HDF5)", file->path);
    return GW_OK;
}

typedef struct {
    gw_mat_file *file;
    const gw_mat_array *array;
    const int64_t *first, *size;
    char *values;
    int64_t bytes, taken;
} box;

static int64_t count_values(const int64_t *size, int axes) {
    int64_t count = 1;
    for (int a = 0; a < axes; a++)
        if (size[a] < 0 || __builtin_mul_overflow(count, size[a], &count)) return -1;
    return count;
}

static gw_status makes_no_sense(const gw_mat_file *file) {
    return gw_fail(GW_ERR_FORMAT, "%s: its content makes no sense", file->path);
}

// Processor time for names and sizes grows with the file: its parts may name each other without end.
static gw_status list_arrays(void *context, gw_child_out *out) {
    enum { LEAST_SECONDS = 3, BYTES_PER_SECOND = 1 << 24 };
    gw_mat_file *file = context;
    struct stat info;
    const int64_t bytes = stat(file->path, &info) == 0 ? (int64_t)info.st_size : 0;
    if (file->reader->check) GW_TRY(file->reader->check(file->path));
    gw_child_limit(LEAST_SECONDS + bytes / BYTES_PER_SECOND);
    GW_TRY(file->reader->open(file));
    for (int i = 0; i < file->count; i++) GW_TRY(gw_child_send(out, &file->arrays[i], sizeof file->arrays[i]));
    file->reader->close(file);
    return GW_OK;
}

static gw_status take_array(void *context, const void *bytes, int64_t count) {
    gw_mat_file *file = context;
    gw_mat_array array;
    if (count != sizeof array || file->count == GW_MAT_ARRAYS) return makes_no_sense(file);
    memcpy(&array, bytes, sizeof array);
    const bool named = memchr(array.name, 0, sizeof array.name) != NULL;
    if (!named || array.axes < 2 || array.axes > GW_MAT_AXES || count_values(array.size, array.axes) < 0)
        return makes_no_sense(file);
    file->arrays[file->count++] = array;
    return GW_OK;
}

gw_status gw_mat_open(const char *path, gw_mat_file *file) {
    *file = (gw_mat_file){.path = path};
    GW_TRY(find_reader(file));
    return gw_child_run(path, list_arrays, take_array, file);
}

// Deflate makes at most 1,032 bytes of one; parts that are not stored at all hold no examples.
gw_status gw_mat_check_size(const gw_mat_file *file, const gw_mat_array *array) {
    enum { MOST_GROWTH = 1100, NO_MATTER = 1 << 20 };
    const int64_t count = count_values(array->size, array->axes);
    if (count <= NO_MATTER || count / MOST_GROWTH <= array->stored_bytes / array->value_bytes) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: %s has %lld values by its sizes, but only %lld bytes are stored of it",
                   file->path, array->name, (long long)count, (long long)array->stored_bytes);
}

static gw_status send_box(void *context, gw_child_out *out) {
    const box *b = context;
    float *values = gw_alloc(b->bytes, 1);
    if (!values) return GW_ERR_MEMORY;
    GW_TRY(b->file->reader->open(b->file));
    GW_TRY(b->file->reader->read(b->file, b->array, b->first, b->size, values));
    GW_TRY(gw_child_send(out, values, b->bytes));
    b->file->reader->close(b->file);
    free(values);
    return GW_OK;
}

static gw_status take_values(void *context, const void *bytes, int64_t count) {
    box *b = context;
    if (count > b->bytes - b->taken) return makes_no_sense(b->file);
    memcpy(b->values + b->taken, bytes, (size_t)count);
    b->taken += count;
    return GW_OK;
}

gw_status gw_mat_read(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                      float *values) {
    const int64_t count = count_values(size, array->axes);
    box b = {file, array, first, size, (char *)values, count * (int64_t)sizeof *values, 0};
    GW_TRY(gw_child_run(file->path, send_box, take_values, &b));
    return b.taken == b.bytes ? GW_OK : makes_no_sense(file);
}

#else

gw_status gw_mat_open(const char *path, gw_mat_file *file) {
    *file = (gw_mat_file){0};
    return gw_fail(GW_ERR_UNSUPPORTED, "cannot read %s: this godwit was built without matio and HDF5", path);
}

gw_status gw_mat_check_size(const gw_mat_file *file, const gw_mat_array *array) {
    (void)array;
    return gw_fail(GW_ERR_UNSUPPORTED, "cannot read %s", file->path);
}

gw_status gw_mat_read(gw_mat_file *file, const gw_mat_array *array, const int64_t *first, const int64_t *size,
                      float *values) {
    (void)array, (void)first, (void)size, (void)values;
    return gw_fail(GW_ERR_UNSUPPORTED, "cannot read %s", file->path);
}

#endif
