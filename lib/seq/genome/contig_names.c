// SPDX-License-Identifier: MIT
// Interprets unknown contig names: RefSeq's accession of a human chromosome, or a misspelt name.
#include "seq/genome/contig_names.h"

#include "base/names.h"
#include "base/string.h"
#include "seq/genome/aliases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_SHOWN = 5 };

void gw_roman_numeral(int64_t number, char text[16]) {
    static const struct {
        int value;
        const char *letters;
    } steps[] = {{40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}};
    text[0] = 0;
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
        for (; number >= steps[s].value; number -= steps[s].value) strcat(text, steps[s].letters);
}

int gw_nearest_contig(const gw_genome *genome, const char *name) {
    const char *meant = gw_conventional_name(name);
    char roman[16] = "", *end;
    const long number = strtol(meant, &end, 10);
    int best = -1, least = GW_NEAREST_ANY;
    if (!*end && number > 0 && number < 50) gw_roman_numeral(number, roman);
    for (int c = 0; c < gw_genome_contigs(genome); c++) {
        const char *has = gw_conventional_name(gw_genome_name(genome, c));
        const bool numeral = least > 0 && strcmp(has, roman) == 0;
        if (!numeral && !gw_is_nearer(meant, has, &least)) continue;
        if (numeral) least = 0;
        best = c;
    }
    return best;
}

gw_status gw_unknown_contig(const gw_genome *genome, const char *name) {
    const int count = gw_genome_contigs(genome);
    gw_string names = {0};
    for (int i = 0; i < count && i < NAMES_SHOWN; i++)
        gw_string_printf(&names, "%s%s", i > 0 ? ", " : "", gw_genome_name(genome, i));
    if (count > NAMES_SHOWN) gw_string_printf(&names, ", ... (%d in all)", count);
    const int nearest = gw_nearest_contig(genome, name);
    if (count > 1 && nearest >= 0) gw_string_printf(&names, "; the nearest is '%s'", gw_genome_name(genome, nearest));
    gw_status status = gw_string_status(&names);
    if (status == GW_OK)
        status = gw_fail(GW_ERR_MISMATCH, "no contig '%s' in %s, whose contigs are %s", name, gw_genome_path(genome),
                         names.data);
    gw_string_free(&names);
    return status;
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
