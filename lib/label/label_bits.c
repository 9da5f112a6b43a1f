// SPDX-License-Identifier: MIT
// Writes rows of bits behind a header, and maps them to be read.
#include "label/label_bits.h"

#include "base/memory.h"
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'G', 'W', 'L', 'A', 'B', 'E', 'L', '1'};
enum { HEADER_BYTES = 24 };

struct gw_label_writer {
    gw_output output;
    char *path;
    int64_t rows, targets;
};

static void put_u64(unsigned char *to, uint64_t value) {
    for (int i = 0; i < 8; i++) to[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get_u64(const unsigned char *from) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) value |= (uint64_t)from[i] << (8 * i);
    return value;
}

static gw_status write_header(gw_label_writer *writer) {
    unsigned char header[HEADER_BYTES];
    memcpy(header, magic, sizeof magic);
    put_u64(header + 8, (uint64_t)writer->rows);
    put_u64(header + 16, (uint64_t)writer->targets);
    return gw_output_write(&writer->output, header, HEADER_BYTES);
}

gw_status gw_label_writer_open(const char *path, int64_t targets, gw_label_writer **out) {
    *out = NULL;
    gw_label_writer *writer = gw_alloc(1, sizeof *writer);
    if (!writer) return GW_ERR_MEMORY;
    writer->targets = targets;
    writer->path = gw_strdup(path);
    gw_status status = writer->path ? gw_output_open(&writer->output, path) : GW_ERR_MEMORY;
    if (status == GW_OK) status = write_header(writer);
    if (status == GW_OK) *out = writer;
    else gw_label_writer_abandon(writer);
    return status;
}

gw_status gw_label_writer_add(gw_label_writer *writer, const uint8_t *row) {
    writer->rows++;
    return gw_output_write(&writer->output, row, gw_label_row_bytes(writer->targets));
}

gw_status gw_label_writer_close(gw_label_writer *writer) {
    gw_status status = GW_OK;
    if (fseeko(writer->output.stream, 0, SEEK_SET) != 0)
        status = gw_fail(GW_ERR_IO, "cannot write %s: %s", writer->path, strerror(errno));
    if (status == GW_OK) status = write_header(writer);
    if (status == GW_OK) status = gw_output_close(&writer->output);
    gw_label_writer_abandon(writer);
    return status;
}

void gw_label_writer_abandon(gw_label_writer *writer) {
    if (!writer) return;
    gw_output_abandon(&writer->output);
    free(writer->path);
    free(writer);
}

struct gw_label_bits {
    const unsigned char *map;
    int64_t size, rows, targets;
};

static gw_status map_file(gw_label_bits *bits, const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return gw_fail(GW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    struct stat info;
    gw_status status = GW_OK;
    if (fstat(file, &info) != 0) status = gw_fail(GW_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    else if (info.st_size < HEADER_BYTES)
        status = gw_fail(GW_ERR_FORMAT, "%s is no label file: it has %lld bytes", path, (long long)info.st_size);
    if (status == GW_OK) {
        void *map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (map == MAP_FAILED) status = gw_fail(GW_ERR_IO, "cannot map %s: %s", path, strerror(errno));
        else *bits = (gw_label_bits){.map = map, .size = info.st_size};
    }
    close(file);
    return status;
}

static gw_status read_header(gw_label_bits *bits, const char *path) {
    if (memcmp(bits->map, magic, sizeof magic) != 0)
        return gw_fail(GW_ERR_FORMAT, "%s is no label file: it does not start with GWLABEL1", path);
    const uint64_t rows = get_u64(bits->map + 8), targets = get_u64(bits->map + 16), most = (uint64_t)bits->size * 8;
    const bool plausible = rows <= most && targets > 0 && targets <= most;
    const uint64_t row_bytes = plausible ? (uint64_t)gw_label_row_bytes((int64_t)targets) : 0;
    if (!plausible || (row_bytes > 0 && rows > most / row_bytes) ||
        (uint64_t)bits->size != HEADER_BYTES + rows * row_bytes)
        return gw_fail(GW_ERR_FORMAT, "%s has %lld bytes, which does not fit its header: %llu rows of %llu targets",
                       path, (long long)bits->size, (unsigned long long)rows, (unsigned long long)targets);
    bits->rows = (int64_t)rows;
    bits->targets = (int64_t)targets;
    return GW_OK;
}

gw_status gw_label_bits_open(const char *path, gw_label_bits **out) {
    *out = NULL;
    gw_label_bits *bits = gw_alloc(1, sizeof *bits);
    if (!bits) return GW_ERR_MEMORY;
    gw_status status = map_file(bits, path);
    if (status == GW_OK) status = read_header(bits, path);
    if (status == GW_OK) *out = bits;
    else gw_label_bits_close(bits);
    return status;
}

void gw_label_bits_close(gw_label_bits *bits) {
    if (!bits) return;
    if (bits->map) munmap((void *)(uintptr_t)bits->map, (size_t)bits->size);
    free(bits);
}

int64_t gw_label_bits_rows(const gw_label_bits *bits) {
    return bits->rows;
}

int64_t gw_label_bits_targets(const gw_label_bits *bits) {
    return bits->targets;
}

const uint8_t *gw_label_bits_row(const gw_label_bits *bits, int64_t row) {
    return bits->map + HEADER_BYTES + row * gw_label_row_bytes(bits->targets);
}
