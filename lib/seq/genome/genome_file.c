// SPDX-License-Identifier: MIT
// Seeks in plain files, and in BGZF files through the index of their blocks.
#include "seq/genome/genome_index.h"

#include <htslib/bgzf.h>
#include <stdio.h>
#include <string.h>

// Decompressed blocks kept, so that neighbouring reads do not decompress the block between them twice.
enum { CACHE_SIZE = 1 << 20 };

static gw_status no_random_access(const char *path) {
    return gw_fail(GW_ERR_UNSUPPORTED,
                   "%s is plain gzip, which has no random access; recompress it as BGZF: "
                   "gunzip -c %s | bgzip > new.fa.gz",
                   path, path);
}

gw_status gw_genome_file_open(gw_genome_file *file, const char *path) {
    *file = (gw_genome_file){0};
    if (!path || strcmp(path, "-") == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "standard input has no random access: name a FASTA file");
    GW_TRY(gw_input_open(path, &file->input));
    gw_status status = GW_OK;
    if (gw_input_is_gzip(file->input)) status = no_random_access(path);
    else if (gw_input_is_bgzf(file->input)) status = gw_bgzf_blocks_read(&file->blocks, path);
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
    if (file->blocks.count == 0) {
        if (bgzf_useek(bgzf, offset, SEEK_SET) == 0) return GW_OK;
        return gw_fail(GW_ERR_IO, "%s: cannot go to byte %lld", path, (long long)offset);
    }
    char skipped[BGZF_MAX_BLOCK_SIZE];
    const gw_bgzf_block block = gw_bgzf_blocks_find(&file->blocks, offset);
    int64_t left = offset - block.plain;
    if (bgzf_seek(bgzf, block.compressed << 16, SEEK_SET) != 0)
        return gw_fail(GW_ERR_IO, "%s: cannot go to byte %lld", path, (long long)block.compressed);
    while (left > 0) {
        int64_t got;
        GW_TRY(gw_input_read(file->input, skipped, left < BGZF_MAX_BLOCK_SIZE ? left : BGZF_MAX_BLOCK_SIZE, &got));
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
    gw_bgzf_blocks_free(&file->blocks);
    *file = (gw_genome_file){0};
}
