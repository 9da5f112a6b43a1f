// SPDX-License-Identifier: MIT
// The table of assemblies. It has UCSC's names for the names of chain files.
#include "seq/genome/assemblies.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORDS = 5, LINE = 1024 }; // a header line is looked at so far

struct gw_assembly {
    const char *name, *ucsc;
    int64_t first;            // bp of chromosome 1
    const char *words[WORDS]; // by which headers call it
};

static const gw_assembly assemblies[] = {
    {"GRCh37", "hg19", 249250621, {"GRCh37", "hg19", "b37", "g1k_v37", "hs37"}},
    {"GRCh38", "hg38", 248956422, {"GRCh38", "hg38", "hs38"}},
    {"T2T-CHM13v2.0", "hs1", 248387328, {"CHM13"}},
    {"GRCm38", "mm10", 195471971, {"GRCm38", "mm10"}},
    {"GRCm39", "mm39", 195154279, {"GRCm39", "mm39"}},
};
enum { ASSEMBLIES = sizeof assemblies / sizeof *assemblies };

const char *gw_assembly_name(const gw_assembly *assembly) {
    return assembly->name;
}

const gw_assembly *gw_assembly_of_length(int64_t length) {
    for (int i = 0; i < ASSEMBLIES; i++)
        if (assemblies[i].first == length) return &assemblies[i];
    return NULL;
}

const gw_assembly *gw_assembly_of_genome(const gw_genome *genome) {
    const gw_assembly *found = NULL;
    for (int i = 0; i < gw_genome_contigs(genome) && !found; i++)
        found = gw_assembly_of_length(gw_genome_length(genome, i));
    return found;
}

static bool has_word(const char *line, const char *word) {
    for (const char *at = line; (at = strstr(at, word)) != NULL; at++)
        if (!isdigit((unsigned char)at[strlen(word)])) return true; // hg19, not hg190
    return false;
}

const gw_assembly *gw_assembly_of_header(const char *header) {
    static const char *const kinds[] = {"##reference=", "##assembly=", "##contig="};
    for (const char *at = header; *at;) {
        const size_t length = strcspn(at, "\n");
        char line[LINE];
        bool tells = false;
        snprintf(line, sizeof line, "%.*s", (int)length, at);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) tells = tells || gw_has_prefix(line, kinds[k]);
        for (int i = 0; tells && i < ASSEMBLIES; i++)
            for (int w = 0; w < WORDS && assemblies[i].words[w]; w++)
                if (has_word(line, assemblies[i].words[w])) return &assemblies[i];
        at += length + (at[length] == '\n');
    }
    return NULL;
}

void gw_assembly_put_liftover(const gw_assembly *from, const gw_assembly *to, const char *vcf, const char *fasta,
                              gw_string *out) {
    gw_string_puts(out, "godwit liftover --vcf -c ");
    if (from && to && from != to)
        gw_string_printf(out, "%sTo%c%s.over.chain.gz", from->ucsc, toupper((unsigned char)to->ucsc[0]), to->ucsc + 1);
    else gw_string_puts(out, "OLD-TO-NEW.over.chain.gz");
    gw_string_puts(out, " -f ");
    gw_string_put_argument(out, fasta);
    if (strcmp(vcf, "-") == 0) return;
    gw_string_putc(out, ' ');
    gw_string_put_argument(out, vcf);
}
