// SPDX-License-Identifier: MIT
// Lines from plain, gzip and BGZF files, damaged ones too; writers that leave a whole file or none.
#include "base/memory.h"
#include "base/output.h"
#include "file/lines.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(lines, .init = scratch_enter, .fini = scratch_leave);

static gw_line_reader *open_lines(const char *path) {
    gw_line_reader *reader;
    cr_assert_eq(gw_lines_open(path, &reader), GW_OK, "%s", gw_message());
    return reader;
}

static void expect_line(gw_line_reader *reader, const char *expected) {
    char *line;
    int64_t length;
    cr_assert_eq(gw_lines_next(reader, &line, &length), GW_OK, "%s", gw_message());
    if (!expected) {
        cr_assert_null(line);
        return;
    }
    cr_assert_not_null(line, "the file ended before '%s'", expected);
    cr_assert_str_eq(line, expected);
    cr_assert_eq(length, (int64_t)strlen(expected));
}

static void expect_failure(const char *path, gw_status expected, const char *text) {
    gw_line_reader *reader;
    char *line;
    int64_t length;
    gw_status status = gw_lines_open(path, &reader);
    if (status == GW_OK) {
        do status = gw_lines_next(reader, &line, &length);
        while (status == GW_OK && line);
        gw_lines_close(reader);
    }
    cr_assert_eq(status, expected);
    cr_assert(strstr(gw_message(), text), "%s", gw_message());
    cr_assert(strstr(gw_message(), path), "%s", gw_message());
}

Test(lines, line_ends_and_empty_lines) {
    scratch_text("plain", "one\r\n\ntwo\n\r\nlast");
    scratch_gzip("gzip", "one\r\n\ntwo\n\r\nlast");
    scratch_bgzf("bgzf", "one\r\n\ntwo\n\r\nlast");
    const char *paths[] = {"plain", "gzip", "bgzf"};
    for (int i = 0; i < 3; i++) {
        gw_line_reader *reader = open_lines(paths[i]);
        expect_line(reader, "one");
        expect_line(reader, "");
        expect_line(reader, "two");
        expect_line(reader, "");
        expect_line(reader, "last");
        cr_assert_eq(gw_lines_number(reader), 5);
        cr_assert_eq(gw_lines_fail(reader, GW_ERR_FORMAT, "found %d", 3), GW_ERR_FORMAT);
        cr_assert(strstr(gw_message(), ":5: found 3"), "%s", gw_message());
        expect_line(reader, NULL);
        expect_line(reader, NULL);
        gw_lines_close(reader);
    }
}

Test(lines, empty_file) {
    scratch_text("empty", "");
    gw_line_reader *reader = open_lines("empty");
    expect_line(reader, NULL);
    gw_lines_close(reader);
}

Test(lines, byte_order_mark_is_left_out) {
    scratch_text("marked", "\xEF\xBB\xBF"
                           "c1\n\xEF\xBB\xBFx\n");
    scratch_bgzf("marked.gz", "\xEF\xBB\xBF"
                              "c1\n\xEF\xBB\xBFx\n");
    scratch_text("mark", "\xEF\xBB\xBF");
    for (int i = 0; i < 2; i++) {
        gw_line_reader *reader = open_lines(i == 0 ? "marked" : "marked.gz");
        expect_line(reader, "c1");
        expect_line(reader, "\xEF\xBB\xBFx");
        expect_line(reader, NULL);
        gw_lines_close(reader);
    }
    gw_line_reader *reader = open_lines("mark");
    expect_line(reader, NULL);
    gw_lines_close(reader);
}

Test(lines, zero_bytes_are_named) {
    gw_output output;
    cr_assert_eq(gw_output_open(&output, "zero"), GW_OK);
    cr_assert_eq(gw_output_write(&output, "one\ntw\0o\n", 10), GW_OK);
    cr_assert_eq(gw_output_close(&output), GW_OK);
    expect_failure("zero", GW_ERR_FORMAT, "zero:2: byte 3 of the line is zero");
    gw_line_reader *reader = open_lines("zero");
    gw_lines_take_zeros(reader);
    char *line;
    int64_t length;
    expect_line(reader, "one");
    cr_assert_eq(gw_lines_next(reader, &line, &length), GW_OK);
    cr_assert_eq(length, 4);
    gw_lines_close(reader);
}

Test(lines, line_longer_than_any_buffer) {
    enum { LENGTH = 3000001 };
    char *text = gw_alloc(LENGTH + 3, 1);
    memset(text, 'x', LENGTH);
    memcpy(text + LENGTH, "\ny", 2);
    scratch_bgzf("long", text);
    text[LENGTH] = 0;
    gw_line_reader *reader = open_lines("long");
    expect_line(reader, text);
    expect_line(reader, "y");
    expect_line(reader, NULL);
    gw_lines_close(reader);
    free(text);
}

Test(lines, damaged_files_are_errors) {
    char *text = gw_alloc(200001, 1);
    for (int i = 0; i < 200000; i++) text[i] = i % 50 == 49 ? '\n' : (char)('A' + i * 7919 % 23);
    scratch_gzip("cut.gz", text);
    scratch_cut("cut.gz", 20);
    expect_failure("cut.gz", GW_ERR_FORMAT, "truncated or damaged");
    scratch_bgzf("cut.bgzf", text);
    scratch_cut("cut.bgzf", 40); // inside the last block of data
    expect_failure("cut.bgzf", GW_ERR_FORMAT, "truncated or damaged");
    scratch_bgzf("noend.bgzf", text);
    scratch_cut("noend.bgzf", 28); // exactly the end-of-file block
    expect_failure("noend.bgzf", GW_ERR_FORMAT, "end-of-file block");
    free(text);
    expect_failure("absent", GW_ERR_IO, "No such file");
    cr_assert_eq(mkdir("folder", 0777), 0);
    expect_failure("folder", GW_ERR_IO, "Is a directory");
}

Test(lines, split) {
    char line[] = "a\t\tb\tc", *fields[4];
    cr_assert_eq(gw_split(line, '\t', fields, 4), 4);
    cr_assert_str_eq(fields[1], "");
    cr_assert_str_eq(fields[3], "c");
    char rest[] = "a,b,c";
    cr_assert_eq(gw_split(rest, ',', fields, 2), 2);
    cr_assert_str_eq(fields[1], "b,c");
    char one[] = "";
    cr_assert_eq(gw_split(one, ',', fields, 2), 1);
    cr_assert_str_eq(fields[0], "");
}

Test(lines, writer_by_name) {
    const char *paths[] = {"out.txt", "out.txt.gz"};
    for (int i = 0; i < 2; i++) {
        gw_text_writer *writer;
        cr_assert_eq(gw_writer_open(paths[i], &writer), GW_OK, "%s", gw_message());
        char *block = gw_alloc(300001, 1);
        memset(block, 'z', 300000);
        cr_assert_eq(gw_writer_printf(writer, "%d %s\n", 7, "x"), GW_OK);
        cr_assert_eq(gw_writer_write(writer, block, 300000), GW_OK);
        cr_assert_eq(gw_writer_printf(writer, "\n%s\n", block), GW_OK);
        cr_assert(!gw_file_exists(paths[i]), "the file is there before it is whole");
        cr_assert_eq(gw_writer_close(writer), GW_OK, "%s", gw_message());
        gw_line_reader *reader = open_lines(paths[i]);
        expect_line(reader, "7 x");
        expect_line(reader, block);
        expect_line(reader, block);
        expect_line(reader, NULL);
        gw_lines_close(reader);
        free(block);
    }
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file("out.txt.gz", &bytes, &count), GW_OK);
    cr_assert(count > 28 && memcmp(bytes, "\x1f\x8b", 2) == 0 && memcmp(bytes + 12, "BC", 2) == 0);
    free(bytes);
}

Test(lines, abandoned_writer_leaves_nothing) {
    gw_text_writer *writer;
    scratch_text("kept.gz", "old");
    cr_assert_eq(gw_writer_open("kept.gz", &writer), GW_OK);
    cr_assert_eq(gw_writer_write(writer, "new", 3), GW_OK);
    gw_writer_abandon(writer);
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file("kept.gz", &bytes, &count), GW_OK);
    cr_assert_str_eq(bytes, "old");
    free(bytes);
    cr_assert_eq(gw_writer_open("no/such/folder/x.gz", &writer), GW_ERR_IO);
    cr_assert(strstr(gw_message(), "no/such/folder/x.gz"), "%s", gw_message());
}

Test(lines, full_disk) {
    if (access("/dev/full", W_OK) != 0) cr_skip_test("no /dev/full");
    for (int bgzf = 0; bgzf < 2; bgzf++) {
        gw_text_writer *writer;
        cr_assert_eq(gw_writer_open_as("/dev/full", bgzf, &writer), GW_OK, "%s", gw_message());
        cr_assert_eq(gw_writer_write(writer, "x", 1), GW_OK);
        cr_assert_eq(gw_writer_close(writer), GW_ERR_IO);
        cr_assert(strstr(gw_message(), "/dev/full") && strstr(gw_message(), "No space"), "%s", gw_message());
    }
    struct stat info;
    cr_assert(stat("/dev/full", &info) == 0 && S_ISCHR(info.st_mode), "/dev/full was replaced by a file");
}
