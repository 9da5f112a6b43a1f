// SPDX-License-Identifier: MIT
// Writes entries allele by allele, and of one gene by gene in the table's order.
#include "score/splice_entry.h"

#include "score/splice_delta.h"

const char *gw_splice_key(const gw_stem *stem) {
    for (int i = 0; i < stem->count; i++)
        if (stem->part[i].kind == GW_STEM_LEAKY_UNIT) return "OpenSpliceAI";
    return "SpliceAI";
}

static void append_entry(gw_string *out, const char *alt, const char *gene, const float *values, int64_t moved,
                         int digits) {
    gw_percent_encode(out, alt);
    gw_string_putc(out, '|');
    gw_percent_encode(out, gene);
    for (int i = 0; i < GW_SPLICE_GAINS_AND_LOSSES; i++) gw_string_printf(out, "|%.*f", digits, (double)values[i]);
    for (int i = GW_SPLICE_GAINS_AND_LOSSES; i < GW_SPLICE_VALUES; i++)
        gw_string_printf(out, "|%lld", (long long)((int64_t)values[i] + moved));
}

bool gw_splice_entries(const gw_gene_models *genes, const gw_vcf_record *record, const gw_allele *alleles,
                       const float *values, int64_t each, int digits, gw_string *out) {
    const int64_t before = out->length;
    for (int alt = 0; alt < record->alts; alt++) {
        const gw_variant *v = &alleles[alt].variant;
        const float *of = values + alt * each;
        if (!gw_allele_is_scored(alleles[alt].status)) continue;
        for (int64_t gene = -1; (gene = gw_gene_models_next(genes, v->contig, v->position, gene)) >= 0;
             of += GW_SPLICE_VALUES) {
            if (out->length > before) gw_string_putc(out, ',');
            append_entry(out, record->alt[alt], genes->items[gene].name, of, v->position - record->position, digits);
        }
    }
    return out->length > before;
}
