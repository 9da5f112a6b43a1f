// SPDX-License-Identifier: MIT
// Compares letter by letter, and tells what the genome has.
#include "seq/vcf/written_alleles.h"

#include "base/memory.h"
#include "seq/vcf/variant.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_SHOWN = 40 };

void gw_written_alleles_free(gw_written_alleles *v) {
    free(v->ref);
    free(v->alt);
    *v = (gw_written_alleles){0};
}

void gw_written_list_free(gw_written_list *list) {
    for (int64_t i = 0; i < list->count; i++) gw_written_alleles_free(&list->items[i]);
    free(list->items);
    *list = (gw_written_list){0};
}

// Bases [begin, end) of a contig as a text.
static gw_status read_bases(gw_genome *genome, int contig, int64_t begin, int64_t end, char **out) {
    *out = gw_alloc(end - begin + 1, 1);
    return *out ? gw_genome_fetch(genome, contig, begin, end, *out) : GW_ERR_MEMORY;
}

static gw_status check_range(const gw_genome *genome, int contig, int64_t end) {
    const int64_t length = gw_genome_length(genome, contig);
    if (end <= length) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "position %lld lies past the end of '%s' (%lld bp)", (long long)end,
                   gw_genome_name(genome, contig), (long long)length);
}

gw_status gw_written_ref_check(gw_genome *genome, int contig, int64_t position, const char *ref) {
    gw_allele_status agrees;
    char *found;
    const int64_t length = (int64_t)strlen(ref);
    GW_TRY(check_range(genome, contig, position + length));
    GW_TRY(gw_variant_check_ref(genome, contig, position, ref, &agrees));
    if (agrees != GW_ALLELE_REFMISMATCH) return GW_OK;
    gw_status status = read_bases(genome, contig, position, position + length, &found);
    if (status == GW_OK)
        status = gw_fail(GW_ERR_MISMATCH, "the genome has '%.*s' at %s:%lld, not '%.*s'", LONGEST_SHOWN, found,
                         gw_genome_name(genome, contig), (long long)position + 1, LONGEST_SHOWN, ref);
    free(found);
    return status;
}
