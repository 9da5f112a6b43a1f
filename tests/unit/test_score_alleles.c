// SPDX-License-Identifier: MIT
// The ALTs of records before they are scored and after: statuses, swapped sides, other forms, and the hash by which a
// journal knows them.
#include "score/score_alleles.h"

#include "base/random.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
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

// ---- neutral ones

static void enter_long(void) {
    enum { BASES = 4000 };
    char text[BASES + 8] = ">c\n";
    gw_random random = gw_random_at(1, GW_SITE_TEST, 0, 0);
    for (int i = 0; i < BASES; i++) text[3 + i] = "ACGT"[gw_random_below(&random, 4)];
    memset(text + 3 + 1000, 'N', 50);
    text[3 + BASES] = '\n';
    scratch_enter();
    scratch_text("g.fa", text);
    scratch_text("genes.gff3", "c\tmade\tgene\t1501\t2500\t.\t+\t.\tID=g;Name=g\n");
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
    alleles = (gw_score_alleles){0};
}

TestSuite(indel_null, .init = enter_long, .fini = leave);

static void expect_neutral(const gw_variant *of, const gw_variant *v, const gw_genes *genes) {
    char bases[16];
    cr_expect_eq(v->ref_length, of->ref_length);
    cr_expect_eq(v->alt_length, of->alt_length);
    cr_expect_eq(v->ref[0], v->alt[0]);
    cr_expect(v->position >= 51 && v->position <= 4000 - 100 - 5, "position %lld", (long long)v->position);
    cr_expect_not(gw_genes_at(genes, 0, v->position, v->position + v->ref_length, NULL));
    cr_expect(v->position >= of->position + of->ref_length || of->position >= v->position + v->ref_length);
    cr_assert_eq(gw_genome_fetch(genome, 0, v->position, v->position + v->ref_length, bases), GW_OK);
    cr_expect_arr_eq(v->ref, bases, v->ref_length);
    for (int64_t i = 0; i < v->alt_length; i++) cr_expect_neq(v->alt[i], 'N');
}

Test(indel_null, ones_are_of_the_same_length_and_kind_outside_genes) {
    enum { COUNT = 200 };
    gw_genes genes = {0};
    cr_assert_eq(gw_genes_read("genes.gff3", genome, &genes), GW_OK, "%s", gw_message());
    const gw_indel_null_options options = {.genome = genome, .genes = &genes, .window = 100, .count = COUNT};
    const gw_variant cases[] = {{0, 700, "A", "ACCT", 1, 4}, {0, 3000, "GATC", "G", 4, 1}};
    for (int c = 0; c < 2; c++) {
        gw_variant first[COUNT], again[COUNT];
        int64_t found, found_again;
        char *bases, *bases_again;
        cr_assert_eq(gw_indel_null_find(&options, &cases[c], first, &found, &bases), GW_OK, "%s", gw_message());
        cr_assert_eq(gw_indel_null_find(&options, &cases[c], again, &found_again, &bases_again), GW_OK);
        cr_assert_eq(found, COUNT);
        cr_assert_eq(found_again, COUNT);
        int64_t left = 0;
        for (int64_t i = 0; i < found; i++) {
            expect_neutral(&cases[c], &first[i], &genes);
            cr_expect_eq(first[i].position, again[i].position, "drawn anew");
            cr_expect_str_eq(first[i].alt, again[i].alt);
            left += first[i].position < 1500;
        }
        cr_expect(left > COUNT / 3 && left < 2 * COUNT / 3, "%lld before the gene", (long long)left);
        free(bases);
        free(bases_again);
    }
    gw_genes_free(&genes);
}

Test(indel_null, ones_are_of_insertions_and_deletions_alone_and_need_room) {
    gw_variant variants[20];
    int64_t found;
    char *bases;
    gw_indel_null_options options = {.genome = genome, .window = 100, .count = 20};
    const gw_variant none[] = {{0, 700, "A", "C", 1, 1}, {0, 700, "AC", "GT", 2, 2}, {0, 700, "A", "CC", 1, 2}};
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(gw_indel_null_find(&options, &none[i], variants, &found, &bases), GW_OK);
        cr_expect_eq(found, 0);
        cr_expect_null(bases);
    }
    options.window = 3900; // nowhere
    const gw_variant deletion = {0, 2000, "AC", "A", 2, 1};
    cr_assert_eq(gw_indel_null_find(&options, &deletion, variants, &found, &bases), GW_OK);
    cr_expect_eq(found, 0);
    free(bases);
}

Test(indel_null, ranks_are_by_mean_deviation_and_share_below) {
    const float scores[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    float z, percentile;
    gw_indel_null_rank(8.0, scores, 10, &z, &percentile);
    cr_expect_float_eq(z, (8 - 5.5) / sqrt(82.5 / 9), 1e-6);
    cr_expect_float_eq(percentile, 75, 1e-5);
    gw_indel_null_rank(-1.0, scores, 10, &z, &percentile);
    cr_expect_float_eq(percentile, 0, 1e-5);
    gw_indel_null_rank(8.0, scores, 9, &z, &percentile);
    cr_expect(isnan(z) && isnan(percentile), "nine are too few");
}
