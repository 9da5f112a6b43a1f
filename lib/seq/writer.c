// SPDX-License-Identifier: MIT
// Text out: collected in one buffer, then handed to a plain stream (base/output.h) or to HTSlib's BGZF writer.
#include "base/memory.h"
#include "base/output.h"
#include "seq/lines.h"

#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = 1 << 18 };

struct gw_text_writer {
    gw_output plain;     // stream NULL where compressed
    gw_output_name name; // of the BGZF file
    BGZF *compressed;
    int64_t used;
    char buffer[BUFFER_SIZE];
};

static gw_status cannot_write(const gw_text_writer *writer) {
    const char *path = writer->name.path ? writer->name.path : "standard output";
    return gw_fail(GW_ERR_IO, "cannot write %s: %s", path, errno ? strerror(errno) : "output error");
}

static gw_status open_compressed(gw_text_writer *writer, const char *path) {
    GW_TRY(gw_output_name_make(&writer->name, path));
    hts_set_log_level(HTS_LOG_OFF); // failures are reported here, once
    errno = 0;
    writer->compressed = bgzf_open(writer->name.path ? writer->name.temporary : "-", "w");
    return writer->compressed ? GW_OK : cannot_write(writer);
}

gw_status gw_writer_open(const char *path, gw_text_writer **out) {
    const size_t length = path ? strlen(path) : 0;
    return gw_writer_open_as(path, length > 3 && strcmp(path + length - 3, ".gz") == 0, out);
}

gw_status gw_writer_open_as(const char *path, bool bgzf, gw_text_writer **out) {
    *out = NULL;
    gw_text_writer *writer = gw_alloc(1, sizeof *writer);
    if (!writer) return GW_ERR_MEMORY;
    const gw_status status = bgzf ? open_compressed(writer, path) : gw_output_open(&writer->plain, path);
    if (status == GW_OK) *out = writer;
    else gw_writer_abandon(writer);
    return status;
}

static gw_status pass_on(gw_text_writer *writer, const void *bytes, int64_t count) {
    if (writer->plain.stream) return gw_output_write(&writer->plain, bytes, count);
    errno = 0;
    return bgzf_write(writer->compressed, bytes, (size_t)count) == count ? GW_OK : cannot_write(writer);
}

static gw_status flush(gw_text_writer *writer) {
    const int64_t count = writer->used;
    writer->used = 0;
    return count > 0 ? pass_on(writer, writer->buffer, count) : GW_OK;
}

gw_status gw_writer_write(gw_text_writer *writer, const void *bytes, int64_t count) {
    if (count > BUFFER_SIZE - writer->used) GW_TRY(flush(writer));
    if (count > BUFFER_SIZE) return pass_on(writer, bytes, count);
    memcpy(writer->buffer + writer->used, bytes, (size_t)count);
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

gw_status gw_writer_close(gw_text_writer *writer) {
    gw_status status = flush(writer);
    if (status == GW_OK && writer->plain.stream) {
        status = gw_output_close(&writer->plain);
    } else if (status == GW_OK) {
        errno = 0;
        if (bgzf_close(writer->compressed) != 0) status = cannot_write(writer);
        writer->compressed = NULL;
        if (status == GW_OK) status = gw_output_name_keep(&writer->name, false);
    }
    gw_writer_abandon(writer);
    return status;
}

void gw_writer_abandon(gw_text_writer *writer) {
    if (!writer) return;
    gw_output_abandon(&writer->plain);
    if (writer->compressed) bgzf_close(writer->compressed);
    gw_output_name_drop(&writer->name);
    free(writer);
}
