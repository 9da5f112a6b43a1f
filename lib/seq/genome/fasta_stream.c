// SPDX-License-Identifier: MIT
// The buffer holds the bytes [at, filled) of the file; `position` is the file offset of buffer[0].
#include "seq/genome/fasta_stream.h"

#include "base/memory.h"
#include "base/string.h"
#include "file/input.h"

#include <ctype.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_SIZE = 1 << 18 };

typedef struct {
    int64_t line;
    char name[];
} seen_contig;

struct gw_fasta {
    gw_input *input;
    void *seen; // tsearch() tree of seen_contig
    gw_string name;
    gw_fasta_layout layout;
    int64_t total, line; // bases of all contigs; number of the current line, 1-based
    int64_t line_length; // bases of the current line so far
    int64_t at, filled, position;
    bool takes_repeats, ended, in_contig, short_line; // short_line: this contig's last line must have been its last
    char buffer[BUFFER_SIZE];
};

static int compare_seen(const void *a, const void *b) {
    const seen_contig *x = a, *y = b;
    return strcmp(x->name, y->name);
}

gw_status gw_fasta_open(const char *path, gw_fasta **out) {
    *out = NULL;
    gw_fasta *fasta = gw_alloc(1, sizeof *fasta);
    if (!fasta) return GW_ERR_MEMORY;
    fasta->line = 1;
    const gw_status status = gw_input_open(path, &fasta->input);
    if (status == GW_OK) gw_input_as_text(fasta->input);
    if (status == GW_OK) *out = fasta;
    else gw_fasta_close(fasta);
    return status;
}

void gw_fasta_close(gw_fasta *fasta) {
    if (!fasta) return;
    gw_input_close(fasta->input);
    tdestroy(fasta->seen, free);
    gw_string_free(&fasta->name);
    free(fasta);
}

void gw_fasta_take_repeats(gw_fasta *fasta) {
    fasta->takes_repeats = true;
}

const char *gw_fasta_path(const gw_fasta *fasta) {
    return gw_input_path(fasta->input);
}

const gw_fasta_layout *gw_fasta_contig_layout(const gw_fasta *fasta) {
    return &fasta->layout;
}

static gw_status refill(gw_fasta *fasta) {
    const int64_t left = fasta->filled - fasta->at;
    memmove(fasta->buffer, fasta->buffer + fasta->at, (size_t)left);
    fasta->position += fasta->at;
    fasta->at = 0;
    fasta->filled = left;
    int64_t got;
    GW_TRY(gw_input_read(fasta->input, fasta->buffer + left, BUFFER_SIZE - left, &got));
    if (fasta->position == 0 && left == 0) fasta->position = gw_input_left_out(fasta->input);
    fasta->filled += got;
    fasta->ended = got == 0;
    return GW_OK;
}

static gw_status fail_at_byte(const gw_fasta *fasta, const char *expected, unsigned char found) {
    const char *path = gw_fasta_path(fasta);
    if (isprint(found))
        return gw_fail(GW_ERR_FORMAT, "%s:%lld: expected %s, found '%c'", path, (long long)fasta->line, expected,
                       found);
    return gw_fail(GW_ERR_FORMAT, "%s:%lld: expected %s, found byte 0x%02x", path, (long long)fasta->line, expected,
                   found);
}

static gw_status check_letters(const gw_fasta *fasta, const char *bases, int64_t count) {
    unsigned char bad = 0;
    for (int64_t i = 0; i < count; i++) {
        const unsigned char c = (unsigned char)bases[i], letter = (unsigned char)((c | 32) - 'a');
        bad |= (letter >= 26) & (c != '-') & (c != '*');
    }
    if (!bad) return GW_OK;
    const char *c = bases;
    while (isalpha((unsigned char)*c) || *c == '-' || *c == '*') c++;
    return fail_at_byte(fasta, "sequence letters", (unsigned char)*c);
}

// Takes the finished line into the layout: every line as long as the first one, but the last.
static void end_line(gw_fasta *fasta, int64_t end_bytes) {
    gw_fasta_layout *layout = &fasta->layout;
    const int64_t bases = fasta->line_length, bytes = bases + end_bytes;
    const bool first = layout->line_bytes == 0;
    if (first) {
        layout->line_bases = bases;
        layout->line_bytes = bytes;
    }
    const bool odd = bases > 0 && (fasta->short_line || bases > layout->line_bases);
    if (odd && !layout->odd_line) layout->odd_line = fasta->line;
    if (bases < layout->line_bases || bytes != layout->line_bytes || bases == 0) fasta->short_line = true;
    fasta->line_length = 0;
    fasta->line++;
}

// Reads the header line that starts at `at`.
static gw_status read_header(gw_fasta *fasta) {
    bool in_name = true;
    gw_string_clear(&fasta->name);
    fasta->at++;
    for (;;) {
        if (fasta->at == fasta->filled) GW_TRY(refill(fasta));
        if (fasta->at == fasta->filled) break;
        const char *begin = fasta->buffer + fasta->at;
        const int64_t left = fasta->filled - fasta->at;
        const char *newline = memchr(begin, '\n', (size_t)left);
        const int64_t piece = newline ? newline - begin : left;
        int64_t name = 0;
        while (in_name && name < piece && !isspace((unsigned char)begin[name])) name++;
        if (in_name) gw_string_append(&fasta->name, begin, name);
        in_name = in_name && name == piece;
        fasta->at += newline ? piece + 1 : piece;
        if (newline) break;
    }
    GW_TRY(gw_string_status(&fasta->name));
    if (fasta->name.length == 0 || memchr(fasta->name.data, 0, (size_t)fasta->name.length))
        return gw_fail(GW_ERR_FORMAT, "%s:%lld: expected a contig name after '>'", gw_fasta_path(fasta),
                       (long long)fasta->line);
    return GW_OK;
}

// Fails where the name was seen before.
static gw_status remember_name(gw_fasta *fasta) {
    seen_contig *contig = gw_alloc(1, (int64_t)sizeof *contig + fasta->name.length + 1);
    if (!contig) return GW_ERR_MEMORY;
    contig->line = fasta->line;
    memcpy(contig->name, fasta->name.data, (size_t)fasta->name.length + 1);
    seen_contig **node = tsearch(contig, &fasta->seen, compare_seen);
    if (node && *node == contig) return GW_OK;
    const gw_status status =
        node ? gw_fail(GW_ERR_FORMAT, "%s:%lld: contig '%s' occurs twice, first in line %lld", gw_fasta_path(fasta),
                       (long long)fasta->line, contig->name, (long long)(*node)->line)
             : gw_fail(GW_ERR_MEMORY, "out of memory");
    free(contig);
    return status;
}

// Skips blank lines before the first header; false at the end of the file.
static gw_status find_first_header(gw_fasta *fasta, bool *found) {
    *found = false;
    for (;;) {
        if (fasta->at == fasta->filled) GW_TRY(refill(fasta));
        if (fasta->at == fasta->filled) return GW_OK;
        const char c = fasta->buffer[fasta->at];
        *found = c == '>';
        if (*found) return GW_OK;
        if (c != '\n' && c != '\r') return fail_at_byte(fasta, "a FASTA header ('>')", (unsigned char)c);
        fasta->line += c == '\n';
        fasta->at++;
    }
}

gw_status gw_fasta_next(gw_fasta *fasta, const char **name) {
    *name = NULL;
    bool found;
    char scratch[1 << 14];
    int64_t count = fasta->in_contig;
    while (count > 0) GW_TRY(gw_fasta_read(fasta, scratch, sizeof scratch, &count)); // what is left of the contig
    fasta->in_contig = false;
    GW_TRY(find_first_header(fasta, &found));
    if (!found && fasta->total == 0)
        return gw_fail(GW_ERR_FORMAT, "%s: no sequence found: the FASTA is empty", gw_fasta_path(fasta));
    if (!found) return GW_OK;
    GW_TRY(read_header(fasta));
    if (!fasta->takes_repeats) GW_TRY(remember_name(fasta));
    fasta->line++;
    fasta->layout = (gw_fasta_layout){.offset = fasta->position + fasta->at};
    fasta->short_line = false;
    fasta->line_length = 0;
    fasta->in_contig = true;
    *name = fasta->name.data;
    return GW_OK;
}

gw_status gw_fasta_read(gw_fasta *fasta, char *bases, int64_t capacity, int64_t *count) {
    *count = 0;
    while (*count < capacity) {
        // The piece of this line that lies in the buffer, and its end, which may not be there.
        const char *begin = fasta->buffer + fasta->at;
        const int64_t left = fasta->filled - fasta->at;
        const char *newline = memchr(begin, '\n', (size_t)left);
        int64_t piece = newline ? newline - begin : left;
        const bool return_before = piece > 0 && begin[piece - 1] == '\r'; // at the buffer's end it waits for its LF
        int64_t end_bytes = newline ? 1 + return_before : 0;
        piece -= return_before;
        if (piece == 0 && end_bytes == 0) {
            if (!fasta->ended) GW_TRY(refill(fasta));
            if (!fasta->ended) continue;
            if (fasta->line_length > 0) end_line(fasta, 0);
            fasta->at = fasta->filled;
            break;
        }
        if (fasta->line_length == 0 && *begin == '>') break;
        if (piece > capacity - *count) piece = capacity - *count, end_bytes = 0;
        GW_TRY(check_letters(fasta, begin, piece));
        memcpy(bases + *count, begin, (size_t)piece);
        *count += piece;
        fasta->line_length += piece;
        fasta->at += piece + end_bytes;
        if (end_bytes > 0) end_line(fasta, end_bytes);
    }
    fasta->layout.length += *count;
    fasta->total += *count;
    return GW_OK;
}
