// SPDX-License-Identifier: MIT
// Variants of a haplotype as one allele: which are joined, and what they make of the reference.
#include "score/haplotypes.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <string.h>

//                              0         1         2         3
//                              0123456789012345678901234567890123456789
static const char REFERENCE[] = ">c\nACGTTGCAACGGTCTAGACCATGCATTTGACGACGACGTA\n";

static gw_genome *genome;
static gw_haplotypes haplotypes;

static void enter(void) {
    scratch_enter();
    scratch_text("g.fa", REFERENCE);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
    haplotypes = (gw_haplotypes){0};
}

static void leave(void) {
    gw_haplotypes_free(&haplotypes);
    gw_genome_close(genome);
    scratch_leave();
}

TestSuite(haplotypes, .init = enter, .fini = leave);

// A variant of the first haplotype; set 0: of both, whatever the set.
static void add(int64_t position, const char *ref, const char *alt, int64_t set) {
    const gw_haplotype_member member = {.allele = haplotypes.count,
                                        .variant = gw_variant_trim(0, position, ref, alt),
                                        .set = set,
                                        .everywhere = set == 0};
    cr_assert_eq(gw_haplotypes_add(&haplotypes, &member), GW_OK);
}

static void expect(int64_t group, int64_t position, const char *ref, const char *alt) {
    cr_assert_gt(haplotypes.group_count, group);
    const gw_variant *v = &haplotypes.groups[group].variant;
    cr_expect_eq(v->position, position, "position %lld", (long long)v->position);
    cr_expect(v->ref_length == (int64_t)strlen(ref) && strncmp(v->ref, ref, strlen(ref)) == 0, "REF %s", v->ref);
    cr_expect(v->alt_length == (int64_t)strlen(alt) && strncmp(v->alt, alt, strlen(alt)) == 0, "ALT %s", v->alt);
}

static void join(int64_t span) {
    cr_assert_eq(gw_haplotypes_join(&haplotypes, genome, span), GW_OK, "%s", gw_message());
}

Test(haplotypes, make_one_allele_of_edits_in_order) {
    add(13, "C", "CAA", 1); // behind the base that is changed
    add(10, "G", "T", 1);
    add(13, "C", "G", 1);
    add(16, "GA", "G", 0);
    join(10);
    cr_expect_eq(haplotypes.group_count, 1);
    expect(0, 10, "GGTCTAGA", "TGTGAATAG");
}

Test(haplotypes, join_no_overlaps_and_no_further_than_the_span) {
    add(4, "TGC", "T", 1);
    add(6, "C", "A", 1); // deleted already
    add(9, "C", "A", 1);
    add(13, "C", "A", 1); // 8 bases from the 7th
    join(7);
    cr_expect_eq(haplotypes.group_count, 1);
    expect(0, 6, "CAAC", "AAAA");
}

Test(haplotypes, keep_phase_sets_apart_but_for_what_both_carry) {
    add(4, "T", "A", 0);
    add(6, "C", "A", 1);
    add(9, "C", "A", 2);
    add(13, "C", "A", 2);
    add(15, "A", "C", 0);
    join(40);
    cr_expect_eq(haplotypes.group_count, 2);
    expect(0, 4, "TGC", "AGA");
    expect(1, 9, "CGGTCTA", "AGGTATC");
}
