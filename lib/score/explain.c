// SPDX-License-Identifier: MIT
// Finds the window of a region, computes the effect of each base, and writes all regions.
#include "score/explain.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "file/npz.h"
#include "model/task.h"
#include "network/base_network.h"
#include "network/label_predictor.h"
#include "score/allele_scorer.h"
#include "score/target_gradient.h"
#include "seq/genes/tss.h"
#include "seq/track/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gw_explainer {
    gw_model *model;
    gw_genome *genome;
    gw_explain_options options;
    gw_target *target;            // one of the two
    gw_target_gradient *gradient; // of that, or NULL
    gw_allele_scorer *likelihood;
    char *window;
    int64_t window_capacity;
    bool warned, missed;
};

static gw_status make(gw_explainer *e) {
    const gw_config *config = &e->model->config;
    if (config->labels > 0 || gw_config_has_tracks(config) || gw_model_reads_signals(e->model))
        return gw_target_new(e->model, &e->options.target, &e->target);
    if (e->options.target.name)
        return gw_fail(
            GW_ERR_MISMATCH,
            "the model is pretrained and has no target '%s': omit --target to explain its likelihoods of bases",
            e->options.target.name);
    if (e->options.method != GW_EXPLAIN_ISM)
        return gw_fail(GW_ERR_UNSUPPORTED, "likelihoods of a pretrained model need --method ism");
    const gw_score_options options = {.window = e->options.window,
                                      .batch_tokens = e->options.target.batch_tokens,
                                      .memory = e->options.target.memory,
                                      .plain = e->options.target.memory == 0,
                                      .phases = 1};
    return gw_allele_scorer_new(e->model, e->genome, &options, &e->likelihood);
}

gw_status gw_explainer_new(gw_model *model, gw_genome *genome, const gw_explain_options *options, gw_explainer **out) {
    gw_explainer *e = *out = gw_alloc(1, sizeof *e);
    if (!e) return GW_ERR_MEMORY;
    e->model = model;
    e->genome = genome;
    e->options = *options;
    const gw_status status = make(e);
    if (status == GW_OK) return GW_OK;
    gw_explainer_free(e);
    *out = NULL;
    return status;
}

void gw_explainer_free(gw_explainer *explainer) {
    if (!explainer) return;
    gw_target_gradient_free(explainer->gradient);
    gw_target_free(explainer->target);
    gw_allele_scorer_free(explainer->likelihood);
    free(explainer->window);
    free(explainer);
}

const char *gw_explainer_unit(const gw_explainer *explainer) {
    return explainer->target ? gw_target_unit(explainer->target) : "bits";
}

const char *gw_explainer_target(const gw_explainer *explainer) {
    return explainer->target ? gw_target_name(explainer->target) : "likelihood";
}

void gw_explained_free(gw_explained *explained) {
    free(explained->bases);
    free(explained->hypothetical);
    free(explained->contribution);
    *explained = (gw_explained){0};
}

// ---- a region

// The bases that the model reads for a region, on the forward strand: [*begin, *begin + *length), which may leave the
// contig.
static gw_status find_window(const gw_explainer *e, const gw_region *region, int64_t *begin, int64_t *length) {
    const gw_config *config = &e->model->config;
    const int64_t window = gw_target_window(e->target), own = region->end - region->begin;
    const bool fixed = gw_target_is_fixed(e->target), has_tss = gw_task_of(config->task)->keeps_tss;
    if (window == 0 || (e->options.records && !fixed)) {
        *begin = region->begin;
        *length = own;
        return gw_check_window(e->model, own);
    }
    *length = window;
    *begin = (region->begin + region->end) / 2 - window / 2;
    if (!fixed && has_tss && config->tss_offset >= 0 && own != window) {
        int64_t end;
        gw_tss_window(gw_tss_position(region), region->strand, config->tss_offset, window - config->tss_offset, begin,
                      &end);
    }
    if (own > window)
        return gw_fail(GW_ERR_MISMATCH, "%lld bases, more than the %lld that the model reads", (long long)own,
                       (long long)window);
    if (region->begin < *begin || region->end > *begin + window)
        return gw_fail(GW_ERR_MISMATCH, "the window of its start site, %lld-%lld, does not hold the region",
                       (long long)*begin + 1, (long long)(*begin + window));
    return GW_OK;
}

// References of a window: those that are given, or shuffled ones.
static gw_status make_references(const gw_explainer *e, const gw_region *region, const char *bases, int64_t length,
                                 int64_t count, char *out) {
    const uint64_t place = ((uint64_t)region->contig << 32) ^ (uint64_t)region->begin;
    for (int64_t i = 0; i < count; i++) {
        char *to = out + i * length;
        if (!e->options.given) {
            GW_TRY(gw_shuffle_dinucleotides(bases, length, e->options.seed, place, (uint32_t)i, to));
            continue;
        }
        if (gw_genome_length(e->options.given, (int)i) != length)
            return gw_fail(GW_ERR_MISMATCH, "%s: %s has %lld bases, and the window %lld",
                           gw_genome_path(e->options.given), gw_genome_name(e->options.given, (int)i),
                           (long long)gw_genome_length(e->options.given, (int)i), (long long)length);
        GW_TRY(gw_genome_fetch(e->options.given, (int)i, 0, length, to));
    }
    return GW_OK;
}

// By a backward pass: those of the window's bases from `from` on.
static gw_status find_multipliers(gw_explainer *e, const gw_region *region, const char *bases, int64_t length,
                                  int64_t from, double *first, double *value) {
    const bool shap = e->options.method == GW_EXPLAIN_SHAP;
    const int64_t count = !shap ? 0 : e->options.given ? gw_genome_contigs(e->options.given) : e->options.references;
    char *references = gw_alloc(count * length + 1, 1);
    const char **list = gw_alloc(count + 1, sizeof *list);
    double *multipliers = gw_alloc(4 * length, sizeof *multipliers), off = NAN;
    gw_status status = references && list && multipliers ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < count; i++) list[i] = references + i * length;
    if (status == GW_OK) status = make_references(e, region, bases, length, count, references);
    if (status == GW_OK) status = gw_target_run(e->target, bases, length, NULL, 0, first);
    if (status == GW_OK)
        status =
            gw_target_multipliers(&e->gradient, e->target, bases, length, shap ? list : NULL, count, multipliers, &off);
    if (status == GW_OK)
        memcpy(value, multipliers + 4 * from, (size_t)(4 * (region->end - region->begin)) * sizeof *value);
    if (status == GW_OK && off > 1e-3 * fmax(1, fabs(*first)) && !e->missed) {
        gw_warn("contributions miss the difference from a reference by up to %.3g: the model has layers (norms, "
                "attention) without a rule, or long sums. --method ism is exact",
                off);
        e->missed = true;
    }
    free(references);
    free(list);
    free(multipliers);
    return status;
}

// value [length][4] of a region, by A, C, G, T.
static gw_status find_values(gw_explainer *e, const gw_region *region, double *first, double *value) {
    const int64_t own = region->end - region->begin, contig = gw_genome_length(e->genome, region->contig);
    int64_t begin, length;
    GW_TRY(find_window(e, region, &begin, &length));
    GW_TRY(gw_reserve(&e->window, &e->window_capacity, 2 * length, 1));
    GW_TRY(gw_base_fetch(e->genome, region->contig, begin, begin + length, 0, contig, e->window));
    if (!e->warned && (begin < 0 || begin + length > contig)) {
        gw_warn("windows of some regions leave their sequence, the first that of %s:%lld-%lld: N stands for what is "
                "not there",
                gw_genome_name(e->genome, region->contig), (long long)region->begin + 1, (long long)region->end);
        e->warned = true;
    }
    const gw_target_kind kind = gw_target_kind_of(e->target);
    const bool flipped = region->strand == '-' && (kind == GW_TARGET_LABEL || kind == GW_TARGET_BASE);
    const char *bases = e->window;
    int64_t from = region->begin - begin;
    if (flipped) {
        gw_reverse_complement(e->window, length, e->window + length);
        bases += length;
        from = begin + length - region->end;
    }
    GW_TRY(e->options.method == GW_EXPLAIN_ISM
               ? gw_target_saturate(e->target, bases, length, from, from + own, first, value)
               : find_multipliers(e, region, bases, length, from, first, value));
    for (int64_t i = 0; flipped && i < 2 * own; i++) { // base b of place i is 3 - b of the last but i
        const double kept = value[i];
        value[i] = value[4 * own - 1 - i];
        value[4 * own - 1 - i] = kept;
    }
    return GW_OK;
}

static gw_status find_likelihoods(gw_explainer *e, const gw_explained *of, double *value) {
    static const char *const letters[] = {"A", "C", "G", "T"};
    const gw_region *region = &of->region;
    const int64_t own = region->end - region->begin;
    gw_allele *alleles = gw_alloc(4 * own, sizeof *alleles);
    if (!alleles) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < 4 * own; i++) {
        const char base = of->bases[i / 4];
        const int ref = base == 'N' ? -1 : (int)(strchr("ACGT", base) - "ACGT");
        const bool changes = ref >= 0 && ref != i % 4;
        alleles[i].status = changes ? GW_ALLELE_PASS : GW_ALLELE_AMBIGUOUS;
        if (changes)
            alleles[i].variant =
                (gw_variant){region->contig, region->begin + i / 4, letters[ref], letters[i % 4], 1, 1};
        else if (ref >= 0) alleles[i].bits = 0;
    }
    const gw_status status = gw_allele_scorer_run(e->likelihood, alleles, 4 * own, NULL);
    for (int64_t i = 0; status == GW_OK && i < 4 * own; i++) {
        const bool own_base = of->bases[i / 4] == "ACGT"[i % 4];
        value[i] = own_base ? 0 : gw_allele_is_scored(alleles[i].status) ? (double)alleles[i].bits : (double)NAN;
    }
    free(alleles);
    return status;
}

static gw_status explain(gw_explainer *e, gw_explained *out, double *value) {
    const gw_region *region = &out->region;
    const int64_t own = region->end - region->begin;
    int64_t unknown = 0;
    GW_TRY(gw_genome_fetch(e->genome, region->contig, region->begin, region->end, out->bases));
    for (int64_t i = 0; i < own; i++) unknown += out->bases[i] == 'N';
    if (unknown == own) return gw_fail(GW_ERR_MISMATCH, "the region has no base but N");
    GW_TRY(e->target ? find_values(e, region, &out->value, value) : find_likelihoods(e, out, value));
    int64_t without = 0;
    for (int64_t i = 0; i < own; i++) {
        const double sum = value[4 * i] + value[4 * i + 1] + value[4 * i + 2] + value[4 * i + 3];
        const double mean = e->options.method == GW_EXPLAIN_SHAP ? 0 : sum / 4;
        out->contribution[i] = NAN;
        for (int b = 0; b < 4; b++) {
            out->hypothetical[b * own + i] = (float)(value[4 * i + b] - mean);
            if (out->bases[i] == "ACGT"[b]) out->contribution[i] = (float)(value[4 * i + b] - mean);
        }
        without += isnan(out->contribution[i]);
    }
    if (without == own)
        return gw_fail(GW_ERR_MISMATCH,
                       "no base has a whole window of %lld bp on its sequence; --window sets another length",
                       (long long)gw_allele_scorer_window(e->likelihood));
    if (unknown > 0)
        gw_warn("%s:%lld-%lld: %lld of %lld bases are N, which have no contribution",
                gw_genome_name(e->genome, region->contig), (long long)region->begin + 1, (long long)region->end,
                (long long)unknown, (long long)own);
    return GW_OK;
}

gw_status gw_explain_region(gw_explainer *e, const gw_region *region, gw_explained *out) {
    const int64_t own = region->end - region->begin;
    *out = (gw_explained){.region = *region, .value = NAN};
    if (own == 0) return gw_fail(GW_ERR_MISMATCH, "a region of line %lld has no base", (long long)region->line);
    out->bases = gw_alloc(own, 1);
    out->hypothetical = gw_alloc(4 * own, sizeof(float));
    out->contribution = gw_alloc(own, sizeof(float));
    double *value = gw_alloc(4 * own, sizeof *value);
    gw_status status = out->bases && out->hypothetical && out->contribution && value ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = explain(e, out, value);
    free(value);
    if (status == GW_OK) return GW_OK;
    return gw_fail_in(status, "region %s:%lld-%lld", gw_genome_name(e->genome, region->contig),
                      (long long)region->begin + 1, (long long)region->end);
}

// ---- files

static int by_place(const void *a, const void *b) {
    const gw_track_piece *x = a, *y = b;
    if (x->contig != y->contig) return x->contig < y->contig ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static gw_status write_tracks(const gw_explained *list, int64_t count, const gw_genome *genome, const char *folder) {
    static const char *const names[] = {"contributions.bedgraph.gz", "contributions.bw"};
    gw_track_piece *pieces = gw_alloc(count, sizeof *pieces);
    int64_t kept = 0, cut = 0;
    if (!pieces) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        const gw_region *r = &list[i].region;
        pieces[i] = (gw_track_piece){r->contig, r->begin, 1, r->end - r->begin, list[i].contribution};
    }
    qsort(pieces, (size_t)count, sizeof *pieces, by_place);
    for (int64_t i = 0; i < count; i++) {
        gw_track_piece piece = pieces[i];
        const gw_track_piece *last = kept > 0 ? &pieces[kept - 1] : NULL;
        const int64_t over = last && last->contig == piece.contig ? last->begin + last->count - piece.begin : 0;
        cut += over > 0;
        if (over >= piece.count) continue;
        if (over > 0) piece.begin += over, piece.values += over, piece.count -= over;
        pieces[kept++] = piece;
    }
    if (cut > 0) gw_note("%lld regions overlap another: tracks have the first one's contributions", (long long)cut);
    gw_status status = GW_OK;
    for (int i = 0; status == GW_OK && i < 2; i++) {
        char *path = gw_join_path(folder, names[i]);
        status = path ? GW_OK : GW_ERR_MEMORY;
        if (status == GW_OK && (i == 0 || gw_track_check(path) == GW_OK))
            status = gw_track_write(path, genome, pieces, kept);
        free(path);
    }
    free(pieces);
    return status;
}

static gw_status write_arrays(const gw_explained *list, int64_t count, const char *folder) {
    const int64_t length = list[0].region.end - list[0].region.begin, each = 4 * length;
    const int64_t shape[] = {count, 4, length};
    for (int64_t i = 1; i < count; i++)
        if (list[i].region.end - list[i].region.begin != length) {
            gw_note("regions differ in length: ohe.npz and shap.npz, which hold arrays of one length, are not written");
            return GW_OK;
        }
    float *values = gw_alloc(count * each, sizeof *values);
    char *ohe = gw_join_path(folder, "ohe.npz"), *shap = gw_join_path(folder, "shap.npz");
    gw_status status = values && ohe && shap ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < count * each; i++)
        values[i] = list[i / each].bases[i % length] == "ACGT"[i % each / length] ? 1 : 0;
    if (status == GW_OK) status = gw_npz_write(ohe, values, shape);
    for (int64_t i = 0; status == GW_OK && i < count * each; i++) {
        const float value = list[i / each].hypothetical[i % each];
        values[i] = isnan(value) ? 0 : value;
    }
    if (status == GW_OK) status = gw_npz_write(shap, values, shape);
    free(values);
    free(ohe);
    free(shap);
    return status;
}

gw_status gw_explained_write(const gw_explained *list, int64_t count, const gw_genome *genome, const char *folder) {
    GW_TRY(write_tracks(list, count, genome, folder));
    return write_arrays(list, count, folder);
}
