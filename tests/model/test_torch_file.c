// SPDX-License-Identifier: MIT
// pytorch_model.bin: views of shared storages, and what archives and pickles get that are damaged or do more than hold
// weights. The pickles are put together here, instruction by instruction.
#include "base/output.h"
#include "base/string.h"
#include "store/checkpoint.h"
#include "store/weights_file.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

TestSuite(torch_file, .init = scratch_enter, .fini = scratch_leave);

enum { STORED = 12, MOST = 4 };
static const float storage[STORED] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

static void put_number(gw_string *text, int64_t value, int bytes) {
    for (uint64_t left = (uint64_t)value; bytes > 0; bytes--, left >>= 8) gw_string_putc(text, (char)left);
}

static void put_text(gw_string *text, const char *string) {
    gw_string_putc(text, 'X');
    put_number(text, (int64_t)strlen(string), 4);
    gw_string_puts(text, string);
}

static void put_long(gw_string *text, int64_t value) {
    gw_string_puts(text, "\x8a\x08");
    put_number(text, value, 8);
}

static void put_tuple(gw_string *text, const int64_t *values, int count) {
    gw_string_putc(text, '(');
    for (int i = 0; i < count; i++) put_long(text, values[i]);
    gw_string_putc(text, 't');
}

// A view of the storage `key`, which holds `values` values of that class.
typedef struct {
    const char *key, *class;
    int64_t values, offset;
    int dimensions;
    int64_t shape[MOST], stride[MOST];
} view;

static void put_view(gw_string *text, const view *v) {
    gw_string_puts(text, "ctorch._utils\n_rebuild_tensor_v2\n((");
    put_text(text, "storage");
    gw_string_printf(text, "ctorch\n%s\n", v->class);
    put_text(text, v->key);
    put_text(text, "cpu");
    put_long(text, v->values);
    gw_string_puts(text, "tQ");
    put_long(text, v->offset);
    put_tuple(text, v->shape, v->dimensions);
    put_tuple(text, v->stride, v->dimensions);
    gw_string_puts(text, "\x89}tR");
}

// {"x": view}
static gw_string pickle_of(const view *v) {
    gw_string text = {0};
    gw_string_puts(&text, "\x80\x02}");
    put_text(&text, "x");
    put_view(&text, v);
    gw_string_puts(&text, "s.");
    return text;
}

// A zip archive on its way: entries with their local headers, and what the central directory says of them.
typedef struct {
    gw_string entries, central;
    int64_t count;
} archive;

// What both headers of an entry hold: flags to CRC, sizes, lengths of name and extra field.
static void put_header(gw_string *text, int64_t name, int64_t size) {
    put_number(text, 0, 12);
    put_number(text, size, 4);
    put_number(text, size, 4);
    put_number(text, name, 4);
}

static void put_entry(archive *a, const char *name, const void *bytes, int64_t count) {
    const int64_t begin = a->entries.length, length = (int64_t)strlen(name);
    gw_string_puts(&a->entries, "PK\3\4");
    put_number(&a->entries, 0, 2);
    put_header(&a->entries, length, count);
    gw_string_puts(&a->entries, name);
    gw_string_append(&a->entries, bytes, count);
    gw_string_puts(&a->central, "PK\1\2");
    put_number(&a->central, 0, 4);
    put_header(&a->central, length, count);
    put_number(&a->central, 0, 10);
    put_number(&a->central, begin, 4);
    gw_string_puts(&a->central, name);
    a->count++;
}

// The central directory, a zip64 end record, its locator and an end record.
static void put_end(archive *a) {
    gw_string *text = &a->entries;
    const int64_t directory = text->length, end64 = directory + a->central.length;
    gw_string_append(text, a->central.data, a->central.length);
    gw_string_puts(text, "PK\6\6");
    put_number(text, 44, 8);
    put_number(text, 0, 12);
    put_number(text, a->count, 8);
    put_number(text, a->count, 8);
    put_number(text, a->central.length, 8);
    put_number(text, directory, 8);
    gw_string_puts(text, "PK\6\7");
    put_number(text, 0, 4);
    put_number(text, end64, 8);
    put_number(text, 1, 4);
    gw_string_puts(text, "PK\5\6");
    put_number(text, -1, 8);
    put_number(text, -1, 8);
    put_number(text, 0, 2);
}

// w.bin with that pickle, the storage as data/0, and one more entry where `name` is not NULL.
static void write_archive(const char *pickle, int64_t length, const char *name, const char *content) {
    archive a = {0};
    put_entry(&a, "w/data.pkl", pickle, length);
    put_entry(&a, "w/data/0", storage, sizeof storage);
    if (name) put_entry(&a, name, content, (int64_t)strlen(content));
    put_end(&a);
    cr_assert_eq(gw_write_file("w.bin", a.entries.data, a.entries.length), GW_OK);
    gw_string_free(&a.entries);
    gw_string_free(&a.central);
}

static void write_view(const view *v) {
    gw_string pickle = pickle_of(v);
    write_archive(pickle.data, pickle.length, NULL, NULL);
    gw_string_free(&pickle);
}

static void expect_refused(gw_status code, const char *text) {
    gw_checkpoint *stored;
    cr_expect_eq(gw_checkpoint_open("w.bin", &stored), code, "expected '%s': %s", text, gw_message());
    cr_expect(strstr(gw_message(), text), "'%s' lacks '%s'", gw_message(), text);
    cr_expect_null(stored);
}

static void expect_values(const view *v, const float *expected, int count) {
    gw_checkpoint *stored;
    float values[24];
    write_view(v);
    cr_assert_eq(gw_checkpoint_open("w.bin", &stored), GW_OK, "%s", gw_message());
    const gw_stored_tensor *tensor = gw_checkpoint_at(stored, 0);
    cr_assert_eq(tensor->count, count);
    cr_assert_eq(gw_checkpoint_read(stored, tensor, values), GW_OK);
    for (int i = 0; i < count; i++) cr_expect_eq(values[i], expected[i], "value %d is %g", i, (double)values[i]);
    gw_checkpoint_close(stored);
}

Test(torch_file, views_are_read_by_their_strides) {
    static const struct {
        view v;
        int count;
        float expected[12];
    } cases[] = {
        {{"0", "FloatStorage", 12, 0, 2, {3, 4}, {4, 1}}, 12, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
        {{"0", "FloatStorage", 12, 0, 2, {4, 3}, {1, 4}}, 12, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}},
        {{"0", "FloatStorage", 12, 5, 2, {2, 2}, {4, 1}}, 4, {5, 6, 9, 10}},
        {{"0", "FloatStorage", 12, 1, 1, {3}, {4}}, 3, {1, 5, 9}},
        {{"0", "FloatStorage", 12, 11, 0, {0}, {0}}, 1, {11}},
        {{"0", "FloatStorage", 12, 11, 2, {1, 1}, {100, 100}}, 1, {11}}, // strides of one item say nothing
        {{"0", "FloatStorage", 12, 2, 2, {2, 3}, {0, 1}}, 6, {2, 3, 4, 2, 3, 4}},
        {{"0", "FloatStorage", 12, 0, 3, {2, 2, 3}, {1, 6, 2}}, 12, {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}},
        {{"0", "FloatStorage", 12, 99, 2, {0, 5}, {5, 1}}, 0, {0}}, // nothing is read
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_values(&cases[i].v, cases[i].expected, cases[i].count);
}

Test(torch_file, views_that_leave_their_storage_are_refused) {
    static const struct {
        view v;
        const char *text;
    } cases[] = {
        {{"0", "FloatStorage", 12, 1, 2, {3, 4}, {4, 1}}, "tensor x: it reaches beyond the end of its storage"},
        {{"0", "FloatStorage", 12, 12, 0, {0}, {0}}, "reaches beyond"},
        {{"0", "FloatStorage", 12, 0, 1, {2}, {12}}, "reaches beyond"},
        {{"0", "FloatStorage", 12, INT64_MAX, 1, {2}, {1}}, "reaches beyond"},
        {{"0", "FloatStorage", 12, 0, 2, {2, 2}, {INT64_MAX, INT64_MAX}}, "reaches beyond"},
        {{"0", "FloatStorage", 12, -1, 1, {1}, {1}}, "at most 8 sizes and strides"},
        {{"0", "FloatStorage", 12, 5, 1, {2}, {-1}}, "at most 8 sizes and strides"},
        {{"0", "FloatStorage", 12, 0, 1, {-2}, {1}}, "at most 8 sizes and strides"},
        {{"0", "FloatStorage", 12, 0, 2, {1ll << 40, 1ll << 40}, {0, 0}}, "its shape is too large"},
        {{"0", "FloatStorage", 12, 0, 1, {1ll << 40}, {0}}, "more values than the file has bytes"},
        {{"0", "FloatStorage", 13, 0, 1, {1}, {1}}, "48 bytes of data/0 do not hold 13 values of type F32"},
        {{"0", "HalfStorage", 12, 0, 1, {1}, {1}}, "do not hold 12 values of type F16"},
        {{"0", "FloatStorage", -1, 0, 1, {1}, {1}}, "do not hold -1 values"},
        {{"1", "FloatStorage", 12, 0, 1, {1}, {1}}, "the archive has no entry data/1"},
        {{"../data.pkl", "ByteStorage", 12, 0, 1, {1}, {1}}, "the archive has no entry data/../data.pkl"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_view(&cases[i].v);
        expect_refused(GW_ERR_FORMAT, cases[i].text);
    }
}

static const view whole = {"0", "FloatStorage", 12, 0, 1, {12}, {1}};

// The pickle of {"x": whole} with `before` in front of it, and `instead` in place of its last instruction, the stop.
static void write_pickle(const char *before, int64_t length, const char *instead) {
    gw_string pickle = {0}, inner = pickle_of(&whole);
    gw_string_puts(&pickle, "\x80\x02");
    gw_string_append(&pickle, before, length);
    gw_string_append(&pickle, inner.data + 2, inner.length - 3);
    gw_string_puts(&pickle, instead);
    write_archive(pickle.data, pickle.length, NULL, NULL);
    gw_string_free(&pickle);
    gw_string_free(&inner);
}

#define BYTES(text) text, sizeof text - 1

Test(torch_file, nothing_is_called) {
    static const struct {
        const char *before;
        int64_t length;
        const char *text;
    } cases[] = {
        {BYTES("cos\nsystem\nX\x05\0\0\0touch\x85R"), "calls os.system, which weights never need"},
        {BYTES("cposix\nsystem\n"), "calls posix.system"},
        {BYTES("\x8c\x08"
               "builtins\x8c\x04"
               "eval\x93"),
         "calls builtins.eval"},
        {BYTES("(X\x02\0\0\0lsios\nsystem\n"), "calls os.system"},
        {BYTES("ctorch\nload\n"), "calls torch.load"},
        {BYTES("ctorch._utils\n_rebuild_tensor\n"), "calls torch._utils._rebuild_tensor,"},
        {BYTES("ccollections\nOrderedDictionary\n"), "calls collections.OrderedDictionary"},
        {BYTES("c\x1b[2J\nx\n"), "calls ?[2J.x"},
        {BYTES("ctorch\nFloatStorage\n)R"), "calls torch.FloatStorage in a way"},
        {BYTES("ccollections\nOrderedDict\nK\x01\x85R"), "calls collections.OrderedDict in a way"},
        {BYTES("ccollections\nOrderedDict\n)\x81"), "calls collections.OrderedDict in a way"},
        {BYTES("ctorch.nn.modules.conv\nConv1d\n)R"), "calls torch.nn.modules.conv.Conv1d in a way"},
        {BYTES("ctorch.nn.modules.conv\nConv2d\n"),
         "calls torch.nn.modules.conv.Conv2d, which weights never need; nothing was run. A whole network"},
        {BYTES("(ccollections\nOrderedDict\no"), "the instruction 0x6f"},
        {BYTES("\x82\x01"), "the instruction 0x82"}, // a registered extension
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_pickle(cases[i].before, cases[i].length, ".");
        expect_refused(GW_ERR_UNSUPPORTED, cases[i].text);
    }
}

Test(torch_file, broken_pickles_are_named) {
    static const struct {
        const char *before;
        int64_t length;
        const char *instead, *text;
    } cases[] = {
        {BYTES(""), "", "it is cut off"},
        {BYTES(""), "N.", "ends with other than one value"},
        {BYTES(""), "(.", "ends with other than one value"},
        {BYTES(""), "0.", "the instruction 0x30"},
        {BYTES("NNNs"), ".", "something that is not a dictionary"},
        {BYTES("t"), ".", "closes a list that was not begun"},
        {BYTES("(\x86"), ".", "a value from an empty stack"},
        {BYTES("R"), ".", "a value from an empty stack"},
        {BYTES("NNR"), ".", "calls something that is not a name"},
        {BYTES("h\x07"), ".", "recalls a value that was not kept"},
        {BYTES("Nr\xff\xff\xff\x7f"), ".", "numbers its values beyond their count"},
        {BYTES("q\x01"), ".", "a value from an empty stack"},
        {BYTES("N}b"), ".", "attributes of something that is not a dictionary"},
        {BYTES("]K\x01s"), ".", "adds to nothing"},
        {BYTES("}K\x01"
               "a"),
         ".", "not a list"},
        {BYTES("}(NNNu"), ".", "without a value"},
        {BYTES("NQ"), ".", "a persistent id is not a tuple"},
        {BYTES("\x8a\x09"
               "123456789"),
         ".", "more than 64 bits"},
        {BYTES("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"), ".", "it is cut off"},
        {BYTES("X\xff\xff\xff\xff"), ".", "it is cut off"},
        {BYTES("NN\x93"), ".", "a name is not text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_pickle(cases[i].before, cases[i].length, cases[i].instead);
        gw_checkpoint *stored;
        cr_expect_neq(gw_checkpoint_open("w.bin", &stored), GW_OK);
        cr_expect(strstr(gw_message(), cases[i].text), "%d: '%s' lacks '%s'", (int)i, gw_message(), cases[i].text);
    }
    write_archive(BYTES("\x80\x06N."), NULL, NULL);
    expect_refused(GW_ERR_UNSUPPORTED, "protocol 6");
}

// A tuple that is named again and again costs its bytes once.
Test(torch_file, shared_values_are_not_copied) {
    gw_string pickle = {0};
    gw_string_puts(&pickle, "\x80\x02(");
    for (int i = 0; i < 20000; i++) gw_string_putc(&pickle, 'N');
    gw_string_puts(&pickle, "tq");
    gw_string_append(&pickle, BYTES("\0ctorch._utils\n_rebuild_tensor_v2\nq\x01("));
    for (int i = 0; i < 20000; i++) gw_string_append(&pickle, "h\1h\0R", 5);
    gw_string_puts(&pickle, "t.");
    write_archive(pickle.data, pickle.length, NULL, NULL);
    expect_refused(GW_ERR_FORMAT, "ends with other than one value");
    gw_string_free(&pickle);
}

static gw_string wrapped(const char *const *keys, int count, bool beside) {
    gw_string text = {0}, inner = pickle_of(&whole);
    gw_string_puts(&text, "\x80\x02}");
    for (int i = 0; i < count; i++) {
        put_text(&text, keys[i]);
        gw_string_append(&text, inner.data + 2, inner.length - 3);
        gw_string_putc(&text, 's');
    }
    put_text(&text, "epoch");
    if (beside) put_view(&text, &whole);
    else gw_string_puts(&text, "K\x03");
    gw_string_puts(&text, "s.");
    gw_string_free(&inner);
    return text;
}

Test(torch_file, weights_inside_a_dictionary_are_found_where_they_are_the_only_ones) {
    static const char *const both[] = {"state_dict", "model"}, *const other[] = {"optimizer"};
    gw_checkpoint *stored;
    for (int i = 0; i < 2; i++) {
        gw_string text = wrapped(both + i, 1, false);
        write_archive(text.data, text.length, NULL, NULL);
        cr_assert_eq(gw_checkpoint_open("w.bin", &stored), GW_OK, "%s", gw_message());
        cr_expect_eq(gw_checkpoint_count(stored), 1);
        gw_checkpoint_close(stored);
        gw_string_free(&text);
    }
    gw_string two = wrapped(both, 2, false), none = wrapped(other, 1, false), mixed = wrapped(both, 1, true);
    write_archive(two.data, two.length, NULL, NULL);
    expect_refused(GW_ERR_UNSUPPORTED, "both a \"state_dict\" and a \"model\"");
    write_archive(none.data, none.length, NULL, NULL);
    expect_refused(GW_ERR_UNSUPPORTED, "neither a \"state_dict\" nor a \"model\"");
    write_archive(mixed.data, mixed.length, NULL, NULL);
    expect_refused(GW_ERR_FORMAT, "tensor state_dict: it is not a tensor");
    gw_string_free(&two);
    gw_string_free(&none);
    gw_string_free(&mixed);
    write_archive(BYTES("\x80\x02]."), NULL, NULL);
    expect_refused(GW_ERR_UNSUPPORTED, "does not hold a dictionary of tensors");
    write_archive(BYTES("\x80\x02}K\x01K\x02s."), NULL, NULL);
    expect_refused(GW_ERR_UNSUPPORTED, "neither a");
}

Test(torch_file, other_archives_are_named) {
    gw_string pickle = pickle_of(&whole);
    static const struct {
        const char *name, *content;
        gw_status code;
        const char *text;
    } cases[] = {{"w/byteorder", "big", GW_ERR_UNSUPPORTED, "not stored little endian"},
                 {"w/constants.pkl", "", GW_ERR_UNSUPPORTED, "TorchScript"},
                 {"v/data.pkl", "", GW_ERR_FORMAT, "more than one data.pkl"},
                 {"w/data/0", "", GW_ERR_FORMAT, "entry w/data/0: it is there twice"},
                 {"w\n", "", GW_ERR_FORMAT, "control characters"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_archive(pickle.data, pickle.length, cases[i].name, cases[i].content);
        expect_refused(cases[i].code, cases[i].text);
    }
    gw_string_free(&pickle);
}

// w.bin as bytes, and where its records begin.
typedef struct {
    char *bytes;
    int64_t count, central, end64, locator;
} archive_bytes;

static int64_t last_of(const archive_bytes *a, const char *mark) {
    for (int64_t at = a->count - 4; at >= 0; at--)
        if (memcmp(a->bytes + at, mark, 4) == 0) return at;
    cr_assert_fail("no such record");
    return 0;
}

static archive_bytes read_archive(void) {
    archive_bytes a = {0};
    write_view(&whole);
    cr_assert_eq(gw_read_file("w.bin", &a.bytes, &a.count), GW_OK);
    a.central = last_of(&a, "PK\1\2"); // of data/0
    a.end64 = last_of(&a, "PK\6\6");
    a.locator = last_of(&a, "PK\6\7");
    return a;
}

// Puts a little-endian number at `at`, tries to read, and puts back what was there.
static void expect_spoilt(const archive_bytes *a, int64_t at, int64_t value, int bytes, const char *text) {
    char before[8];
    memcpy(before, a->bytes + at, (size_t)bytes);
    memcpy(a->bytes + at, &value, (size_t)bytes);
    gw_weights_file file;
    cr_expect_neq(gw_weights_file_of_bytes("w", a->bytes, a->count, &file), GW_OK);
    cr_expect(strstr(gw_message(), text), "'%s' lacks '%s'", gw_message(), text);
    memcpy(a->bytes + at, before, (size_t)bytes);
}

Test(torch_file, spoilt_archives_are_named) {
    archive_bytes a = read_archive();
    const int64_t end = a.count - 22;
    expect_spoilt(&a, a.central + 10, 8, 2, "entry w/data/0 is compressed");
    expect_spoilt(&a, a.central + 8, 0x809, 2, "entry w/data/0 is encrypted");
    expect_spoilt(&a, a.central + 24, 47, 4, "its two sizes differ");
    expect_spoilt(&a, a.central + 24, 0xffffffff, 4, "its sizes are missing");
    expect_spoilt(&a, a.central + 42, 0, 4, "its local header contradicts");
    expect_spoilt(&a, a.central - 46 - (int64_t)strlen("w/data.pkl") - 48 - (int64_t)strlen("w/data/0") - 8, 47, 4,
                  "its local header states another size");
    expect_spoilt(&a, a.central + 42, 1, 4, "no local header");
    expect_spoilt(&a, a.central + 42, 1 << 30, 4, "it begins outside the file");
    expect_spoilt(&a, a.central + 46, 'v', 1, "its local header contradicts");
    expect_spoilt(&a, a.central + 28, 0xffff, 2, "a central header is cut off");
    expect_spoilt(&a, a.central, 0, 4, "a central header is missing");
    expect_spoilt(&a, a.end64, 0, 4, "its zip64 end record is missing");
    expect_spoilt(&a, a.end64 + 32, 1, 8, "more than its entries");
    expect_spoilt(&a, a.end64 + 32, 3, 8, "too short for its entries");
    expect_spoilt(&a, a.end64 + 32, -1, 8, "too short for its entries");
    expect_spoilt(&a, a.end64 + 40, 1, 8, "does not end where the end record begins");
    expect_spoilt(&a, a.end64 + 48, -1, 8, "does not end where the end record begins");
    expect_spoilt(&a, a.locator + 8, -1, 8, "its zip64 end record is missing");
    expect_spoilt(&a, end + 20, 1, 2, "its end record is missing");
    const int64_t both[] = {a.central + 20, a.central + 24}; // beyond the file in both of its sizes
    memcpy(a.bytes + both[0], "\0\0\0\1", 4);
    expect_spoilt(&a, both[1], 1 << 24, 4, "its content lies outside the file");
    free(a.bytes);
}

// Every file that ends early is refused, and none is read beyond its end (which a sanitizer sees).
Test(torch_file, cut_archives_are_refused_at_every_byte) {
    archive_bytes a = read_archive();
    for (int64_t size = 0; size < a.count; size++) {
        gw_weights_file file;
        char *exact = malloc(size > 0 ? (size_t)size : 1);
        memcpy(exact, a.bytes, (size_t)size);
        cr_expect_neq(gw_weights_file_of_bytes("w", exact, size, &file), GW_OK, "%lld bytes", (long long)size);
        free(exact);
    }
    free(a.bytes);
}

// Two entries of one content: the second's local header inside the first's.
Test(torch_file, overlapping_entries_are_refused) {
    archive_bytes a = read_archive();
    int32_t local;
    memcpy(&local, a.bytes + a.central + 42, sizeof local);
    const int64_t first = a.central - 46 - (int64_t)strlen("w/data.pkl"), size = local + 40;
    cr_assert_eq(memcmp(a.bytes + first, "PK\1\2", 4), 0);
    memcpy(a.bytes + first + 20, &size, 4);
    memcpy(a.bytes + 22, &size, 4); // and in the first local header
    expect_spoilt(&a, first + 24, size, 4, "overlaps another entry");
    free(a.bytes);
}

// Whatever one byte says, nothing outside the file is read (which a sanitizer sees).
Test(torch_file, any_single_byte_may_be_wrong) {
    archive_bytes a = read_archive();
    for (int64_t at = 0; at < a.count; at++)
        for (int bit = 0; bit < 8; bit += 7) {
            gw_weights_file file;
            a.bytes[at] = (char)(a.bytes[at] ^ 1 << bit);
            if (gw_weights_file_of_bytes("w", a.bytes, a.count, &file) == GW_OK) {
                for (int64_t i = 0; i < file.count; i++) cr_expect(gw_view_same(&file.views[i], &file.views[i]));
                gw_weights_file_close(&file);
            }
            a.bytes[at] = (char)(a.bytes[at] ^ 1 << bit);
        }
    free(a.bytes);
}
