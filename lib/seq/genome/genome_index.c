// SPDX-License-Identifier: MIT
// An index contradicts its FASTA where the bytes between two contigs are not what it says: the last base of the first,
// a line end, one header with the name of the second, its first base. That costs one short read a contig, and also
// finds a FASTA that was cut or lengthened.
#include "seq/genome/genome_index.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/genome/fasta_stream.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static gw_status add(gw_genome_index *index, const char *name, const gw_fasta_layout *layout) {
    GW_TRY(gw_reserve(&index->items, &index->capacity, index->count + 1, sizeof *index->items));
    char *copy = gw_strdup(name);
    if (!copy) return GW_ERR_MEMORY;
    index->items[index->count++] =
        (gw_indexed_contig){copy, layout->length, layout->offset, layout->line_bases, layout->line_bytes};
    return GW_OK;
}

static gw_status scan_contigs(gw_genome_index *index, gw_fasta *fasta, char *scratch, int64_t capacity) {
    for (;;) {
        const char *name;
        GW_TRY(gw_fasta_next(fasta, &name));
        if (!name) return GW_OK;
        int64_t count = 1;
        while (count > 0) GW_TRY(gw_fasta_read(fasta, scratch, capacity, &count));
        const gw_fasta_layout *layout = gw_fasta_contig_layout(fasta);
        if (layout->odd_line)
            return gw_fail(GW_ERR_FORMAT,
                           "%s:%lld: the lines of contig '%s' differ in length, so it cannot be indexed; rewrite it "
                           "with lines of equal length",
                           gw_fasta_path(fasta), (long long)layout->odd_line, name);
        GW_TRY(add(index, name, layout));
        GW_TRY(gw_check_interrupt());
    }
}

static gw_status scan(gw_genome_index *index, const char *path) {
    enum { ROOM = 1 << 16 };
    gw_fasta *fasta = NULL;
    char *scratch = gw_alloc(ROOM, 1);
    if (!scratch) return GW_ERR_MEMORY;
    gw_status status = gw_fasta_open(path, &fasta);
    if (status == GW_OK) status = scan_contigs(index, fasta, scratch, ROOM);
    gw_fasta_close(fasta);
    free(scratch);
    return status;
}

static gw_status parse_row(void *index, const gw_line_reader *reader, char *line) {
    char *fields[6];
    int64_t numbers[4];
    if (gw_split(line, '\t', fields, 6) < 5 || !fields[0][0])
        return gw_lines_fail(reader, GW_ERR_FORMAT, "expected the five columns of a FASTA index");
    for (int i = 0; i < 4; i++)
        if (gw_parse_int(fields[i + 1], 0, INT64_MAX >> 16, &numbers[i]) != GW_OK)
            return gw_lines_fail(reader, GW_ERR_FORMAT, "column %d: %s", i + 2, gw_message());
    const gw_fasta_layout row = {
        .length = numbers[0], .offset = numbers[1], .line_bases = numbers[2], .line_bytes = numbers[3]};
    if (row.length > 0 &&
        (row.line_bases < 1 || row.line_bytes < row.line_bases || row.line_bytes > row.line_bases + 2))
        return gw_lines_fail(reader, GW_ERR_FORMAT, "contig '%s': %lld bases in lines of %lld bytes", fields[0],
                             (long long)row.line_bases, (long long)row.line_bytes);
    return add(index, fields[0], &row);
}

int64_t gw_genome_index_offset(const gw_indexed_contig *contig, int64_t at) {
    if (contig->length == 0) return contig->offset;
    const bool behind = at == contig->length; // right behind the last base, before any line end
    const int64_t base = at - behind;
    return contig->offset + base / contig->line_bases * contig->line_bytes + base % contig->line_bases + behind;
}

static gw_status contradicts(const char *path, const char *name) {
    return gw_fail(GW_ERR_MISMATCH,
                   "%s.fai contradicts its FASTA at contig '%s'; remove it, or make it anew: samtools faidx %s", path,
                   name, path);
}

// True where bytes[0 .. count) are line ends, then ">name ...\n" (nothing, where name is NULL).
static bool is_gap(const char *bytes, int64_t count, const char *name) {
    int64_t at = 0;
    while (at < count && (bytes[at] == '\n' || bytes[at] == '\r')) at++;
    if (!name) return at == count;
    const int64_t length = (int64_t)strlen(name);
    if (count - at < length + 2 || bytes[at] != '>' || memcmp(bytes + at + 1, name, (size_t)length) != 0) return false;
    const char *after = bytes + at + 1 + length;
    return strchr(" \t\r\n", *after) && memchr(after, '\n', (size_t)(bytes + count - after)) == bytes + count - 1;
}

// Checks the bytes between contig i - 1 (or the file's beginning) and contig i (or its end).
static gw_status check_gap(const gw_genome_index *index, int64_t i, const char *path, gw_genome_file *file) {
    enum { LONGEST_HEADER = 1 << 16, BEHIND_END = 64 };
    const gw_indexed_contig *before = i > 0 ? &index->items[i - 1] : NULL;
    const gw_indexed_contig *after = i < index->count ? &index->items[i] : NULL;
    const char *name = after ? after->name : before->name;
    const int64_t begin = before ? gw_genome_index_offset(before, before->length) : 0;
    const int64_t end = after ? after->offset : begin + BEHIND_END, has_base = before && before->length > 0;
    if (end < begin || end - begin > LONGEST_HEADER) return contradicts(path, name);
    char *bytes = gw_alloc(end - begin + 1, 1);
    if (!bytes) return GW_ERR_MEMORY;
    int64_t count;
    gw_status status = gw_genome_file_read(file, begin - has_base, bytes, end - begin + has_base, &count);
    const bool last_base = !has_base || (count > 0 && !strchr("\r\n>", bytes[0]));
    const bool whole = !after || count == end - begin + has_base;
    if (status == GW_OK && (!last_base || !whole || !is_gap(bytes + has_base, count - has_base, after ? name : NULL)))
        status = contradicts(path, name);
    free(bytes);
    return status;
}

static gw_status check(const gw_genome_index *index, const char *path, gw_genome_file *file) {
    if (index->count == 0) return gw_fail(GW_ERR_FORMAT, "%s.fai: the index names no contig", path);
    for (int64_t i = 0; i <= index->count; i++) GW_TRY(check_gap(index, i, path, file));
    return GW_OK;
}

gw_status gw_genome_index_make(gw_genome_index *index, const char *path, gw_genome_file *file) {
    *index = (gw_genome_index){0};
    char *index_path = gw_strprintf("%s.fai", path);
    if (!index_path) return GW_ERR_MEMORY;
    struct stat of_fasta, of_index;
    const bool present = stat(index_path, &of_index) == 0 && stat(path, &of_fasta) == 0;
    const bool older = present && of_index.st_mtime < of_fasta.st_mtime;
    if (older)
        gw_warn("%s is older than its FASTA: indexing in memory instead (samtools faidx makes a new one)", index_path);
    gw_status status = present && !older ? gw_lines_each(index_path, parse_row, index) : scan(index, path);
    if (status == GW_OK && present && !older) status = check(index, path, file);
    free(index_path);
    if (status != GW_OK) gw_genome_index_free(index);
    return status;
}

void gw_genome_index_free(gw_genome_index *index) {
    for (int64_t i = 0; i < index->count; i++) free(index->items[i].name);
    free(index->items);
    *index = (gw_genome_index){0};
}
