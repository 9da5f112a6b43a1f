// SPDX-License-Identifier: MIT
// Files of other kinds, given where tables or texts are read: what the first line says of them.
#include "base/output.h"
#include "file/file_kind.h"
#include "file/table.h"
#include "label/labelled_set.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(file_kind, .init = scratch_enter, .fini = scratch_leave);

Test(file_kind, first_lines) {
    static const struct {
        const char *line;
        gw_file_kind kind;
    } cases[] = {
        {">a some words", GW_KIND_FASTA},
        {"@read/1 x", GW_KIND_FASTQ},
        {"@id\ttext", GW_KIND_TABLE},
        {"##fileformat=VCFv4.2", GW_KIND_VCF},
        {"##gff-version 3", GW_KIND_GFF},
        {"c1\t10\t20", GW_KIND_BED},
        {"c1\t10\t20\tname\t0\t+", GW_KIND_BED},
        {"c1\t10\tx", GW_KIND_TABLE},
        {"sequence\tlabel", GW_KIND_TABLE},
        {"sequence, label", GW_KIND_TABLE},
        {"sequence", GW_KIND_TABLE},
        {"", GW_KIND_TABLE},
        {"{", GW_KIND_DOCUMENT},
        {"[{\"text\": \"a\"}]", GW_KIND_DOCUMENT},
        {"{\"data\": [{\"paragraphs\": []}]}", GW_KIND_SQUAD},
        {"{\"data\": 1}", GW_KIND_OBJECT},
        {"Genes, as a rule, are read twice.", GW_KIND_TEXT},
        {"two words", GW_KIND_TEXT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(gw_file_kind_of(cases[i].line), cases[i].kind, "%s: %d", cases[i].line,
                     gw_file_kind_of(cases[i].line));
}

static void expect_words(const char *first, const char *second) {
    cr_expect(strstr(gw_message(), first), "'%s' lacks '%s'", gw_message(), first);
    cr_expect(strstr(gw_message(), second), "'%s' lacks '%s'", gw_message(), second);
}

static void expect_refused(const char *text, const char *looks, const char *advice) {
    int column;
    gw_table *table = NULL;
    gw_labelled_set *set;
    const char *path = "x";
    scratch_text(path, text);
    gw_status status = gw_table_open(path, &(gw_table_options){0}, &table);
    if (status == GW_OK) status = gw_table_column(table, "text|sentence", &column);
    cr_expect_eq(status, GW_ERR_FORMAT);
    expect_words(looks, advice);
    gw_table_close(table);
    cr_expect_eq(gw_labelled_set_open(&path, 1, &(gw_labelled_options){0}, &set), GW_ERR_FORMAT);
    expect_words(looks, advice);
}

Test(file_kind, tables_say_what_a_file_is_instead) {
    expect_refused(">a\nACGT\n", "x looks like FASTA, expected a table", "predict -f");
    expect_refused("\n>a, b\nACGT\n", "x looks like FASTA", "--negatives-fasta");
    expect_refused("##fileformat=VCFv4.2\n#CHROM\n", "x looks like VCF", "read by score");
    expect_refused("c1\t1\t2\n", "x looks like BED", "predict -R");
    expect_refused("A text, and no more than that.\n", "x looks like plain text", "--headless --text 1");
    expect_refused("{\n  \"a\": 1\n}\n", "x looks like a document of JSON", "an object a line");
    expect_refused("{\"data\": [{\"paragraphs\": [{\"context\": \"c\"}]}]}\n", "x looks like SQuAD's JSON",
                   "eval --predictions");
}

Test(file_kind, other_tables_name_their_columns) {
    int column;
    gw_table *table;
    scratch_text("x.jsonl", "{\"data\": 1}\n");
    cr_assert_eq(gw_table_open("x.jsonl", &(gw_table_options){0}, &table), GW_OK);
    cr_expect_eq(gw_table_column(table, "text", &column), GW_ERR_FORMAT);
    expect_words("x.jsonl:1: no key \"text\"", "there are: data");
    gw_table_close(table);
    scratch_text("x.tsv", "> quoted\nanother\n");
    cr_assert_eq(gw_table_open("x.tsv", &(gw_table_options){.headless = true}, &table), GW_OK);
    cr_expect_eq(gw_table_column(table, "1", &column), GW_OK);
    gw_table_close(table);
}
