// SPDX-License-Identifier: MIT
// Tokenizers made elsewhere, against the ids that Hugging Face's package gives (tests/oracle/tokenizer_json_oracle.py
// writes them), and what such files say about themselves.
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "tests/unit/scratch.h"
#include "text/kind.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *folder; // of the golden files

static void enter(void) {
    const char *root = getenv("ROOT");
    char *here = root ? gw_strdup(root) : realpath(".", NULL);
    folder = gw_join_path(here, "tests/data/tokenizer_json");
    free(here);
    scratch_enter();
}

static void leave(void) {
    scratch_leave();
    free(folder);
}

TestSuite(tokenizer_json, .init = enter, .fini = leave);

static gw_tokenizer *load(const char *name) {
    char *path = gw_join_path(folder, name);
    gw_tokenizer *tokenizer;
    cr_assert_eq(gw_tokenizer_load(path, &tokenizer), GW_OK, "%s", gw_message());
    free(path);
    return tokenizer;
}

static void assert_ids(const int32_t *found, int64_t count, const json_t *expected, const char *where, int line) {
    cr_assert_eq(count, (int64_t)json_array_size(expected), "%s:%d: %lld ids, expected %zu", where, line,
                 (long long)count, json_array_size(expected));
    for (int64_t i = 0; i < count; i++)
        cr_assert_eq(found[i], json_integer_value(json_array_get(expected, (size_t)i)), "%s:%d: id %lld is %d", where,
                     line, (long long)i, found[i]);
}

static void check_line(gw_encoder *encoder, const json_t *json, const char *where, int line) {
    const json_t *text = json_array_get(json, 0), *ids = json_array_get(json, 1);
    const int32_t *tokens, *segments;
    int64_t count;
    if (json_is_string(text)) {
        cr_assert_eq(gw_encode(encoder, json_string_value(text), (int64_t)json_string_length(text), &tokens, &count),
                     GW_OK);
        assert_ids(tokens, count, ids, where, line);
        return;
    }
    const json_t *a = json_array_get(text, 0), *b = json_array_get(text, 1);
    cr_assert_eq(gw_encode_with_specials(encoder, json_string_value(a), (int64_t)json_string_length(a),
                                         json_string_value(b), b ? (int64_t)json_string_length(b) : 0, &tokens,
                                         &segments, &count),
                 GW_OK);
    assert_ids(tokens, count, ids, where, line);
    assert_ids(segments, count, json_array_get(json, 2), where, line);
}

static void check_golden(const char *name) {
    char *file = gw_strprintf("%s.json", name), *golden = gw_strprintf("%s/%s.ids", folder, name), *text;
    gw_tokenizer *tokenizer = load(file);
    gw_encoder *encoder;
    int64_t length;
    int line = 0;
    cr_assert_eq(gw_encoder_new(tokenizer, &encoder), GW_OK);
    gw_encoder_keep_case(encoder, true);
    cr_assert_eq(gw_read_file(golden, &text, &length), GW_OK, "%s", gw_message());
    for (char *at = text; *at; at = strchr(at, '\n') + 1) {
        json_t *json = json_loadb(at, strcspn(at, "\n"), 0, NULL);
        check_line(encoder, json, golden, ++line);
        json_decref(json);
    }
    cr_assert_gt(line, 15);
    free(text);
    gw_encoder_free(encoder);
    gw_tokenizer_free(tokenizer);
    free(file);
    free(golden);
}

Test(tokenizer_json, ids_of_the_package) {
    check_golden("gena");
    check_golden("dnabert2");
    check_golden("byte_level");
    check_golden("byte_fallback");
    check_golden("wordpiece");
}

// Room is taken from the longer text of a pair first, then from both.
Test(tokenizer_json, pairs_are_cut_as_longest_first_does) {
    static const int32_t a[10] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
                         b[10] = {20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
    static const struct {
        int64_t a, b, most, a_left, b_left; // <s> A </s> </s> B </s>: four tokens around
    } cases[] = {{10, 3, 17, 10, 3}, {10, 3, 12, 5, 3}, {3, 10, 12, 3, 5},
                 {10, 9, 13, 5, 4},  {9, 10, 13, 4, 5}, {5, 5, 5, 0, 1}};
    gw_tokenizer *t = load("byte_level.json");
    gw_encoder *encoder;
    gw_wrapped w;
    cr_assert_eq(gw_encoder_new(t, &encoder), GW_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(gw_wrap_tokens(encoder, a, cases[i].a, b, cases[i].b, cases[i].most, &w), GW_OK, "%s",
                     gw_message());
        cr_expect_eq(w.own, cases[i].a_left, "case %zu: %lld of A", i, (long long)w.own);
        cr_expect_eq(w.count - 4 - w.own, cases[i].b_left, "case %zu", i);
        cr_expect_eq(w.begin, 1);
        cr_expect_eq(w.cut, cases[i].a + cases[i].b + 4 > cases[i].most);
        for (int64_t k = 0; k < w.own; k++) cr_expect_eq(w.tokens[1 + k], a[k]);
        for (int64_t k = 0; k < cases[i].b_left; k++) cr_expect_eq(w.tokens[w.own + 3 + k], b[k]);
    }
    cr_assert_eq(gw_wrap_tokens(encoder, a, 10, NULL, 0, 6, &w), GW_OK);
    cr_expect(w.count == 6 && w.own == 4 && w.cut);
    cr_expect_eq(gw_wrap_tokens(encoder, a, 3, b, 3, 4, &w), GW_ERR_RANGE);
    gw_encoder_free(encoder);
    gw_tokenizer_free(t);
}

// A folder with vocab.txt gives the ids that its tokenizer.json gives.
Test(tokenizer_json, vocab_txt_is_bert) {
    gw_tokenizer *file = load("wordpiece.json"), *made;
    gw_encoder *encoders[2];
    const int32_t *tokens[2], *segments;
    int64_t count[2];
    gw_string lines = {0};
    for (int32_t i = 0; i < gw_tokenizer_size(file); i++) gw_string_printf(&lines, "%s\n", gw_tokenizer_text(file, i));
    cr_assert_eq(gw_write_file("vocab.txt", lines.data, lines.length), GW_OK);
    cr_assert_eq(gw_tokenizer_load(".", &made), GW_OK, "%s", gw_message());
    for (gw_special use = GW_SPECIAL_PAD; use <= GW_SPECIAL_MASK; use++)
        cr_expect_eq(gw_tokenizer_special(made, use), gw_tokenizer_special(file, use));
    cr_assert_eq(gw_encoder_new(file, &encoders[0]), GW_OK);
    cr_assert_eq(gw_encoder_new(made, &encoders[1]), GW_OK);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(gw_encode_with_specials(encoders[i], "The cells' fates [MASK] dif\xC3\xA9rent!", 31, "they'll", 7,
                                             &tokens[i], &segments, &count[i]),
                     GW_OK);
    cr_assert_eq(count[0], count[1]);
    for (int64_t i = 0; i < count[0]; i++) cr_expect_eq(tokens[0][i], tokens[1][i]);
    for (int i = 0; i < 2; i++) gw_encoder_free(encoders[i]);
    gw_tokenizer_free(made);
    cr_assert_eq(gw_write_file("vocab.txt", "a\nb\na\n", 6), GW_OK);
    cr_expect_eq(gw_tokenizer_load("vocab.txt", &made), GW_ERR_FORMAT);
    cr_expect(strstr(gw_message(), "vocab.txt:3: the token \"a\" occurs twice"), "%s", gw_message());
    gw_string_free(&lines);
    gw_tokenizer_free(file);
}

Test(tokenizer_json, what_a_dna_tokenizer_says_of_itself) {
    gw_tokenizer *t = load("gena.json");
    cr_expect(gw_tokenizer_is_dna(t));
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_UNK), 0);
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_CLS), 1);
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_SEP), 2);
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_PAD), 3);
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_MASK), 4);
    cr_expect(gw_tokenizer_is_special(t, 4) && !gw_tokenizer_is_special(t, 5));
    cr_expect(!gw_tokenizer_is_special(t, -1) && !gw_tokenizer_is_special(t, 1 << 30));
    cr_expect_str_eq(gw_tokenizer_text(t, 5), "-");
    cr_expect_eq(gw_tokenizer_bases(t, 5), 0);
    cr_expect_eq(gw_tokenizer_bases(t, 0), 0);
    cr_expect_str_eq(gw_tokenizer_text(t, 6), "A");
    cr_expect_eq(gw_tokenizer_bases(t, gw_tokenizer_size(t) - 1),
                 (int32_t)strlen(gw_tokenizer_text(t, gw_tokenizer_size(t) - 1)));
    cr_expect_eq(gw_tokenizer_mean_bases(t), 0);
    cr_expect_not(gw_tokenizer_parts_lines(t));
    gw_tokenizer_free(t);
}

Test(tokenizer_json, what_another_tokenizer_says_of_itself) {
    gw_tokenizer *t = load("byte_level.json");
    int32_t id = 0;
    cr_expect_not(gw_tokenizer_is_dna(t));
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_CLS), 0); // <s>
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_PAD), 1);
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_SEP), 2);
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_UNK), 3);
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_MASK), 4);
    for (int32_t i = 0; i < gw_tokenizer_size(t); i++) cr_expect_eq(gw_tokenizer_bases(t, i), 0);
    gw_tokenizer_free(t);
    t = load("byte_fallback.json");
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_MASK), -1);
    cr_expect_eq(gw_tokenizer_need(t, GW_SPECIAL_MASK, &id), GW_ERR_UNSUPPORTED);
    cr_expect(strstr(gw_message(), "byte_fallback.json has no special token for masked tokens"));
    gw_tokenizer_free(t);
}

static char warnings[4096];
static void keep_warning(const char *message) {
    strcat(warnings, message);
}

static int64_t tokens_of(gw_tokenizer *t, const char *text, bool keep_case) {
    gw_encoder *encoder;
    const int32_t *tokens;
    int64_t count;
    cr_assert_eq(gw_encoder_new(t, &encoder), GW_OK);
    gw_encoder_keep_case(encoder, keep_case);
    cr_assert_eq(gw_encode(encoder, text, (int64_t)strlen(text), &tokens, &count), GW_OK);
    gw_encoder_free(encoder);
    return count;
}

Test(tokenizer_json, lower_case_is_raised_or_said) {
    static const gw_log_hooks hooks = {.warn = keep_warning};
    gw_set_log_hooks(&hooks);
    gw_tokenizer *t = load("gena.json");
    const char *text = "acgtacgtacgtacgtacgt";
    const int64_t upper = tokens_of(t, "ACGTACGTACGTACGTACGT", false);
    cr_expect_eq(tokens_of(t, text, false), upper);
    cr_expect_str_eq(warnings, "");
    cr_expect_eq(tokens_of(t, text, true), 20); // each of them [UNK]
    cr_expect(strstr(warnings, "gena.json turned 33.3 % of the bases into [UNK]"), "%s", warnings);
    warnings[0] = 0;
    tokens_of(t, text, true);
    cr_expect_str_eq(warnings, "", "said twice");
    gw_tokenizer_free(t);
    gw_set_log_hooks(NULL);
}

Test(tokenizer_json, saving_gives_the_same_bytes) {
    char *path = gw_join_path(folder, "gena.json"), *before, *after;
    int64_t lengths[2];
    gw_tokenizer *t = load("gena.json"), *copy;
    cr_assert_eq(gw_tokenizer_copy(t, &copy), GW_OK);
    gw_tokenizer_free(t);
    cr_assert_eq(gw_tokenizer_save(copy, "again.json"), GW_OK);
    cr_expect_str_eq(gw_tokenizer_file(copy), "tokenizer.json");
    gw_tokenizer_free(copy);
    cr_assert_eq(gw_read_file(path, &before, &lengths[0]), GW_OK);
    cr_assert_eq(gw_read_file("again.json", &after, &lengths[1]), GW_OK);
    cr_expect_eq(lengths[0], lengths[1]);
    cr_expect_arr_eq(before, after, (size_t)lengths[0]);
    free(before);
    free(after);
    free(path);
}

static void expect_decoded(const char *file, const char *text, const char *expected) {
    gw_tokenizer *t = load(file);
    gw_encoder *encoder;
    const int32_t *tokens, *segments, outside = gw_tokenizer_size(t);
    int64_t count;
    gw_string out = {0};
    cr_assert_eq(gw_encoder_new(t, &encoder), GW_OK);
    cr_assert_eq(gw_encode_with_specials(encoder, text, (int64_t)strlen(text), NULL, 0, &tokens, &segments, &count),
                 GW_OK);
    cr_assert_eq(gw_decode(t, tokens, count, &out), GW_OK);
    cr_expect_str_eq(out.data, expected);
    cr_expect_eq(gw_decode(t, &outside, 1, &out), GW_ERR_MISMATCH);
    gw_string_free(&out);
    gw_encoder_free(encoder);
    gw_tokenizer_free(t);
}

Test(tokenizer_json, decoding) {
    expect_decoded("gena.json", " ACGTNNNNNNNNNNNNAC*", "ACGT-AC[UNK]");
    expect_decoded("dnabert2.json", "ACGT ACGT", "ACGTACGT"); // without a decoder, but of DNA
    expect_decoded("byte_level.json", " na\xC3\xAFve <mask> cells", " na\xC3\xAFve cells");
    expect_decoded("byte_fallback.json", "the \xE6\x97\xA5 cells", "the \xE6\x97\xA5 cells");
}

Test(tokenizer_json, text_that_is_no_text) {
    gw_tokenizer *t = load("gena.json");
    gw_encoder *encoder;
    const int32_t *tokens;
    int64_t count;
    cr_assert_eq(gw_encoder_new(t, &encoder), GW_OK);
    static const char *const bad[] = {"AC\xFF", "AC\xC3", "AC\xC0\x80", "AC\xED\xA0\x80", "AC\xF4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(gw_encode(encoder, bad[i], (int64_t)strlen(bad[i]), &tokens, &count), GW_ERR_FORMAT);
        cr_expect_str_eq(gw_message(), "byte 3 of a text is not UTF-8");
    }
    gw_encoder_free(encoder);
    gw_tokenizer_free(t);
}

// --- small files ---------------------------------------------------------------------------------------------------

static const char small[] =
    "{\"added_tokens\": [{\"id\": 0, \"content\": \"[UNK]\", \"special\": true}], \"normalizer\": %s,"
    " \"pre_tokenizer\": %s, \"post_processor\": %s, \"decoder\": %s,"
    " \"model\": {\"type\": \"BPE\", \"unk_token\": \"[UNK]\", %s"
    "  \"vocab\": {\"[UNK]\": 0, \"a\": 1, \"b\": 2, \"ab\": 3, \"abab\": 4}, \"merges\": %s}}";

typedef struct {
    const char *normalizer, *pre_tokenizer, *post_processor, *decoder, *settings, *merges;
} parts;

static gw_status parse(parts p, gw_tokenizer **out) {
    char *text = gw_strprintf(small, p.normalizer ? p.normalizer : "null", p.pre_tokenizer ? p.pre_tokenizer : "null",
                              p.post_processor ? p.post_processor : "null", p.decoder ? p.decoder : "null",
                              p.settings ? p.settings : "", p.merges ? p.merges : "[\"a b\", [\"ab\", \"ab\"]]");
    const gw_status status = gw_tokenizer_json_parse("t.json", text, (int64_t)strlen(text), out);
    free(text);
    return status;
}

static void expect_refused(parts p, const char *what) {
    gw_tokenizer *t;
    cr_expect_neq(parse(p, &t), GW_OK, "expected: %s", what);
    cr_expect_null(t);
    cr_expect(strstr(gw_message(), "t.json: ") == gw_message() && strstr(gw_message(), what), "'%s' lacks '%s'",
              gw_message(), what);
}

// Ten replacements of a letter by ten of it, of which the seventh is too many.
Test(tokenizer_json, replacements_have_a_limit) {
    gw_tokenizer *t;
    gw_encoder *encoder;
    const int32_t *tokens;
    int64_t count;
    gw_string steps = {0};
    gw_string_puts(&steps, "{\"type\": \"Sequence\", \"normalizers\": [");
    for (int i = 0; i < 10; i++)
        gw_string_printf(&steps,
                         "%s{\"type\": \"Replace\", \"pattern\": {\"String\": \"a\"}, \"content\": \"aaaaaaaaaa\"}",
                         i ? ", " : "");
    gw_string_puts(&steps, "]}");
    cr_assert_eq(parse((parts){.normalizer = steps.data}, &t), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_encoder_new(t, &encoder), GW_OK);
    cr_assert_eq(gw_encode(encoder, "b", 1, &tokens, &count), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_encode(encoder, "a", 1, &tokens, &count), GW_ERR_RANGE);
    cr_assert(strstr(gw_message(), "makes more than 1048832 bytes"), "%s", gw_message());
    gw_encoder_free(encoder);
    gw_tokenizer_free(t);
    gw_string_free(&steps);
}

Test(tokenizer_json, what_is_not_run_is_named) {
    expect_refused((parts){.normalizer = "{\"type\": \"Precompiled\"}"}, "\"normalizer\": Precompiled is not one");
    expect_refused((parts){.normalizer = "{\"type\": \"Sequence\", \"normalizers\": [{\"type\": \"Nmt\"}]}"},
                   "\"normalizer\": Nmt is not one");
    expect_refused((parts){.normalizer = "{\"type\": \"Sequence\"}"}, "a Sequence without \"normalizers\"");
    expect_refused(
        (parts){.normalizer = "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"a**\"}, \"content\": \"\"}"},
        "the regular expression \"a**\"");
    expect_refused((parts){.normalizer = "{\"type\": \"Replace\", \"pattern\": {\"String\": \"\"}, \"content\": \"\"}"},
                   "a \"pattern\" of no text");
    expect_refused((parts){.pre_tokenizer = "{\"type\": \"UnicodeScripts\"}"},
                   "\"pre_tokenizer\": UnicodeScripts is not one");
    expect_refused(
        (parts){.pre_tokenizer = "{\"type\": \"Split\", \"pattern\": {\"String\": \"-\"}, \"behavior\": \"x\"}"},
        "an unknown \"behavior\", x");
    expect_refused((parts){.pre_tokenizer = "{\"type\": \"Metaspace\", \"replacement\": \"__\"}"},
                   "several characters");
    expect_refused((parts){.post_processor = "{\"type\": \"Odd\"}"}, "\"post_processor\": Odd is not one");
    expect_refused(
        (parts){.post_processor = "{\"type\": \"BertProcessing\", \"sep\": [\"x\", 9], \"cls\": [\"a\", 1]}"},
        "whose id is not in the vocabulary");
    expect_refused((parts){.decoder = "{\"type\": \"CTC\"}"}, "\"decoder\": CTC is not one");
    expect_refused((parts){.settings = "\"dropout\": 0.5,"}, "\"dropout\" 0.5 makes encoding random");
    expect_refused((parts){.settings = "\"byte_fallback\": 1,"}, "\"byte_fallback\" is 1, expected true or false");
    expect_refused((parts){.merges = "[\"a c\"]"}, "merge 0 names the token \"c\", which the vocabulary lacks");
    expect_refused((parts){.merges = "[\"b a\"]"}, "merge 0 names the token \"ba\", which the vocabulary lacks");
    expect_refused((parts){.merges = "[\"a\"]"}, "merge 0 is not a pair");
    expect_refused((parts){.merges = "7"}, "\"merges\" of the model is not a list");
}

static void expect_text(gw_tokenizer *t, const char *text, const char *expected) {
    gw_encoder *encoder;
    const int32_t *tokens;
    int64_t count;
    gw_string out = {0};
    cr_assert_eq(gw_encoder_new(t, &encoder), GW_OK);
    cr_assert_eq(gw_encode(encoder, text, (int64_t)strlen(text), &tokens, &count), GW_OK);
    gw_string_append(&out, "", 0);
    for (int64_t i = 0; i < count; i++) gw_string_printf(&out, i ? " %s" : "%s", gw_tokenizer_text(t, tokens[i]));
    cr_expect_str_eq(out.data, expected, "%.40s: found %.80s, expected %.80s", text, out.data, expected);
    gw_string_free(&out);
    gw_encoder_free(encoder);
}

// Short words take the heap, long ones the sweep, and words of a vocabulary whose merges are out of order the heap.
Test(tokenizer_json, merges_in_and_out_of_order) {
    gw_tokenizer *t;
    char word[401], expected[1001] = "";
    for (int i = 0; i < 200; i++) strcat(strcpy(word + 2 * i, "ab"), "");
    cr_assert_eq(parse((parts){0}, &t), GW_OK, "%s", gw_message());
    for (int i = 0; i < 100; i++) strcat(expected, i ? " abab" : "abab");
    expect_text(t, word, expected);
    expect_text(t, "babab", "b abab");
    expect_text(t, "ababa", "abab a");
    expect_text(t, "xx", "[UNK] [UNK]");
    gw_tokenizer_free(t);
    cr_assert_eq(parse((parts){.merges = "[\"ab ab\", \"a b\", \"a b\"]", .settings = "\"fuse_unk\": true,"}, &t),
                 GW_OK);
    expect_text(t, word, expected);
    expect_text(t, "xaxxb", "[UNK] a [UNK] b");
    gw_tokenizer_free(t);
    cr_assert_eq(parse((parts){.merges = "[]", .settings = "\"ignore_merges\": true,"}, &t), GW_OK);
    expect_text(t, "abab", "abab");
    expect_text(t, "aba", "a b a");
    gw_tokenizer_free(t);
}

Test(tokenizer_json, specials_that_the_files_beside_it_name) {
    gw_tokenizer *t;
    cr_assert_eq(gw_make_directory("m"), GW_OK);
    char *text = gw_strprintf(small, "null", "null", "null", "null", "", "[]");
    scratch_text("m/tokenizer.json", text);
    free(text);
    scratch_text("m/special_tokens_map.json", "{\"pad_token\": \"a\", \"mask_token\": \"b\"}");
    scratch_text("m/tokenizer_config.json", "{\"mask_token\": {\"content\": \"ab\"}, \"cls_token\": \"nowhere\"}");
    cr_assert_eq(gw_tokenizer_load("m", &t), GW_OK, "%s", gw_message());
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_PAD), 1);
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_MASK), 3);
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_CLS), -1);
    cr_expect(gw_tokenizer_is_special(t, 3));
    gw_tokenizer_free(t);
    scratch_text("m/tokenizer_config.json", "{");
    cr_expect_eq(gw_tokenizer_load("m", &t), GW_ERR_FORMAT);
    cr_expect(strstr(gw_message(), "m/tokenizer_config.json"));
}

Test(tokenizer_json, vocab_and_merges) {
    gw_tokenizer *t;
    const int32_t *tokens, *segments;
    int64_t count;
    gw_encoder *encoder;
    cr_assert_eq(gw_make_directory("m"), GW_OK);
    scratch_text("m/vocab.json", "{\"<s>\": 0, \"</s>\": 2, \"a\": 1, \"b\": 3, \"\xC4\xA0\": 4, \"\xC4\xA0"
                                 "a\": 5, \"<mask>\": 6}");
    scratch_text("m/merges.txt", "#version: 0.2\n\xC4\xA0 a\r\n\n");
    scratch_text("m/special_tokens_map.json", "{\"mask_token\": {\"content\": \"<mask>\", \"lstrip\": true}}");
    cr_assert_eq(gw_tokenizer_load("m", &t), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_encoder_new(t, &encoder), GW_OK);
    cr_assert_eq(gw_encode_with_specials(encoder, "b a <mask>", 10, "a", 1, &tokens, &segments, &count), GW_OK);
    const int32_t expected[] = {0, 3, 5, 6, 2, 2, 1, 2};
    cr_assert_eq(count, 8);
    cr_expect_arr_eq(tokens, expected, sizeof expected);
    cr_expect_eq(gw_tokenizer_special(t, GW_SPECIAL_MASK), 6);
    gw_encoder_free(encoder);
    cr_assert_eq(gw_tokenizer_save(t, "made.json"), GW_OK);
    gw_tokenizer_free(t);
    cr_assert_eq(gw_tokenizer_load("made.json", &t), GW_OK, "%s", gw_message());
    cr_expect_eq(gw_tokenizer_size(t), 7);
    gw_tokenizer_free(t);
    scratch_text("m/added_tokens.json", "{}");
    cr_expect_eq(gw_tokenizer_load("m", &t), GW_ERR_UNSUPPORTED);
}
