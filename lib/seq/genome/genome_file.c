// SPDX-License-Identifier: MIT
// Reads the index of blocks, or makes it from their headers, and seeks with it.
#include "seq/genome/genome_file.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"

#include <htslib/bgzf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Decompressed blocks kept, so that neighbouring reads do not decompress the block between them twice.
enum { CACHE_SIZE = 1 << 20 };
enum { HEADER_SIZE = 18, TRAILER_SIZE = 8 };
static const int64_t LARGEST_FILE = 1LL << 47; // virtual offsets have 48 bits for the block

static uint64_t little_endian(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

static gw_status add(gw_genome_file *file, int64_t compressed, int64_t plain) {
    GW_TRY(gw_reserve(&file->blocks, &file->capacity, file->count + 1, sizeof *file->blocks));
    file->blocks[file->count++] = (gw_bgzf_block){compressed, plain};
    return GW_OK;
}

static gw_status parse_gzi(gw_genome_file *file, const char *path, const char *bytes, int64_t size) {
    const unsigned char *at = (const unsigned char *)bytes;
    const uint64_t count = size >= 8 ? little_endian(at, 8) : 0;
    if (size < 8 || count != (uint64_t)(size - 8) / 16 || size % 16 != 8)
        return gw_fail(GW_ERR_FORMAT, "%s: not a BGZF index: %lld bytes do not hold the entries that it counts", path,
                       (long long)size);
    GW_TRY(add(file, 0, 0));
    for (uint64_t i = 0; i < count; i++) {
        const gw_bgzf_block last = file->blocks[file->count - 1];
        const int64_t compressed = (int64_t)little_endian(at + 8 + 16 * i, 8);
        const int64_t plain = (int64_t)little_endian(at + 16 + 16 * i, 8);
        if (compressed <= last.compressed || compressed >= LARGEST_FILE || plain < last.plain)
            return gw_fail(GW_ERR_FORMAT, "%s: entry %llu of the BGZF index does not lie behind the one before", path,
                           (unsigned long long)i + 1);
        GW_TRY(add(file, compressed, plain));
    }
    return GW_OK;
}

static gw_status scan_headers(gw_genome_file *file, FILE *stream, const char *path) {
    static const unsigned char magic[4] = {0x1f, 0x8b, 8, 4};
    int64_t compressed = 0, plain = 0;
    unsigned char header[HEADER_SIZE], length[4];
    for (;;) {
        const size_t got = fread(header, 1, HEADER_SIZE, stream);
        if (got == 0 && !ferror(stream)) return GW_OK;
        // gzip with the extra field "BC" first, as all writers put it.
        const bool is_block =
            got == HEADER_SIZE && memcmp(header, magic, 4) == 0 && header[12] == 'B' && header[13] == 'C';
        const int64_t size = is_block ? (int64_t)little_endian(header + 16, 2) + 1 : 0;
        if (size <= HEADER_SIZE + TRAILER_SIZE || fseek(stream, (long)(size - HEADER_SIZE - 4), SEEK_CUR) != 0 ||
            fread(length, 1, 4, stream) != 4)
            return gw_fail(GW_ERR_FORMAT, "%s: the compressed file is truncated or damaged (at byte %lld)", path,
                           (long long)compressed);
        GW_TRY(add(file, compressed, plain));
        compressed += size;
        plain += (int64_t)little_endian(length, 4);
    }
}

static gw_status find_blocks(gw_genome_file *file, const char *path) {
    char *index = gw_strprintf("%s.gzi", path);
    if (!index) return GW_ERR_MEMORY;
    struct stat of_file, of_index;
    if (stat(index, &of_index) == 0 && stat(path, &of_file) == 0 && of_index.st_mtime >= of_file.st_mtime) {
        char *bytes = NULL;
        int64_t size;
        gw_status status = gw_read_file(index, &bytes, &size);
        if (status == GW_OK) status = parse_gzi(file, index, bytes, size);
        free(bytes);
        free(index);
        return status;
    }
    free(index);
    FILE *stream = fopen(path, "rbe");
    if (!stream) return gw_fail(GW_ERR_IO, "cannot open %s", path);
    const gw_status status = scan_headers(file, stream, path);
    fclose(stream);
    return status;
}

gw_status gw_genome_file_open(gw_genome_file *file, const char *path) {
    *file = (gw_genome_file){0};
    if (!path || strcmp(path, "-") == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "standard input has no random access: name a FASTA file");
    GW_TRY(gw_input_open(path, &file->input));
    gw_status status = GW_OK;
    if (gw_input_is_gzip(file->input))
        status = gw_fail(GW_ERR_UNSUPPORTED,
                         "%s is plain gzip, which has no random access; recompress it as BGZF: "
                         "gunzip -c %s | bgzip > new.fa.gz",
                         path, path);
    else if (gw_input_is_bgzf(file->input)) status = find_blocks(file, path);
    if (status == GW_OK && gw_input_is_bgzf(file->input) && bgzf_check_EOF(gw_input_bgzf(file->input)) == 0)
        status =
            gw_fail(GW_ERR_FORMAT, "%s: the BGZF file lacks its end-of-file block, so it is probably truncated", path);
    if (status == GW_OK) bgzf_set_cache_size(gw_input_bgzf(file->input), CACHE_SIZE);
    else gw_genome_file_close(file);
    return status;
}

// HTSlib's own index would do the same, but it asserts where an index contradicts its file.
static gw_status seek(gw_genome_file *file, int64_t offset) {
    BGZF *bgzf = gw_input_bgzf(file->input);
    const char *path = gw_input_path(file->input);
    if (file->count == 0) {
        if (bgzf_useek(bgzf, offset, SEEK_SET) == 0) return GW_OK;
        return gw_fail(GW_ERR_IO, "%s: cannot go to byte %lld", path, (long long)offset);
    }
    char skipped[BGZF_MAX_BLOCK_SIZE];
    const gw_bgzf_block block = file->blocks[GW_FIRST_NOT(i, file->count, file->blocks[i].plain <= offset) - 1];
    int64_t left = offset - block.plain;
    if (bgzf_seek(bgzf, block.compressed << 16, SEEK_SET) != 0)
        return gw_fail(GW_ERR_IO, "%s: cannot go to byte %lld", path, (long long)block.compressed);
    while (left > 0) {
        int64_t got;
        GW_TRY(gw_input_read(file->input, skipped, gw_min(left, BGZF_MAX_BLOCK_SIZE), &got));
        if (got == 0) break;
        left -= got;
    }
    return GW_OK;
}

gw_status gw_genome_file_read(gw_genome_file *file, int64_t offset, char *bytes, int64_t capacity, int64_t *count) {
    *count = 0;
    GW_TRY(seek(file, offset));
    int64_t got = 1;
    while (*count < capacity && got > 0) {
        GW_TRY(gw_input_read(file->input, bytes + *count, capacity - *count, &got));
        *count += got;
    }
    return GW_OK;
}

void gw_genome_file_close(gw_genome_file *file) {
    gw_input_close(file->input);
    free(file->blocks);
    *file = (gw_genome_file){0};
}
