// SPDX-License-Identifier: MIT
// SentencePiece models: against what the package makes of golden lines, against segmentations worked out by hand, and
// with files that are broken in every way.
#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "scratch.h"
#include "text/sentencepiece/sentencepiece.h"
#include "text/tokenizer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPACE "\xE2\x96\x81"

// --- a writer of models --------------------------------------------------------------------------------------------

static void put_number(gw_string *out, uint64_t number) {
    for (; number >= 0x80; number >>= 7) gw_string_putc(out, (char)(0x80 | (number & 0x7F)));
    gw_string_putc(out, (char)number);
}

static void put_varint(gw_string *out, int field, uint64_t value) {
    put_number(out, (uint64_t)field << 3);
    put_number(out, value);
}

static void put_bytes(gw_string *out, int field, const void *bytes, int64_t count) {
    put_number(out, (uint64_t)field << 3 | 2);
    put_number(out, (uint64_t)count);
    gw_string_append(out, bytes, count);
}

static void put_piece(gw_string *out, const char *text, float score, int kind) {
    gw_string piece = {0};
    put_bytes(&piece, 1, text, (int64_t)strlen(text));
    put_number(&piece, 2 << 3 | 5);
    gw_string_append(&piece, &score, sizeof score);
    put_varint(&piece, 3, (uint64_t)kind);
    put_bytes(out, 1, piece.data, piece.length);
    gw_string_free(&piece);
}

// trainer_spec of one number.
static void put_trainer(gw_string *out, int field, uint64_t value) {
    gw_string spec = {0};
    put_varint(&spec, field, value);
    put_bytes(out, 2, spec.data, spec.length);
    gw_string_free(&spec);
}

enum { MODEL_TYPE = 3, BYTE_FALLBACK = 35 };
enum { UNIGRAM = 1, BPE = 2 };

static gw_sentencepiece *parse(const gw_string *bytes) {
    gw_sentencepiece *model;
    cr_assert_eq(gw_sentencepiece_parse("x.model", bytes->data, bytes->length, &model), GW_OK, "%s", gw_message());
    return model;
}

static void assert_ids(const gw_sentencepiece *model, const char *text, const char *expected) {
    gw_sentencepiece_encoder *encoder;
    const int32_t *ids;
    int64_t count;
    gw_string found = {0};
    cr_assert_eq(gw_sentencepiece_encoder_new(model, &encoder), GW_OK);
    cr_assert_eq(gw_sentencepiece_encode(encoder, text, (int64_t)strlen(text), &ids, &count), GW_OK);
    for (int64_t i = 0; i < count; i++) gw_string_printf(&found, i ? " %d" : "%d", ids[i]);
    cr_assert_str_eq(found.data ? found.data : "", expected, "%s", text);
    gw_string_free(&found);
    gw_sentencepiece_encoder_free(encoder);
}

// --- golden lines --------------------------------------------------------------------------------------------------

// The next line of a file in memory, without its newline; *at moves on.
static bool next_line(const char **at, const char *end, const char **line, int64_t *length) {
    if (*at == end) return false;
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    *line = *at;
    *length = stop - *at;
    *at = stop + 1;
    return true;
}

typedef struct {
    char *bytes;
    const char *at, *end;
} lines;

static lines open_lines(const char *name, const char *ending) {
    lines l;
    int64_t count;
    char *path = gw_strprintf("tests/data/%s%s", name, ending);
    cr_assert_eq(gw_read_file(path, &l.bytes, &count), GW_OK, "%s", gw_message());
    free(path);
    l.at = l.bytes;
    l.end = l.bytes + count;
    return l;
}

static bool is_text(const gw_string *found, const char *expected, int64_t length) {
    return found->length == length && (length == 0 || memcmp(found->data, expected, (size_t)length) == 0);
}

static void assert_golden_line(const gw_sentencepiece *model, gw_sentencepiece_encoder *encoder, const char *text,
                               int64_t length, lines *ids_lines, lines *decoded_lines) {
    const int32_t *ids;
    const char *expected;
    int64_t count, expected_length;
    gw_string found = {0};
    cr_assert_eq(gw_sentencepiece_encode(encoder, text, length, &ids, &count), GW_OK);
    for (int64_t i = 0; i < count; i++) gw_string_printf(&found, i ? " %d" : "%d", ids[i]);
    cr_assert(next_line(&ids_lines->at, ids_lines->end, &expected, &expected_length));
    cr_assert(is_text(&found, expected, expected_length), "\"%.*s\": %s, expected %.*s", (int)length, text, found.data,
              (int)expected_length, expected);
    gw_string_clear(&found);
    cr_assert_eq(gw_sentencepiece_decode(model, ids, count, &found), GW_OK);
    cr_assert(next_line(&decoded_lines->at, decoded_lines->end, &expected, &expected_length));
    cr_assert(is_text(&found, expected, expected_length), "\"%.*s\" decoded: %s", (int)length, text, found.data);
    gw_string_free(&found);
}

static void assert_golden(const char *name) {
    char *path = gw_strprintf("tests/data/%s.model", name);
    gw_sentencepiece *model;
    gw_sentencepiece_encoder *encoder;
    cr_assert_eq(gw_sentencepiece_load(path, &model), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_sentencepiece_encoder_new(model, &encoder), GW_OK);
    lines text = open_lines("spm_golden", ".txt"), ids = open_lines(name, ".ids"),
          decoded = open_lines(name, ".decoded");
    const char *line;
    int64_t length, count = 0;
    for (; next_line(&text.at, text.end, &line, &length); count++)
        assert_golden_line(model, encoder, line, length, &ids, &decoded);
    cr_assert_gt(count, 150);
    cr_assert(ids.at == ids.end && decoded.at == decoded.end);
    free(text.bytes);
    free(ids.bytes);
    free(decoded.bytes);
    gw_sentencepiece_encoder_free(encoder);
    gw_sentencepiece_free(model);
    free(path);
}

Test(sentencepiece, golden_unigram_with_bytes_and_rules) {
    assert_golden("spm_unigram");
}

Test(sentencepiece, golden_bpe_with_unused_pieces) {
    assert_golden("spm_bpe");
}

Test(sentencepiece, golden_unigram_of_equal_scores) {
    assert_golden("spm_level");
}

// --- by hand -------------------------------------------------------------------------------------------------------

static void put_all(gw_string *out, const char *const *pieces, const float *scores, int count) {
    put_piece(out, "<unk>", 0, GW_PIECE_UNKNOWN);
    for (int i = 0; i < count; i++) put_piece(out, pieces[i], scores ? scores[i] : 0, GW_PIECE_NORMAL);
}

Test(sentencepiece, largest_sum_wins) {
    gw_string bytes = {0};
    put_all(&bytes, (const char *[]){SPACE, "a", "b", "ab", SPACE "a", "bb"}, (float[]){-1, -2, -2, -3.5f, -4, -9}, 6);
    gw_sentencepiece *model = parse(&bytes);
    assert_ids(model, "ab", "1 4");    // -4.5 against -5 of all letters and -6
    assert_ids(model, "abb", "1 4 3"); // -6.5 against -12
    assert_ids(model, "b  b ", "1 3 1 3");
    assert_ids(model, "xyb", "1 0 3"); // unknown characters in a row are one
    assert_ids(model, "x y", "1 0 1 0");
    assert_ids(model, "", "");
    assert_ids(model, "   ", "");
    gw_sentencepiece_free(model);
    gw_string_free(&bytes);
}

// Of equal sums the first found stays: at each end that is the piece that began first.
Test(sentencepiece, equal_sums_take_the_longest_last_piece) {
    gw_string bytes = {0};
    put_all(&bytes, (const char *[]){SPACE, "a", "b", "c", "ab", "bc", SPACE "a"}, NULL, 7);
    gw_sentencepiece *model = parse(&bytes);
    assert_ids(model, "abc", "7 6");
    assert_ids(model, "ab", "1 5");
    assert_ids(model, "ababc", "1 5 2 6");
    gw_sentencepiece_free(model);
    gw_string_free(&bytes);
}

// Sums far below -100,000 start anew, so that precision does not fade along the text: a change of 1 is seen at the end.
Test(sentencepiece, precision_holds_over_long_texts) {
    gw_string bytes = {0}, text = {0}, expected = {0};
    put_all(&bytes, (const char *[]){SPACE, "a", "b", "aa", "ab"}, (float[]){0, -30000, -30000, -61000, -59999}, 5);
    gw_sentencepiece *model = parse(&bytes);
    gw_string_puts(&expected, "1");
    for (int i = 0; i < 20000; i++) gw_string_puts(&text, "aab"), gw_string_puts(&expected, " 2 5");
    assert_ids(model, text.data, expected.data);
    gw_sentencepiece_free(model);
    gw_string_free(&bytes);
    gw_string_free(&text);
    gw_string_free(&expected);
}

Test(sentencepiece, symbols_controls_and_unused_pieces) {
    gw_string bytes = {0};
    put_all(&bytes, (const char *[]){SPACE, "<", "s", ">", "m"}, NULL, 5);
    put_piece(&bytes, "<s>", 0, GW_PIECE_CONTROL);      // 6
    put_piece(&bytes, "<m", 0, GW_PIECE_USER_DEFINED);  // 7
    put_piece(&bytes, "<m>", 0, GW_PIECE_USER_DEFINED); // 8
    put_piece(&bytes, "ms", 5, GW_PIECE_UNUSED);        // 9
    put_piece(&bytes, "a b", 0, GW_PIECE_USER_DEFINED); // 10: never met again, as its space is written otherwise
    gw_sentencepiece *model = parse(&bytes);
    assert_ids(model, "<s>", "1 2 3 4");
    assert_ids(model, "<m><ms", "1 8 7 3");
    assert_ids(model, "ms", "1 5 3");
    assert_ids(model, "a b", "1 0 1 0");
    const gw_sentencepiece_ids named = gw_sentencepiece_named(model);
    cr_assert(named.unk == 0 && named.bos == 6 && named.eos == -1 && named.pad == -1);
    cr_assert_eq(gw_sentencepiece_find(model, "<m>"), 8);
    cr_assert_eq(gw_sentencepiece_find(model, "<q>"), -1);
    gw_sentencepiece_free(model);
    gw_string_free(&bytes);
}

Test(sentencepiece, merges_in_the_order_of_scores_then_places) {
    gw_string bytes = {0};
    put_all(&bytes, (const char *[]){SPACE, "a", "b", "c", "aa", "bc", "ab", "aab"},
            (float[]){-9, -9, -9, -9, -2, -1, -1, -3}, 8);
    put_piece(&bytes, "<s>", 9, GW_PIECE_CONTROL);
    put_trainer(&bytes, MODEL_TYPE, BPE);
    gw_sentencepiece *model = parse(&bytes);
    assert_ids(model, "aaa", "1 5 2");
    assert_ids(model, "abc", "1 7 4"); // equal scores: the left one first
    assert_ids(model, "aab", "1 8");
    assert_ids(model, "xabxx a", "1 0 7 0 1 2");
    assert_ids(model, "<s>", "1 0");
    gw_sentencepiece_free(model);
    gw_string_free(&bytes);
}

// A piece that is not used stands for the parts it was merged from.
Test(sentencepiece, unused_pieces_fall_apart) {
    gw_string bytes = {0};
    put_all(&bytes, (const char *[]){SPACE, "a", "b", "c"}, NULL, 4);
    put_piece(&bytes, "ab", -1, GW_PIECE_UNUSED);
    put_piece(&bytes, "abc", -2, GW_PIECE_UNUSED);
    put_piece(&bytes, "abca", -3, GW_PIECE_NORMAL);
    put_piece(&bytes, "q", -3, GW_PIECE_UNUSED);
    put_trainer(&bytes, MODEL_TYPE, BPE);
    gw_sentencepiece *model = parse(&bytes);
    assert_ids(model, "abc", "1 2 3 4");
    assert_ids(model, "abca", "1 7");
    assert_ids(model, "q", "1 0");
    gw_sentencepiece_free(model);
    gw_string_free(&bytes);
}

static void put_all_bytes(gw_string *out) {
    char name[8];
    for (int b = 0; b < 256; b++) {
        snprintf(name, sizeof name, "<0x%02X>", b);
        put_piece(out, name, 0, GW_PIECE_BYTE);
    }
    put_trainer(out, BYTE_FALLBACK, 1);
}

// Bytes make up for a missing unknown piece too.
Test(sentencepiece, unknown_text_becomes_bytes) {
    for (int type = UNIGRAM; type <= BPE; type++) {
        gw_string bytes = {0}, text = {0};
        put_piece(&bytes, SPACE, 0, GW_PIECE_NORMAL);
        put_all_bytes(&bytes);
        put_trainer(&bytes, MODEL_TYPE, (uint64_t)type);
        gw_sentencepiece *model = parse(&bytes);
        assert_ids(model, "\xC3\xA9z", "0 196 170 123");
        assert_ids(model, "\xFF", "0 240 192 190"); // U+FFFD
        const int32_t ids[] = {0, 196, 170, 196, 123, 0};
        cr_assert_eq(gw_sentencepiece_decode(model, ids, 6, &text), GW_OK);
        cr_assert_str_eq(text.data, "\xC3\xA9\xEF\xBF\xBDz ");
        gw_sentencepiece_free(model);
        gw_string_free(&bytes);
        gw_string_free(&text);
    }
}

Test(sentencepiece, no_id_outside_the_vocabulary_is_decoded) {
    gw_string bytes = {0}, text = {0};
    put_all(&bytes, (const char *[]){"a"}, NULL, 1);
    gw_sentencepiece *model = parse(&bytes);
    cr_assert_eq(gw_sentencepiece_decode(model, (int32_t[]){1, 2}, 2, &text), GW_ERR_MISMATCH);
    cr_assert_str_eq(gw_message(), "token 2, but the vocabulary has 2");
    cr_assert_eq(text.length, 0);
    gw_sentencepiece_free(model);
    gw_string_free(&bytes);
}

// A line as long as a contig, of one letter: every place can be reached from all the places before it.
Test(sentencepiece, long_lines) {
    enum { LENGTH = 1 << 20 };
    gw_string bytes = {0};
    put_all(&bytes, (const char *[]){SPACE, "A", "AA", "AAAAAAAA"}, (float[]){-1, -3, -2, -4}, 4);
    for (int type = UNIGRAM; type <= BPE; type++) {
        gw_string model_bytes = {0};
        gw_string_append(&model_bytes, bytes.data, bytes.length);
        put_trainer(&model_bytes, MODEL_TYPE, (uint64_t)type);
        gw_sentencepiece *model = parse(&model_bytes);
        gw_sentencepiece_encoder *encoder;
        cr_assert_eq(gw_sentencepiece_encoder_new(model, &encoder), GW_OK);
        char *line = gw_alloc(LENGTH, 1);
        memset(line, 'A', LENGTH);
        const int32_t *ids;
        int64_t count;
        cr_assert_eq(gw_sentencepiece_encode(encoder, line, LENGTH, &ids, &count), GW_OK);
        cr_assert_eq(count, 1 + (type == UNIGRAM ? LENGTH / 8 : LENGTH / 2));
        free(line);
        gw_sentencepiece_encoder_free(encoder);
        gw_sentencepiece_free(model);
        gw_string_free(&model_bytes);
    }
    gw_string_free(&bytes);
}

// --- broken files --------------------------------------------------------------------------------------------------

static void assert_refused(const gw_string *bytes, gw_status status, const char *message) {
    gw_sentencepiece *model;
    cr_assert_eq(gw_sentencepiece_parse("x.model", bytes->data, bytes->length, &model), status);
    cr_assert_null(model);
    cr_assert_str_eq(gw_message(), message);
}

static void assert_piece_refused(const char *text, float score, int kind, const char *message) {
    gw_string bytes = {0};
    put_all(&bytes, (const char *[]){"a"}, NULL, 1);
    put_piece(&bytes, text, score, kind);
    assert_refused(&bytes, GW_ERR_FORMAT, message);
    gw_string_free(&bytes);
}

Test(sentencepiece, broken_pieces) {
    assert_piece_refused("", 0, GW_PIECE_NORMAL, "x.model: pieces[2] is empty");
    assert_piece_refused("a", 0, GW_PIECE_NORMAL, "x.model: pieces[1] and pieces[2] are both \"a\"");
    assert_piece_refused("b", NAN, GW_PIECE_NORMAL, "x.model: pieces[2] has a score that is not a number");
    assert_piece_refused("b", 0, GW_PIECE_UNKNOWN, "x.model: pieces[0] and pieces[2] are both unknown pieces");
    assert_piece_refused("<0x00>", 0, GW_PIECE_BYTE,
                         "x.model: pieces[2] is a byte, but trainer_spec.byte_fallback is not set");
    assert_piece_refused("b", 0, 7, "x.model: pieces[2].type is 7, expected 1 to 6");
    char *longest = gw_alloc(8001, 1);
    memset(longest, 'x', 8000);
    assert_piece_refused(longest, 0, GW_PIECE_NORMAL, "x.model: pieces[2] has 8000 bytes or more");
    free(longest);
}

Test(sentencepiece, broken_sets_of_pieces) {
    gw_string bytes = {0};
    assert_refused(&bytes, GW_ERR_FORMAT, "x.model: the model has no pieces");
    put_piece(&bytes, "a", 0, GW_PIECE_NORMAL);
    assert_refused(&bytes, GW_ERR_FORMAT, "x.model: pieces: none is the unknown piece");
    gw_string_clear(&bytes);
    put_piece(&bytes, "<unk>", 0, GW_PIECE_UNKNOWN);
    assert_refused(&bytes, GW_ERR_FORMAT, "x.model: pieces: none can become text");
    put_piece(&bytes, "<0x00>", 0, GW_PIECE_BYTE);
    put_trainer(&bytes, BYTE_FALLBACK, 1);
    assert_refused(&bytes, GW_ERR_FORMAT, "x.model: pieces: trainer_spec.byte_fallback is set, but <0x01> is missing");
    put_trainer(&bytes, MODEL_TYPE, 3);
    assert_refused(&bytes, GW_ERR_UNSUPPORTED, "x.model: trainer_spec.model_type is WORD, expected UNIGRAM or BPE");
    gw_string_free(&bytes);
}

Test(sentencepiece, broken_messages) {
    static const struct {
        const char *bytes, *message;
        int64_t count;
    } cases[] = {
        {"\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", "model: a field that is longer than what is left at byte 10", 10},
        {"\x0A\x05\x0A", "model: a field that is longer than what is left at byte 2", 3},
        {"\x0A\x02\x0A\x05", "pieces[0]: a field that is longer than what is left at byte 4", 4},
        {"\x0A\x80", "model: the file ends inside a number at byte 2", 2},
        {"\x0A\x02\x15\x00", "pieces[0]: the file ends inside a number at byte 3", 4},
        {"\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", "model: a number of more than 10 bytes at byte 11", 12},
        {"\x0B", "model: a wire type that no model has at byte 1", 1},
        {"\x00", "model: no field of a model at byte 1", 1},
        {"\x08\x01", "pieces has wire type 0, expected 2", 2},
        {"\x0A\x02\x08\x01", "pieces[0].piece has wire type 0, expected 2", 4},
        {"\x0A\x02\x10\x01", "pieces[0].score has wire type 0, expected 5", 4},
        {"\x0A\x03\x0A\x01\x61\x12\x02\x1A\x00", "trainer_spec.model_type has wire type 2, expected 0", 9},
        {"\x0A\x03\x0A\x01\x61\x12\x02\x18\x09", "trainer_spec.model_type is 9, expected 1 to 4", 9},
        {"\x0A\x03\x0A\x01\x61\x1A\x02\x18\x80", "normalizer_spec: the file ends inside a number at byte 9", 9},
        {"\x0A\x03\x0A\x01\x61\x1A\x02\x12\x00", "pieces: none is the unknown piece", 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gw_sentencepiece *model;
        cr_assert_eq(gw_sentencepiece_parse("x.model", cases[i].bytes, cases[i].count, &model), GW_ERR_FORMAT);
        cr_assert(strncmp(gw_message(), "x.model: ", 9) == 0);
        cr_assert_str_eq(gw_message() + 9, cases[i].message);
    }
}

// However a file is cut, it is refused or read, never read beyond.
Test(sentencepiece, cut_files) {
    char *bytes;
    int64_t count;
    cr_assert_eq(gw_read_file("tests/data/spm_unigram.model", &bytes, &count), GW_OK);
    int read = 0;
    for (int64_t cut = 0; cut < count; cut += cut < 200 || cut > count - 2000 ? 1 : 37) {
        char *copy = gw_alloc(cut, 1); // so that a sanitizer sees what lies behind
        memcpy(copy, bytes, (size_t)cut);
        gw_sentencepiece *model;
        if (gw_sentencepiece_parse("x.model", copy, cut, &model) == GW_OK) read++;
        gw_sentencepiece_free(model);
        free(copy);
    }
    cr_assert_leq(read, 20); // cut between two fields: no byte piece yet, or all that is needed
    free(bytes);
}

// normalizer_spec with these rules.
static void assert_rules(const uint32_t *units, int64_t count, const char *texts, int64_t texts_length,
                         const char *message) {
    gw_string rules = {0}, spec = {0}, bytes = {0};
    const uint32_t length = (uint32_t)(4 * count);
    gw_string_append(&rules, &length, 4);
    gw_string_append(&rules, units, 4 * count);
    gw_string_append(&rules, texts, texts_length);
    put_bytes(&spec, 2, rules.data, rules.length);
    put_all(&bytes, (const char *[]){SPACE, "a", "b"}, NULL, 3);
    put_bytes(&bytes, 3, spec.data, spec.length);
    if (message) assert_refused(&bytes, GW_ERR_FORMAT, message);
    else {
        gw_sentencepiece *model = parse(&bytes);
        assert_ids(model, "ax", "1 2 3 2 3");
        gw_sentencepiece_free(model);
    }
    gw_string_free(&rules);
    gw_string_free(&spec);
    gw_string_free(&bytes);
}

#define FIELD "x.model: normalizer_spec.precompiled_charsmap: "

Test(sentencepiece, rules) {
    uint32_t units[512] = {0};
    units[0] = 1 << 10;                        // children of the root at 1 ^ byte
    units[1 ^ 'x'] = 256 << 10 | 1 << 8 | 'x'; // "x" is a rule, its text named by the leaf at (1 ^ 'x') ^ 256
    units[1 ^ 'x' ^ 256] = 1u << 31 | 3;
    assert_rules(units, 512, "??\0bab", 7, NULL);
    assert_rules(units, 256, "??\0bab", 7, FIELD "unit 121 points to unit 377 of 256");
    assert_rules(units, 512, "??", 3, FIELD "unit 377 points to byte 3 of 3 bytes of text");
    assert_rules(units, 512, "??\0bab", 6, FIELD "the last text has no end");
    assert_rules(units, 512, "", 0, FIELD "an array of 2048 bytes in 2052 bytes");
    assert_rules(units, 100, "??\0bab", 7, FIELD "an array of 400 bytes, expected a multiple of 1024");
    units[1 ^ 'x' ^ 256] = 3;
    assert_rules(units, 512, "??\0bab", 7, FIELD "unit 121 has no text at unit 377");
    units[1 ^ 'x'] = 0;
    units[0] = 0;
    assert_rules(units, 512, "??\0bab", 7, FIELD "unit 0 is not a root");
    units[5] = 1u << 30;
    assert_rules(units, 512, "??\0bab", 7, FIELD "unit 5 points to unit 1048581 of 512");
}

// --- as a tokenizer ------------------------------------------------------------------------------------------------

Test(sentencepiece, tokenizer) {
    gw_tokenizer *tokenizer;
    cr_assert_eq(gw_tokenizer_load("tests/data/spm_unigram.model", &tokenizer), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_tokenizer_size(tokenizer), 420);
    cr_assert_str_eq(gw_tokenizer_file(tokenizer), "spiece.model");
    cr_assert_not(gw_tokenizer_is_dna(tokenizer));
    cr_assert_eq(gw_tokenizer_special(tokenizer, GW_SPECIAL_UNK), 0);
    cr_assert_eq(gw_tokenizer_special(tokenizer, GW_SPECIAL_PAD), -1);
    const int32_t mask = gw_tokenizer_special(tokenizer, GW_SPECIAL_MASK);
    cr_assert_str_eq(gw_tokenizer_text(tokenizer, mask), "[MASK]");
    cr_assert(gw_tokenizer_is_special(tokenizer, mask));

    gw_encoder *encoder;
    const int32_t *tokens, *segments;
    int64_t count, found = 0;
    cr_assert_eq(gw_encoder_new(tokenizer, &encoder), GW_OK);
    cr_assert_eq(gw_encode_with_specials(encoder, "The [MASK].", 11, NULL, 0, &tokens, &segments, &count), GW_OK);
    for (int64_t i = 0; i < count; i++) found += tokens[i] == mask;
    cr_assert_eq(found, 1);
    gw_string text = {0};
    cr_assert_eq(gw_decode(tokenizer, tokens, count, &text), GW_OK);
    cr_assert_str_eq(text.data, "The .");
    gw_string_free(&text);
    gw_encoder_free(encoder);
    gw_tokenizer_free(tokenizer);
}

TestSuite(sentencepiece_files, .init = scratch_enter, .fini = scratch_leave);

Test(sentencepiece_files, saved_as_it_was_and_known_by_its_content) {
    gw_string bytes = {0};
    char *saved;
    int64_t count;
    put_all(&bytes, (const char *[]){SPACE, "a"}, NULL, 2);
    cr_assert_eq(gw_write_file("vocabulary", bytes.data, bytes.length), GW_OK);
    gw_tokenizer *tokenizer;
    cr_assert_eq(gw_tokenizer_load("vocabulary", &tokenizer), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_tokenizer_save(tokenizer, "x.tokenizer.json"), GW_OK);
    cr_assert_eq(gw_read_file("x.tokenizer.json", &saved, &count), GW_OK);
    cr_assert(count == bytes.length && memcmp(saved, bytes.data, (size_t)count) == 0);
    free(saved);
    gw_tokenizer_free(tokenizer);
    scratch_text("x.json", " \n{\"model\": 3}");
    cr_assert_neq(gw_tokenizer_load("x.json", &tokenizer), GW_OK);
    cr_assert(strstr(gw_message(), "x.json") && !strstr(gw_message(), "wire type"), "%s", gw_message());
    gw_string_free(&bytes);
}
