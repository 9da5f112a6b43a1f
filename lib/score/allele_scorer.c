// SPDX-License-Identifier: MIT
// Selects the window and the scorer for a model, and passes alleles to it.
#include "score/allele_scorer.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "model/task.h"
#include "network/base_network.h"
#include "network/label_predictor.h"
#include "score/polya_scorer.h"
#include "score/score_llr.h"
#include "score/score_profiles.h"
#include "score/score_states.h"
#include "score/splice_scorer.h"
#include "score/track_scorer.h"
#include "seq/genes/tss.h"

#include <stdlib.h>
#include <string.h>

struct gw_allele_scorer {
    int64_t window;
    gw_regions sites;
    gw_gene_models genes;        // of models of splicing
    gw_profile_scorer *profiles; // one of the five
    gw_llr_scorer *llr;
    gw_splice_scorer *splice;
    gw_polya_scorer *polya;
    gw_track_scorer *tracks;
    gw_state_scorer *states; // beside it, or NULL
};

static gw_status choose_window(const gw_model *model, int64_t asked, int64_t *out) {
    const gw_config *config = &model->config;
    if (config->labels > 0) {
        if (asked > 0 && config->window > 0 && asked != config->window)
            return gw_fail(GW_ERR_MISMATCH, "the model was fine-tuned on windows of %lld bp, not %lld",
                           (long long)config->window, (long long)asked);
        *out = config->window > 0 ? config->window : asked;
        if (*out == 0) return gw_fail(GW_ERR_MISMATCH, "the model's config.json names no window: give --window");
    } else {
        // Tokens of several bases are more in some windows than in the mean: a sixth is left for them.
        const int64_t longest = gw_model_longest_window(model), tokens = gw_config_longest(config);
        const int64_t fits = 2 * longest > 3 * tokens ? longest - longest / 6 : longest;
        *out = asked > 0 ? asked : gw_min(fits, GW_SCORE_DEFAULT_WINDOW);
    }
    return gw_check_window(model, *out);
}

gw_status gw_check_sites(const gw_model *model, bool given) {
    const gw_config *config = &model->config;
    const bool has_offset = gw_task_of(config->task)->keeps_tss && config->tss_offset >= 0;
    if (has_offset && !given)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "this promoter model was trained with the TSS at offset %lld of its window: "
                       "it scores variants near the TSSs of --sites tss.bed",
                       (long long)config->tss_offset);
    if (!has_offset && given)
        return gw_fail(GW_ERR_UNSUPPORTED, "--sites is for promoter models whose config.json has a TSS offset");
    return GW_OK;
}

gw_status gw_check_one_row(const gw_model *model) {
    if (gw_model_reads_signals(model))
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "a model of polyadenylation has entries for each signal: use `godwit score`");
    if (gw_config_has_tracks(&model->config))
        return gw_fail(GW_ERR_UNSUPPORTED, "a model of tracks has several numbers per allele: use `godwit score`");
    if (!gw_model_labels_bases(model)) return GW_OK;
    return gw_fail(
        GW_ERR_UNSUPPORTED,
        "a model of splicing, or of other labels of bases, has entries for each gene and strand: use `godwit score`");
}

void gw_site_name(gw_string *name, const gw_region *site, const gw_genome *genome) {
    if (site->name && site->name[0] && strcmp(site->name, ".") != 0) gw_percent_encode(name, site->name);
    else
        gw_string_printf(name, "%s:%lld:%c", gw_genome_name(genome, site->contig), (long long)gw_tss_position(site) + 1,
                         site->strand);
}

static gw_status make_splice(gw_model *model, gw_genome *genome, const gw_score_options *o, gw_allele_scorer *s) {
    if (o->genes) GW_TRY(gw_gene_models_read(o->genes, genome, &s->genes));
    if (!o->genes && !o->anywhere)
        gw_note(
            "without --genes both strands are scored, and entries are named + and -; --genes adds names of genes and "
            "allows --mask");
    if (gw_score_is_anywhere(o)) GW_TRY(gw_gene_models_add_strands(&s->genes, genome));
    GW_TRY(gw_splice_scorer_new(model, genome, &s->genes, o, &s->splice));
    s->window = gw_splice_scorer_window(s->splice);
    return GW_OK;
}

static gw_status make(gw_model *model, gw_genome *genome, const gw_score_options *o, gw_allele_scorer *s) {
    GW_TRY(gw_score_options_check(o, model));
    if (gw_model_reads_signals(model)) {
        GW_TRY(gw_polya_scorer_new(model, genome, o, &s->polya));
        s->window = gw_polya_scorer_window(s->polya);
        return GW_OK;
    }
    if (gw_config_has_tracks(&model->config)) {
        GW_TRY(gw_track_scorer_new(model, genome, o, &s->tracks));
        s->window = gw_track_scorer_window(s->tracks);
        return GW_OK;
    }
    if (gw_model_labels_bases(model)) return make_splice(model, genome, o, s);
    if (model->config.labels > 0) GW_TRY(gw_check_sites(model, o->sites != NULL));
    if (o->sites) GW_TRY(gw_read_tss(&s->sites, genome, o->sites));
    for (int64_t i = 0; i < s->sites.count; i++) {
        gw_region *site = &s->sites.items[i];
        site->begin = gw_tss_position(site);
        site->end = site->begin + 1;
    }
    gw_regions_sort(&s->sites);
    GW_TRY(choose_window(model, o->window, &s->window));
    GW_TRY(model->config.labels == 0
               ? gw_llr_scorer_new(model, genome, s->window, o, &s->llr)
               : gw_profile_scorer_new(model, genome, s->window, o->sites ? &s->sites : NULL, o, &s->profiles));
    if (!gw_score_is_asked(o->scores, "embedding")) return GW_OK;
    return gw_state_scorer_new(model, genome, s->window, o->batch_tokens, &s->states);
}

gw_status gw_allele_scorer_new(gw_model *model, gw_genome *genome, const gw_score_options *options,
                               gw_allele_scorer **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    const gw_status status = make(model, genome, options, *out);
    if (status == GW_OK) return GW_OK;
    gw_allele_scorer_free(*out);
    *out = NULL;
    return status;
}

void gw_allele_scorer_free(gw_allele_scorer *scorer) {
    if (!scorer) return;
    gw_profile_scorer_free(scorer->profiles);
    gw_llr_scorer_free(scorer->llr);
    gw_splice_scorer_free(scorer->splice);
    gw_polya_scorer_free(scorer->polya);
    gw_track_scorer_free(scorer->tracks);
    gw_state_scorer_free(scorer->states);
    gw_regions_free(&scorer->sites);
    gw_gene_models_free(&scorer->genes);
    free(scorer);
}

void gw_allele_scorer_watch(gw_allele_scorer *scorer, void (*progress)(void *context, int64_t alleles, int64_t windows),
                            void *context) {
    if (scorer->llr) gw_llr_scorer_watch(scorer->llr, progress, context);
}

int64_t gw_allele_scorer_window(const gw_allele_scorer *scorer) {
    return scorer->window;
}

const gw_regions *gw_allele_scorer_sites(const gw_allele_scorer *scorer) {
    return &scorer->sites;
}

const gw_gene_models *gw_allele_scorer_genes(const gw_allele_scorer *scorer) {
    return &scorer->genes;
}

gw_track_scorer *gw_allele_scorer_tracks(gw_allele_scorer *scorer) {
    return scorer->tracks;
}

int64_t gw_allele_scorer_values(const gw_allele_scorer *scorer) {
    if (scorer->polya) return GW_POLYA_VALUES;
    if (scorer->tracks) return gw_track_scorer_values(scorer->tracks);
    return scorer->splice ? gw_splice_scorer_values(scorer->splice) : 0;
}

int64_t gw_allele_scorer_span(const gw_allele_scorer *scorer) {
    return scorer->splice || scorer->polya ? 4 * GW_SPLICE_LONGEST_ALLELE : scorer->window;
}

gw_status gw_allele_of(gw_genome *genome, int contig, int64_t position, const char *ref, const char *alt,
                       gw_allele *out) {
    *out = (gw_allele){.status = gw_allele_kind(alt)};
    if (out->status != GW_ALLELE_PASS) return GW_OK;
    out->variant = gw_variant_trim(contig, position, ref, alt);
    out->status = GW_ALLELE_NOCONTIG;
    if (contig >= 0) GW_TRY(gw_variant_check_ref(genome, contig, position, ref, &out->status));
    if (out->status == GW_ALLELE_PASS && (gw_allele_is_ambiguous(ref) || gw_allele_is_ambiguous(alt)))
        out->status = GW_ALLELE_AMBIGUOUS;
    return GW_OK;
}

gw_status gw_allele_scorer_run(gw_allele_scorer *scorer, gw_allele *alleles, int64_t count, float *raw) {
    if (scorer->polya) return gw_polya_scorer_run(scorer->polya, alleles, count, raw);
    if (scorer->tracks) return gw_track_scorer_run(scorer->tracks, alleles, count, raw);
    if (scorer->splice) return gw_splice_scorer_run(scorer->splice, alleles, count, raw);
    GW_TRY(scorer->llr ? gw_llr_scorer_run(scorer->llr, alleles, count)
                       : gw_profile_scorer_run(scorer->profiles, alleles, count, raw));
    return scorer->states ? gw_state_scorer_run(scorer->states, alleles, count) : GW_OK;
}
