// SPDX-License-Identifier: MIT
// Variants that one haplotype of a sample carries close to each other, as one allele: what they do together, and how
// far that is from the sum of what each does alone.
//
// Joined are alleles of one phase set on one haplotype, from the first on as long as all of them span no more than
// `span` bases of the reference; one that overlaps the one before it begins anew. An allele that both haplotypes carry
// belongs to any phase set.
#ifndef GW_SCORE_HAPLOTYPES_H
#define GW_SCORE_HAPLOTYPES_H

#include "base/string.h"
#include "seq/vcf/variant.h"
#include "seq/vcf/vcf.h"

typedef struct gw_score_run gw_score_run; // score/score_run.h

// An allele that a haplotype carries.
typedef struct {
    int64_t allele; // of the caller's
    gw_variant variant;
    int haplotype;   // 0 or 1
    bool everywhere; // of both, whatever the phase set
    int64_t set;
} gw_haplotype_member;

// Members [first, first + count) of the list once it is in order, and the allele that they make.
typedef struct {
    int64_t first, count;
    gw_variant variant;
    char *bases;                 // its texts
    float together, interaction; // the allele's score, and that less the sum of its members'; NaN: one has none
} gw_haplotype_group;

// Zero-initialise.
typedef struct {
    gw_haplotype_member *members; // to be filled by the caller; ordered by the next function
    int64_t count, capacity;
    gw_haplotype_group *groups; // of two members or more
    int64_t group_count, group_capacity;
    int64_t cut; // groups that end where the next member would reach beyond the span, since the beginning
} gw_haplotypes;

gw_status gw_haplotypes_add(gw_haplotypes *haplotypes, const gw_haplotype_member *member) GW_MUST_CHECK;
gw_status gw_haplotypes_join(gw_haplotypes *haplotypes, gw_genome *genome, int64_t span) GW_MUST_CHECK;
// Appends haplotype (1 or 2), positions (1-based, joined by +), score together and interaction:
// "1:1003+1010:-2.5:0.25".
void gw_haplotype_describe(const gw_haplotypes *haplotypes, int64_t group, gw_string *out);
void gw_haplotype_positions(const gw_haplotypes *haplotypes, int64_t group, gw_string *out); // these alone
void gw_haplotypes_clear(gw_haplotypes *haplotypes);                                         // but for its room
void gw_haplotypes_free(gw_haplotypes *haplotypes);

// Of the records of a run's chunk: what each adds, whether it may join those before it, and the joined alleles, which
// stand behind all others and give back what they score.
gw_status gw_score_add_carried(gw_score_run *run, const gw_vcf_record *record, int64_t first) GW_MUST_CHECK;
bool gw_score_may_join(const gw_score_run *run, const gw_vcf_record *record);
gw_status gw_score_add_joint(gw_score_run *run) GW_MUST_CHECK;
void gw_score_finish_joint(gw_score_run *run, const float *raw);
int64_t gw_score_longest_haplotype(const gw_score_run *run); // bp from the first joined variant to the last

#endif
