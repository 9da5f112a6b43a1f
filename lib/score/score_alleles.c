// SPDX-License-Identifier: MIT
// Finds the length in INFO, and cuts the bases from the reference.
#include "score/score_alleles.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/parse.h"
#include "base/random.h"
#include "score/allele_scorer.h"
#include "score/background.h"

#include <ctype.h>
#include <math.h>
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

// With a the base before the inserted or deleted bases S and n their number: a step to the left is possible where S
// ends in a, and turns S by one place, its last base to the front; a step to the right where the base behind (behind
// the deleted bases, or the insertion's place) is the first of S. So after i steps the bases that count are S[n - 1 -
// i] and S[i], indices modulo n, and the forms need no more than the number of steps.

typedef struct {
    char *bases; // of the reference, [begin, end)
    int64_t begin, end;
} stretch;

static int64_t modulo(int64_t a, int64_t n) {
    return ((a % n) + n) % n;
}

static bool is_base(char c, char base) {
    return base != 'N' && toupper((unsigned char)c) == base;
}

static void count_steps(const stretch *r, const gw_variant *v, const char *s, int64_t n, int64_t most,
                        gw_shifted *out) {
    const int64_t behind = v->position + (v->ref_length > 1 ? 1 + n : 1);
    while (out->left < most && v->position - out->left > r->begin &&
           is_base(s[modulo(n - 1 - out->left, n)], r->bases[v->position - out->left - r->begin]))
        out->left++;
    while (out->right < most && behind + out->right < r->end &&
           is_base(s[modulo(out->right, n)], r->bases[behind + out->right - r->begin]))
        out->right++;
}

// The form `steps` to the right (negative: left) of where the variant stands, its texts at `text`.
static gw_variant form_of(const stretch *r, const gw_variant *v, const char *s, int64_t n, int64_t steps, char *text) {
    gw_variant form = *v;
    char *shorter = text, *longer = text + 2;
    form.position = v->position + steps;
    longer[0] = shorter[0] = r->bases[form.position - r->begin];
    for (int64_t i = 0; i < n; i++) longer[1 + i] = s[modulo(i + steps, n)];
    form.ref = v->ref_length > 1 ? longer : shorter;
    form.alt = v->ref_length > 1 ? shorter : longer;
    return form;
}

gw_status gw_shifted_find(gw_genome *genome, const gw_variant *v, int64_t most, gw_shifted *out) {
    *out = (gw_shifted){0};
    const bool pure = (v->ref_length == 1) != (v->alt_length == 1) &&
                      toupper((unsigned char)v->ref[0]) == toupper((unsigned char)v->alt[0]);
    if (!pure || v->position < 0) return GW_OK;
    const int64_t n = v->ref_length > 1 ? v->ref_length - 1 : v->alt_length - 1;
    const char *s = (v->ref_length > 1 ? v->ref : v->alt) + 1;
    const int64_t length = gw_genome_length(genome, v->contig), far = v->position + 2 + n + most;
    stretch r = {.begin = v->position > most ? v->position - most : 0, .end = far < length ? far : length};
    r.bases = gw_alloc(r.end - r.begin, 1);
    if (!r.bases) return GW_ERR_MEMORY;
    gw_status status = gw_genome_fetch(genome, v->contig, r.begin, r.end, r.bases);
    if (status == GW_OK) count_steps(&r, v, s, n, most, out);
    if (status == GW_OK && out->left + out->right > 0) {
        out->bases = gw_alloc(2, n + 4);
        if (!out->bases) status = GW_ERR_MEMORY;
        else {
            out->form[0] = form_of(&r, v, s, n, -out->left, out->bases);
            out->form[1] = form_of(&r, v, s, n, out->right, out->bases + n + 4);
        }
    }
    free(r.bases);
    return status;
}

// Draws places until one will do, at most DRAWS times for each that is wanted. A draw depends on the variant and its
// own number alone.

enum { DRAWS = 100 };

typedef struct {
    char *bases;        // of the reference, [begin, end)
    int64_t begin, end; // of which a base before an insertion or deletion lies in [begin, last]
    int64_t last;
} surroundings;

static bool is_pure(const gw_variant *v) {
    return v->ref && (v->ref_length == 1) != (v->alt_length == 1) &&
           toupper((unsigned char)v->ref[0]) == toupper((unsigned char)v->alt[0]);
}

// Windows around all places of the stretch stay within the contig.
static gw_status read_stretch(const gw_indel_null_options *o, const gw_variant *v, int64_t length, surroundings *r) {
    const int64_t contig = gw_genome_length(o->genome, v->contig), least = o->window / 2 + 1;
    const int64_t most = contig - o->window - length - 2;
    *r = (surroundings){.begin = v->position - GW_NULL_REACH, .last = v->position + GW_NULL_REACH};
    if (r->begin < least) r->begin = least;
    if (r->last > most) r->last = most;
    if (r->last < r->begin) return GW_OK;
    r->end = r->last + length + 1;
    r->bases = gw_alloc(r->end - r->begin, 1);
    if (!r->bases) return GW_ERR_MEMORY;
    return gw_genome_fetch(o->genome, v->contig, r->begin, r->end, r->bases);
}

static bool are_known(const surroundings *r, int64_t begin, int64_t length) {
    return memchr(r->bases + (begin - r->begin), 'N', (size_t)length) == NULL;
}

// Whether the base before and what is deleted behind it are free: known, no part of the variant itself, of no gene.
static bool is_free(const gw_indel_null_options *o, const gw_variant *v, const surroundings *r, int64_t at) {
    const int64_t end = at + v->ref_length;
    if (at < v->position + v->ref_length && v->position < end) return false;
    return are_known(r, at, v->ref_length) && !(o->genes && gw_genes_at(o->genes, v->contig, at, end, NULL));
}

static gw_random stream_of(const gw_variant *v) {
    const int64_t facts[] = {v->contig, v->position, v->ref_length, v->alt_length};
    uint64_t hash = gw_hash_bytes(GW_HASH_START, facts, sizeof facts);
    hash = gw_hash_bytes(hash, v->alt, v->alt_length);
    return gw_random_at(0, GW_SITE_NULL, hash & 0xffffffffffffULL, (uint32_t)(hash >> 48));
}

// One place: its texts "REF\0ALT\0" at `text`.
static bool draw(const gw_indel_null_options *o, const gw_variant *v, const surroundings *r, gw_random *random,
                 char *text, gw_variant *out) {
    const int64_t at = gw_random_between(random, r->begin, r->last),
                  from = gw_random_between(random, r->begin, r->last);
    const bool inserts = v->alt_length > 1;
    const int64_t length = inserts ? v->alt_length - 1 : v->ref_length - 1;
    if (!is_free(o, v, r, at) || (inserts && !are_known(r, from + 1, length))) return false;
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

gw_status gw_indel_null_find(const gw_indel_null_options *o, const gw_variant *v, gw_variant *variants, int64_t *found,
                             char **bases) {
    *found = 0;
    *bases = NULL;
    if (!is_pure(v) || v->contig < 0 || v->position < 0) return GW_OK;
    const int64_t length = (v->ref_length > 1 ? v->ref_length : v->alt_length) - 1, each = length + 4;
    surroundings r = {0};
    gw_status status = read_stretch(o, v, length, &r);
    if (status == GW_OK && r.bases && !(*bases = gw_alloc(o->count, each))) status = GW_ERR_MEMORY;
    gw_random random = stream_of(v);
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

// Reads ALTs as bases and settles what the reference says of them.

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
