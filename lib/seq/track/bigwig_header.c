// SPDX-License-Identifier: MIT
// Little-endian throughout, as libBigWig reads and writes it.
#include "seq/track/bigwig_header.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { HEADER = 64, ZOOM = 24, TREE = 32, INDEX = 48, SUMMARY = 40, CONTIG = 8, MOST_GROWTH = 1100 };
static const uint32_t magic = 0x888FFC26, tree_magic = 0x78CA8C91, index_magic = 0x2468ACE0;

typedef struct {
    const char *path;
    FILE *stream;
    uint64_t size;
} reader;

static uint64_t number(const uint8_t *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

static gw_status damaged(const reader *r, const char *what) {
    return gw_fail(GW_ERR_FORMAT, "%s is no whole bigWig: %s", r->path, what);
}

static gw_status read_at(const reader *r, uint64_t at, uint8_t *bytes, size_t count, const char *what) {
    if (count > r->size || at > r->size - count) return damaged(r, what);
    if (fseeko(r->stream, (off_t)at, SEEK_SET) == 0 && fread(bytes, 1, count, r->stream) == count) return GW_OK;
    return gw_fail(GW_ERR_IO, "cannot read %s: %s", r->path, strerror(errno));
}

static gw_status check_index(const reader *r, uint64_t at) {
    uint8_t index[INDEX];
    GW_TRY(read_at(r, at, index, INDEX, "an index lies behind its end"));
    if (number(index, 4) == index_magic && number(index + 8, 8) <= r->size) return GW_OK;
    return damaged(r, "an index is damaged");
}

static gw_status check_contigs(const reader *r, uint64_t at) {
    uint8_t tree[TREE];
    GW_TRY(read_at(r, at, tree, TREE, "the contigs lie behind its end"));
    const uint64_t name_bytes = number(tree + 8, 4), contigs = number(tree + 16, 8);
    if (number(tree, 4) == tree_magic && name_bytes > 0 && number(tree + 12, 4) == CONTIG &&
        contigs <= r->size / (name_bytes + CONTIG))
        return GW_OK;
    return damaged(r, "the list of contigs is damaged");
}

static gw_status check_zooms(const reader *r, uint64_t levels) {
    if (levels > (r->size - HEADER) / ZOOM) return damaged(r, "it ends before its levels of zoom");
    for (uint64_t i = 0; i < levels; i++) {
        uint8_t zoom[ZOOM];
        GW_TRY(read_at(r, HEADER + i * ZOOM, zoom, ZOOM, "it ends before its levels of zoom"));
        if (number(zoom + 8, 8) > r->size) return damaged(r, "a level of zoom lies behind its end");
        GW_TRY(check_index(r, number(zoom + 16, 8)));
    }
    return GW_OK;
}

static gw_status check(const reader *r) {
    uint8_t head[HEADER], last[4], blocks[8];
    GW_TRY(read_at(r, 0, head, HEADER, "it is shorter than a header"));
    GW_TRY(read_at(r, r->size - 4, last, 4, "it is shorter than a header"));
    if (number(head, 4) != magic || number(last, 4) != magic) return damaged(r, "it does not begin and end as one");
    GW_TRY(check_contigs(r, number(head + 8, 8)));
    GW_TRY(read_at(r, number(head + 16, 8), blocks, 8, "the values lie behind its end"));
    GW_TRY(check_index(r, number(head + 24, 8)));
    if (number(head + 44, 8) > r->size - SUMMARY) return damaged(r, "its summary lies behind its end");
    if (number(head + 52, 4) / MOST_GROWTH > r->size) return damaged(r, "a block is larger than it can hold");
    return check_zooms(r, number(head + 6, 2));
}

gw_status gw_bigwig_header_check(const char *path) {
    reader r = {.path = path, .stream = fopen(path, "rbe")};
    if (!r.stream) return gw_fail(GW_ERR_IO, "cannot open %s: %s", path, strerror(errno));
    off_t size = fseeko(r.stream, 0, SEEK_END) == 0 ? ftello(r.stream) : 0;
    r.size = size > 0 ? (uint64_t)size : 0;
    const gw_status status = check(&r);
    fclose(r.stream);
    return status;
}
