// SPDX-License-Identifier: MIT
// The base library: messages, strict numbers, random numbers, whole-or-nothing files, arenas, parallel loops.
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/number.h"
#include "base/output.h"
#include "base/parallel.h"
#include "base/parse.h"
#include "base/random.h"
#include "base/string.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Test(base, message_and_context) {
    cr_assert_eq(gw_fail(GW_ERR_FORMAT, "line %d", 7), GW_ERR_FORMAT);
    cr_assert_str_eq(gw_message(), "line 7");
    cr_assert_eq(gw_fail_in(GW_ERR_IO, "a.vcf"), GW_ERR_IO);
    cr_assert_str_eq(gw_message(), "a.vcf: line 7");
    cr_assert_eq(gw_fail(GW_ERR_IO, "(%s)", gw_message()), GW_ERR_IO); // an argument inside the message itself
    cr_assert_str_eq(gw_message(), "(a.vcf: line 7)");
}

Test(base, message_longer_than_its_buffer_is_cut) {
    char *text = gw_alloc(5001, 1);
    memset(text, 'x', 5000);
    cr_assert_eq(gw_fail(GW_ERR_IO, "%s", text), GW_ERR_IO);
    cr_assert_eq(gw_fail_in(GW_ERR_IO, "%s", "front"), GW_ERR_IO);
    cr_assert_eq(strncmp(gw_message(), "front: xxx", 10), 0);
    cr_assert_eq(strlen(gw_message()), 2047);
    free(text);
}

Test(base, letters_between_names) {
    int least = GW_NEAREST_ANY;
    cr_assert_eq(gw_letters_between("steps", "stesp"), 1, "a swap");
    cr_assert_eq(gw_letters_between("steps", "STEP"), 1, "a letter less, whatever the case");
    cr_assert_eq(gw_letters_between("", "abc"), 3);
    cr_assert_eq(gw_letters_between("kitten", "sitting"), 3);
    cr_assert(!gw_is_nearer("ab", "xy", &least), "more than half differ");
    cr_assert(gw_is_nearer("stesp", "stem", &least) && least == 2);
    cr_assert(gw_is_nearer("stesp", "steps", &least) && least == 1);
    cr_assert(!gw_is_nearer("stesp", "stemp", &least), "no nearer than the last");
}

Test(base, whole_numbers) {
    int64_t value = 0;
    cr_assert_eq(gw_parse_int("42", 0, 100, &value), GW_OK);
    cr_assert_eq(value, 42);
    cr_assert_eq(gw_parse_int("-5", -10, 100, &value), GW_OK);
    cr_assert_eq(value, -5);
    const char *bad[] = {"", " 4", "4 ", "4x", "0x10", "1e3", "--4", "abc"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        cr_assert_eq(gw_parse_int(bad[i], -100, 100, &value), GW_ERR_FORMAT, "'%s' was accepted", bad[i]);
    cr_assert_eq(gw_parse_int("101", 0, 100, &value), GW_ERR_RANGE);
    cr_assert_eq(gw_parse_int("99999999999999999999", INT64_MIN, INT64_MAX, &value), GW_ERR_RANGE);
}

Test(base, search_in_what_is_sorted) {
    const int64_t ends[] = {3, 5, 5, 9};
    const int64_t of[] = {0, 3, 4, 5, 9}, expected[] = {0, 1, 1, 3, 4}; // the first end behind it
    for (int k = 0; k < 5; k++)
        cr_assert_eq(GW_FIRST_NOT(i, 4, ends[i] <= of[k]), expected[k], "%lld", (long long)of[k]);
    cr_assert_eq(GW_FIRST_NOT(i, 0, ends[i] <= 0), 0);
    cr_assert_eq(gw_min(-1, 2), -1);
    cr_assert_eq(gw_max(-1, 2), 2);
}

Test(base, beginnings_and_endings) {
    cr_assert(gw_has_prefix("##godwit", "##") && gw_has_prefix("a", "") && !gw_has_prefix("#", "##"));
    cr_assert(gw_has_suffix("x.gz", ".gz") && !gw_has_suffix(".gz", ".gz") && !gw_has_suffix("x.gzip", ".gz"));
}

Test(base, real_numbers_and_ranges) {
    double value = 0;
    int64_t range[2];
    cr_assert_eq(gw_parse_double("1e-4", 0, 1, &value), GW_OK);
    cr_assert_float_eq(value, 1e-4, 1e-18);
    cr_assert_eq(gw_parse_double("inf", 0, 1e300, &value), GW_ERR_FORMAT);
    cr_assert_eq(gw_parse_double("nan", 0, 1, &value), GW_ERR_FORMAT);
    cr_assert_eq(gw_parse_double("1e999", 0, 1e308, &value), GW_ERR_RANGE);
    cr_assert_eq(gw_parse_range("50-100", 1, 1000, range), GW_OK);
    cr_assert(range[0] == 50 && range[1] == 100);
    cr_assert_eq(gw_parse_range("7", 1, 1000, range), GW_OK);
    cr_assert(range[0] == 7 && range[1] == 7);
    cr_assert_eq(gw_parse_range("9-3", 1, 1000, range), GW_ERR_RANGE);
    cr_assert_eq(gw_parse_range("9-", 1, 1000, range), GW_ERR_FORMAT);
}

// Known answers of the generator's authors (Random123, philox4x32-10).
Test(base, philox_known_answers) {
    const uint32_t cases[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420,
         0x24126ea1},
    };
    for (int c = 0; c < 3; c++) {
        uint32_t out[4];
        gw_philox(cases[c], cases[c] + 4, out);
        cr_assert_eq(memcmp(out, cases[c] + 6, sizeof out), 0, "case %d", c);
    }
}

Test(base, streams_differ_by_each_coordinate) {
    gw_random streams[] = {
        gw_random_at(1, GW_SITE_TEST, 2, 3), gw_random_at(2, GW_SITE_TEST, 2, 3),
        gw_random_at(1, GW_SITE_MASK, 2, 3), gw_random_at(1, GW_SITE_TEST, 3, 3),
        gw_random_at(1, GW_SITE_TEST, 2, 4), gw_random_at(1, GW_SITE_TEST, 2 + (1ull << 32), 3),
    };
    const size_t count = sizeof streams / sizeof streams[0];
    uint64_t first[sizeof streams / sizeof streams[0]];
    for (size_t i = 0; i < count; i++)
        first[i] = (uint64_t)gw_random_u32(&streams[i]) << 32 | gw_random_u32(&streams[i]);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) cr_assert_neq(first[i], first[j], "streams %zu and %zu", i, j);
}

Test(base, bounded_draws_cover_their_range_evenly) {
    gw_random random = gw_random_at(7, GW_SITE_TEST, 0, 0);
    int seen[6] = {0};
    for (int i = 0; i < 60000; i++) {
        const int64_t draw = gw_random_between(&random, 10, 15);
        cr_assert(draw >= 10 && draw <= 15);
        seen[draw - 10]++;
    }
    for (int i = 0; i < 6; i++) cr_assert(abs(seen[i] - 10000) < 500, "%d was drawn %d times", i + 10, seen[i]);
    cr_assert_lt(gw_random_below(&random, 1ull << 40), 1ull << 40);
    double sum = 0, squares = 0;
    for (int i = 0; i < 50000; i++) {
        const double x = gw_random_normal(&random);
        sum += x, squares += x * x;
    }
    cr_assert_lt(sum / 50000 < 0 ? -sum / 50000 : sum / 50000, 0.02);
    cr_assert(squares / 50000 > 0.97 && squares / 50000 < 1.03);
}

Test(base, arena_measures_then_places) {
    gw_arena arena = {0};
    for (int pass = 0; pass < 2; pass++) {
        float *a = gw_arena_alloc(&arena, 3, sizeof *a), *b = gw_arena_alloc(&arena, 100, sizeof *b);
        cr_assert_eq(arena.used, 64 + 448);
        if (pass == 0) {
            cr_assert(!a && !b);
            cr_assert_eq(gw_arena_place(&arena), GW_OK);
        } else {
            cr_assert_eq((char *)b - (char *)a, 64);
            cr_assert_eq((uintptr_t)a % 64, 0);
            cr_assert_eq(b[99], 0);
        }
    }
    gw_arena_free(&arena);
}

static char *scratch_path(const char *name) {
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    return gw_strprintf("%s/godwit-base-%ld-%s", folder, (long)getpid(), name);
}

Test(base, output_appears_whole_or_not_at_all) {
    char *path = scratch_path("out");
    gw_output output;
    cr_assert_eq(gw_output_open(&output, path), GW_OK);
    cr_assert_eq(gw_output_write(&output, "half", 4), GW_OK);
    cr_assert(!gw_file_exists(path), "the final name is there before the file is complete");
    gw_output_abandon(&output);
    cr_assert(!gw_file_exists(path));
    cr_assert_eq(gw_write_file(path, "whole\n", 6), GW_OK);
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file(path, &bytes, &count), GW_OK);
    cr_assert_eq(count, 6);
    cr_assert_str_eq(bytes, "whole\n");
    free(bytes);
    unlink(path);
    free(path);
    cr_assert_eq(gw_write_file("/no/such/folder/x", "x", 1), GW_ERR_IO);
    cr_assert(strstr(gw_message(), "/no/such/folder/x"), "%s", gw_message());
}

// transformers writes its "no limit" so; other numbers, and texts with digits, stay as they are.
Test(base, json_of_python_holds_huge_whole_numbers) {
    const char *const text = "{\"model_max_length\": 1000000000000000019884624838656, \"n\": -7, "
                             "\"s\": \"\\\"12345678901234567890123\", \"x\": [1e3, 12345678901234567890]}";
    json_t *json;
    int64_t number;
    double real;
    const char *string;
    cr_assert_eq(gw_json_parse("f.json", text, (int64_t)strlen(text), &json), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_json_double(json, "f.json", "model_max_length", true, &real), GW_OK);
    cr_assert_eq(real, 1e30);
    cr_assert_eq(gw_json_int(json, "f.json", "n", true, -9, 9, &number), GW_OK);
    cr_assert_eq(number, -7);
    cr_assert_eq(gw_json_string(json, "f.json", "s", true, &string), GW_OK);
    cr_assert_str_eq(string, "\"12345678901234567890123");
    json_decref(json);
    cr_assert_eq(gw_json_parse("f.json", "{\"x\": 1e999}", 12, &json), GW_ERR_FORMAT);
}

Test(base, json_holds_no_zero_byte) {
    static const char text[] = "\xEF\xBB\xBF{\"a\":\n1\0}";
    json_t *json;
    cr_assert_eq(gw_json_parse("a.json", text, sizeof text - 1, &json), GW_ERR_FORMAT);
    cr_assert_str_eq(gw_message(), "a.json:2: not valid JSON: a zero byte");
    cr_assert_eq(gw_json_parse("a.json", "\xEF\xBB\xBF{\"a\": 1}", 11, &json), GW_OK, "%s", gw_message());
    json_decref(json);
}

Test(base, json_fields_name_file_and_key) {
    char *path = scratch_path("json");
    int64_t number = 5;
    json_t *json;
    cr_assert_eq(gw_write_file(path, "{\"n\": 3, \"s\": \"x\"}", 18), GW_OK);
    cr_assert_eq(gw_json_load(path, &json), GW_OK);
    cr_assert_eq(gw_json_int(json, "f.json", "absent", false, 0, 9, &number), GW_OK);
    cr_assert_eq(number, 5);
    cr_assert_eq(gw_json_int(json, "f.json", "n", true, 0, 9, &number), GW_OK);
    cr_assert_eq(number, 3);
    cr_assert_eq(gw_json_int(json, "f.json", "n", true, 4, 9, &number), GW_ERR_RANGE);
    cr_assert_eq(gw_json_int(json, "f.json", "s", true, 0, 9, &number), GW_ERR_FORMAT);
    cr_assert_str_eq(gw_message(), "f.json: \"s\" is \"x\", expected a whole number");
    cr_assert_eq(gw_json_int(json, "f.json", "absent", true, 0, 9, &number), GW_ERR_FORMAT);
    json_decref(json);
    cr_assert_eq(gw_write_file(path, "{\"n\": 3,\n oops", 14), GW_OK);
    cr_assert_eq(gw_json_load(path, &json), GW_ERR_FORMAT);
    cr_assert(strstr(gw_message(), ":2: not valid JSON"), "%s", gw_message());
    unlink(path);
    free(path);
}

static void add_squares(void *context, int64_t begin, int64_t end, int thread) {
    int64_t *out = context;
    cr_assert(thread >= 0 && thread < gw_threads());
    for (int64_t i = begin; i < end; i++) out[i] += i * i;
}

Test(base, parallel_loop_does_each_item_once) {
    enum { ITEMS = 1003 };
    for (int threads = 1; threads <= 3; threads++) {
        int64_t out[ITEMS] = {0};
        gw_set_threads(threads);
        gw_parallel_for(ITEMS, 10, add_squares, out);
        gw_parallel_for(0, 10, add_squares, out);
        for (int64_t i = 0; i < ITEMS; i++) cr_assert_eq(out[i], i * i);
    }
}

Test(base, text_grows) {
    gw_string text = {0};
    for (int i = 0; i < 1000; i++) gw_string_printf(&text, "%03d,", i);
    cr_assert_eq(gw_string_status(&text), GW_OK);
    cr_assert_eq(text.length, 4000);
    cr_assert_eq(strncmp(text.data + 3996, "999,", 5), 0);
    gw_string_free(&text);
}

Test(base, numbers_are_written_as_printf_writes_them) {
    static const double values[] = {0,        -0.0,          1,      -1,       0.5,       100000.5, 100001.5, 999999.5,
                                    999999.4, 1000000,       0.0001, 9.9e-5,   0.9999995, 0.1,      1234.565, 12345.65,
                                    123456.5, 0.00012345650, 1e-30,  3.4e38,   -7e-4,     99999.95, 9.9999,   0.001,
                                    0.01,     123456789,     2.5e-4, INFINITY, -INFINITY};
    uint64_t x = 1;
    gw_string text = {0};
    char expected[64];
    for (int64_t i = 0; i < 300000; i++) {
        const int64_t known = (int64_t)(sizeof values / sizeof values[0]);
        x = x * 6364136223846793005U + 1442695040888963407U;
        const double unit = (double)(x >> 11) * 0x1p-53 - 0.5;
        const double value = i < known ? values[i] : (double)(float)(unit * pow(10, (double)(i % 14) - 6));
        gw_string_clear(&text);
        gw_string_put_real(&text, value);
        snprintf(expected, sizeof expected, "%g", value);
        cr_assert_str_eq(text.data, expected);
        gw_string_clear(&text);
        gw_string_put_integer(&text, (int64_t)x >> (i % 64));
        snprintf(expected, sizeof expected, "%lld", (long long)((int64_t)x >> (i % 64)));
        cr_assert_str_eq(text.data, expected);
    }
    gw_string_clear(&text);
    gw_string_put_integer(&text, INT64_MIN);
    cr_assert_str_eq(text.data, "-9223372036854775808");
    gw_string_free(&text);
}

Test(base, percent_codes_but_for_control_characters) {
    gw_string text = {0};
    gw_string_put_decoded(&text, "a%2Cb%7C%09%zz%4", 16);
    cr_assert_str_eq(text.data, "a,b|%09%zz%4");
    gw_string_free(&text);
}

Test(base, arguments_as_a_shell_takes_them) {
    const char *const cases[][2] = {
        {"-i", "-i"},
        {"^chr1:5-9,chr2", "^chr1:5-9,chr2"},
        {"gen\xC3\xA9", "gen\xC3\xA9"},
        {"", "''"},
        {"two words", "'two words'"},
        {"QUAL>20 && FILTER=\"PASS\"", "'QUAL>20 && FILTER=\"PASS\"'"},
        {"a'b", "'a'\\''b'"},
        {"$HOME", "'$HOME'"},
        {"~", "'~'"},
        {"back\\slash", "'back\\slash'"},
        {"line\nit's \\1", "$'line\\012it\\'s \\\\1'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gw_string text = {0};
        gw_string_put_argument(&text, cases[i][0]);
        cr_expect_str_eq(text.data, cases[i][1]);
        gw_string_free(&text);
    }
}

// A training of 100 steps, resumed after 20, that stops twice to validate on 8 windows.
Test(base, pace_goes_on_after_another_task) {
    gw_pace pace = {0};
    cr_assert(gw_pace_read(&pace, "train", 20, 100, 5).begins);
    gw_pace_reading reading = gw_pace_read(&pace, "train", 30, 100, 10);
    cr_assert(!reading.begins && reading.seconds == 5 && reading.rate == 2);
    for (int64_t validation = 0; validation < 2; validation++) {
        const double begin = 10 + 20 * (double)validation;
        cr_assert(gw_pace_read(&pace, "evaluate", 1, 8, begin).begins);
        reading = gw_pace_read(&pace, "evaluate", 8, 8, begin + 7);
        cr_assert(!reading.begins && reading.seconds == 7 && reading.rate == 1);
        reading = gw_pace_read(&pace, "train", 40 + 10 * validation, 100, begin + 15);
        cr_assert(!reading.begins && reading.seconds == begin + 10);
        cr_assert_eq(reading.rate, (double)(20 + 10 * validation) / (begin + 10));
    }
    cr_assert(gw_pace_read(&pace, "train", 1, 60, 50).begins, "another training");
    cr_assert(gw_pace_read(&pace, "liftover", 10, 0, 60).begins);
    cr_assert_not(gw_pace_read(&pace, "liftover", 20, 0, 61).begins);
    cr_assert(gw_pace_read(&pace, "liftover", 5, 0, 62).begins, "another file");
}

static void keep_two(const char *first, const char *second, gw_status status) {
    gw_outputs_begin();
    cr_assert_eq(gw_write_file(first, "1", 1), GW_OK);
    cr_expect_not(gw_file_exists(first), "a file of a group appeared early");
    cr_assert_eq(gw_write_file(second, "2", 1), GW_OK);
    cr_assert_eq(gw_outputs_end(status), status);
}

Test(base, outputs_of_a_group_appear_together_or_not_at_all) {
    char folder[] = "/tmp/godwit-test.XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    char *first = gw_join_path(folder, "first"), *second = gw_join_path(folder, "second");
    keep_two(first, second, GW_ERR_RANGE);
    cr_expect(!gw_file_exists(first) && !gw_file_exists(second), "a failed group left a file");
    keep_two(first, second, GW_OK);
    cr_expect(gw_file_exists(first) && gw_file_exists(second));
    unlink(first);
    unlink(second);
    cr_expect_eq(rmdir(folder), 0, "temporaries were left in %s", folder);
    free(first);
    free(second);
}

static void write_text(const char *path, const char *text) {
    cr_assert_eq(gw_write_file(path, text, (int64_t)strlen(text)), GW_OK, "%s", gw_message());
}

static void expect_text(const char *path, const char *text) {
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file(path, &bytes, &count), GW_OK, "%s", gw_message());
    cr_expect_str_eq(bytes, text, "%s", path);
    free(bytes);
}

static mode_t mode_of(const char *path) {
    struct stat info;
    cr_assert_eq(lstat(path, &info), 0);
    return info.st_mode;
}

// Everything in a folder of its own, which anybody may write.
static void enter_folder(char folder[]) {
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chmod(folder, 0777), 0);
    cr_assert_eq(chdir(folder), 0);
}

static void leave_folder(const char *folder) {
    cr_assert_eq(chdir("/"), 0);
    cr_expect_eq(rmdir(folder), 0, "files were left in %s", folder);
}

Test(base, an_output_goes_where_its_link_leads) {
    char folder[] = "/tmp/godwit-test.XXXXXX";
    enter_folder(folder);
    cr_assert_eq(mkdir("below", 0777), 0);
    write_text("below/aim", "old");
    cr_assert_eq(chmod("below/aim", 0640), 0);
    cr_assert_eq(symlink("aim", "below/first") | symlink("below/first", "second") | symlink("below/new", "third"), 0);
    cr_assert_eq(symlink("round", "about") | symlink("about", "round"), 0);
    write_text("second", "new");
    expect_text("below/aim", "new");
    cr_expect(S_ISLNK(mode_of("second")) && S_ISLNK(mode_of("below/first")), "a link gave way");
    cr_expect_eq(mode_of("below/aim") & 07777, 0640, "permissions of the file before");
    write_text("third", "made");
    expect_text("below/new", "made");
    cr_expect(S_ISLNK(mode_of("third")), "a link to nothing gave way");
    cr_expect_eq(gw_write_file("about", "x", 1), GW_ERR_IO);
    cr_expect_not_null(strstr(gw_message(), "symbolic links"), "%s", gw_message());
    gw_outputs_begin();
    write_text("second", "1");
    cr_expect_eq(gw_write_file("below/aim", "2", 1), GW_ERR_IO, "one file for two outputs");
    cr_expect_eq(gw_outputs_end(GW_OK), GW_OK);
    const char *names[] = {"below/aim", "below/first", "second", "below/new", "third", "about", "round"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) unlink(names[i]);
    rmdir("below");
    leave_folder(folder);
}

Test(base, a_file_that_may_not_be_written_is_refused) {
    char folder[] = "/tmp/godwit-test.XXXXXX";
    enter_folder(folder);
    write_text("mine", "precious");
    cr_assert_eq(chmod("mine", 0444), 0);
    if (geteuid() == 0) cr_assert_eq(seteuid(65534), 0); // root may write any file
    cr_expect_eq(gw_write_file("mine", "x", 1), GW_ERR_IO);
    cr_expect_not_null(strstr(gw_message(), "cannot write mine: the file exists and cannot be overwritten"), "%s",
                       gw_message());
    expect_text("mine", "precious");
    cr_assert_eq(seteuid(getuid()), 0);
    unlink("mine");
    leave_folder(folder);
}

Test(base, what_another_process_has_put_in_the_place_stays) {
    char folder[] = "/tmp/godwit-test.XXXXXX";
    enter_folder(folder);
    cr_expect_not(gw_outputs_discard_too("nothing"));
    for (int removed = 0; removed < 2; removed++) { // at the end, by a signal
        static const char mine[] = "mine", others[] = "others";
        write_text(mine, "1");
        write_text(others, "2");
        cr_assert(gw_outputs_discard_too(mine) && gw_outputs_discard_too(others));
        cr_assert_eq(rename(others, "moved"), 0);
        write_text(others, "3");
        if (removed) gw_outputs_remove_own(mine);
        if (removed) gw_outputs_remove_own(others);
        gw_outputs_discard();
        cr_expect_not(gw_file_exists(mine));
        expect_text(others, "3");
        gw_outputs_discard();
        expect_text(others, "3");
        unlink(others);
        unlink("moved");
    }
    leave_folder(folder);
}
