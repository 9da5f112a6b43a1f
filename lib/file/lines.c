// SPDX-License-Identifier: MIT
// A reader's buffer holds [at, filled) of the decompressed file. A line that does not end in the buffer is moved to its
// front, and the buffer grows by half. A line of any length thus costs amortised linear time.
//
// A writer collects text in one buffer. HTSlib compresses BGZF blocks one by one, and they are written like plain text,
// because HTSlib's own writer leaks memory after a failed write. An empty block ends a BGZF file.
#include "file/lines.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/string.h"
#include "file/input.h"

#include <htslib/bgzf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ_SIZE = 1 << 16 };

struct gw_line_reader {
    gw_input *input;
    char *buffer;
    int64_t capacity, at, filled, number;
    bool ended, takes_zeros;
};

gw_status gw_lines_open(const char *path, gw_line_reader **out) {
    *out = NULL;
    gw_line_reader *reader = gw_alloc(1, sizeof *reader);
    if (!reader) return GW_ERR_MEMORY;
    gw_preparing("reading %s", path && strcmp(path, "-") != 0 ? path : "standard input");
    const gw_status status = gw_input_open(path, &reader->input);
    if (status == GW_OK) gw_input_as_text(reader->input);
    if (status == GW_OK) *out = reader;
    else gw_lines_close(reader);
    return status;
}

gw_status gw_lines_next(gw_line_reader *reader, char **line, int64_t *length) {
    *line = NULL;
    *length = 0;
    char *end = NULL;
    int64_t searched = 0; // bytes from `at` that hold no LF
    for (;;) {
        const int64_t left = reader->filled - reader->at;
        if (left > searched) end = memchr(reader->buffer + reader->at + searched, '\n', (size_t)(left - searched));
        if (end || reader->ended) break;
        // What is left moves to the front, and more is read behind it; one byte stays free for the zero at the end.
        searched = left;
        if (reader->at > 0) memmove(reader->buffer, reader->buffer + reader->at, (size_t)left);
        reader->at = 0;
        reader->filled = left;
        GW_TRY(gw_reserve(&reader->buffer, &reader->capacity, left + READ_SIZE + 1, 1));
        int64_t got;
        GW_TRY(gw_input_read(reader->input, reader->buffer + left, reader->capacity - left - 1, &got));
        reader->filled += got;
        reader->ended = got == 0;
    }
    if (!end && reader->at == reader->filled) return GW_OK;
    char *begin = reader->buffer + reader->at;
    int64_t count = end ? end - begin : reader->filled - reader->at;
    reader->at += end ? count + 1 : count;
    if (count > 0 && begin[count - 1] == '\r') count--;
    begin[count] = 0;
    reader->number++;
    const char *zero = reader->takes_zeros ? NULL : memchr(begin, 0, (size_t)count);
    if (zero)
        return gw_lines_fail(reader, GW_ERR_FORMAT, "byte %lld of the line is zero: a text in UTF-8 is expected",
                             (long long)(zero - begin) + 1);
    *line = begin;
    *length = count;
    return GW_OK;
}

void gw_lines_take_zeros(gw_line_reader *reader) {
    reader->takes_zeros = true;
}

gw_status gw_lines_each(const char *path, gw_line_row *row, void *context) {
    gw_line_reader *reader;
    char *line;
    int64_t length;
    GW_TRY(gw_lines_open(path, &reader));
    gw_status status;
    while ((status = gw_lines_next(reader, &line, &length)) == GW_OK && line)
        if (length > 0 && (status = row(context, reader, line)) != GW_OK) break;
    gw_lines_close(reader);
    return status;
}

int64_t gw_lines_number(const gw_line_reader *reader) {
    return reader->number;
}

const char *gw_lines_path(const gw_line_reader *reader) {
    return gw_input_path(reader->input);
}

void gw_lines_close(gw_line_reader *reader) {
    if (!reader) return;
    gw_input_close(reader->input);
    free(reader->buffer);
    free(reader);
}

gw_status gw_lines_fail(const gw_line_reader *reader, gw_status code, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return gw_fail(code, "%s:%lld: %s", gw_lines_path(reader), (long long)reader->number, text);
}

int gw_split(char *line, char separator, char **fields, int most) {
    int count = 0;
    while (count < most) {
        fields[count++] = line;
        char *next = count < most ? strchr(line, separator) : NULL;
        if (!next) break;
        *next = 0;
        line = next + 1;
    }
    return count;
}

int gw_split_blanks(char *line, char **fields, int most) {
    static const char blanks[] = " \t";
    int count = 0;
    for (line += strspn(line, blanks); *line && count < most; line += strspn(line, blanks)) {
        fields[count++] = line;
        line += strcspn(line, blanks);
        if (*line && count < most) *line++ = 0;
    }
    return count;
}

enum { BUFFER_SIZE = 4 * BGZF_BLOCK_SIZE, DEFAULT_LEVEL = -1 };

struct gw_text_writer {
    gw_output output;
    bool bgzf;
    int64_t used;
    char buffer[BUFFER_SIZE];
    char block[BGZF_MAX_BLOCK_SIZE]; // compressed
};

gw_status gw_writer_open(const char *path, gw_text_writer **out) {
    return gw_writer_open_as(path, path && gw_has_suffix(path, ".gz"), out);
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

static gw_status flush(gw_text_writer *writer) {
    const int64_t count = writer->used;
    writer->used = 0;
    if (!writer->bgzf) return gw_output_write(&writer->output, writer->buffer, count);
    for (int64_t at = 0; at < count; at += BGZF_BLOCK_SIZE)
        GW_TRY(write_block(writer, writer->buffer + at, gw_min(count - at, BGZF_BLOCK_SIZE)));
    return GW_OK;
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
