// SPDX-License-Identifier: MIT
// Joint effects of neighbouring variants on one haplotype of a sample: the score of all together, and its difference
// from the sum of the single scores.
//
// Joined alleles are on one haplotype in one phase set, and span at most `span` bases of the reference, from the first
// allele on. An allele that overlaps the one before it starts a new group. An allele on both haplotypes belongs to any
// phase set.
#ifndef GW_SCORE_HAPLOTYPES_H
#define GW_SCORE_HAPLOTYPES_H

#include "base/string.h"
#include "seq/vcf/variant.h"
#include "seq/vcf/vcf.h"

typedef struct gw_score_run gw_score_run; // score/score_run.h

// An allele that a haplotype carries.
typedef struct {
    int64_t allele; // index, chosen by the caller
    gw_variant variant;
    int haplotype;   // 0 or 1
    bool everywhere; // on both haplotypes, in any phase set
    int64_t set;
} gw_haplotype_member;

// Members [first, first + count) of the ordered list, and the allele that they form.
typedef struct {
    int64_t first, count;
    gw_variant variant;
    char *bases;                 // texts of the variant
    float together, interaction; // the joint score; minus the sum of the members' scores. NaN: a score is missing
} gw_haplotype_group;

// Zero-initialise.
typedef struct {
    gw_haplotype_member *members; // filled by the caller; gw_haplotypes_join() orders them
    int64_t count, capacity;
    gw_haplotype_group *groups; // with at least two members
    int64_t group_count, group_capacity;
    int64_t cut; // groups so far that ended because the next member exceeded the span
} gw_haplotypes;

gw_status gw_haplotypes_add(gw_haplotypes *haplotypes, const gw_haplotype_member *member) GW_MUST_CHECK;
gw_status gw_haplotypes_join(gw_haplotypes *haplotypes, gw_genome *genome, int64_t span) GW_MUST_CHECK;
// Appends haplotype (1 or 2), positions (1-based, joined by +), joint score and interaction:
// "1:1003+1010:-2.5:0.25".
void gw_haplotype_describe(const gw_haplotypes *haplotypes, int64_t group, gw_string *out);
void gw_haplotype_positions(const gw_haplotypes *haplotypes, int64_t group, gw_string *out); // only the positions
void gw_haplotypes_clear(gw_haplotypes *haplotypes);                                         // keeps the memory
void gw_haplotypes_free(gw_haplotypes *haplotypes);

// Functions for the records of a run's chunk. add_carried: adds the alleles of a record. may_join: whether a record may
// join earlier ones. add_joint: appends the joint alleles behind all others. finish_joint: returns their scores to the
// members.
gw_status gw_score_add_carried(gw_score_run *run, const gw_vcf_record *record, int64_t first) GW_MUST_CHECK;
bool gw_score_may_join(const gw_score_run *run, const gw_vcf_record *record);
gw_status gw_score_add_joint(gw_score_run *run) GW_MUST_CHECK;
void gw_score_finish_joint(gw_score_run *run, const float *raw);
int64_t gw_score_longest_haplotype(const gw_score_run *run); // bp from the first joined variant to the last

#endif
