// SPDX-License-Identifier: MIT
// Finds the length in INFO, and cuts the bases from the reference.
#include "score/score_alleles.h"

#include "base/memory.h"
#include "base/parse.h"

#include <stdlib.h>
#include <string.h>

typedef enum { OTHER, DELETION, DUPLICATION, INVERSION } symbol;

static symbol symbol_of(const char *alt) {
    static const char *const names[] = {"", "<DEL", "<DUP", "<INV"};
    for (int s = DELETION; s <= INVERSION; s++)
        if (strncmp(alt, names[s], 4) == 0 && (alt[4] == '>' || alt[4] == ':')) return (symbol)s;
    return OTHER;
}

// The number at `index` of a list joined by commas, or the only one there is; false where there is none.
static bool number_at(char *list, int index, int64_t *value) {
    char *one = NULL;
    bool single = strchr(list, ',') == NULL;
    for (int i = 0; (one = strsep(&list, ",")) != NULL && i < index && !single; i++) continue;
    return one && gw_parse_int(one, -INT64_MAX / 4, INT64_MAX / 4, value) == GW_OK;
}

// 0: none is given, or one that cannot be.
static gw_status length_of(const gw_vcf_reader *reader, const gw_vcf_record *record, int alt, int64_t *length) {
    gw_string text = {0};
    int64_t value;
    *length = 0;
    if (gw_vcf_info(reader, record, "SVLEN", &text) && text.data && number_at(text.data, alt, &value))
        *length = value < 0 ? -value : value;
    else if (gw_vcf_info(reader, record, "END", &text) && text.data && number_at(text.data, 0, &value))
        *length = value > record->position + 1 ? value - record->position - 1 : 0;
    const gw_status status = gw_string_status(&text);
    gw_string_free(&text);
    return status;
}

static gw_allele_status check(const gw_genome *genome, const gw_vcf_record *record, int64_t length, int64_t longest) {
    if (length == 0) return GW_ALLELE_NOLENGTH;
    if (record->genome_contig < 0) return GW_ALLELE_NOCONTIG;
    if (record->position < 0) return GW_ALLELE_EDGE;
    if (record->position + 1 + length > gw_genome_length(genome, record->genome_contig)) return GW_ALLELE_REFMISMATCH;
    return length > longest ? GW_ALLELE_TOOLONG : GW_ALLELE_PASS;
}

gw_status gw_symbolic_allele(gw_genome *genome, const gw_vcf_reader *reader, const gw_vcf_record *record, int alt,
                             int64_t longest, char **bases, gw_allele_status *status) {
    const symbol kind = symbol_of(record->alt[alt]);
    int64_t length;
    *bases = NULL;
    *status = GW_ALLELE_SYMBOLIC;
    if (kind == OTHER) return GW_OK;
    GW_TRY(length_of(reader, record, alt, &length));
    *status = check(genome, record, length, longest);
    if (*status != GW_ALLELE_PASS) return GW_OK;
    char *ref = gw_alloc(2 * (length + 2), 1);
    if (!ref) return GW_ERR_MEMORY;
    char *other = kind == DUPLICATION ? ref + 2 : ref + length + 2; // ALT
    const int contig = record->genome_contig;
    const int64_t begin = record->position;
    char *whole = kind == DUPLICATION ? other : ref;
    const gw_status fetched = gw_genome_fetch(genome, contig, begin, begin + 1 + length, whole);
    if (fetched != GW_OK) {
        free(ref);
        return fetched;
    }
    if (kind == DUPLICATION) ref[0] = other[0];
    else other[0] = ref[0];
    if (kind == INVERSION) gw_reverse_complement(ref + 1, length, other + 1);
    *bases = ref;
    return GW_OK;
}
