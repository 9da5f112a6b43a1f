// SPDX-License-Identifier: MIT
// Gene tables as SpliceAI has them: which genes hold a base, the nearest boundary of an exon, and what cannot be.
#include "seq/gene_models.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <string.h>

#define HEAD "#NAME\tCHROM\tSTRAND\tTX_START\tTX_END\tEXON_START\tEXON_END\n"

TestSuite(gene_models, .init = scratch_enter, .fini = scratch_leave);

static gw_genome *open_genome(void) {
    gw_genome *genome;
    scratch_text("g.fa", ">a\nACGTACGTAC\n>chr2\nACGTACGTACACGTACGTACACGTACGTAC\n");
    cr_assert_eq(gw_genome_open("g.fa", &genome), GW_OK);
    return genome;
}

Test(gene_models, genes_come_in_the_tables_order) {
    gw_genome *genome = open_genome();
    gw_gene_models models;
    scratch_text("t.txt", HEAD "Z\t2\t-\t4\t20\t4,15,\t10,20,\n"
                               "Y\ta\t+\t0\t10\t0\t10\n"
                               "X\tchr2\t+\t0\t30\t0,8\t5,30\n"
                               "W\t7\t+\t0\t30\t0,8\t5,30\n");
    cr_assert_eq(gw_gene_models_read("t.txt", genome, &models), GW_OK, "%s", gw_message());
    cr_expect_eq(models.count, 3);
    cr_expect_eq(models.deepest, 2);
    const int64_t z = gw_gene_models_next(&models, 1, 4, -1), x = gw_gene_models_next(&models, 1, 4, z);
    cr_expect_str_eq(models.items[z].name, "Z");
    cr_expect_str_eq(models.items[x].name, "X");
    cr_expect_eq(gw_gene_models_next(&models, 1, 4, x), -1);
    cr_expect_eq(gw_gene_models_next(&models, 1, 3, -1), x); // begins behind it
    cr_expect_eq(gw_gene_models_next(&models, 1, 20, -1), x);
    cr_expect_eq(gw_gene_models_next(&models, 0, 9, -1), 0);
    cr_expect_eq(gw_gene_model_boundary(&models.items[z], 6), -2);  // 4, 9, 14 ... : 4 is nearer than 9
    cr_expect_eq(gw_gene_model_boundary(&models.items[z], 12), -3); // of 9 and 15 the left one
    cr_expect_eq(gw_gene_model_boundary(&models.items[z], 19), 0);
    gw_gene_models_free(&models);
    gw_genome_close(genome);
}

static void expect_refused(const char *rows, const char *message) {
    gw_genome *genome = open_genome();
    gw_gene_models models;
    scratch_text("t.txt", rows);
    cr_expect_neq(gw_gene_models_read("t.txt", genome, &models), GW_OK, "%s", rows);
    cr_expect_not_null(strstr(gw_message(), message), "'%s' lacks '%s'", gw_message(), message);
    gw_gene_models_free(&models);
    gw_genome_close(genome);
}

Test(gene_models, odd_rows_are_refused_by_line) {
    expect_refused(HEAD "A\ta\t+\t5\t5\t5\t5\n", "t.txt:2: TX_START 5 is not below TX_END 5");
    expect_refused(HEAD "A\ta\t.\t0\t5\t0\t5\n", "t.txt:2: STRAND is '.', expected + or -");
    expect_refused(HEAD "A\ta\t+\tx\t5\t0\t5\n", "t.txt:2: TX_START is 'x'");
    expect_refused(HEAD "A\ta\t+\t0\t5\t0,3\t5\n", "t.txt:2: 2 starts of exons and 1 ends");
    expect_refused(HEAD "A\ta\t+\t0\t5\t0,7\t2,9\n", "t.txt:2: EXON_START holds 7, beyond the gene's ends");
    expect_refused(HEAD "A\ta\t+\t0\t5\t0,4\t2,3\n", "t.txt:2: exon 2 begins at 4 and ends at 3");
    expect_refused(HEAD "A\ta\t+\t0\t5\t0,\t5,a\n", "t.txt:2: EXON_END is '5,a'");
    expect_refused(HEAD "A\ta\t+\t0\t11\t0\t11\n", "none of its 1 genes lies on g.fa");
    expect_refused("#NAME\tCHROM\tSTRAND\n", "TX_START");
}
