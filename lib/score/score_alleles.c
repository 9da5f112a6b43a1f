// SPDX-License-Identifier: MIT
// Reads ALTs as bases and settles what the reference says of them.
#include "score/score_alleles.h"

#include "base/hash.h"
#include "base/memory.h"
#include "score/allele_scorer.h"
#include "score/context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gw_score_alleles_clear(gw_score_alleles *alleles) {
    for (int64_t i = 0; i < alleles->base_count; i++) free(alleles->bases[i]);
    alleles->count = alleles->base_count = alleles->form_count = alleles->null_count = 0;
}

void gw_score_alleles_free(gw_score_alleles *alleles) {
    gw_score_alleles_clear(alleles);
    free(alleles->items);
    free(alleles->bases);
    free(alleles->forms);
    free(alleles->nulls);
    free(alleles->null_scores);
    *alleles = (gw_score_alleles){0};
}

// A symbolic allele as bases, where it can be had so. The record's own REF must fit too.
static gw_status take_symbolic(gw_score_alleles *alleles, const gw_score_alleles_options *o,
                               const gw_vcf_record *record, int alt, gw_allele *allele) {
    char *bases;
    gw_allele_status status;
    GW_TRY(gw_symbolic_allele(o->genome, o->reader, record, alt, o->window, &bases, &status));
    allele->status = status;
    if (!bases) return GW_OK;
    alleles->bases[alleles->base_count++] = bases; // there is room
    GW_TRY(gw_allele_of(o->genome, record->genome_contig, record->position, bases, bases + strlen(bases) + 1, allele));
    if (allele->status != GW_ALLELE_PASS) return GW_OK;
    GW_TRY(gw_variant_check_ref(o->genome, record->genome_contig, record->position, record->ref, &status));
    if (status == GW_ALLELE_REFMISMATCH) allele->status = status;
    return GW_OK;
}

// REF and ALT changed about, where the reference has ALT.
static gw_status try_swapped(const gw_score_alleles_options *o, const gw_vcf_record *record, int alt,
                             gw_allele *allele) {
    gw_allele swapped;
    GW_TRY(gw_allele_of(o->genome, record->genome_contig, record->position, record->alt[alt], record->ref, &swapped));
    if (swapped.status != GW_ALLELE_PASS) return GW_OK;
    *allele = swapped;
    allele->swapped = true;
    return GW_OK;
}

static gw_status fail_of_ref(const gw_score_alleles_options *o, const gw_vcf_record *record) {
    char bases[41] = "";
    const int64_t left = gw_genome_length(o->genome, record->genome_contig) - record->position;
    int64_t shown = (int64_t)strlen(record->ref) < 40 ? (int64_t)strlen(record->ref) : 40;
    if (shown > left) shown = left;
    if (shown > 0)
        GW_TRY(gw_genome_fetch(o->genome, record->genome_contig, record->position, record->position + shown, bases));
    return gw_vcf_fail(o->reader, record, GW_ERR_MISMATCH, "REF is '%.40s', but %s has '%s' at %s:%lld", record->ref,
                       gw_genome_path(o->genome), bases, record->contig, (long long)record->position + 1);
}

static gw_status add_one(gw_score_alleles *alleles, const gw_score_alleles_options *o, const gw_vcf_record *record,
                         int alt) {
    gw_allele *allele = &alleles->items[alleles->count++];
    GW_TRY(gw_allele_of(o->genome, record->genome_contig, record->position, record->ref, record->alt[alt], allele));
    if (allele->status == GW_ALLELE_SYMBOLIC) GW_TRY(take_symbolic(alleles, o, record, alt, allele));
    else if (allele->status == GW_ALLELE_REFMISMATCH && o->check_ref == 's')
        GW_TRY(try_swapped(o, record, alt, allele));
    allele->leftmost = allele->rightmost = allele->null_z = allele->null_percentile = NAN;
    allele->divergence = allele->distance = allele->cosine = allele->together = allele->interaction = NAN;
    allele->context = -1;
    if (allele->status == GW_ALLELE_PASS) GW_TRY(gw_context_of(o->genome, &allele->variant, &allele->context));
    return allele->status == GW_ALLELE_REFMISMATCH && o->check_ref == 'e' ? fail_of_ref(o, record) : GW_OK;
}

gw_status gw_score_alleles_add(gw_score_alleles *alleles, const gw_score_alleles_options *options,
                               const gw_vcf_record *record) {
    GW_TRY(gw_reserve(&alleles->items, &alleles->capacity, alleles->count + record->alts, sizeof *alleles->items));
    GW_TRY(gw_reserve(&alleles->bases, &alleles->base_capacity, alleles->base_count + record->alts,
                      sizeof *alleles->bases));
    for (int i = 0; i < record->alts; i++) GW_TRY(add_one(alleles, options, record, i));
    return GW_OK;
}

static gw_status add_forms_of(gw_score_alleles *alleles, const gw_score_alleles_options *o, int64_t index,
                              gw_shifted *shifted) {
    GW_TRY(gw_shifted_find(o->genome, &alleles->items[index].variant, o->window, shifted));
    if (!shifted->bases) return GW_OK;
    alleles->bases[alleles->base_count++] = shifted->bases; // there is room
    gw_score_forms *forms = &alleles->forms[alleles->form_count++];
    forms->allele = index;
    for (int i = 0; i < 2; i++) {
        const bool stands_there = (i == 0 ? shifted->left : shifted->right) == 0;
        forms->form[i] = stands_there ? index : alleles->count;
        if (stands_there) continue;
        gw_allele *form = &alleles->items[alleles->count++];
        *form = alleles->items[index];
        form->variant = shifted->form[i];
    }
    return GW_OK;
}

gw_status gw_score_alleles_add_forms(gw_score_alleles *alleles, const gw_score_alleles_options *options, int64_t *moved,
                                     int64_t *all) {
    const int64_t count = alleles->count;
    GW_TRY(gw_reserve(&alleles->items, &alleles->capacity, 3 * count, sizeof *alleles->items));
    GW_TRY(gw_reserve(&alleles->bases, &alleles->base_capacity, alleles->base_count + count, sizeof *alleles->bases));
    GW_TRY(gw_reserve(&alleles->forms, &alleles->form_capacity, count, sizeof *alleles->forms));
    for (int64_t i = 0; i < count; i++) {
        gw_shifted shifted = {0};
        if (alleles->items[i].status != GW_ALLELE_PASS) continue;
        GW_TRY(add_forms_of(alleles, options, i, &shifted));
        *moved += shifted.left > 0;
        *all += shifted.left + shifted.right > 0;
    }
    return GW_OK;
}

static gw_status add_nulls_of(gw_score_alleles *alleles, int64_t index, const gw_indel_null_options *o,
                              gw_variant *variants, int64_t *crowded) {
    const gw_allele allele = alleles->items[index];
    gw_score_null *null = &alleles->nulls[alleles->null_count];
    char *bases;
    *null = (gw_score_null){.allele = index, .first = alleles->count};
    if (allele.status != GW_ALLELE_PASS) return GW_OK;
    GW_TRY(gw_indel_null_find(o, &allele.variant, variants, &null->count, &bases));
    if (!bases) return GW_OK;
    alleles->bases[alleles->base_count++] = bases; // there is room
    *crowded += null->count < o->count;
    if (null->count < GW_NULL_LEAST) return GW_OK;
    GW_TRY(gw_reserve(&alleles->items, &alleles->capacity, alleles->count + null->count, sizeof *alleles->items));
    for (int64_t i = 0; i < null->count; i++) {
        alleles->items[alleles->count] = allele;
        alleles->items[alleles->count].neutral = true;
        alleles->items[alleles->count++].variant = variants[i];
    }
    alleles->null_count++;
    return GW_OK;
}

gw_status gw_score_alleles_add_nulls(gw_score_alleles *alleles, int64_t count, const gw_indel_null_options *options,
                                     int64_t *crowded) {
    GW_TRY(gw_reserve(&alleles->bases, &alleles->base_capacity, alleles->base_count + count, sizeof *alleles->bases));
    GW_TRY(gw_reserve(&alleles->nulls, &alleles->null_capacity, count, sizeof *alleles->nulls));
    GW_TRY(
        gw_reserve(&alleles->null_scores, &alleles->null_score_capacity, options->count, sizeof *alleles->null_scores));
    gw_variant *variants = gw_alloc(options->count, sizeof *variants);
    gw_status status = variants ? GW_OK : GW_ERR_MEMORY;
    for (int64_t i = 0; i < count && status == GW_OK; i++)
        status = add_nulls_of(alleles, i, options, variants, crowded);
    free(variants);
    return status;
}

static float score_of(const gw_allele *allele, int64_t labels) {
    if (!gw_allele_is_scored(allele->status)) return NAN;
    return labels > 0 ? allele->difference : allele->bits;
}

static void exchange(float *a, float *b, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const float kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void turn(gw_score_alleles *alleles, float *raw, int64_t labels) {
    for (int64_t i = 0; i < alleles->count; i++) {
        gw_allele *a = &alleles->items[i];
        if (!a->swapped || !gw_allele_is_scored(a->status)) continue;
        a->status = GW_ALLELE_SWAPPED;
        a->difference = -a->difference;
        a->logit = -a->logit;
        a->bits = -a->bits;
        exchange(&a->ref_value, &a->alt_value, 1);
        if (raw) exchange(raw + 2 * i * labels, raw + (2 * i + 1) * labels, labels);
    }
}

// What an allele is ranked by among neutral ones.
static float rank_score(const gw_allele *allele, int64_t labels) {
    return labels > 0 ? fabsf(allele->difference) : allele->bits;
}

// The neutral ones that have a score, in the place of all.
static void rank(gw_score_alleles *alleles, const gw_score_null *null, int64_t labels) {
    float *scores = alleles->null_scores;
    gw_allele *allele = &alleles->items[null->allele];
    int64_t count = 0;
    for (int64_t i = null->first; i < null->first + null->count; i++)
        if (gw_allele_is_scored(alleles->items[i].status)) scores[count++] = rank_score(&alleles->items[i], labels);
    if (!gw_allele_is_scored(allele->status)) return;
    gw_indel_null_rank((double)rank_score(allele, labels), scores, count, &allele->null_z, &allele->null_percentile);
}

void gw_score_alleles_finish(gw_score_alleles *alleles, float *raw, int64_t labels) {
    turn(alleles, raw, labels);
    for (int64_t i = 0; i < alleles->form_count; i++) {
        const gw_score_forms *forms = &alleles->forms[i];
        alleles->items[forms->allele].leftmost = score_of(&alleles->items[forms->form[0]], labels);
        alleles->items[forms->allele].rightmost = score_of(&alleles->items[forms->form[1]], labels);
    }
    for (int64_t i = 0; i < alleles->null_count; i++) rank(alleles, &alleles->nulls[i], labels);
}

uint64_t gw_score_alleles_hash(const gw_score_alleles *alleles) {
    uint64_t hash = GW_HASH_START;
    for (int64_t i = 0; i < alleles->count; i++) {
        const gw_allele *a = &alleles->items[i];
        const gw_variant *v = &a->variant;
        const int64_t facts[] = {(int64_t)a->status, a->swapped, v->contig, v->position, v->ref_length, v->alt_length};
        hash = gw_hash_bytes(hash, facts, sizeof facts);
        hash = gw_hash_bytes(hash, v->ref, v->ref_length);
        hash = gw_hash_bytes(hash, v->alt, v->alt_length);
    }
    return hash;
}
