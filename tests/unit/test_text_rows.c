// SPDX-License-Identifier: MIT
// Tables of texts: columns by name from TSV and JSONL.
#include "data/text_rows.h"

#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(text_rows, .init = scratch_enter, .fini = scratch_leave);

static const char *const columns[] = {"text", "title"};

static gw_text_rows *open_rows(const char *path, const char *text) {
    gw_text_rows *rows;
    scratch_text(path, text);
    cr_assert_eq(gw_text_rows_open(path, columns, 2, &rows), GW_OK, "%s", gw_message());
    return rows;
}

static void expect_row(gw_text_rows *rows, const char *text, const char *title) {
    bool found;
    cr_assert_eq(gw_text_rows_next(rows, &found), GW_OK, "%s", gw_message());
    cr_assert(found);
    cr_assert_str_eq(gw_text_rows_text(rows, 0, 0), text);
    cr_assert_str_eq(gw_text_rows_text(rows, 1, 0), title);
}

static void expect_end(gw_text_rows *rows) {
    bool found;
    cr_assert_eq(gw_text_rows_next(rows, &found), GW_OK, "%s", gw_message());
    cr_assert(!found);
    gw_text_rows_close(rows);
}

Test(text_rows, tables) {
    gw_text_rows *rows = open_rows("a.tsv", "title\tid\ttext\nT\t1\tone \"two\"\n\n\t2\t\xc3\xa9\r\n");
    expect_row(rows, "one \"two\"", "T");
    expect_row(rows, "\xc3\xa9", "");
    expect_end(rows);
}

Test(text_rows, objects) {
    const char *text =
        "{\"text\": [\"a\", \"b\\nc\"], \"n\": 3, \"title\": \"T\"}\n{\"title\": [\"U\"], \"text\": \"\"}";
    gw_text_rows *rows = open_rows("a.jsonl", text);
    expect_row(rows, "a", "T");
    cr_assert_eq(gw_text_rows_count(rows, 0), 2);
    cr_assert_str_eq(gw_text_rows_text(rows, 0, 1), "b\nc");
    cr_assert_eq(gw_text_rows_count(rows, 1), 1);
    expect_row(rows, "", "U");
    expect_end(rows);
}

static void expect_failure(const char *name, const char *text, const char *message) {
    gw_text_rows *rows;
    bool found;
    scratch_text(name, text);
    const gw_status opened = gw_text_rows_open(name, columns, 2, &rows);
    cr_assert_neq(opened == GW_OK ? gw_text_rows_next(rows, &found) : opened, GW_OK, "%s was read", text);
    cr_assert_not_null(strstr(gw_message(), message), "%s", gw_message());
    gw_text_rows_close(rows);
}

Test(text_rows, refusals) {
    expect_failure("b.tsv", "text\tname\nA\tB\n", "b.tsv:1: there is no column 'title'; found text, name");
    expect_failure("b.tsv", "text\ttitle\nA\n", "b.tsv:2: 1 columns, expected the 2 of the first line");
    expect_failure("b.tsv", "", "expected a line of column names");
    expect_failure("b.tsv", "text\ttitle\nA\tB\xff\n", "b.tsv:2: byte 4 of the line is not UTF-8");
    expect_failure("b.jsonl", "{\"text\": \"A\"}", "b.jsonl:1: there is no field 'title'");
    expect_failure("b.jsonl", "{\"text\": [], \"title\": \"\"}", "field 'text' is neither a text nor a list of texts");
    expect_failure("b.jsonl", "{\"text\": [1], \"title\": \"\"}", "field 'text' is neither a text nor a list of texts");
    expect_failure("b.jsonl", "[1]\n", "b.jsonl:1");
}

Test(text_rows, names) {
    cr_expect(gw_is_jsonl("a.jsonl") && gw_is_jsonl("x/a.jsonl.gz"));
    cr_expect(!gw_is_jsonl(".jsonl") && !gw_is_jsonl("a.json") && !gw_is_jsonl("jsonl"));
}
