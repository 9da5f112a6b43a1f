// SPDX-License-Identifier: MIT
// Writes entries allele by allele, and of one gene by gene in the table's order.
#include "score/splice_entry.h"

#include "model/family.h"
#include "network/base_network.h"
#include "score/splice_delta.h"

const char *gw_splice_key(const gw_model *model) {
    const gw_stem *stem = &model->config.stem;
    if (!gw_model_splices(model)) return "GW_BASES";
    for (int i = 0; i < stem->count; i++)
        if (stem->part[i].kind == GW_STEM_LEAKY_UNIT) return "OpenSpliceAI";
    return "SpliceAI";
}

static void append_names(gw_string *out, const gw_config *config, const char *const (*ends)[2]) {
    const gw_base_answer *answer = gw_family_of(config->family)->answer;
    for (int64_t c = 1; c < gw_scored_classes(config); c++)
        for (int loss = 0; loss < 2; loss++) {
            gw_string_putc(out, '|');
            gw_percent_encode(out, answer ? answer->name : config->label_names[c]);
            gw_string_puts(out, (*ends)[loss]);
        }
}

void gw_base_description(const gw_config *config, bool probabilities, gw_string *out) {
    static const char *const ends[2][2][2] = {{{"_GAIN", "_LOSS"}, {"_GAIN_AT", "_LOSS_AT"}},
                                              {{"_GAIN_REF", "_LOSS_REF"}, {"_GAIN_ALT", "_LOSS_ALT"}}};
    gw_string_puts(out, probabilities
                            ? "Probabilities of REF and ALT at the places of gains and losses. "
                            : "Gains and losses of each class of bases, ALT - REF, and their places from POS. ");
    gw_string_puts(out, "Format: ALLELE|SYMBOL");
    for (int half = 0; half < 2; half++) append_names(out, config, &ends[probabilities][half]);
}

static void append_numbers(gw_string *out, const float *values, int64_t count, int digits) {
    for (int64_t i = 0; i < count; i++) gw_string_printf(out, "|%.*f", digits, (double)values[i]);
}

static void append_entry(gw_string *out, const gw_splice_entry_options *options, const float *values, int64_t moved) {
    const int64_t scores = gw_gains_and_losses(options->classes);
    if (options->probabilities) {
        append_numbers(out, values + 2 * scores, 2 * scores, options->digits);
        return;
    }
    append_numbers(out, values, scores, options->digits);
    for (int64_t i = scores; i < 2 * scores; i++)
        gw_string_printf(out, "|%lld", (long long)((int64_t)values[i] + moved));
}

bool gw_splice_entries(const gw_splice_entry_options *options, const gw_vcf_record *record, const gw_allele *alleles,
                       const float *values, gw_string *out) {
    const int64_t before = out->length;
    for (int alt = 0; alt < record->alts; alt++) {
        const gw_variant *v = &alleles[alt].variant;
        const float *of = values + alt * options->each;
        if (!gw_allele_is_scored(alleles[alt].status)) continue;
        for (int64_t gene = -1; (gene = gw_gene_models_next(options->genes, v->contig, v->position, gene)) >= 0;
             of += gw_delta_values(options->classes)) {
            if (out->length > before) gw_string_putc(out, ',');
            gw_percent_encode(out, record->alt[alt]);
            gw_string_putc(out, '|');
            gw_percent_encode(out, options->genes->items[gene].name);
            append_entry(out, options, of, v->position - record->position);
        }
    }
    return out->length > before;
}
