// SPDX-License-Identifier: MIT
// BigBird's spiece.model in a model folder, and Unigram models of tokenizer.json, against what transformers and
// `tokenizers` make of them.
#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "base/utf8.h"
#include "scratch.h"
#include "text/tokenizer.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char data[PATH_MAX]; // tests/data

static void enter(void) {
    cr_assert_not_null(getcwd(data, sizeof data - 20));
    strcat(data, "/tests/data");
    scratch_enter();
}

TestSuite(bigbird_tokenizer, .init = enter, .fini = scratch_leave);

static char *read_data(const char *name, int64_t *count) {
    char *path = gw_join_path(data, name), *bytes;
    cr_assert_eq(gw_read_file(path, &bytes, count), GW_OK, "%s", gw_message());
    free(path);
    return bytes;
}

static void make_folder(const char *settings) {
    int64_t count;
    char *bytes = read_data("spm_level.model", &count);
    cr_assert_eq(gw_make_directory("folder"), GW_OK);
    cr_assert_eq(gw_write_file("folder/spiece.model", bytes, count), GW_OK);
    scratch_text("folder/config.json", "{\"model_type\": \"big_bird\"}");
    if (settings) scratch_text("folder/tokenizer_config.json", settings);
    free(bytes);
}

static gw_tokenizer *load(const char *path) {
    gw_tokenizer *tokenizer;
    cr_assert_eq(gw_tokenizer_load(path, &tokenizer), GW_OK, "%s", gw_message());
    return tokenizer;
}

// The tokens of a text or pair, separated by spaces; those of segment 1 are marked.
static void assert_tokens(const gw_tokenizer *tokenizer, const char *a, const char *b, const char *expected) {
    gw_encoder *encoder;
    const int32_t *tokens, *segments;
    int64_t count;
    gw_string found = {0};
    cr_assert_eq(gw_encoder_new(tokenizer, &encoder), GW_OK);
    cr_assert_eq(gw_encode_with_specials(encoder, a, (int64_t)strlen(a), b, b ? (int64_t)strlen(b) : 0, &tokens,
                                         &segments, &count),
                 GW_OK, "%s", gw_message());
    for (int64_t i = 0; i < count; i++)
        gw_string_printf(&found, "%s%s%s", i ? " " : "", gw_tokenizer_text(tokenizer, tokens[i]),
                         segments[i] ? "'" : "");
    cr_assert_str_eq(found.data, expected);
    gw_string_free(&found);
    gw_encoder_free(encoder);
}

static void assert_line(gw_encoder *encoder, const char *line, int64_t length, const char *expected) {
    const int32_t *tokens, *segments;
    int64_t count;
    gw_string found = {0};
    cr_assert_eq(gw_encode_with_specials(encoder, line, length, NULL, 0, &tokens, &segments, &count), GW_OK);
    for (int64_t i = 0; i < count; i++) gw_string_printf(&found, i ? " %d" : "%d", tokens[i]);
    cr_assert_str_eq(found.data, expected, "%.*s", (int)length, line);
    gw_string_free(&found);
}

Test(bigbird_tokenizer, golden) {
    int64_t count, ids_count, compared = 0;
    char *text = read_data("spm_golden.txt", &count), *ids = read_data("spm_bigbird.ids", &ids_count), *expected = ids;
    make_folder(NULL);
    gw_tokenizer *tokenizer = load("folder");
    gw_encoder *encoder;
    cr_assert_eq(gw_encoder_new(tokenizer, &encoder), GW_OK);
    for (char *line = text, *end; line < text + count; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + count - line));
        if (end == line || gw_utf8_valid(line, end - line) < end - line) continue;
        char *stop = strchr(expected, '\n');
        *stop = '\0';
        assert_line(encoder, line, end - line, expected);
        expected = stop + 1;
        compared++;
    }
    cr_assert_gt(compared, 130);
    cr_assert_eq(expected, ids + ids_count);
    gw_encoder_free(encoder);
    gw_tokenizer_free(tokenizer);
    free(text);
    free(ids);
}

#define S "\xE2\x96\x81"

Test(bigbird_tokenizer, special_tokens_spaces_and_pairs) {
    make_folder(NULL);
    gw_tokenizer *tokenizer = load("folder");
    assert_tokens(tokenizer, "", NULL, "[CLS] [SEP]");
    assert_tokens(tokenizer, "ab", "ab", "[CLS] ab [SEP] ab' [SEP]'");
    assert_tokens(tokenizer, "a [MASK] .", NULL, "[CLS] " S " a " S " [MASK] " S " . [SEP]");
    assert_tokens(tokenizer, "a<s>[SEP]<unk>", NULL, "[CLS] " S " a <s> [SEP] <unk> [SEP]");
    assert_tokens(tokenizer, "a  ", NULL, "[CLS] " S " a " S " [SEP]");
    assert_tokens(tokenizer, "   a", NULL, "[CLS] " S " a [SEP]");
    assert_tokens(tokenizer, "\xF0\x9F\x98\x80\xF0\x9F\x98\x80", NULL, "[CLS] " S " <unk> [SEP]");
    cr_assert_str_eq(gw_tokenizer_text(tokenizer, gw_tokenizer_special(tokenizer, GW_SPECIAL_PAD)), "<pad>");
    cr_assert_eq(gw_tokenizer_special(tokenizer, GW_SPECIAL_UNK), 10);
    gw_tokenizer_free(tokenizer);
}

// tokenizer_config.json may say that [MASK] takes the space on its left along.
Test(bigbird_tokenizer, mask_takes_its_space_where_the_folder_says_so) {
    char settings[300];
    make_folder(NULL);
    gw_tokenizer *tokenizer = load("folder");
    snprintf(settings, sizeof settings,
             "{\"model_max_length\": 1000000000000000019884624838656, \"added_tokens_decoder\": "
             "{\"%d\": {\"content\": \"[MASK]\", \"lstrip\": true, \"normalized\": false, \"special\": true}}}",
             gw_tokenizer_special(tokenizer, GW_SPECIAL_MASK));
    gw_tokenizer_free(tokenizer);
    make_folder(settings);
    tokenizer = load("folder");
    assert_tokens(tokenizer, "a  [MASK] .", NULL, "[CLS] " S " a [MASK] " S " . [SEP]");
    gw_tokenizer_free(tokenizer);
}

// What is written is the tokenizer.json of the class, which reads as the folder did.
Test(bigbird_tokenizer, saved_as_tokenizer_json) {
    make_folder(NULL);
    gw_tokenizer *tokenizer = load("folder");
    cr_assert_str_eq(gw_tokenizer_file(tokenizer), "tokenizer.json");
    cr_assert_eq(gw_tokenizer_save(tokenizer, "tokenizer.json"), GW_OK);
    gw_tokenizer_free(tokenizer);
    tokenizer = load("tokenizer.json");
    assert_tokens(tokenizer, "a [MASK]  b", "ab", "[CLS] " S " a " S " [MASK] " S " b [SEP] ab' [SEP]'");
    gw_tokenizer_free(tokenizer);
}

// By itself, and beside the config of another model, the file is read as the sentencepiece package does.
Test(bigbird_tokenizer, the_folder_decides) {
    make_folder(NULL);
    gw_tokenizer *tokenizer = load("folder/spiece.model");
    assert_tokens(tokenizer, "a", "b", S " a " S "' b'");
    gw_tokenizer_free(tokenizer);
    scratch_text("folder/config.json", "{\"model_type\": \"bert\"}");
    tokenizer = load("folder");
    assert_tokens(tokenizer, "a", NULL, S " a");
    gw_tokenizer_free(tokenizer);
}

Test(bigbird_tokenizer, named_tokens_must_be_pieces) {
    gw_tokenizer *tokenizer;
    make_folder("{\"mask_token\": {\"content\": \"<mask>\"}}");
    cr_assert_eq(gw_tokenizer_load("folder", &tokenizer), GW_ERR_UNSUPPORTED);
    cr_assert_str_eq(gw_message(),
                     "folder/spiece.model: no piece is \"<mask>\", which BigBird's tokenizer needs as mask_token");
}

// --- Unigram models ------------------------------------------------------------------------------------------------

#define UNIGRAM(settings, vocabulary) "{\"model\": {\"type\": \"Unigram\", " settings "\"vocab\": [" vocabulary "]}}"

static void assert_word(const char *json, const char *text, const char *expected) {
    scratch_text("tokenizer.json", json);
    gw_tokenizer *tokenizer = load("tokenizer.json");
    assert_tokens(tokenizer, text, NULL, expected);
    gw_tokenizer_free(tokenizer);
}

Test(bigbird_tokenizer, unigram_model) {
#define VOCABULARY "[\"?\", 0], [\"a\", -2], [\"b\", -2], [\"ab\", -3.5], [\"xy\", -1e9]"
    assert_word(UNIGRAM("\"unk_id\": 0, ", VOCABULARY), "abb", "ab b");
    assert_word(UNIGRAM("\"unk_id\": 0, ", VOCABULARY), "xxa", "? a");
    assert_word(UNIGRAM("\"unk_id\": 0, ", VOCABULARY), "?qa", "? a"); // the unknown token is unknown text
    // The sum of two unknown ones beats a piece, but their text is that piece.
    assert_word(UNIGRAM("\"unk_id\": 0, ", "[\"?\", -1], [\"a\", 30], [\"xy\", -1]"), "axy", "a xy");
    // Single precision would see no difference.
    assert_word(UNIGRAM("\"unk_id\": 0, ", "[\"?\", 0], [\"a\", -1.0], [\"aa\", -2.00000000001]"), "aa", "a a");
    assert_word(UNIGRAM("\"unk_id\": 0, \"byte_fallback\": true, ", "[\"?\", 0], [\"<0xC3>\", 0], [\"<0xA9>\", 0]"),
                "\xC3\xA9\xC3\xA8", "?");
    assert_word(UNIGRAM("\"unk_id\": 0, \"byte_fallback\": true, ", "[\"?\", 0], [\"<0xC3>\", 0], [\"<0xA9>\", 0]"),
                "\xC3\xA9", "<0xC3> <0xA9>");
}

static void assert_refused(const char *json, const char *message) {
    gw_tokenizer *tokenizer;
    scratch_text("tokenizer.json", json);
    cr_assert_neq(gw_tokenizer_load("tokenizer.json", &tokenizer), GW_OK);
    cr_assert_str_eq(gw_message(), message);
}

Test(bigbird_tokenizer, broken_unigram_models) {
    assert_refused(UNIGRAM("\"unk_id\": 1, ", "[\"a\", 0]"), "tokenizer.json: \"unk_id\" is 1, expected 0 to 0");
    assert_refused(UNIGRAM("", ""), "tokenizer.json: the Unigram \"vocab\" has 0 entries, expected 1 to 8388608");
    assert_refused(UNIGRAM("", "[\"a\"]"),
                   "tokenizer.json: entry 0 of the Unigram \"vocab\" is not a pair of a text and a score");
    assert_refused(UNIGRAM("", "[\"a\", 0], [\"b\", 0], [\"a\", 1]"), "tokenizer.json: tokens 0 and 2 are both \"a\"");
    assert_refused(UNIGRAM("", "[\"\", 0]"), "tokenizer.json: no token of the Unigram \"vocab\" has a text");
}

Test(bigbird_tokenizer, unknown_text_without_an_unknown_token) {
    scratch_text("tokenizer.json", UNIGRAM("", "[\"a\", 0]"));
    gw_tokenizer *tokenizer = load("tokenizer.json");
    gw_encoder *encoder;
    const int32_t *tokens;
    int64_t count;
    cr_assert_eq(gw_encoder_new(tokenizer, &encoder), GW_OK);
    cr_assert_eq(gw_encode(encoder, "ab", 2, &tokens, &count), GW_ERR_UNSUPPORTED);
    cr_assert_str_eq(gw_message(), "\"b\" is not in the vocabulary, which has no unknown token");
    gw_encoder_free(encoder);
    gw_tokenizer_free(tokenizer);
}
