// SPDX-License-Identifier: MIT
// Writes rows behind a header that is completed at the end, and maps files for reading.
#include "label/row_file.h"

#include "base/mapping.h"
#include "base/memory.h"
#include "base/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC_BYTES = 8, HEADER_BYTES = 24 };

struct gw_row_writer {
    gw_output output;
    const gw_row_kind *kind;
    char *path;
    int64_t rows, width;
};

static void put_u64(unsigned char *to, uint64_t value) {
    for (int i = 0; i < 8; i++) to[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get_u64(const unsigned char *from) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static gw_status write_header(gw_row_writer *writer) {
    unsigned char header[HEADER_BYTES];
    memcpy(header, writer->kind->magic, MAGIC_BYTES);
    put_u64(header + 8, (uint64_t)writer->rows);
    put_u64(header + 16, (uint64_t)writer->width);
    return gw_output_write(&writer->output, header, HEADER_BYTES);
}

gw_status gw_row_writer_open(const char *path, const gw_row_kind *kind, int64_t width, gw_row_writer **out) {
    *out = NULL;
    gw_row_writer *writer = gw_alloc(1, sizeof *writer);
    if (!writer) return GW_ERR_MEMORY;
    writer->kind = kind;
    writer->width = width;
    writer->path = gw_strdup(path);
    gw_status status = writer->path ? gw_output_open(&writer->output, path) : GW_ERR_MEMORY;
    if (status == GW_OK) status = write_header(writer);
    if (status == GW_OK) *out = writer;
    else gw_row_writer_abandon(writer);
    return status;
}

gw_status gw_row_writer_add(gw_row_writer *writer, const uint8_t *row) {
    writer->rows++;
    return gw_output_write(&writer->output, row, gw_row_bytes(writer->kind, writer->width));
}

gw_status gw_row_writer_close(gw_row_writer *writer) {
    gw_status status = GW_OK;
    if (fseeko(writer->output.stream, 0, SEEK_SET) != 0)
        status = gw_fail(GW_ERR_IO, "cannot write %s: %s", writer->path, strerror(errno));
    if (status == GW_OK) status = write_header(writer);
    if (status == GW_OK) status = gw_output_close(&writer->output);
    gw_row_writer_abandon(writer);
    return status;
}

void gw_row_writer_abandon(gw_row_writer *writer) {
    if (!writer) return;
    gw_output_abandon(&writer->output);
    free(writer->path);
    free(writer);
}

struct gw_row_file {
    gw_mapping map;
    const gw_row_kind *kind;
    int64_t rows, width;
};

static gw_status read_header(gw_row_file *file, const char *path) {
    const gw_row_kind *kind = file->kind;
    const gw_mapping *map = &file->map;
    if (map->size < HEADER_BYTES)
        return gw_fail(GW_ERR_FORMAT, "%s is not a %s file: it has %lld bytes", path, kind->what, (long long)map->size);
    if (memcmp(map->bytes, kind->magic, MAGIC_BYTES) != 0)
        return gw_fail(GW_ERR_FORMAT, "%s is not a %s file: it does not start with %s", path, kind->what, kind->magic);
    const uint64_t rows = get_u64(map->bytes + 8), width = get_u64(map->bytes + 16), most = (uint64_t)map->size * 8;
    const bool plausible = rows <= most && width > 0 && width <= most;
    const uint64_t row_bytes = plausible ? (uint64_t)gw_row_bytes(kind, (int64_t)width) : 0;
    if (!plausible || (row_bytes > 0 && rows > most / row_bytes) ||
        (uint64_t)map->size != HEADER_BYTES + rows * row_bytes)
        return gw_fail(GW_ERR_FORMAT, "%s has %lld bytes, which does not fit its header: %llu rows of %llu %s", path,
                       (long long)map->size, (unsigned long long)rows, (unsigned long long)width, kind->cells);
    file->rows = (int64_t)rows;
    file->width = (int64_t)width;
    return GW_OK;
}

gw_status gw_row_file_open(const char *path, const gw_row_kind *kind, gw_row_file **out) {
    *out = NULL;
    gw_row_file *file = gw_alloc(1, sizeof *file);
    if (!file) return GW_ERR_MEMORY;
    file->kind = kind;
    gw_status status = gw_mapping_open(path, &file->map);
    if (status == GW_OK) status = read_header(file, path);
    if (status == GW_OK) *out = file;
    else gw_row_file_close(file);
    return status;
}

void gw_row_file_close(gw_row_file *file) {
    if (!file) return;
    gw_mapping_close(&file->map);
    free(file);
}

int64_t gw_row_file_rows(const gw_row_file *file) {
    return file->rows;
}

int64_t gw_row_file_width(const gw_row_file *file) {
    return file->width;
}

const uint8_t *gw_row_file_row(const gw_row_file *file, int64_t row) {
    return file->map.bytes + HEADER_BYTES + row * gw_row_bytes(file->kind, file->width);
}
