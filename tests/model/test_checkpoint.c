// SPDX-License-Identifier: MIT
// Stored weights: what is written comes back, whatever the type and the format; shards; and what damaged safetensors
// files get. tests/model/test_torch_file.c has torch's archives.
#include "base/log.h"
#include "base/output.h"
#include "base/string.h"
#include "file/digest.h"
#include "score/score_output.h"
#include "store/checkpoint.h"
#include "store/values.h"
#include "store/weights_file.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(checkpoint, .init = scratch_enter, .fini = scratch_leave);

// A safetensors file of that header, its length `longer` than it is, and `data` bytes 0, 1, 2 ...
static gw_string safetensors(const char *header, int longer, int data) {
    gw_string text = {0};
    const uint64_t length = strlen(header) + (uint64_t)(int64_t)longer;
    for (int i = 0; i < 8; i++) gw_string_putc(&text, (char)(length >> (8 * i)));
    gw_string_puts(&text, header);
    for (int i = 0; i < data; i++) gw_string_putc(&text, (char)i);
    cr_assert_eq(gw_string_status(&text), GW_OK);
    return text;
}

static void write_safetensors(const char *path, const char *header, int data) {
    gw_string text = safetensors(header, 0, data);
    cr_assert_eq(gw_write_file(path, text.data, text.length), GW_OK);
    gw_string_free(&text);
}

// Reads bytes that end exactly where their block does.
static gw_status read_bytes(const void *bytes, int64_t size, gw_weights_file *file) {
    char *exact = malloc((size_t)size + (size == 0));
    memcpy(exact, bytes, (size_t)size);
    const gw_status status = gw_weights_file_of_bytes("x", exact, size, file);
    if (status == GW_OK) gw_weights_file_close(file);
    free(exact);
    return status;
}

static gw_checkpoint *open_or_die(const char *path) {
    gw_checkpoint *stored;
    cr_assert_eq(gw_checkpoint_open(path, &stored), GW_OK, "%s", gw_message());
    return stored;
}

static void expect_refused(const char *path, gw_status code, const char *text) {
    gw_checkpoint *stored;
    cr_expect_eq(gw_checkpoint_open(path, &stored), code, "%s", gw_message());
    cr_expect(strstr(gw_message(), text), "'%s' lacks '%s'", gw_message(), text);
    cr_expect_null(stored);
}

Test(checkpoint, damaged_safetensors_are_named) {
    static const struct {
        const char *header;
        int longer, data;
        const char *text;
    } cases[] = {
        {"{}", 1, 0, "a header of 3 bytes is announced"},
        {"{}", -1, 0, "not a JSON object"},
        {"[]", 0, 0, "not a JSON object"},
        {"{", 0, 0, "not a JSON object"},
        {"{}", 0, 1, "1 bytes after the last tensor"},
        {"{\"a\":1}", 0, 0, "\"dtype\" is missing"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 0, 4, "not a pair"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 0, 4, "not a pair"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,\"4\"]}}", 0, 4, "not a pair"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}}", 0, 4, "lie outside"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 0, 4, "lie outside"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,5]}}", 0, 4, "lie outside"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[9223372036854775800,9223372036854775804]}}", 0, 4,
         "lie outside"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 0, 4, "4 bytes do not hold 2 values"},
        {"{\"a\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,4]}}", 0, 4, "do not hold 1 values of type I64"},
        {"{\"a\":{\"dtype\":\"Q7\",\"shape\":[1],\"data_offsets\":[0,4]}}", 0, 4, "of type Q7"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0, 0, "too large"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],\"data_offsets\":[0,0]}}", 0, 0, "too large"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[0,4294967296,4294967296],\"data_offsets\":[0,0]}}", 0, 0, "too large"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 0, 4, "not a whole number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}", 0, 4, "not a whole number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}", 0, 4, "at most 8 sizes"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[1,3]}}",
         0, 3, "tensor b: its data overlap"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
         "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[2,3]}}",
         0, 3, "tensor b: bytes that belong to no tensor"},
        {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
         "\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}",
         0, 2, "duplicate"},
        {"{\"a\\u001b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 0, 1, "control characters"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gw_string text = safetensors(cases[i].header, cases[i].longer, cases[i].data);
        gw_weights_file file;
        cr_expect_eq(read_bytes(text.data, text.length, &file), GW_ERR_FORMAT, "%s", cases[i].header);
        cr_expect(strstr(gw_message(), cases[i].text), "%s: '%s' lacks '%s'", cases[i].header, gw_message(),
                  cases[i].text);
        gw_string_free(&text);
    }
}

enum { SAVED = 3 };
static const float saved_values[] = {1, -2.5f, 0.25f, 65504, 0, 0x1p-14f};
static const gw_tensor_values saved[SAVED] = {
    {.name = "matrix", .dimensions = 2, .shape = {2, 3}, .count = 6, .values = saved_values},
    {.name = "a.scalar", .dimensions = 0, .count = 1, .values = saved_values + 1},
    {.name = "empty", .dimensions = 2, .shape = {0, 7}, .count = 0, .values = saved_values},
};

Test(checkpoint, every_type_comes_back) {
    for (gw_store_type type = GW_STORE_F32; type <= GW_STORE_BF16; type++) {
        float values[6];
        const char *path = gw_checkpoint_file, *names[] = {"F32", "F16", "BF16"};
        cr_assert_eq(gw_checkpoint_save(path, saved, SAVED, type), GW_OK, "%s", gw_message());
        gw_checkpoint *stored = open_or_die(path);
        cr_assert_eq(gw_checkpoint_count(stored), SAVED);
        cr_expect_str_eq(gw_checkpoint_at(stored, 0)->name, "a.scalar");
        cr_expect_eq(gw_checkpoint_at(stored, 0)->dimensions, 0);
        cr_expect_eq(gw_checkpoint_at(stored, 1)->shape[1], 7);
        const gw_stored_tensor *matrix = gw_checkpoint_find(stored, "matrix");
        cr_assert_not_null(matrix);
        cr_expect_str_eq(matrix->type, names[type]);
        cr_assert_eq(gw_checkpoint_read(stored, matrix, values), GW_OK);
        for (int i = 0; i < 6; i++) {
            const float expected = type == GW_STORE_BF16 && i == 3 ? 65536 : saved_values[i];
            cr_expect_eq(values[i], expected, "value %d of %s is %g", i, names[type], (double)values[i]);
        }
        cr_expect_null(gw_checkpoint_find(stored, "matrix2"));
        gw_checkpoint_close(stored);
    }
}

Test(checkpoint, whole_numbers_come_back) {
    static const int64_t numbers[] = {INT64_MIN, -1, 0, INT64_MAX};
    gw_tensor_values tensors[] = {{.name = "n", .dimensions = 1, .shape = {4}, .count = 4, .integers = numbers},
                                  {.name = "f", .dimensions = 1, .shape = {3}, .count = 3, .values = saved_values}};
    int64_t values[4];
    cr_assert_eq(gw_checkpoint_save("w", tensors, 2, GW_STORE_F16), GW_OK, "%s", gw_message());
    gw_checkpoint *stored = open_or_die("w");
    const gw_stored_tensor *whole = gw_checkpoint_find(stored, "n"), *real = gw_checkpoint_find(stored, "f");
    cr_assert_eq(gw_checkpoint_read_int(stored, whole, values), GW_OK);
    cr_expect_eq(memcmp(values, numbers, sizeof numbers), 0);
    cr_expect_eq(gw_checkpoint_read_int(stored, real, values), GW_ERR_UNSUPPORTED);
    cr_expect(strstr(gw_message(), "tensor f has type F16"), "%s", gw_message());
    cr_expect_eq(gw_checkpoint_read(stored, whole, (float *)values), GW_ERR_UNSUPPORTED);
    cr_expect(gw_checkpoint_same(stored, whole, whole) && !gw_checkpoint_same(stored, whole, real));
    gw_checkpoint_close(stored);
}

Test(checkpoint, small_whole_numbers_are_widened_by_their_sign) {
    write_safetensors("w",
                      "{\"i\":{\"dtype\":\"I8\",\"shape\":[2],\"data_offsets\":[254,256]},"
                      "\"u\":{\"dtype\":\"U8\",\"shape\":[254],\"data_offsets\":[0,254]}}",
                      256);
    gw_checkpoint *stored = open_or_die("w");
    int64_t values[254];
    cr_assert_eq(gw_checkpoint_read_int(stored, gw_checkpoint_find(stored, "i"), values), GW_OK);
    cr_expect(values[0] == -2 && values[1] == -1);
    cr_assert_eq(gw_checkpoint_read_int(stored, gw_checkpoint_find(stored, "u"), values), GW_OK);
    cr_expect(values[0] == 0 && values[253] == 253);
    gw_checkpoint_close(stored);
}

// Every file that ends early is refused, and none is read beyond its end.
Test(checkpoint, cut_files_are_refused_at_every_byte) {
    char *bytes;
    int64_t count;
    gw_weights_file file;
    cr_assert_eq(gw_checkpoint_save("w", saved, SAVED, GW_STORE_F16), GW_OK);
    cr_assert_eq(gw_read_file("w", &bytes, &count), GW_OK);
    cr_assert_eq(read_bytes(bytes, count, &file), GW_OK, "%s", gw_message());
    for (int64_t size = 0; size < count; size++)
        cr_expect_neq(read_bytes(bytes, size, &file), GW_OK, "%lld of %lld bytes", (long long)size, (long long)count);
    free(bytes);
}

Test(checkpoint, values_are_rounded_to_the_nearest_even) {
    static const struct {
        float value;
        uint16_t half, brain;
    } cases[] = {{0, 0, 0},
                 {-0.0f, 0x8000, 0x8000},
                 {1, 0x3c00, 0x3f80},
                 {0x1.002p0f, 0x3c00, 0x3f80},    // f16: half way to the next, down to even
                 {0x1.006p0f, 0x3c02, 0x3f80},    // up to even
                 {0x1.002002p0f, 0x3c01, 0x3f80}, // beyond half way
                 {0x1.01p0f, 0x3c04, 0x3f80},     // bf16: half way, down
                 {0x1.03p0f, 0x3c0c, 0x3f82},     // bf16: half way, up
                 {65519, 0x7bff, 0x4780},
                 {0x1p-24f, 0x0001, 0x3380},
                 {0x1p-25f, 0x0000, 0x3300}, // half of the smallest subnormal
                 {0x1.8p-24f, 0x0002, 0x33c0},
                 {0x1.000002p-25f, 0x0001, 0x3300},
                 {0x1.ffcp-15f, 0x0400, 0x3880}, // carries into the smallest normal
                 {0x1p-149f, 0x0000, 0x0000},
                 {INFINITY, 0x7c00, 0x7f80},
                 {-INFINITY, 0xfc00, 0xff80},
                 {65520, 0x7c00, 0x4780},
                 {0x1.ffp127f, 0x7c00, 0x7f80}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(gw_value_to_f16(cases[i].value), cases[i].half, "%a: f16 is %04x", (double)cases[i].value,
                     gw_value_to_f16(cases[i].value));
        cr_expect_eq(gw_value_to_bf16(cases[i].value), cases[i].brain, "%a: bf16 is %04x", (double)cases[i].value,
                     gw_value_to_bf16(cases[i].value));
    }
    for (uint32_t bits = 0; bits < 1 << 16; bits++) {
        cr_assert_eq(gw_value_to_f16(gw_value_from_f16((uint16_t)bits)), bits, "f16 %04x does not come back", bits);
        cr_assert_eq(gw_value_to_bf16(gw_value_from_bf16((uint16_t)bits)), bits, "bf16 %04x does not come back", bits);
    }
}

Test(checkpoint, a_value_too_large_for_its_type_is_named) {
    static const float values[] = {1, 65520};
    const gw_tensor_values tensor = {.name = "big", .dimensions = 1, .shape = {2}, .count = 2, .values = values};
    cr_assert_eq(gw_write_file("w", "before", 6), GW_OK);
    cr_expect_eq(gw_checkpoint_save("w", &tensor, 1, GW_STORE_F16), GW_ERR_RANGE);
    cr_expect(strstr(gw_message(), "tensor big: its value 65520 is too large for F16"), "%s", gw_message());
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file("w", &bytes, &count), GW_OK);
    cr_expect_str_eq(bytes, "before"); // nothing was written
    free(bytes);
}

static int warnings;
static char last_warning[256];
static void count_warning(const char *message) {
    snprintf(last_warning, sizeof last_warning, "%s", message);
    warnings++;
}

Test(checkpoint, values_that_are_not_finite_are_kept_with_a_warning) {
    static const gw_log_hooks hooks = {.warn = count_warning};
    static const float odd[] = {1, NAN, -INFINITY};
    const gw_tensor_values tensors[] = {{.name = "odd", .dimensions = 1, .shape = {3}, .count = 3, .values = odd},
                                        {.name = "p", .dimensions = 1, .shape = {1}, .count = 1, .values = odd + 1}};
    gw_set_log_hooks(&hooks);
    cr_assert_eq(gw_checkpoint_save("w", tensors, 2, GW_STORE_F16), GW_OK);
    cr_expect_eq(warnings, 2);
    cr_expect(strstr(last_warning, "tensor p is written with"), "%s", last_warning);
    gw_checkpoint *stored = open_or_die("w");
    float values[3];
    cr_assert_eq(gw_checkpoint_read(stored, gw_checkpoint_find(stored, "odd"), values), GW_OK);
    cr_expect(values[0] == 1 && isnan(values[1]) && values[2] == -INFINITY);
    cr_expect(strstr(last_warning, "tensor odd holds infinite values or NaN"), "%s", last_warning);
    cr_assert_eq(gw_checkpoint_read(stored, gw_checkpoint_find(stored, "p"), values), GW_OK);
    cr_expect_eq(warnings, 3, "one warning a checkpoint");
    gw_checkpoint_close(stored);
    gw_set_log_hooks(NULL);
}

static void write_shards(const char *map) {
    write_safetensors("one", "{\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}", 2);
    write_safetensors("two", "{\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}", 3);
    char text[256];
    snprintf(text, sizeof text, "{\"metadata\": {\"total_size\": 5}, \"weight_map\": {%s}}", map);
    scratch_text("model.safetensors.index.json", text);
}

Test(checkpoint, shards_are_one_list) {
    write_shards("\"b\": \"two\", \"a\": \"one\"");
    gw_checkpoint *stored = open_or_die(".");
    cr_assert_eq(gw_checkpoint_count(stored), 2);
    cr_expect_str_eq(gw_checkpoint_at(stored, 0)->file, "./one");
    cr_expect_eq(gw_checkpoint_at(stored, 1)->count, 3);
    static const char *const names[] = {"one", "two"};
    const void *bytes;
    char *wanted, hex[33], wanted_hex[33];
    int64_t size, wanted_size;
    gw_md5 *md5;
    cr_assert_eq(gw_md5_start(&md5), GW_OK);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(gw_read_file(names[i], &wanted, &wanted_size), GW_OK);
        cr_assert(gw_checkpoint_bytes(stored, i, &bytes, &size) && size == wanted_size);
        cr_expect_eq(memcmp(bytes, wanted, (size_t)size), 0);
        gw_md5_add(md5, wanted, wanted_size);
        free(wanted);
    }
    cr_expect_not(gw_checkpoint_bytes(stored, 2, &bytes, &size));
    gw_checkpoint_close(stored);
    gw_md5_finish_hex(md5, wanted_hex);
    cr_assert_eq(gw_model_md5(".", hex), GW_OK);
    cr_expect_str_eq(hex, wanted_hex);
}

Test(checkpoint, wrong_shards_are_named) {
    static const struct {
        const char *map;
        gw_status code;
        const char *text;
    } cases[] = {
        {"", GW_ERR_FORMAT, "\"weight_map\" is missing or empty"},
        {"\"a\": \"one\", \"b\": \"one\"", GW_ERR_MISMATCH, "one: tensor b is missing"},
        {"\"a\": \"one\", \"b\": \"two\", \"c\": \"two\"", GW_ERR_MISMATCH, "two: tensor c is missing"},
        {"\"a\": \"two\", \"b\": \"one\"", GW_ERR_MISMATCH, "tensor a is missing"},
        {"\"x\": \"one\", \"b\": \"two\"", GW_ERR_MISMATCH, "one: tensor x is missing"},
        {"\"a\": \"one\", \"b\": \"three\"", GW_ERR_IO, "cannot open ./three"},
        {"\"a\": \"one\", \"b\": \"../two\"", GW_ERR_FORMAT, "\"../two\", which is not a name inside the folder"},
        {"\"a\": \"one\", \"b\": \"..\"", GW_ERR_FORMAT, "not a name inside"},
        {"\"a\": \"one\", \"b\": \"/etc/passwd\"", GW_ERR_FORMAT, "not a name inside"},
        {"\"a\": \"one\", \"b\": \"\"", GW_ERR_FORMAT, "not a name inside"},
        {"\"a\": \"one\", \"b\": 2", GW_ERR_FORMAT, "the file of tensor b is not a string"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_shards(cases[i].map);
        expect_refused("./model.safetensors.index.json", cases[i].code, cases[i].text);
    }
    write_shards("\"a\": \"one\", \"b\": \"two\"");
    write_safetensors("two",
                      "{\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                      "\"d\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[3,3]}}",
                      3);
    expect_refused(".", GW_ERR_MISMATCH, "./two: tensor d is not in ./model.safetensors.index.json");
    write_safetensors("two",
                      "{\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                      "\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[3,3]}}",
                      3);
    expect_refused(".", GW_ERR_MISMATCH, "tensor a is in ./one and in ./two");
}

Test(checkpoint, files_that_are_no_weights_are_named) {
    scratch_text("model.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n");
    expect_refused(".", GW_ERR_FORMAT, "./model.safetensors: a Git LFS pointer");
    cr_assert_eq(
        gw_write_file("model.safetensors", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02", 17),
        GW_OK);
    expect_refused(".", GW_ERR_UNSUPPORTED, "before 1.6");
    scratch_text("model.safetensors", "");
    expect_refused(".", GW_ERR_FORMAT, "0 bytes are too few");
    expect_refused("/dev/null", GW_ERR_IO, "not a regular file");
    expect_refused("nowhere", GW_ERR_IO, "no model 'nowhere' is installed");
}
