// SPDX-License-Identifier: MIT
// The scorer of the public interface. Alleles go through the allele scorer of `godwit score`, in parts of its chunk
// size, and are returned as columns.
#include "godwit_private.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "score/allele_scorer.h"
#include "score/score_keys.h"
#include "task/trained_on.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 256, MOST_PHASES = 16 };

struct gw_scorer {
    gw_predictor *predictor; // the caller's
    gw_genome *genome;
    gw_string site_name; // last asked for
    gw_score_options options;
    gw_allele_scorer *scorer;
    const gw_score_key_row *fields[GW_SCORE_KEYS]; // of an allele
    int field_count;
    gw_allele alleles[PART];
};

static gw_status open_scorer(const char *fasta, const gw_scorer_options *given, gw_scorer *s) {
    gw_scorer_options options;
    gw_model *model = s->predictor->model;
    GW_TRY(gw_check_pointer(fasta, "fasta"));
    GW_TRY(gw_copy_struct(given, &options, sizeof options, "options"));
    if (options.window < 0 || options.window > INT_MAX)
        return gw_fail(GW_ERR_RANGE, "options.window is %lld", (long long)options.window);
    if (options.phases < 0 || options.phases > MOST_PHASES)
        return gw_fail(GW_ERR_RANGE, "options.phases is %lld, not 0 to %d", (long long)options.phases, MOST_PHASES);
    GW_TRY(gw_check_sites(model, options.sites != NULL));
    GW_TRY(gw_check_one_row(model));
    GW_TRY(gw_genome_open(fasta, &s->genome));
    if (options.contig_names) GW_TRY(gw_genome_read_aliases(s->genome, options.contig_names));
    GW_TRY(gw_trained_on_check(s->predictor->folder, model, s->genome));
    s->options = (gw_score_options){.window = options.window,
                                    .batch_tokens = s->predictor->options.batch_tokens,
                                    .sites = options.sites,
                                    .phases = options.phases};
    s->field_count = gw_score_fields(model, &s->options, s->fields);
    const gw_status status = gw_allele_scorer_new(model, s->genome, &s->options, &s->scorer);
    s->options.sites = NULL; // the caller's, and read
    return status;
}

int gw_scorer_open(gw_predictor *predictor, const char *fasta, const gw_scorer_options *options, gw_scorer **out) {
    GW_TRY(gw_check_pointer(out, "out"));
    *out = NULL;
    GW_TRY(gw_check_pointer(predictor, "predictor"));
    gw_scorer *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    s->predictor = predictor;
    const int threads = gw_predictor_enter(predictor);
    const gw_status status = open_scorer(fasta, options, s);
    gw_set_threads(threads);
    if (status == GW_OK) *out = s;
    else gw_scorer_close(s);
    return (int)status;
}

void gw_scorer_close(gw_scorer *scorer) {
    if (!scorer) return;
    gw_allele_scorer_free(scorer->scorer);
    gw_string_free(&scorer->site_name);
    gw_genome_close(scorer->genome);
    free(scorer);
}

int64_t gw_scorer_window(const gw_scorer *scorer) {
    return scorer ? gw_allele_scorer_window(scorer->scorer) : 0;
}

const char *gw_scorer_site(gw_scorer *scorer, int32_t site) {
    const gw_regions *sites = scorer ? gw_allele_scorer_sites(scorer->scorer) : NULL;
    if (!sites || site < 0 || site >= sites->count) return "";
    gw_string_clear(&scorer->site_name);
    gw_site_name(&scorer->site_name, &sites->items[site], scorer->genome);
    return gw_string_status(&scorer->site_name) == GW_OK ? scorer->site_name.data : "";
}

const char *gw_scorer_column(const gw_scorer *scorer, int32_t column) {
    return scorer && column >= 0 && column < scorer->field_count ? scorer->fields[column]->field : "";
}

const char *gw_scorer_status(int32_t status) {
    return status >= 0 && status < GW_ALLELE_STATUSES ? gw_allele_status_name((gw_allele_status)status) : "";
}

// ---- variants in, columns out

static gw_status check_variants(const gw_scorer_variants *v) {
    if (v->count < 0) return gw_fail(GW_ERR_RANGE, "the count of variants is %lld", (long long)v->count);
    if (v->count == 0) return GW_OK;
    GW_TRY(gw_check_pointer(v->contig, "variants.contig"));
    GW_TRY(gw_check_pointer(v->position, "variants.position"));
    GW_TRY(gw_check_pointer(v->ref, "variants.ref"));
    GW_TRY(gw_check_pointer(v->alt, "variants.alt"));
    for (int64_t i = 0; i < v->count; i++) {
        if (!v->contig[i] || !v->ref[i] || !v->alt[i])
            return gw_fail(GW_ERR_RANGE, "variant %lld: its contig, REF or ALT is NULL", (long long)i);
        if (!v->ref[i][0] || !v->alt[i][0])
            return gw_fail(GW_ERR_RANGE, "variant %lld: an empty %s", (long long)i, v->ref[i][0] ? "ALT" : "REF");
        if (v->position[i] < 0 || v->position[i] > INT64_MAX / 2)
            return gw_fail(GW_ERR_RANGE, "variant %lld: position %lld is below 1", (long long)i,
                           (long long)v->position[i]);
    }
    return GW_OK;
}

static gw_status check_results(const gw_scorer *s, const gw_scorer_results *r) {
    const bool fine_tuned = s->predictor->model->config.labels > 0;
    if (fine_tuned && r->llr)
        return gw_fail(GW_ERR_UNSUPPORTED, "results.llr needs a pretrained model; this model is fine-tuned");
    if (fine_tuned || !(r->diff || r->logit || r->mean || r->pref || r->palt || r->top || r->profiles)) return GW_OK;
    return gw_fail(
        GW_ERR_UNSUPPORTED,
        "results: diff, logit, mean, pref, palt, top and profiles need a fine-tuned model; this model is pretrained "
        "and has llr");
}

// The column that the caller wants of a field, or NULL.
static void *column_of(const gw_scorer_results *r, const char *field) {
    const struct {
        const char *field;
        void *column;
    } columns[] = {{"diff", r->diff}, {"logit", r->logit}, {"mean", r->mean}, {"pref", r->pref}, {"palt", r->palt},
                   {"top", r->top},   {"site", r->site},   {"llr", r->llr},   {"sd", r->sd}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (strcmp(columns[i].field, field) == 0) return columns[i].column;
    return NULL;
}

static void put_allele(const gw_scorer_results *r, int64_t at, const gw_allele *a) {
    const bool scored = gw_allele_is_scored(a->status);
    if (r->status) r->status[at] = (int32_t)a->status;
    for (const gw_score_key_row *row = gw_score_key_rows; row < gw_score_key_rows + GW_SCORE_KEYS; row++) {
        void *column = row->field ? column_of(r, row->field) : NULL;
        if (!column) continue;
        const double value = gw_score_field(row, a);
        if (row->kind == GW_INFO_FLOAT) ((float *)column)[at] = scored ? (float)value : NAN;
        else ((int32_t *)column)[at] = scored ? (int32_t)value : -1;
    }
}

static gw_status score_part(gw_scorer *s, const gw_scorer_variants *v, int64_t first, int64_t count,
                            const gw_scorer_results *r) {
    const int64_t row = 2 * s->predictor->model->config.labels;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = first + i;
        const int contig = gw_genome_find(s->genome, v->contig[at], -1);
        GW_TRY(gw_allele_of(s->genome, contig, v->position[at] - 1, v->ref[at], v->alt[at], &s->alleles[i]));
        s->alleles[i].site = -1;
    }
    GW_TRY(gw_allele_scorer_run(s->scorer, s->alleles, count, r->profiles ? r->profiles + first * row : NULL));
    for (int64_t i = 0; i < count; i++) put_allele(r, first + i, &s->alleles[i]);
    return GW_OK;
}

int gw_scorer_run(gw_scorer *scorer, const gw_scorer_variants *variants, const gw_scorer_results *results) {
    gw_scorer_variants v;
    gw_scorer_results r;
    GW_TRY(gw_check_pointer(scorer, "scorer"));
    GW_TRY(gw_check_pointer(variants, "variants"));
    GW_TRY(gw_check_pointer(results, "results"));
    GW_TRY(gw_copy_struct(variants, &v, sizeof v, "variants"));
    GW_TRY(gw_copy_struct(results, &r, sizeof r, "results"));
    GW_TRY(check_variants(&v));
    GW_TRY(check_results(scorer, &r));
    const int threads = gw_predictor_enter(scorer->predictor);
    gw_status status = GW_OK;
    for (int64_t first = 0; status == GW_OK && first < v.count; first += PART)
        status = score_part(scorer, &v, first, gw_min(v.count - first, PART), &r);
    gw_set_threads(threads);
    return (int)status;
}
