// SPDX-License-Identifier: MIT
// The table of INFO keys that `score` can write, and which of them a model and its options give.
#include "score/score_key_table.h"

#include "base/parse.h"
#include "score/splice_entry.h"

#include <stdio.h>
#include <string.h>

const gw_score_key_row gw_score_key_rows[] = {
    {"DIFF", "diff", GW_KEY_PROFILES, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, difference),
     "p(ALT) - p(REF) of the profile where it is largest in size",
     "Number of ALT less that of REF, in its unit, of the label where that is largest in size"},
    {"LOGIT", "logit", GW_KEY_PROFILES, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, logit),
     "logit p(ALT) - logit p(REF) of that profile, natural logarithm, p clipped to 1e-7 and 1 - 1e-7",
     "The same in standard deviations of the training numbers; of counts the logarithm of their ratio"},
    {"LOG2FC", "log2fc", GW_KEY_PROFILES, GW_INFO_FLOAT, GW_FROM_FOLD, 0,
     "log2 of p(ALT) / p(REF) of that profile, p clipped to 1e-7"},
    {"EFFECT", "effect", GW_KEY_PROFILES, GW_INFO_FLOAT, GW_FROM_EFFECT, 0,
     "Size of p(ALT) - p(REF) times size of the logit difference, of that profile",
     "Size of the difference in its unit times its size in standard deviations, of that label"},
    {"TOPI", NULL, GW_KEY_PROFILES, GW_INFO_INTEGER, GW_FROM_TOP, 0, "0-based index of that profile"},
    {"TOP", NULL, GW_KEY_PROFILES, GW_INFO_STRING, GW_FROM_TOP_NAME, 0, "Name of that profile, percent-encoded"},
    {"MEAN", "mean", GW_KEY_PROFILES, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, mean),
     "Mean of the size of p(ALT) - p(REF) over all profiles", "Mean of the size of the difference over all labels"},
    {"PREF", NULL, GW_KEY_RAW, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, ref_value), "p(REF) of that profile",
     "Number of REF of that label"},
    {"PALT", NULL, GW_KEY_RAW, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, alt_value), "p(ALT) of that profile",
     "Number of ALT of that label"},
    {"TOPS", NULL, GW_KEY_TOPS, GW_INFO_STRING, GW_FROM_TOPS, 0,
     "Profiles of the largest p(ALT) - p(REF) in size: name:difference, percent-encoded, joined by &"},
    {"SITE", NULL, GW_KEY_SITES, GW_INFO_STRING, GW_FROM_SITE, 0,
     "Start site whose window gave the value: its name, percent-encoded, or contig:position:strand"},
    {"LLR", "llr", GW_KEY_PRETRAINED, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, bits),
     "Log-likelihood ratio of ALT to REF under the masked language model, bits"},
    {"JSD", "jsd", GW_KEY_PRETRAINED, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, divergence),
     "Mean Jensen-Shannon divergence, bits, of what is expected with REF and with ALT of the 32 bases on either side, "
     "masked one at a time"},
    {"EMB_L2", "embedding", GW_KEY_STATES, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, distance),
     "Distance of the hidden states of REF and ALT at the site, mean over both strands"},
    {"EMB_COS", "embedding", GW_KEY_STATES, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, cosine),
     "Cosine of the hidden states of REF and ALT at the site, mean over both strands"},
    {"SD", NULL, GW_KEY_SPREAD, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, spread),
     "Standard deviation over the tokenisation phases, of the difference in that profile or of the log-likelihood "
     "ratio"},
    {"LEFT", NULL, GW_KEY_SHIFTS, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, leftmost),
     "The difference, or log-likelihood ratio, of an insertion or deletion written at its leftmost place"},
    {"RIGHT", NULL, GW_KEY_SHIFTS, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, rightmost),
     "The same at its rightmost place"},
    {"NULL_Z", NULL, GW_KEY_NULLS, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, null_z),
     "Log-likelihood ratio, or size of the difference, of an insertion or deletion in standard deviations from the "
     "mean of neutral ones of its length and kind nearby"},
    {"NULL_PCT", NULL, GW_KEY_NULLS, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, null_percentile),
     "Per cent of those neutral insertions or deletions for which that is lower"},
    {"HAP_SCORE", NULL, GW_KEY_HAPLOTYPES, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, together),
     "The difference, or log-likelihood ratio, of the variants that a haplotype carries near together, this one among "
     "them"},
    {"HAP_X", NULL, GW_KEY_HAPLOTYPES, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, interaction),
     "That less the sum of what each of them does alone; of two haplotypes the larger in size"},
    {"HAP", NULL, GW_KEY_HAPLOTYPES, GW_INFO_STRING, GW_FROM_HAPLOTYPES, 0,
     "Of each haplotype, joined by &: which (1 or 2), positions joined by +, HAP_SCORE and HAP_X, joined by :"},
    {"EVALUE", "evalue", GW_KEY_EFFECTS, GW_INFO_FLOAT, GW_FROM_EVALUE, 0,
     "Share of the background's alleles whose effect in that profile is at least as large"},
    {"EVALUE", "evalue", GW_KEY_SIZES, GW_INFO_FLOAT, GW_FROM_EVALUE, 0,
     "Share of the background's alleles whose log-likelihood ratio is at least as large in size (two tails)"},
    {"EVALUE", "evalue", GW_KEY_LOWER, GW_INFO_FLOAT, GW_FROM_EVALUE, 0,
     "Share of the background's alleles whose log-likelihood ratio is as low or lower (lower tail: ALT less likely)"},
    {"Z", "z", GW_KEY_BACKGROUND, GW_INFO_FLOAT, GW_FROM_Z, 0,
     "The difference, in standard deviations from the mean of the background's in that profile"},
    {"PCT", "percentile", GW_KEY_BACKGROUND, GW_INFO_FLOAT, GW_FROM_PERCENTILE, 0,
     "Per cent of the background's alleles whose largest difference is smaller in size"},
    {"CTX", "context", GW_KEY_CONTEXT, GW_INFO_FLOAT, GW_FROM_CONTEXT, 0,
     "The log-likelihood ratio less the mean of the background's changes to the same base between the same two bases "
     "on either side"},
    {"GENE", NULL, GW_KEY_GENES, GW_INFO_STRING, GW_FROM_GENES, 0,
     "Genes that the trimmed REF overlaps, percent-encoded, joined by &"},
    {"BCSQ", NULL, GW_KEY_CONSEQUENCES, GW_INFO_STRING, GW_FROM_CONSEQUENCES, 0,
     "Consequences in transcripts, each record for itself, in the layout of bcftools csq. Format: "
     "Consequence|gene|transcript|biotype|strand|amino_acid_change|dna_change"},
    {"SPLICE", NULL, GW_KEY_SPLICE, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, difference),
     "Largest of the delta scores of splicing over all genes"},
    {"SPLICE_AT", NULL, GW_KEY_SPLICE, GW_INFO_INTEGER, GW_FROM_SHIFT, 0, "Where that is, bases from POS"},
    {"DELTA", NULL, GW_KEY_DELTA, GW_INFO_FLOAT, GW_FROM_FLOAT, offsetof(gw_allele, difference),
     "Largest of the gains and losses of all classes of bases over all genes"},
    {"DELTA_AT", NULL, GW_KEY_DELTA, GW_INFO_INTEGER, GW_FROM_SHIFT, 0, "Where that is, bases from POS"},
    {"PROBABILITIES", NULL, GW_KEY_PROBABILITIES, GW_INFO_STRING, GW_FROM_PROBABILITIES, 0, GW_SPLICE_PROBABILITIES},
    {"entries", NULL, GW_KEY_ENTRIES, GW_INFO_STRING, GW_FROM_ENTRIES, 0, GW_SPLICE_DESCRIPTION},
    {"VALUES", NULL, GW_KEY_VALUES, GW_INFO_STRING, GW_FROM_VALUES, 0,
     "Status and, as 32-bit words, exact values of the allele, for godwit score --known"},
    {"STATUS", NULL, GW_KEY_ALL, GW_INFO_STRING, GW_FROM_STATUS, 0, "PASS, or why the allele has no score"},
};
_Static_assert(sizeof gw_score_key_rows / sizeof gw_score_key_rows[0] == GW_SCORE_KEYS, "as many as the table has");

bool gw_score_is_asked(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; at; at = gw_next_item(at, ','))
        if (strncmp(at, word, length) == 0 && (at[length] == 0 || at[length] == ',')) return true;
    return false;
}

static bool is_of_background(gw_key_use use) {
    return use == GW_KEY_BACKGROUND || use == GW_KEY_EFFECTS || use == GW_KEY_SIZES || use == GW_KEY_LOWER ||
           use == GW_KEY_CONTEXT;
}

static bool is_possible(gw_key_use use, bool classifier, const gw_score_key_options *options) {
    classifier = classifier && !options->splice;
    switch (use) {
    case GW_KEY_PROFILES: return classifier;
    case GW_KEY_RAW: return classifier && options->raw;
    case GW_KEY_TOPS: return classifier && options->top > 0;
    case GW_KEY_SPREAD: return options->spread;
    case GW_KEY_SHIFTS: return options->shifts;
    case GW_KEY_STATES: return !options->splice;
    case GW_KEY_NULLS: return options->nulls;
    case GW_KEY_HAPLOTYPES: return options->haplotypes != NULL;
    case GW_KEY_SITES: return classifier && options->sites;
    case GW_KEY_GENES: return options->genes != NULL;
    case GW_KEY_CONSEQUENCES: return options->consequences != NULL;
    case GW_KEY_PRETRAINED: return !classifier && !options->splice;
    case GW_KEY_SPLICE: return options->splice && !options->describes;
    case GW_KEY_DELTA: return options->splice && options->describes;
    case GW_KEY_ENTRIES: return options->splice != NULL;
    case GW_KEY_PROBABILITIES: return options->splice && options->raw;
    case GW_KEY_VALUES: return options->values;
    case GW_KEY_BACKGROUND: return options->background != NULL;
    case GW_KEY_EFFECTS: return options->background && classifier;
    case GW_KEY_SIZES: return options->background && !classifier && options->tail == GW_TAIL_TWO;
    case GW_KEY_LOWER: return options->background && !classifier && options->tail == GW_TAIL_LOWER;
    case GW_KEY_CONTEXT: return options->background && gw_background_has_contexts(options->background);
    default: return true;
    }
}

bool gw_score_key_is_used(const gw_score_key_row *row, bool classifier, const gw_score_key_options *options) {
    if (!is_possible(row->use, classifier, options)) return false;
    if (!row->score) return true;
    if (options->scores) return gw_score_is_asked(options->scores, row->score);
    return gw_score_is_asked("diff,logit,mean,llr,evalue,z,percentile", row->score);
}

gw_status gw_score_key_check(bool classifier, const gw_score_key_options *options) {
    for (const char *at = options->scores; at; at = gw_next_item(at, ',')) {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, ","), at);
        bool known = false;
        for (int row = 0; row < GW_SCORE_KEYS && !known; row++) {
            const bool same = gw_score_key_rows[row].score && strcmp(word, gw_score_key_rows[row].score) == 0;
            if (same && is_of_background(gw_score_key_rows[row].use) && !options->background)
                return gw_fail(GW_ERR_UNSUPPORTED, "the score '%s' needs a --background", word);
            if (same && gw_score_key_rows[row].use == GW_KEY_CONTEXT && !classifier &&
                !gw_background_has_contexts(options->background))
                return gw_fail(GW_ERR_UNSUPPORTED, "the score '%s' needs a background made --by context", word);
            known = same && is_possible(gw_score_key_rows[row].use, classifier, options);
        }
        if (!known)
            return gw_fail(GW_ERR_UNSUPPORTED, "'%s' is no score of a %s model: those are %s, evalue, z, percentile",
                           word, classifier ? "fine-tuned" : "pretrained",
                           classifier ? "diff, logit, log2fc, effect, mean, embedding"
                                      : "llr, context, jsd, embedding");
    }
    return GW_OK;
}
