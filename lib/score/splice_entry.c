// SPDX-License-Identifier: MIT
// Writes entries allele by allele, and of one gene by gene in the table's order.
#include "score/splice_entry.h"

#include "score/splice_delta.h"

const char *gw_splice_key(const gw_stem *stem) {
    for (int i = 0; i < stem->count; i++)
        if (stem->part[i].kind == GW_STEM_LEAKY_UNIT) return "OpenSpliceAI";
    return "SpliceAI";
}

static void append_numbers(gw_string *out, const float *values, int count, int digits) {
    for (int i = 0; i < count; i++) gw_string_printf(out, "|%.*f", digits, (double)values[i]);
}

static void append_entry(gw_string *out, const gw_splice_entry_options *options, const float *values, int64_t moved) {
    const int scores = GW_SPLICE_GAINS_AND_LOSSES;
    if (options->probabilities) {
        append_numbers(out, values + 2 * scores, 2 * scores, options->digits);
        return;
    }
    append_numbers(out, values, scores, options->digits);
    for (int i = scores; i < 2 * scores; i++) gw_string_printf(out, "|%lld", (long long)((int64_t)values[i] + moved));
}

bool gw_splice_entries(const gw_splice_entry_options *options, const gw_vcf_record *record, const gw_allele *alleles,
                       const float *values, gw_string *out) {
    const int64_t before = out->length;
    for (int alt = 0; alt < record->alts; alt++) {
        const gw_variant *v = &alleles[alt].variant;
        const float *of = values + alt * options->each;
        if (!gw_allele_is_scored(alleles[alt].status)) continue;
        for (int64_t gene = -1; (gene = gw_gene_models_next(options->genes, v->contig, v->position, gene)) >= 0;
             of += GW_SPLICE_VALUES) {
            if (out->length > before) gw_string_putc(out, ',');
            gw_percent_encode(out, record->alt[alt]);
            gw_string_putc(out, '|');
            gw_percent_encode(out, options->genes->items[gene].name);
            append_entry(out, options, of, v->position - record->position);
        }
    }
    return out->length > before;
}
