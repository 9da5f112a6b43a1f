// SPDX-License-Identifier: MIT
// Tables of texts: TSV, CSV and JSON objects, and what is wrong with bad ones.
#include "base/output.h"
#include "file/table.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(table, .init = scratch_enter, .fini = scratch_leave);

static gw_table *open_as(const char *name, const char *text, gw_table_options options) {
    gw_table *table;
    cr_assert_eq(gw_write_file(name, text, (int64_t)strlen(text)), GW_OK);
    cr_assert_eq(gw_table_open(name, &options, &table), GW_OK, "%s", gw_message());
    return table;
}

static int column(gw_table *table, const char *name) {
    int column = -1;
    cr_assert_eq(gw_table_column(table, name, &column), GW_OK, "%s", gw_message());
    return column;
}

static void expect_row(gw_table *table, int column, const char *expected) {
    bool found;
    const char *text;
    cr_assert_eq(gw_table_next(table, &found), GW_OK, "%s", gw_message());
    cr_expect_eq(found, expected != NULL);
    if (!found) return;
    cr_assert_eq(gw_table_text(table, column, &text), GW_OK, "%s", gw_message());
    cr_expect_str_eq(text, expected);
}

static void expect_bad_row(gw_table *table, const char *message) {
    bool found;
    cr_expect_neq(gw_table_next(table, &found), GW_OK);
    cr_expect(strstr(gw_message(), message), "'%s' lacks '%s'", gw_message(), message);
    gw_table_close(table);
}

Test(table, tsv_has_no_quotes) {
    gw_table *t = open_as("a.tsv", "\xEF\xBB\xBFid\ttext\n1\t\"he said\n\n2\ta, \"b\"\n", (gw_table_options){0});
    cr_expect(gw_table_has(t, "id") && !gw_table_has(t, "label"));
    const int c = column(t, "text");
    expect_row(t, c, "\"he said");
    expect_row(t, c, "a, \"b\"");
    expect_row(t, c, NULL);
    gw_table_close(t);
}

Test(table, csv_fields_are_quoted_and_span_lines) {
    gw_table *t = open_as("a.csv", "text,label\n\"a, \"\"b\"\"\nc\",1\nplain,2\n", (gw_table_options){0});
    const int c = column(t, "text"), l = column(t, "label");
    const char *label;
    expect_row(t, c, "a, \"b\"\nc");
    cr_expect_eq(gw_table_text(t, l, &label), GW_OK);
    cr_expect_str_eq(label, "1");
    expect_row(t, c, "plain");
    expect_row(t, c, NULL);
    gw_table_close(t);
}

Test(table, json_objects) {
    gw_table *t =
        open_as("a.jsonl", "{\"t\": \"x\\ty\", \"n\": 3}\n\n{\"t\": [\"a\", \"b\", 2.5], \"n\": true}\n{\"n\": 1}\n",
                (gw_table_options){0});
    const int c = column(t, "t");
    const char *text;
    bool found;
    expect_row(t, c, "x\ty");
    cr_expect_eq(gw_table_items(t, c), -1);
    expect_row(t, c, "a b 2.5");
    cr_expect_eq(gw_table_items(t, c), 3);
    cr_expect_eq(gw_table_item(t, c, 1, &text), GW_OK);
    cr_expect_str_eq(text, "b");
    cr_assert_eq(gw_table_next(t, &found), GW_OK);
    cr_expect_eq(gw_table_text(t, c, &text), GW_ERR_FORMAT);
    cr_expect(strstr(gw_message(), "a.jsonl:4: \"t\" is missing, null or no text"), "%s", gw_message());
    gw_table_close(t);
}

Test(table, columns_without_a_header) {
    gw_table *t = open_as("a.tsv", "x\t1\t\tthe text\ny\t0\t\tanother\n", (gw_table_options){.headless = true});
    const int c = column(t, "4");
    expect_row(t, c, "the text");
    expect_row(t, c, "another");
    gw_table_close(t);
    t = open_as("a.tsv", "index\tsentence\n0\tthe text\n",
                (gw_table_options){.headless = true, .header = "sentence|id"});
    expect_row(t, column(t, "4|sentence"), "the text");
    gw_table_close(t);
}

Test(table, bad_tables) {
    gw_table *t;
    int c;
    t = open_as("a.tsv", "a\tb\n1\t2\n1\t2\t3\n", (gw_table_options){0});
    cr_expect_eq(gw_table_column(t, "text", &c), GW_ERR_FORMAT);
    cr_expect(strstr(gw_message(), "a.tsv:1: no column \"text\"; there are: a, b"), "%s", gw_message());
    expect_row(t, column(t, "a"), "1");
    expect_bad_row(t, "a.tsv:3: 3 fields where the header has 2");
    t = open_as("a.tsv", "a\tb\n1\t2\n1\t2\t3\n", (gw_table_options){.ragged = true});
    expect_row(t, column(t, "b"), "2");
    expect_row(t, 0, "2");
    gw_table_close(t);
    expect_bad_row(open_as("a.tsv", "a\tb\n1\t\xFF\n", (gw_table_options){0}),
                   "a.tsv:2: byte 3 of the row is not UTF-8");
    expect_bad_row(open_as("a.csv", "a,b\n1,\"2\n3\n", (gw_table_options){0}), "a.csv:2: a quote is not closed");
    expect_bad_row(open_as("a.csv", "a,b\n1,\"2\"x\n", (gw_table_options){0}), "a.csv:2: 'x' follows a closing quote");
    t = open_as("a.jsonl", "{\"a\": 1}\n{\"a\": \n", (gw_table_options){0});
    expect_row(t, column(t, "a"), "1");
    expect_bad_row(t, "a.jsonl:2:1: not valid JSON");
    cr_assert_eq(gw_write_file("none.tsv", "", 0), GW_OK);
    cr_expect_eq(gw_table_open("none.tsv", &(gw_table_options){0}, &t), GW_ERR_FORMAT);
    cr_expect(strstr(gw_message(), "none.tsv is empty"), "%s", gw_message());
}

Test(table, quotes_inside_fields_are_letters) {
    gw_table *t = open_as("a.csv", "text,label\n5\" disk,1\nsay \"a, b\",2\n", (gw_table_options){.ragged = true});
    const int c = column(t, "text");
    expect_row(t, c, "5\" disk");
    expect_row(t, c, "say \"a");
    expect_row(t, c, NULL);
    gw_table_close(t);
}

Test(table, a_row_is_counted_from_its_first_line) {
    gw_table *t = open_as("a.csv", "text,label\n\"a\n\nb\",1\nc\n", (gw_table_options){0});
    expect_row(t, column(t, "text"), "a\n\nb");
    expect_bad_row(t, "a.csv:5: 1 fields where the header has 2");
}

Test(table, two_columns_of_one_name) {
    int c;
    gw_table *t = open_as("a.tsv", "a\tb\tid\tid\tb\n1\t2\t3\t4\t5\n", (gw_table_options){0});
    expect_row(t, column(t, "a"), "1");
    cr_expect_eq(gw_table_column(t, "b", &c), GW_ERR_FORMAT);
    cr_expect(strstr(gw_message(), "a.tsv: columns 2 and 5 are both called \"b\""), "%s", gw_message());
    gw_table_close(t);
}
