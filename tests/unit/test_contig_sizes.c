// SPDX-License-Identifier: MIT
// Contigs and lengths: files of them, sums of several genomes, and which genome they tell again.
#include "scratch.h"
#include "seq/genome/contig_sizes.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static gw_genome *genome; // a: 10 bp, b: 6 bp, c: 4 bp

static void setup(void) {
    scratch_enter();
    scratch_text("g.fa", ">a\nACGTACGTAC\n>b\nACG\nTTT\n>c\nGGGG\n");
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK, "%s", gw_message());
}

static void teardown(void) {
    gw_genome_close(genome);
    scratch_leave();
}

TestSuite(contig_sizes, .init = setup, .fini = teardown);

static double share_of(const char *text) {
    gw_contig_sizes sizes = {0};
    double share;
    scratch_text("x.sizes", text);
    cr_assert_eq(gw_contig_sizes_read(&sizes, "x.sizes"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_contig_sizes_share(&sizes, genome, &share), GW_OK);
    gw_contig_sizes_free(&sizes);
    return share;
}

Test(contig_sizes, tell_a_genome_by_lengths) {
    cr_expect_float_eq(share_of("a\t10\nb\t6\nc\t4\n"), 1, 1e-12);
    cr_expect_float_eq(share_of("chr3\t4\nchr2\t6\nchr1\t10\nchr4\t9\n"), 1, 1e-12);
    cr_expect_float_eq(share_of("b\t6\t12\t60\t61\n"), 0.3, 1e-12);
    cr_expect_float_eq(share_of("a\t11\n"), 0, 1e-12);
    cr_expect_float_eq(share_of(""), 0, 1e-12);
}

// A fresh genome of one contig, beside the one above.
static double share_of_length(const char *name, int length, const char *text) {
    char fasta[32 + 40000];
    gw_contig_sizes sizes = {0};
    gw_genome *one;
    double share;
    const int header = snprintf(fasta, sizeof fasta, ">%s\n", name);
    memset(fasta + header, 'A', (size_t)length);
    memcpy(fasta + header + length, "\n", 2);
    scratch_text("one.fa", fasta);
    scratch_text("x.sizes", text);
    cr_assert_eq(gw_genome_open("one.fa", &one), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_contig_sizes_read(&sizes, "x.sizes"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_contig_sizes_share(&sizes, one, &share), GW_OK);
    gw_contig_sizes_free(&sizes);
    gw_genome_close(one);
    return share;
}

Test(contig_sizes, another_version_of_an_assembly_is_a_little_longer) {
    cr_expect_eq(share_of_length("NC_000913.2", 20000, "NC_000913.3\t20020\n"), 1);
    cr_expect_eq(share_of_length("NC_000913.2", 20000, "NC_000913.3\t19980\n"), 1);
    cr_expect_eq(share_of_length("NC_000913.2", 20000, "NC_000913.3\t20021\n"), 0);
    cr_expect_eq(share_of_length("NC_000913.2", 20000, "NC_000913.3\t19979\n"), 0);
}

// Of many pieces one fits by chance, and so the name has to agree.
Test(contig_sizes, pieces_are_told_by_name_too) {
    static const char pieces[] = "p1\t20000\np2\t20100\np3\t20200\np4\t20300\np5\t20400\nchrp6\t20500\np7\t20600\n"
                                 "p8\t20700\np9\t20800\np10\t20900\np11\t21000\n";
    cr_expect_eq(share_of_length("p6", 20500, pieces), 1);
    cr_expect_eq(share_of_length("chrp6", 20510, pieces), 1);
    cr_expect_eq(share_of_length("contig6", 20500, pieces), 0);
    cr_expect_eq(share_of_length("p7", 20500, pieces), 0);
    cr_expect_eq(share_of_length("contig6", 30000, "x\t30000\n"), 1);
}

Test(contig_sizes, of_two_genomes_each_contig_once) {
    gw_contig_sizes sizes = {0}, again = {0};
    scratch_text("x.sizes", "b\t7\na\t10\n");
    cr_assert_eq(gw_contig_sizes_read(&sizes, "x.sizes"), GW_OK);
    cr_assert_eq(gw_contig_sizes_add(&sizes, genome), GW_OK);
    cr_assert_eq(gw_contig_sizes_add(&sizes, genome), GW_OK);
    cr_assert_eq(gw_contig_sizes_write(&sizes, "y.sizes"), GW_OK);
    cr_assert_eq(gw_contig_sizes_read(&again, "y.sizes"), GW_OK);
    static const gw_contig_size wanted[] = {{"b", 7}, {"a", 10}, {"b", 6}, {"c", 4}};
    cr_assert_eq(again.count, 4);
    for (int i = 0; i < 4; i++) {
        cr_expect_str_eq(again.items[i].name, wanted[i].name);
        cr_expect_eq(again.items[i].length, wanted[i].length);
    }
    gw_contig_sizes_free(&sizes);
    gw_contig_sizes_free(&again);
}

static void refused(const char *text, const char *message) {
    gw_contig_sizes sizes = {0};
    scratch_text("x.sizes", text);
    cr_expect_neq(gw_contig_sizes_read(&sizes, "x.sizes"), GW_OK);
    cr_expect_str_eq(gw_message(), message);
    gw_contig_sizes_free(&sizes);
}

Test(contig_sizes, refuses_other_files) {
    refused("a 10\n", "x.sizes:1: expected a contig's name, a tab and its length in bp");
    refused("a\t10\n\t3\n", "x.sizes:2: expected a contig's name, a tab and its length in bp");
    refused("a\t-1\n", "x.sizes:1: the length of a: -1 is outside [0, 9223372036854775807]");
}
