// SPDX-License-Identifier: MIT
// The ALTs of records before they are scored and after: statuses, swapped sides, other forms, and the hash by which a
// journal knows them.
#include "score/score_alleles.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

//                              0         1         2         3
//                              0123456789012345678901234567890123456789
static const char REFERENCE[] = ">c\nACGTTGCAACGGTCTAGACCATGCATTTGACGACGACGTA\n";

static gw_genome *genome;
static gw_score_alleles alleles;

static void enter(void) {
    scratch_enter();
    scratch_text("g.fa", REFERENCE);
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
    alleles = (gw_score_alleles){0};
}

static void leave(void) {
    gw_score_alleles_free(&alleles);
    gw_genome_close(genome);
    scratch_leave();
}

TestSuite(score_alleles, .init = enter, .fini = leave);

static gw_score_alleles_options options_of(char check_ref) {
    return (gw_score_alleles_options){.genome = genome, .window = 16, .check_ref = check_ref};
}

static void add(char check_ref, int64_t position, const char *ref, const char *alt, const char *other) {
    const gw_score_alleles_options options = options_of(check_ref);
    const char *list[] = {alt, other};
    const gw_vcf_record record = {.contig = "c", .position = position, .ref = ref, .alts = other ? 2 : 1, .alt = list};
    cr_assert_eq(gw_score_alleles_add(&alleles, &options, &record), GW_OK, "%s", gw_message());
}

Test(score_alleles, have_the_status_that_the_reference_gives_them) {
    add('w', 10, "G", "T", "*");
    add('w', 10, "T", "G", NULL);
    cr_assert_eq(alleles.count, 3);
    cr_expect_eq(alleles.items[0].status, GW_ALLELE_PASS);
    cr_expect_eq(alleles.items[1].status, GW_ALLELE_SPANNING);
    cr_expect_eq(alleles.items[2].status, GW_ALLELE_REFMISMATCH);
    gw_score_alleles_clear(&alleles);
    cr_expect_eq(alleles.count, 0);
}

Test(score_alleles, that_are_swapped_get_their_sides_back) {
    float raw[] = {0.1F, 0.2F, 0.3F, 0.4F}; // [1][2][2]
    add('s', 10, "T", "G", NULL);
    gw_allele *a = &alleles.items[0];
    cr_assert_eq(a->status, GW_ALLELE_PASS);
    cr_assert(a->swapped);
    a->difference = 0.5F, a->logit = 2, a->bits = -1, a->ref_value = 0.1F, a->alt_value = 0.6F;
    gw_score_alleles_finish(&alleles, raw, 2);
    cr_expect_eq(a->status, GW_ALLELE_SWAPPED);
    cr_expect(a->difference == -0.5F && a->logit == -2 && a->bits == 1);
    cr_expect(a->ref_value == 0.6F && a->alt_value == 0.1F);
    cr_expect(raw[0] == 0.3F && raw[1] == 0.4F && raw[2] == 0.1F && raw[3] == 0.2F);
}

// GACGACGACG from 28 on: the codon ACG can be deleted at three places and be said at more.
Test(score_alleles, of_repeats_take_the_scores_of_their_outer_forms) {
    const gw_score_alleles_options options = options_of('w');
    int64_t moved = 0, all = 0;
    add('w', 31, "GACG", "G", NULL);
    add('w', 10, "G", "T", NULL);
    cr_assert_eq(gw_score_alleles_add_forms(&alleles, &options, &moved, &all), GW_OK, "%s", gw_message());
    cr_expect_eq(moved, 1);
    cr_expect_eq(all, 1);
    cr_assert_eq(alleles.form_count, 1);
    cr_expect_eq(alleles.count, 4);
    for (int64_t i = 0; i < alleles.count; i++) alleles.items[i].bits = (float)i;
    gw_score_alleles_finish(&alleles, NULL, 0);
    cr_expect_eq(alleles.items[0].leftmost, 2);
    cr_expect_eq(alleles.items[0].rightmost, 3);
    cr_expect(isnan(alleles.items[1].leftmost), "a change of one base has one form");
}

static uint64_t hash_of(int64_t position, const char *ref, const char *alt) {
    gw_score_alleles_clear(&alleles);
    add('w', position, ref, alt, NULL);
    return gw_score_alleles_hash(&alleles);
}

Test(score_alleles, are_known_again_by_their_hash) {
    const uint64_t hash = hash_of(10, "G", "T");
    cr_expect_eq(hash_of(10, "G", "T"), hash);
    cr_expect_neq(hash_of(10, "G", "C"), hash);
    cr_expect_neq(hash_of(11, "G", "T"), hash);
    cr_expect_neq(hash_of(10, "T", "G"), hash);
    cr_expect_neq(hash_of(10, "G", "<INS>"), hash);
}
