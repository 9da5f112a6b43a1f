// SPDX-License-Identifier: MIT
// Reads the table of names, and tries the ways to a contig in their order.
#include "seq/genome/contig_names.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "file/lines.h"
#include "seq/genome/regions.h"

#include <stdio.h>
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
    int64_t low = 0, high = table->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (strcmp(table->items[middle].name, name) < 0) low = middle + 1;
        else high = middle;
    }
    if (low == table->count || strcmp(table->items[low].name, name) != 0) return -1;
    if (low + 1 < table->count && strcmp(table->items[low + 1].name, name) == 0) return -1;
    return table->items[low].contig;
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

static gw_status check_given(const gw_name_table *given, const char *path) {
    for (int64_t i = 1; i < given->count; i++) {
        const gw_named_contig *a = &given->items[i - 1], *b = &given->items[i];
        if (strcmp(a->name, b->name) == 0)
            return gw_fail(GW_ERR_FORMAT, "%s: the name '%s' occurs twice", path, a->name);
    }
    return GW_OK;
}

gw_status gw_aliases_read(gw_aliases *aliases, const char *path) {
    const gw_status status = gw_lines_each(path, read_row, aliases);
    sort(&aliases->given);
    return status == GW_OK ? check_given(&aliases->given, path) : status;
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

// NC_0000NN.V: NN is the row of the table, X and Y being 23 and 24; GRCh38's version V is one more than GRCh37's.

// Version and bp of GRCh38, bp of GRCh37 (assembly reports of GCF_000001405.40 and .25).
static const struct {
    const char *name;
    int version;
    int64_t length_38, length_37;
} chromosomes[] = {
    {"1", 11, 248956422, 249250621},  {"2", 12, 242193529, 243199373},  {"3", 12, 198295559, 198022430},
    {"4", 12, 190214555, 191154276},  {"5", 10, 181538259, 180915260},  {"6", 12, 170805979, 171115067},
    {"7", 14, 159345973, 159138663},  {"8", 11, 145138636, 146364022},  {"9", 12, 138394717, 141213431},
    {"10", 11, 133797422, 135534747}, {"11", 10, 135086622, 135006516}, {"12", 12, 133275309, 133851895},
    {"13", 11, 114364328, 115169878}, {"14", 9, 107043718, 107349540},  {"15", 10, 101991189, 102531392},
    {"16", 10, 90338345, 90354753},   {"17", 11, 83257441, 81195210},   {"18", 10, 80373285, 78077248},
    {"19", 10, 58617616, 59128983},   {"20", 11, 64444167, 63025520},   {"21", 9, 46709983, 48129895},
    {"22", 11, 50818468, 51304566},   {"X", 11, 156040895, 155270560},  {"Y", 10, 57227415, 59373566},
};
enum { CHROMOSOMES = sizeof chromosomes / sizeof *chromosomes };

bool gw_human_accession(const char *name, gw_human_chromosome *out) {
    char same[32];
    int number = 0, version = 0;
    *out = (gw_human_chromosome){"MT", "the human reference", 16569};
    if (strcmp(name, "NC_012920.1") == 0) return true;
    if (sscanf(name, "NC_%6d.%3d", &number, &version) != 2 || number < 1 || number > CHROMOSOMES) return false;
    snprintf(same, sizeof same, "NC_%06d.%d", number, version);
    const int older = chromosomes[number - 1].version - version;
    if (strcmp(name, same) != 0 || (older != 0 && older != 1)) return false;
    out->chromosome = chromosomes[number - 1].name;
    out->assembly = older ? "GRCh37" : "GRCh38";
    out->length = older ? chromosomes[number - 1].length_37 : chromosomes[number - 1].length_38;
    return true;
}

gw_status gw_genome_find_accession(const gw_genome *genome, const char *name, int *contig) {
    gw_human_chromosome human;
    *contig = gw_genome_find(genome, name, -1);
    if (*contig >= 0) return GW_OK;
    if (!gw_human_accession(name, &human)) return gw_unknown_contig(genome, name);
    *contig = gw_genome_find(genome, human.chromosome, -1);
    if (*contig < 0) return gw_unknown_contig(genome, human.chromosome);
    const int64_t length = gw_genome_length(genome, *contig);
    if (length == human.length) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s is chromosome %s of %s, %lld bp, and '%s' in %s has %lld", name,
                   human.chromosome, human.assembly, (long long)human.length, gw_genome_name(genome, *contig),
                   gw_genome_path(genome), (long long)length);
}

// Names are compared as conventions have them: without "chr", and numbers as Roman numerals too.

// Writes the Roman numeral of 1 to 49; an empty text where `digits` is no such number.
static void roman_numeral(const char *digits, char text[16]) {
    static const struct {
        int value;
        const char *letters;
    } steps[] = {{40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}};
    char *end;
    long left = strtol(digits, &end, 10);
    text[0] = 0;
    if (*end || left < 1 || left > 49) return;
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
        for (; left >= steps[s].value; left -= steps[s].value) strcat(text, steps[s].letters);
}

int gw_nearest_contig(const gw_genome *genome, const char *name) {
    const char *meant = gw_conventional_name(name);
    char roman[16];
    int best = -1, least = GW_NEAREST_ANY;
    roman_numeral(meant, roman);
    for (int c = 0; c < gw_genome_contigs(genome); c++) {
        const char *has = gw_conventional_name(gw_genome_name(genome, c));
        const bool numeral = least > 0 && strcmp(has, roman) == 0;
        if (!numeral && !gw_is_nearer(meant, has, &least)) continue;
        if (numeral) least = 0;
        best = c;
    }
    return best;
}
