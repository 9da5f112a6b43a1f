// SPDX-License-Identifier: MIT
// Converts ALTs of records to alleles; symbolic ones get bases of the reference. Insertions and deletions get their
// other forms and neutral variants. After scoring, each allele takes the scores of its forms.
#include "score/score_alleles.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parse.h"
#include "base/random.h"
#include "score/allele_scorer.h"
#include "score/background.h"

#include <ctype.h>
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

// ---- alleles of records

typedef enum { OTHER, DELETION, DUPLICATION, INVERSION } symbol;

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

// Symbolic alleles of known length as bases: what <DEL>, <DUP> and <INV> say of the reference (VCF 4.3, section 3);
// subtypes as <DEL:ME> and <DUP:TANDEM> too. The base at POS stays; with n the length, the n bases behind it
//   <DEL>  are left out              REF = b x1..xn   ALT = b
//   <DUP>  come twice in a row       REF = b          ALT = b x1..xn
//   <INV>  are reverse-complemented  REF = b x1..xn   ALT = b rc(x1..xn)
// n is the size of the allele's SVLEN; without it END - POS.
//
// The status says why there are no bases: SYMBOLIC (another symbol), NOLENGTH, NOCONTIG, REFMISMATCH (the stretch
// leaves the contig, or the record's own REF does not fit), TOOLONG (n over the window), EDGE (POS 0).
static gw_status take_symbolic(gw_score_alleles *alleles, const gw_score_alleles_options *o,
                               const gw_vcf_record *record, int alt, gw_allele *allele) {
    static const char *const names[] = {"", "<DEL", "<DUP", "<INV"};
    const char *text = record->alt[alt];
    const int contig = record->genome_contig;
    const int64_t begin = record->position;
    int64_t length;
    symbol kind = OTHER;
    for (int s = DELETION; s <= INVERSION; s++)
        if (gw_has_prefix(text, names[s]) && (text[4] == '>' || text[4] == ':')) kind = (symbol)s;
    if (kind == OTHER) return GW_OK; // and the allele stays SYMBOLIC
    GW_TRY(length_of(o->reader, record, alt, &length));
    allele->status = length == 0                                                ? GW_ALLELE_NOLENGTH
                     : contig < 0                                               ? GW_ALLELE_NOCONTIG
                     : begin < 0                                                ? GW_ALLELE_EDGE
                     : begin + 1 + length > gw_genome_length(o->genome, contig) ? GW_ALLELE_REFMISMATCH
                     : length > o->window                                       ? GW_ALLELE_TOOLONG
                                                                                : GW_ALLELE_PASS;
    if (allele->status != GW_ALLELE_PASS) return GW_OK;
    char *ref = gw_alloc(2 * (length + 2), 1); // "REF\0ALT\0"
    if (!ref) return GW_ERR_MEMORY;
    alleles->bases[alleles->base_count++] = ref;                    // there is room
    char *other = kind == DUPLICATION ? ref + 2 : ref + length + 2; // ALT
    char *whole = kind == DUPLICATION ? other : ref;
    GW_TRY(gw_genome_fetch(o->genome, contig, begin, begin + 1 + length, whole));
    if (kind == DUPLICATION) ref[0] = other[0];
    else other[0] = ref[0];
    if (kind == INVERSION) gw_reverse_complement(ref + 1, length, other + 1);
    gw_allele_status status;
    GW_TRY(gw_allele_of(o->genome, contig, begin, ref, ref + strlen(ref) + 1, allele));
    if (allele->status != GW_ALLELE_PASS) return GW_OK;
    GW_TRY(gw_variant_check_ref(o->genome, contig, begin, record->ref, &status));
    if (status == GW_ALLELE_REFMISMATCH) allele->status = status;
    return GW_OK;
}

static gw_status fail_of_ref(const gw_score_alleles_options *o, const gw_vcf_record *record) {
    char bases[41] = "";
    const int64_t left = gw_genome_length(o->genome, record->genome_contig) - record->position;
    const int64_t shown = gw_min(gw_min((int64_t)strlen(record->ref), 40), left);
    if (shown > 0)
        GW_TRY(gw_genome_fetch(o->genome, record->genome_contig, record->position, record->position + shown, bases));
    return gw_vcf_fail(o->reader, record, GW_ERR_MISMATCH, "REF is '%.40s', but %s has '%s' at %s:%lld", record->ref,
                       gw_genome_path(o->genome), bases, record->contig, (long long)record->position + 1);
}

gw_status gw_score_alleles_add(gw_score_alleles *alleles, const gw_score_alleles_options *o,
                               const gw_vcf_record *record) {
    const int contig = record->genome_contig;
    const int64_t position = record->position;
    GW_TRY(gw_reserve(&alleles->items, &alleles->capacity, alleles->count + record->alts, sizeof *alleles->items));
    GW_TRY(gw_reserve(&alleles->bases, &alleles->base_capacity, alleles->base_count + record->alts,
                      sizeof *alleles->bases));
    for (int i = 0; i < record->alts; i++) {
        gw_allele *allele = &alleles->items[alleles->count++];
        GW_TRY(gw_allele_of(o->genome, contig, position, record->ref, record->alt[i], allele));
        if (allele->status == GW_ALLELE_SYMBOLIC) GW_TRY(take_symbolic(alleles, o, record, i, allele));
        else if (allele->status == GW_ALLELE_REFMISMATCH && o->check_ref == 's') {
            gw_allele swapped; // REF and ALT changed about, where the reference has ALT
            GW_TRY(gw_allele_of(o->genome, contig, position, record->alt[i], record->ref, &swapped));
            if (swapped.status == GW_ALLELE_PASS) {
                *allele = swapped;
                allele->swapped = true;
            }
        }
        allele->leftmost = allele->rightmost = allele->null_z = allele->null_percentile = allele->known_value = NAN;
        allele->divergence = allele->distance = allele->cosine = allele->together = allele->interaction = NAN;
        allele->context = -1;
        if (allele->status == GW_ALLELE_PASS) GW_TRY(gw_context_of(o->genome, &allele->variant, &allele->context));
        if (allele->status == GW_ALLELE_REFMISMATCH && o->check_ref == 'e') return fail_of_ref(o, record);
    }
    return GW_OK;
}

// ---- other forms

typedef struct {
    char *bases; // of the reference, [begin, end)
    int64_t begin, end;
} stretch;

// Steps to the leftmost and the rightmost form; 0: it stands there. Both 0: there is no other, or it is not an
// insertion or deletion of bases.
typedef struct {
    int64_t left, right;
    gw_variant form[2]; // their texts in `bases`
    char *bases;        // to be freed; NULL where both steps are 0
} shifted;

// The form `steps` to the right (negative: left) of where the variant stands, its texts at `text`.
static gw_variant form_of(const stretch *r, const gw_variant *v, const char *s, int64_t n, int64_t steps, char *text) {
    gw_variant form = *v;
    char *shorter = text, *longer = text + 2;
    form.position = v->position + steps;
    longer[0] = shorter[0] = r->bases[form.position - r->begin];
    for (int64_t i = 0; i < n; i++) longer[1 + i] = s[gw_modulo(i + steps, n)];
    form.ref = v->ref_length > 1 ? longer : shorter;
    form.alt = v->ref_length > 1 ? shorter : longer;
    return form;
}

// The leftmost and the rightmost form of a trimmed variant, at most `most` bases from where it stands. The forms need
// no more of the reference than the number of steps.
static gw_status find_forms(gw_genome *genome, const gw_variant *v, int64_t most, shifted *out) {
    *out = (shifted){0};
    GW_TRY(gw_variant_steps(genome, v, most, &out->left, &out->right));
    if (out->left + out->right == 0) return GW_OK;
    const int64_t n = v->ref_length > 1 ? v->ref_length - 1 : v->alt_length - 1;
    const char *s = (v->ref_length > 1 ? v->ref : v->alt) + 1;
    stretch r = {.begin = v->position - out->left, .end = v->position + out->right + 1};
    r.bases = gw_alloc(r.end - r.begin, 1);
    out->bases = gw_alloc(2, n + 4);
    gw_status status =
        r.bases && out->bases ? gw_genome_fetch(genome, v->contig, r.begin, r.end, r.bases) : GW_ERR_MEMORY;
    if (status == GW_OK) {
        out->form[0] = form_of(&r, v, s, n, -out->left, out->bases);
        out->form[1] = form_of(&r, v, s, n, out->right, out->bases + n + 4);
    }
    free(r.bases);
    if (status == GW_OK) return GW_OK;
    free(out->bases);
    out->bases = NULL;
    return status;
}

static gw_status add_forms_of(gw_score_alleles *alleles, const gw_score_alleles_options *o, int64_t index,
                              shifted *places) {
    GW_TRY(find_forms(o->genome, &alleles->items[index].variant, o->window, places));
    if (!places->bases) return GW_OK;
    alleles->bases[alleles->base_count++] = places->bases; // there is room
    gw_score_forms *forms = &alleles->forms[alleles->form_count++];
    forms->allele = index;
    for (int i = 0; i < 2; i++) {
        const bool stands_there = (i == 0 ? places->left : places->right) == 0;
        forms->form[i] = stands_there ? index : alleles->count;
        if (stands_there) continue;
        gw_allele *form = &alleles->items[alleles->count++];
        *form = alleles->items[index];
        form->variant = places->form[i];
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
        shifted places = {0};
        if (alleles->items[i].status != GW_ALLELE_PASS) continue;
        GW_TRY(add_forms_of(alleles, options, i, &places));
        *moved += places.left > 0;
        *all += places.left + places.right > 0;
    }
    return GW_OK;
}

// ---- neutral ones

enum { DRAWS = 100 }; // at most, for each that is wanted

typedef struct {
    char *bases;        // of the reference, [begin, end)
    int64_t begin, end; // of which a base before an insertion or deletion lies in [begin, last]
    int64_t last;
} surroundings;

static bool are_known(const surroundings *r, int64_t begin, int64_t length) {
    return memchr(r->bases + (begin - r->begin), 'N', (size_t)length) == NULL;
}

// One place: its texts "REF\0ALT\0" at `text`.
static bool draw(const gw_indel_null_options *o, const gw_variant *v, const surroundings *r, gw_random *random,
                 char *text, gw_variant *out) {
    const int64_t at = gw_random_between(random, r->begin, r->last),
                  from = gw_random_between(random, r->begin, r->last);
    const bool inserts = v->alt_length > 1;
    const int64_t length = inserts ? v->alt_length - 1 : v->ref_length - 1;
    // The base before and what is deleted behind it must be known, no part of the variant itself, and of no gene.
    const int64_t end = at + v->ref_length;
    if (at < v->position + v->ref_length && v->position < end) return false;
    if (!are_known(r, at, v->ref_length) || (inserts && !are_known(r, from + 1, length))) return false;
    if (o->genes && gw_genes_at(o->genes, v->contig, at, end, NULL)) return false;
    char *one = text, *several = text + 2;
    one[0] = several[0] = r->bases[at - r->begin];
    memcpy(several + 1, r->bases + ((inserts ? from : at) + 1 - r->begin), (size_t)length);
    one[1] = several[length + 1] = 0;
    *out = *v;
    out->position = at;
    out->ref = inserts ? one : several;
    out->alt = inserts ? several : one;
    return true;
}

// Places are drawn until one will do. A draw depends on the variant and its own number alone. Windows around all places
// stay within the contig.
gw_status gw_indel_null_find(const gw_indel_null_options *o, const gw_variant *v, gw_variant *variants, int64_t *found,
                             char **bases) {
    *found = 0;
    *bases = NULL;
    if (!gw_variant_is_indel(v) || v->contig < 0 || v->position < 0) return GW_OK;
    const int64_t length = (v->ref_length > 1 ? v->ref_length : v->alt_length) - 1, each = length + 4;
    const int64_t last = gw_genome_length(o->genome, v->contig) - o->window - length - 2;
    surroundings r = {.begin = gw_max(v->position - GW_NULL_REACH, o->window / 2 + 1),
                      .last = gw_min(v->position + GW_NULL_REACH, last)};
    if (r.last < r.begin) return GW_OK;
    r.end = r.last + length + 1;
    r.bases = gw_alloc(r.end - r.begin, 1);
    if (!r.bases) return GW_ERR_MEMORY;
    gw_status status = gw_genome_fetch(o->genome, v->contig, r.begin, r.end, r.bases);
    if (status == GW_OK && !(*bases = gw_alloc(o->count, each))) status = GW_ERR_MEMORY;
    const int64_t facts[] = {v->contig, v->position, v->ref_length, v->alt_length};
    const uint64_t hash = gw_hash_bytes(gw_hash_bytes(GW_HASH_START, facts, sizeof facts), v->alt, v->alt_length);
    gw_random random = gw_random_at(0, GW_SITE_NULL, hash & 0xffffffffffffULL, (uint32_t)(hash >> 48));
    for (int64_t i = 0; *bases && i < DRAWS * o->count && *found < o->count; i++)
        *found += draw(o, v, &r, &random, *bases + *found * each, &variants[*found]);
    free(r.bases);
    return status;
}

void gw_indel_null_rank(double score, const float *scores, int64_t count, float *z, float *percentile) {
    double sum = 0, squares = 0, below = 0;
    *z = *percentile = NAN;
    if (count < GW_NULL_LEAST) return;
    for (int64_t i = 0; i < count; i++) {
        const double value = (double)scores[i];
        sum += value;
        below += value < score ? 1 : value == score ? 0.5 : 0;
    }
    const double mean = sum / (double)count;
    for (int64_t i = 0; i < count; i++) squares += ((double)scores[i] - mean) * ((double)scores[i] - mean);
    if (squares > 0) *z = (float)((score - mean) / sqrt(squares / (double)(count - 1)));
    *percentile = (float)(100 * below / (double)count);
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

// ---- what is said once all are scored

static float score_of(const gw_allele *allele, int64_t labels) {
    if (!gw_allele_is_scored(allele->status)) return NAN;
    return labels > 0 ? allele->difference : allele->bits;
}

// What an allele is ranked by among neutral ones.
static float rank_score(const gw_allele *allele, int64_t labels) {
    return labels > 0 ? fabsf(allele->difference) : allele->bits;
}

static void exchange(float *a, float *b, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const float kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

void gw_score_alleles_finish(gw_score_alleles *alleles, float *raw, int64_t labels) {
    gw_allele *items = alleles->items;
    for (int64_t i = 0; i < alleles->count; i++) {
        gw_allele *a = &items[i];
        if (!a->swapped || !gw_allele_is_scored(a->status)) continue;
        a->status = GW_ALLELE_SWAPPED;
        a->difference = -a->difference;
        a->logit = -a->logit;
        a->bits = -a->bits;
        exchange(&a->ref_value, &a->alt_value, 1);
        if (raw) exchange(raw + 2 * i * labels, raw + (2 * i + 1) * labels, labels);
    }
    for (int64_t i = 0; i < alleles->form_count; i++) {
        const gw_score_forms *forms = &alleles->forms[i];
        items[forms->allele].leftmost = score_of(&items[forms->form[0]], labels);
        items[forms->allele].rightmost = score_of(&items[forms->form[1]], labels);
    }
    for (int64_t i = 0; i < alleles->null_count; i++) {
        const gw_score_null *null = &alleles->nulls[i];
        gw_allele *allele = &items[null->allele];
        float *scores = alleles->null_scores; // of the neutral ones that have one
        int64_t count = 0;
        for (int64_t k = null->first; k < null->first + null->count; k++)
            if (gw_allele_is_scored(items[k].status)) scores[count++] = rank_score(&items[k], labels);
        if (gw_allele_is_scored(allele->status))
            gw_indel_null_rank((double)rank_score(allele, labels), scores, count, &allele->null_z,
                               &allele->null_percentile);
    }
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
