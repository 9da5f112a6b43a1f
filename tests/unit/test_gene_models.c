// SPDX-License-Identifier: MIT
// Gene tables as SpliceAI has them: which genes hold a base, the nearest boundary of an exon, and what cannot be; and
// the same genes of GFF3 and GTF.
#include "seq/genes/gene_models.h"
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
    cr_expect_eq(gw_gene_models_next(&models, 1, 30, -1), -1);
    gw_gene_models_free(&models);
    gw_genome_close(genome);
}

// The strands of a contig hold the bases that no gene holds.
Test(gene_models, strands_stand_behind_the_genes) {
    gw_genome *genome = open_genome();
    gw_gene_models models;
    scratch_text("t.txt", HEAD "Z\t2\t-\t4\t20\t4,15,\t10,20,\n");
    cr_assert_eq(gw_gene_models_read("t.txt", genome, &models), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_gene_models_add_strands(&models, genome), GW_OK);
    cr_expect_eq(models.count, 1);
    cr_expect_eq(models.deepest, 2);
    cr_expect_eq(gw_gene_models_next(&models, 1, 4, -1), 0);
    cr_expect_eq(gw_gene_models_next(&models, 1, 4, 0), -1);
    const int64_t plus = gw_gene_models_next(&models, 1, 3, -1), minus = gw_gene_models_next(&models, 1, 3, plus);
    cr_assert(plus > 0 && minus > plus);
    cr_expect_eq(gw_gene_models_next(&models, 1, 3, minus), -1);
    cr_expect(models.items[plus].strand == '+' && models.items[minus].strand == '-');
    cr_expect_str_eq(models.items[minus].name, "-");
    cr_expect(models.items[minus].contig == 1 && models.items[minus].begin == 0);
    cr_expect_eq(models.items[minus].end, gw_genome_length(genome, 1));
    cr_expect_eq(gw_gene_model_boundary(&models.items[minus], 3), INT64_MAX);
    gw_gene_models_free(&models);
    cr_assert_eq(gw_gene_models_add_strands(&models, genome), GW_OK); // without genes
    cr_expect_eq(gw_gene_models_next(&models, 0, 0, -1), 0);
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

static gw_gene_models read_models(gw_genome *genome, const char *text) {
    gw_gene_models models;
    scratch_text("genes", text);
    cr_assert_eq(gw_gene_models_read("genes", genome, &models), GW_OK, "%s", gw_message());
    return models;
}

static void expect_same(const gw_gene_models *found, const gw_gene_models *wanted) {
    cr_assert_eq(found->count, wanted->count);
    cr_expect_eq(found->deepest, wanted->deepest);
    for (int64_t i = 0; i < wanted->count; i++) {
        const gw_gene_model *x = &found->items[i], *y = &wanted->items[i];
        cr_expect_str_eq(x->name, y->name);
        cr_expect(x->contig == y->contig && x->strand == y->strand && x->begin == y->begin && x->end == y->end);
        cr_assert_eq(x->boundary_count, y->boundary_count);
        for (int64_t b = 0; b < y->boundary_count; b++) cr_expect_eq(x->boundaries[b], y->boundaries[b]);
    }
}

// Z has two exons on the - strand, which annotations may list from its 5' end; X overlaps it; W is on no contig.
#define GENES                                                                                                          \
    HEAD                                                                                                               \
        "Z\tchr2\t-\t4\t20\t4,14,\t10,20,\nY\ta\t+\t0\t10\t0\t10\nX\tchr2\t+\t0\t30\t0,8\t5,30\nW\t7\t+\t0\t30\t0\t30\n"

Test(gene_models, gff3_and_gtf_give_the_genes_of_a_table) {
    gw_genome *genome = open_genome();
    gw_gene_models table = read_models(genome, GENES);
    gw_gene_models gff3 = read_models(genome, "##gff-version 3\n"
                                              "chr2\t.\tgene\t5\t20\t.\t-\t.\tID=g1;Name=Z\n"
                                              "chr2\t.\tmRNA\t5\t20\t.\t-\t.\tID=t1;Parent=g1\n"
                                              "chr2\t.\texon\t15\t20\t.\t-\t.\tParent=t1\n"
                                              "chr2\t.\texon\t5\t10\t.\t-\t.\tParent=t1\n"
                                              "a\t.\texon\t1\t10\t.\t+\t.\tID=e;Parent=t2\n" // before its parents
                                              "a\t.\tmRNA\t1\t10\t.\t+\t.\tID=t2;Parent=g2\n"
                                              "a\t.\tgene\t1\t10\t.\t+\t.\tID=g2;gene_name=Y;Name=other\n"
                                              "chr2\t.\tlnc_RNA\t1\t30\t.\t+\t.\tID=X\n"
                                              "chr2\t.\texon\t1\t5\t.\t+\t.\tParent=X\n"
                                              "chr2\t.\texon\t9\t30\t.\t+\t.\tParent=X\n"
                                              "7\t.\texon\t1\t30\t.\t+\t.\tParent=W\n");
    gw_gene_models gtf =
        read_models(genome, "chr2\t.\texon\t15\t20\t.\t-\t.\tgene_id \"g1\"; transcript_id \"t1\"; gene_name \"Z\";\n"
                            "chr2\t.\texon\t5\t10\t.\t-\t.\tgene_id \"g1\"; transcript_id \"t1\"; gene_name \"Z\";\n"
                            "a\t.\texon\t1\t10\t.\t+\t.\tgene_id \"Y\"; transcript_id \"t2\";\n"
                            "chr2\t.\texon\t9\t30\t.\t+\t.\tgene_id \"g3\"; transcript_id \"t3\"; gene_name \"X\";\n"
                            "chr2\t.\texon\t1\t5\t.\t+\t.\tgene_id \"g3\"; transcript_id \"t3\"; gene_name \"X\";\n"
                            "7\t.\texon\t1\t30\t.\t+\t.\tgene_id \"W\"; transcript_id \"t4\";\n");
    expect_same(&gff3, &table);
    expect_same(&gtf, &table);
    gw_gene_models_free(&table);
    gw_gene_models_free(&gff3);
    gw_gene_models_free(&gtf);
    gw_genome_close(genome);
}

#define EXON(begin, end, id, more)                                                                                     \
    "chr2\t.\texon\t" begin "\t" end "\t.\t+\t.\tgene_id \"G\"; transcript_id \"" id "\";" more "\n"
#define CDS(begin, end, id) "chr2\t.\tCDS\t" begin "\t" end "\t.\t+\t0\tgene_id \"G\"; transcript_id \"" id "\";\n"

static void expect_canonical(const char *text, int64_t begin) {
    gw_genome *genome = open_genome();
    gw_gene_models models = read_models(genome, text);
    cr_expect_eq(models.count, 1);
    cr_expect_eq(models.items[0].begin, begin, "%s: found the one that begins at %lld", text,
                 (long long)models.items[0].begin);
    gw_gene_models_free(&models);
    gw_genome_close(genome);
}

Test(gene_models, the_canonical_transcript_of_a_gene) {
    expect_canonical(EXON("2", "30", "a", "") EXON("4", "9", "b", " tag \"basic\"; tag \"MANE_Select\";")
                         EXON("6", "30", "c", " tag \"Ensembl_canonical\";"),
                     3);
    expect_canonical(EXON("2", "30", "a", "") CDS("5", "20", "a") EXON("6", "9", "c", " tag \"Ensembl_canonical\";"),
                     5);
    expect_canonical(EXON("2", "30", "a", "") CDS("5", "7", "a") EXON("6", "19", "b", "") CDS("8", "19", "b"), 5);
    expect_canonical(EXON("2", "10", "a", "") EXON("6", "19", "b", ""), 5);
    expect_canonical(EXON("8", "12", "b", "") EXON("6", "10", "a", ""), 5);
    expect_canonical(EXON("2", "30", "a", "")
                         EXON("4", "9", "b", "") "chr2\t.\ttranscript\t4\t9\t.\t+\t.\t"
                                                 "gene_id \"G\"; transcript_id \"b\"; tag \"MANE_Select\";\n",
                     3);
}

Test(gene_models, odd_annotations_are_refused) {
    expect_refused("chr2\t.\tgene\t5\t20\t.\t-\t.\tID=g1;Name=Z\n", "t.txt has no exons");
    expect_refused("chr2\t.\texon\t5\t20\t.\t-\t.\tID=e1\n", "t.txt:1: exon without Parent");
    expect_refused("chr2\t.\texon\t20\t5\t.\t-\t.\tParent=t\n", "t.txt:1: the feature starts at 20");
}
