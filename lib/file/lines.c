// SPDX-License-Identifier: MIT
// The buffer holds [at, filled) of the decompressed file; a line that does not end in it is moved to its front and the
// buffer grows by half, so that a line of any length costs amortised linear time.
#include "file/lines.h"

#include "base/log.h"
#include "base/memory.h"
#include "file/input.h"

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

// Moves what is left to the front and reads more behind it; one byte stays free for the zero at the end.
static gw_status refill(gw_line_reader *reader) {
    if (reader->at > 0) memmove(reader->buffer, reader->buffer + reader->at, (size_t)(reader->filled - reader->at));
    reader->filled -= reader->at;
    reader->at = 0;
    GW_TRY(gw_reserve(&reader->buffer, &reader->capacity, reader->filled + READ_SIZE + 1, 1));
    int64_t got;
    GW_TRY(gw_input_read(reader->input, reader->buffer + reader->filled, reader->capacity - reader->filled - 1, &got));
    reader->filled += got;
    reader->ended = got == 0;
    return GW_OK;
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
        searched = left;
        GW_TRY(refill(reader));
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
