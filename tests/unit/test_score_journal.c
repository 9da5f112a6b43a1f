// SPDX-License-Identifier: MIT
// The journal of `score`: what it gives back, and what it does not believe though the hash is right.
#include "score/score_journal.h"

#include "scratch.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

enum { ALLELES = 3, CHUNK = 5 };
static const gw_score_journal_run run = {.key = "0123456789abcdef0123456789abcdef", .labels = 4, .sites = 2};

// As a record gives them: the last cannot be scored.
static void as_read(gw_allele *alleles) {
    memset(alleles, 0, ALLELES * sizeof *alleles);
    alleles[ALLELES - 1].status = GW_ALLELE_SYMBOLIC;
}

static gw_score_journal *opened(const char *output) {
    gw_score_journal *journal;
    cr_assert_eq(gw_score_journal_open(output, &run, &journal), GW_OK, "%s", gw_message());
    return journal;
}

static void keep(const char *output, const gw_allele *alleles) {
    gw_allele read[ALLELES];
    bool found;
    gw_score_journal *journal = opened(output);
    as_read(read);
    cr_assert_eq(gw_score_journal_next(journal, CHUNK, read, ALLELES, NULL, &found), GW_OK);
    cr_assert_eq(gw_score_journal_add(journal, CHUNK, alleles, ALLELES, NULL), GW_OK);
    gw_score_journal_close(journal, false);
}

static bool gives_back(const char *output, gw_allele *alleles) {
    bool found;
    gw_score_journal *journal = opened(output);
    as_read(alleles);
    cr_assert_eq(gw_score_journal_next(journal, CHUNK, alleles, ALLELES, NULL, &found), GW_OK);
    gw_score_journal_close(journal, false);
    return found;
}

TestSuite(score_journal, .init = scratch_enter, .fini = scratch_leave);

Test(score_journal, gives_back_what_it_was_given) {
    gw_allele alleles[ALLELES], found[ALLELES];
    const char *output = "scored.vcf";
    as_read(alleles);
    alleles[0].top = 3;
    alleles[0].site = -1;
    alleles[0].difference = 0.5F;
    alleles[1].status = GW_ALLELE_EDGE;
    alleles[1].top = 99; // of an allele without a score nothing is read
    keep(output, alleles);
    cr_assert(gives_back(output, found));
    cr_expect_eq(found[0].top, 3);
    cr_expect_eq(found[0].difference, 0.5F);
    cr_expect_eq(found[1].status, GW_ALLELE_EDGE);
    cr_expect_eq(found[2].status, GW_ALLELE_SYMBOLIC);
}

Test(score_journal, believes_no_index_out_of_range) {
    enum { WAYS = 7 };
    const char *output = "scored.vcf";
    for (int way = 0; way < WAYS; way++) {
        gw_allele alleles[ALLELES], found[ALLELES];
        as_read(alleles);
        if (way == 0) alleles[0].top = 4;
        if (way == 1) alleles[0].top = -1;
        if (way == 2) alleles[1].site = 2;
        if (way == 3) alleles[1].site = -2;
        if (way == 4) alleles[0].status = GW_ALLELE_STATUSES;
        if (way == 5) alleles[2].status = GW_ALLELE_PASS; // which has no bases
        if (way == 6) memset(&alleles[0].swapped, 7, sizeof alleles[0].swapped);
        keep(output, alleles);
        cr_expect_not(gives_back(output, found), "way %d", way);
        cr_expect_eq(found[0].status, GW_ALLELE_PASS); // and leaves the alleles as they were read
    }
}

// What a run was killed while writing, or what is no longer asked, is cut off, and goes on from there.
Test(score_journal, cuts_off_what_does_not_hold) {
    gw_allele alleles[ALLELES], found[ALLELES];
    const char *output = "scored.vcf";
    as_read(alleles);
    keep(output, alleles);
    scratch_cut("scored.vcf.journal", 1);
    cr_expect_not(gives_back(output, found), "a block without its last byte");
    keep(output, alleles);
    cr_expect(gives_back(output, found), "and one in its place");

    bool has;
    gw_score_journal *journal = opened(output);
    cr_assert_eq(gw_score_journal_next(journal, CHUNK + 1, found, ALLELES, NULL, &has), GW_OK);
    cr_expect_not(has, "another chunk");
    cr_expect(gw_score_journal_is_empty(journal));
    gw_score_journal_close(journal, false);
    cr_expect_neq(access("scored.vcf.journal", F_OK), 0, "a journal of nothing stays");
}

Test(score_journal, belongs_to_one_run) {
    const gw_score_journal_run other = {.key = "another key of thirty-two letters", .labels = 4, .sites = 2};
    gw_allele alleles[ALLELES];
    gw_score_journal *journal, *second;
    as_read(alleles);
    keep("scored.vcf", alleles);
    cr_assert_eq(gw_score_journal_open("scored.vcf", &other, &journal), GW_OK, "%s", gw_message());
    cr_expect(gw_score_journal_is_empty(journal), "scores of another run");
    cr_expect_eq(gw_score_journal_open("scored.vcf", &other, &second), GW_ERR_IO);
    cr_expect(strstr(gw_message(), "is in use: another run writes the same output"), "%s", gw_message());
    gw_score_journal_close(journal, false);
}
