// SPDX-License-Identifier: MIT
// Reads, joins and writes lists of contigs with their lengths, and compares a genome with one.
#include "seq/genome/contig_sizes.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "file/lines.h"
#include "seq/genome/aliases.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void gw_contig_sizes_free(gw_contig_sizes *sizes) {
    for (int64_t i = 0; i < sizes->count; i++) free(sizes->items[i].name);
    free(sizes->items);
    *sizes = (gw_contig_sizes){0};
}

static gw_status append(gw_contig_sizes *sizes, const char *name, int64_t length) {
    GW_TRY(gw_reserve(&sizes->items, &sizes->capacity, sizes->count + 1, sizeof *sizes->items));
    char *copy = gw_strdup(name);
    if (!copy) return GW_ERR_MEMORY;
    sizes->items[sizes->count++] = (gw_contig_size){copy, length};
    return GW_OK;
}

// By length, then by name.
static int compare(const void *left, const void *right) {
    const gw_contig_size *a = left, *b = right;
    if (a->length != b->length) return a->length < b->length ? -1 : 1;
    return strcmp(a->name, b->name);
}

// The sizes in order, to search in; names are borrowed.
static gw_status sort(const gw_contig_sizes *sizes, gw_contig_size **sorted) {
    *sorted = gw_alloc(sizes->count + 1, sizeof **sorted);
    if (!*sorted) return GW_ERR_MEMORY;
    if (sizes->count > 0) memcpy(*sorted, sizes->items, (size_t)sizes->count * sizeof **sorted);
    qsort(*sorted, (size_t)sizes->count, sizeof **sorted, compare);
    return GW_OK;
}

gw_status gw_contig_sizes_join(gw_contig_sizes *sizes, const gw_contig_sizes *others) {
    const size_t before = (size_t)sizes->count;
    gw_contig_size *sorted;
    GW_TRY(sort(sizes, &sorted));
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < others->count; i++) {
        const gw_contig_size *one = &others->items[i];
        if (!bsearch(one, sorted, before, sizeof *one, compare)) status = append(sizes, one->name, one->length);
    }
    free(sorted);
    return status;
}

gw_status gw_contig_sizes_add(gw_contig_sizes *sizes, const gw_genome *genome) {
    gw_contig_sizes own = {0};
    gw_status status = GW_OK;
    for (int i = 0; status == GW_OK && i < gw_genome_contigs(genome); i++)
        status = append(&own, gw_genome_name(genome, i), gw_genome_length(genome, i));
    if (status == GW_OK) status = gw_contig_sizes_join(sizes, &own);
    gw_contig_sizes_free(&own);
    return status;
}

static gw_status read_row(void *context, const gw_line_reader *in, char *line) {
    enum { NAME, LENGTH, REST, FIELDS };
    char *fields[FIELDS];
    int64_t length;
    if (gw_split(line, '\t', fields, FIELDS) < REST || !fields[NAME][0])
        return gw_lines_fail(in, GW_ERR_FORMAT, "expected a contig's name, a tab and its length in bp");
    if (gw_parse_int(fields[LENGTH], 0, INT64_MAX, &length) != GW_OK)
        return gw_lines_fail(in, GW_ERR_FORMAT, "the length of %.100s: %s", fields[NAME], gw_message());
    return append(context, fields[NAME], length);
}

gw_status gw_contig_sizes_read(gw_contig_sizes *sizes, const char *path) {
    return gw_lines_each(path, read_row, sizes);
}

gw_status gw_contig_sizes_write(const gw_contig_sizes *sizes, const char *path) {
    gw_text_writer *out;
    GW_TRY(gw_writer_open(path, &out));
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < sizes->count; i++)
        status = gw_writer_printf(out, "%s\t%" PRId64 "\n", sizes->items[i].name, sizes->items[i].length);
    return gw_writers_close(status, out, NULL);
}

// The first of sorted sizes that is at least so long.
static int64_t first_as_long(const gw_contig_size *sorted, int64_t count, int64_t length) {
    return GW_FIRST_NOT(i, count, sorted[i].length < length);
}

gw_status gw_contig_sizes_share(const gw_contig_sizes *sizes, const gw_genome *genome, double *share) {
    enum { FEW = 10 };
    const int64_t count = sizes->count;
    double all = 0, known = 0;
    gw_contig_size *sorted;
    GW_TRY(sort(sizes, &sorted));
    for (int i = 0; i < gw_genome_contigs(genome); i++) {
        const int64_t length = gw_genome_length(genome, i);
        all += (double)length;
        // Versions of an assembly differ by less than a thousandth of a chromosome's length. Where many lengths are
        // near, as those of a genome in pieces, one of them fits by chance: then the name has to agree too.
        const char *name = gw_conventional_name(gw_genome_name(genome, i));
        int64_t at = first_as_long(sorted, count, length - length / 1000);
        const int64_t end = first_as_long(sorted, count, length + length / 1000 + 1);
        const int64_t near =
            first_as_long(sorted, count, length + length / 10 + 1) - first_as_long(sorted, count, length - length / 10);
        while (near > FEW && at < end && strcmp(gw_conventional_name(sorted[at].name), name) != 0) at++;
        if (at < end) known += (double)length;
    }
    free(sorted);
    *share = all > 0 ? known / all : 0;
    return GW_OK;
}
