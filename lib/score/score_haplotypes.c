// SPDX-License-Identifier: MIT
// Alleles of a chunk that a sample carries on one haplotype become alleles of their own, behind all others, and give
// back what they score.
#include "score/score_run.h"

#include "base/memory.h"
#include "seq/vcf/vcf_sample.h"

#include <math.h>

enum { MOST_RECORDS = 1 << 14 }; // of a chunk, however close they stand
enum { MOST_MASKED = 64 };       // bases from the first variant of a haplotype to the last

// What they span together is what one allele may be long. A model of masked tokens runs four windows for each base of
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

static void take_group(gw_score_run *s, int64_t g, const float *raw) {
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

void gw_score_finish_joint(gw_score_run *s, const float *raw) {
    for (int64_t g = 0; g < s->haplotypes.group_count; g++) take_group(s, g, raw);
}
