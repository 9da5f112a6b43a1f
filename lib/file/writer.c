// SPDX-License-Identifier: MIT
// Text out, collected in one buffer. BGZF blocks are compressed one by one by HTSlib and written like plain text; its
// own writer frees nothing after a failed write. An empty block ends a BGZF file.
#include "base/memory.h"
#include "base/output.h"
#include "file/lines.h"

#include <htslib/bgzf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = 4 * BGZF_BLOCK_SIZE, DEFAULT_LEVEL = -1 };

struct gw_text_writer {
    gw_output output;
    bool bgzf;
    int64_t used;
    char buffer[BUFFER_SIZE];
    char block[BGZF_MAX_BLOCK_SIZE]; // compressed
};

gw_status gw_writer_open(const char *path, gw_text_writer **out) {
    const size_t length = path ? strlen(path) : 0;
    return gw_writer_open_as(path, length > 3 && strcmp(path + length - 3, ".gz") == 0, out);
}

gw_status gw_writer_open_as(const char *path, bool bgzf, gw_text_writer **out) {
    *out = NULL;
    gw_text_writer *writer = gw_alloc(1, sizeof *writer);
    if (!writer) return GW_ERR_MEMORY;
    writer->bgzf = bgzf;
    const gw_status status = gw_output_open(&writer->output, path);
    if (status == GW_OK) *out = writer;
    else free(writer);
    return status;
}

// One block of at most BGZF_BLOCK_SIZE bytes.
static gw_status write_block(gw_text_writer *writer, const char *bytes, int64_t count) {
    size_t length = sizeof writer->block;
    if (bgzf_compress(writer->block, &length, bytes, (size_t)count, DEFAULT_LEVEL) != 0)
        return gw_fail(GW_ERR_MEMORY, "cannot compress %lld bytes", (long long)count);
    return gw_output_write(&writer->output, writer->block, (int64_t)length);
}

static gw_status pass_on(gw_text_writer *writer, const char *bytes, int64_t count) {
    if (!writer->bgzf) return gw_output_write(&writer->output, bytes, count);
    for (int64_t at = 0; at < count; at += BGZF_BLOCK_SIZE)
        GW_TRY(write_block(writer, bytes + at, count - at < BGZF_BLOCK_SIZE ? count - at : BGZF_BLOCK_SIZE));
    return GW_OK;
}

static gw_status flush(gw_text_writer *writer) {
    const int64_t count = writer->used;
    writer->used = 0;
    return pass_on(writer, writer->buffer, count);
}

gw_status gw_writer_write(gw_text_writer *writer, const void *bytes, int64_t count) {
    const char *from = bytes;
    while (count > BUFFER_SIZE - writer->used) { // full buffers, so that blocks are full too
        const int64_t piece = BUFFER_SIZE - writer->used;
        memcpy(writer->buffer + writer->used, from, (size_t)piece);
        writer->used += piece;
        from += piece;
        count -= piece;
        GW_TRY(flush(writer));
    }
    memcpy(writer->buffer + writer->used, from, (size_t)count);
    writer->used += count;
    return GW_OK;
}

gw_status gw_writer_printf(gw_text_writer *writer, const char *format, ...) {
    char small[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (length < 0) return gw_fail(GW_ERR_IO, "cannot format a line of output");
    if ((size_t)length < sizeof small) return gw_writer_write(writer, small, length);
    char *large = gw_alloc(length + 1, 1);
    if (!large) return GW_ERR_MEMORY;
    va_start(args, format);
    vsnprintf(large, (size_t)length + 1, format, args);
    va_end(args);
    const gw_status status = gw_writer_write(writer, large, length);
    free(large);
    return status;
}

gw_status gw_writer_flush(gw_text_writer *writer) {
    if (writer->bgzf) return GW_OK; // in full blocks alone
    GW_TRY(flush(writer));
    return gw_output_flush(&writer->output);
}

gw_status gw_writer_close(gw_text_writer *writer) {
    gw_status status = flush(writer);
    if (status == GW_OK && writer->bgzf) status = write_block(writer, "", 0);
    if (status == GW_OK) status = gw_output_close(&writer->output);
    gw_writer_abandon(writer);
    return status;
}

void gw_writer_abandon(gw_text_writer *writer) {
    if (!writer) return;
    gw_output_abandon(&writer->output);
    free(writer);
}

gw_status gw_writers_close(gw_status status, gw_text_writer *first, gw_text_writer *second) {
    gw_text_writer *writers[] = {first, second};
    for (int i = 0; i < 2; i++) {
        if (status == GW_OK && writers[i]) status = gw_writer_close(writers[i]);
        else gw_writer_abandon(writers[i]);
    }
    return status;
}
