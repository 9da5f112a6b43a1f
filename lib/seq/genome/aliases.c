// SPDX-License-Identifier: MIT
// Reads the table of names, and finds contigs in three ways, in order.
#include "seq/genome/aliases.h"

#include "base/memory.h"
#include "base/number.h"
#include "file/lines.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static gw_status add(gw_name_table *table, const char *name, int contig) {
    GW_TRY(gw_reserve(&table->items, &table->capacity, table->count + 1, sizeof *table->items));
    char *copy = gw_strdup(name);
    if (!copy) return GW_ERR_MEMORY;
    table->items[table->count++] = (gw_named_contig){copy, contig};
    return GW_OK;
}

const char *gw_conventional_name(const char *name) {
    static const char *const prefixes[] = {"CHROMOSOME_", "chr"};
    static const char *const mitochondrial[] = {"M", "MT", "Mito", "MtDNA"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t length = strlen(prefixes[i]);
        if (strncasecmp(name, prefixes[i], length) != 0 || !name[length]) continue;
        name += length;
        break;
    }
    for (size_t i = 0; i < sizeof mitochondrial / sizeof mitochondrial[0]; i++)
        if (strcasecmp(name, mitochondrial[i]) == 0) return "MT";
    return name;
}

gw_status gw_aliases_add(gw_aliases *aliases, const char *name, int contig) {
    GW_TRY(add(&aliases->exact, name, contig));
    return add(&aliases->conventional, gw_conventional_name(name), contig);
}

static int compare(const void *a, const void *b) {
    const gw_named_contig *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->contig > y->contig) - (x->contig < y->contig);
}

static void sort(gw_name_table *table) {
    if (table->count > 1) qsort(table->items, (size_t)table->count, sizeof *table->items, compare);
}

gw_status gw_aliases_sort(gw_aliases *aliases, const char *path) {
    sort(&aliases->exact);
    sort(&aliases->conventional);
    for (int64_t i = 1; i < aliases->exact.count; i++)
        if (strcmp(aliases->exact.items[i - 1].name, aliases->exact.items[i].name) == 0)
            return gw_fail(GW_ERR_FORMAT, "%s: contig '%s' occurs twice", path, aliases->exact.items[i].name);
    return GW_OK;
}

// The contig of the one entry with this name; -1 where there is none, or more than one.
static int find(const gw_name_table *table, const char *name) {
    const int64_t at = GW_FIRST_NOT(i, table->count, strcmp(table->items[i].name, name) < 0);
    if (at == table->count || strcmp(table->items[at].name, name) != 0) return -1;
    if (at + 1 < table->count && strcmp(table->items[at + 1].name, name) == 0) return -1;
    return table->items[at].contig;
}

static gw_status read_row(void *context, const gw_line_reader *reader, char *line) {
    gw_aliases *aliases = context;
    char *fields[3];
    if (line[0] == '#') return GW_OK;
    if (gw_split(line, '\t', fields, 3) != 2 || !fields[0][0])
        return gw_lines_fail(reader, GW_ERR_FORMAT, "expected two columns: another name, and the FASTA's name");
    const int contig = find(&aliases->exact, fields[1]);
    if (contig < 0) return gw_lines_fail(reader, GW_ERR_MISMATCH, "the FASTA has no contig '%s'", fields[1]);
    return add(&aliases->given, fields[0], contig);
}

gw_status gw_aliases_read(gw_aliases *aliases, const char *path) {
    const gw_name_table *given = &aliases->given;
    const gw_status status = gw_lines_each(path, read_row, aliases);
    sort(&aliases->given);
    for (int64_t i = 1; status == GW_OK && i < given->count; i++)
        if (strcmp(given->items[i - 1].name, given->items[i].name) == 0)
            return gw_fail(GW_ERR_FORMAT, "%s: the name '%s' occurs twice", path, given->items[i].name);
    return status;
}

int gw_aliases_find(const gw_aliases *aliases, const char *name, int *by_convention) {
    int contig = find(&aliases->exact, name);
    if (contig < 0) contig = find(&aliases->given, name);
    *by_convention = contig < 0;
    return contig >= 0 ? contig : find(&aliases->conventional, gw_conventional_name(name));
}

static void free_table(gw_name_table *table) {
    for (int64_t i = 0; i < table->count; i++) free(table->items[i].name);
    free(table->items);
}

void gw_aliases_free(gw_aliases *aliases) {
    free_table(&aliases->exact);
    free_table(&aliases->given);
    free_table(&aliases->conventional);
    *aliases = (gw_aliases){0};
}
