// SPDX-License-Identifier: MIT
// Joins the variants of a haplotype as edits. The joint variants of a run's chunk become further alleles behind all
// others, and their scores are returned to the members.
#include "score/haplotypes.h"

#include "base/memory.h"
#include "score/score_run.h"
#include "seq/vcf/vcf.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RECORDS = 1 << 14 }; // of a chunk, however close they stand
enum { MOST_MASKED = 64 };       // bases from the first variant of a haplotype to the last

// Bases [begin, end) of the reference give way to a text, the base before an insertion or deletion being no part of it.
// Edits that do not overlap are made at once, with the base before the first.
typedef struct {
    int64_t begin, end;
    const char *text;
    int64_t length;
} edit;

static edit edit_of(const gw_variant *v) {
    const bool keeps =
        v->ref_length != v->alt_length && toupper((unsigned char)v->ref[0]) == toupper((unsigned char)v->alt[0]);
    return (edit){v->position + keeps, v->position + v->ref_length, v->alt + keeps, v->alt_length - keeps};
}

static int by_place(const void *a, const void *b) {
    const gw_haplotype_member *x = a, *y = b;
    if (x->haplotype != y->haplotype) return x->haplotype - y->haplotype;
    if (x->variant.contig != y->variant.contig) return x->variant.contig < y->variant.contig ? -1 : 1;
    const edit e = edit_of(&x->variant), f = edit_of(&y->variant);
    if (e.begin != f.begin) return e.begin < f.begin ? -1 : 1;
    if (e.end != f.end) return e.end < f.end ? -1 : 1;
    return x->allele < y->allele ? -1 : x->allele > y->allele;
}

gw_status gw_haplotypes_add(gw_haplotypes *h, const gw_haplotype_member *member) {
    GW_TRY(gw_reserve(&h->members, &h->capacity, h->count + 1, sizeof *h->members));
    h->members[h->count++] = *member;
    return GW_OK;
}

// Whether the member goes on with a group that begins at `begin` and ends with the member before. *cut: but for its
// distance it would.
static bool goes_on(const gw_haplotype_member *before, const gw_haplotype_member *m, int64_t begin, int64_t *set,
                    int64_t span, bool *cut) {
    *cut = false;
    const edit last = edit_of(&before->variant), next = edit_of(&m->variant);
    if (m->haplotype != before->haplotype || m->variant.contig != before->variant.contig) return false;
    const bool same_place = next.begin == last.begin && next.end == last.end;
    if (next.begin < last.end || same_place) return false;
    *cut = next.end - begin > span && next.end - last.begin <= span;
    if (next.end - begin > span) return false;
    if (m->everywhere) return true;
    if (*set < 0) *set = m->set;
    return m->set == *set;
}

// What the members make of the reference, from the base before the first of them (if there is one) to the last.
static gw_status make_allele(const gw_haplotype_member *members, gw_genome *genome, gw_haplotype_group *group) {
    const gw_haplotype_member *first = &members[group->first], *last = first + group->count - 1;
    const int64_t start = edit_of(&first->variant).begin, begin = start > 0 ? start - 1 : 0;
    const int64_t length = edit_of(&last->variant).end - begin;
    int64_t inserted = 0;
    for (const gw_haplotype_member *m = first; m <= last; m++) inserted += edit_of(&m->variant).length;
    char *ref = gw_alloc(2 * length + inserted + 2, 1), *alt = ref + length + 1;
    group->bases = ref;
    if (!ref) return GW_ERR_MEMORY;
    GW_TRY(gw_genome_fetch(genome, first->variant.contig, begin, begin + length, ref));
    int64_t at = begin, written = 0;
    for (const gw_haplotype_member *m = first; m <= last; m++) {
        const edit e = edit_of(&m->variant);
        memcpy(alt + written, ref + (at - begin), (size_t)(e.begin - at));
        written += e.begin - at;
        memcpy(alt + written, e.text, (size_t)e.length);
        written += e.length;
        at = e.end;
    }
    ref[length] = alt[written] = 0;
    group->variant = gw_variant_trim(first->variant.contig, begin, ref, alt);
    return GW_OK;
}

gw_status gw_haplotypes_join(gw_haplotypes *h, gw_genome *genome, int64_t span) {
    if (h->count > 0) qsort(h->members, (size_t)h->count, sizeof *h->members, by_place);
    for (int64_t first = 0, end; first < h->count; first = end) {
        const int64_t begin = edit_of(&h->members[first].variant).begin;
        int64_t set = h->members[first].everywhere ? -1 : h->members[first].set;
        bool cut = false;
        for (end = first + 1; end < h->count; end++)
            if (!goes_on(&h->members[end - 1], &h->members[end], begin, &set, span, &cut)) break;
        h->cut += cut;
        if (end - first < 2) continue;
        GW_TRY(gw_reserve(&h->groups, &h->group_capacity, h->group_count + 1, sizeof *h->groups));
        gw_haplotype_group *group = &h->groups[h->group_count++];
        *group = (gw_haplotype_group){.first = first, .count = end - first};
        GW_TRY(make_allele(h->members, genome, group));
    }
    return GW_OK;
}

static void append_value(gw_string *out, float value) {
    if (isnan(value)) gw_string_puts(out, ":.");
    else gw_string_printf(out, ":%g", (double)(value + 0.0F));
}

void gw_haplotype_positions(const gw_haplotypes *h, int64_t index, gw_string *out) {
    const gw_haplotype_group *group = &h->groups[index];
    for (int64_t i = group->first; i < group->first + group->count; i++)
        gw_string_printf(out, "%s%lld", i == group->first ? "" : "+", (long long)h->members[i].variant.position + 1);
}

void gw_haplotype_describe(const gw_haplotypes *h, int64_t index, gw_string *out) {
    const gw_haplotype_group *group = &h->groups[index];
    gw_string_printf(out, "%d:", h->members[group->first].haplotype + 1);
    gw_haplotype_positions(h, index, out);
    append_value(out, group->together);
    append_value(out, group->interaction);
}

void gw_haplotypes_clear(gw_haplotypes *h) {
    for (int64_t i = 0; i < h->group_count; i++) free(h->groups[i].bases);
    h->count = h->group_count = 0;
}

void gw_haplotypes_free(gw_haplotypes *h) {
    gw_haplotypes_clear(h);
    free(h->members);
    free(h->groups);
    *h = (gw_haplotypes){0};
}

// ---- of a chunk

// What joined variants span is what one allele may be long. A model of masked tokens runs four windows for each base of
// it, so that a long one would take hundreds of times as long as its variants.
int64_t gw_score_longest_haplotype(const gw_score_run *s) {
    const int64_t longest = gw_allele_scorer_window(s->scorer) / 4;
    return s->model->config.labels == 0 && longest > MOST_MASKED ? MOST_MASKED : longest;
}

gw_status gw_score_add_carried(gw_score_run *s, const gw_vcf_record *record, int64_t first) {
    gw_carried carried;
    GW_TRY(gw_vcf_carried(s->reader, record, s->sample, &carried));
    for (int h = 0; h < 2 && carried.phased; h++) {
        const int64_t index = first + carried.allele[h] - 1;
        if (carried.allele[h] < 1 || s->alleles.items[index].status != GW_ALLELE_PASS) continue;
        const gw_haplotype_member member = {.allele = index,
                                            .variant = s->alleles.items[index].variant,
                                            .haplotype = h,
                                            .everywhere = carried.everywhere,
                                            .set = carried.set};
        GW_TRY(gw_haplotypes_add(&s->haplotypes, &member));
    }
    return GW_OK;
}

bool gw_score_may_join(const gw_score_run *s, const gw_vcf_record *record) {
    const gw_haplotypes *h = &s->haplotypes;
    if (h->count == 0 || s->record_count >= MOST_RECORDS) return false;
    const gw_variant *last = &h->members[h->count - 1].variant;
    return record->genome_contig == last->contig && record->position - last->position <= gw_score_longest_haplotype(s);
}

gw_status gw_score_add_joint(gw_score_run *s) {
    gw_haplotypes *h = &s->haplotypes;
    gw_score_alleles *alleles = &s->alleles;
    GW_TRY(gw_haplotypes_join(h, s->genome, gw_score_longest_haplotype(s)));
    GW_TRY(gw_reserve(&alleles->items, &alleles->capacity, alleles->count + h->group_count, sizeof *alleles->items));
    s->joint = alleles->count;
    for (int64_t g = 0; g < h->group_count; g++) {
        alleles->items[alleles->count++] =
            (gw_allele){.variant = h->groups[g].variant, .status = GW_ALLELE_PASS, .neutral = true, .context = -1};
    }
    return GW_OK;
}

// The score of an allele in a label, or its bits.
static double score_in(const gw_score_run *s, int64_t allele, const float *raw, int64_t label) {
    const int64_t labels = s->model->config.labels;
    if (!gw_allele_is_scored(s->alleles.items[allele].status)) return (double)NAN;
    if (labels == 0) return (double)s->alleles.items[allele].bits;
    const float *ref = raw + 2 * allele * labels;
    return (double)ref[labels + label] - (double)ref[label];
}

void gw_score_finish_joint(gw_score_run *s, const float *raw) {
    for (int64_t g = 0; g < s->haplotypes.group_count; g++) {
        gw_haplotype_group *group = &s->haplotypes.groups[g];
        const gw_haplotype_member *members = &s->haplotypes.members[group->first];
        const int64_t label = s->alleles.items[s->joint + g].top;
        const double together = score_in(s, s->joint + g, raw, label);
        double sum = 0;
        for (int64_t i = 0; i < group->count; i++) sum += score_in(s, members[i].allele, raw, label);
        group->together = (float)together;
        group->interaction = (float)(together - sum);
        for (int64_t i = 0; i < group->count; i++) {
            gw_allele *allele = &s->alleles.items[members[i].allele];
            allele->group[members[i].haplotype] = (int32_t)g + 1;
            if (isnan(group->interaction) || fabsf(group->interaction) <= fabsf(allele->interaction)) continue;
            allele->together = group->together;
            allele->interaction = group->interaction;
        }
    }
}
