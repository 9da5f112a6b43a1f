// SPDX-License-Identifier: MIT
// Folders converted into other types and into BigBird; tests/oracle/weights_oracle.py holds the same to
// transformers.
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "fixtures.h"
#include "model/convert.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(convert, .init = scratch_enter, .fini = scratch_leave);

enum { POSITIONS = 70, WIDTH = 16 };

static gw_config config_of(gw_family family, gw_head head) {
    gw_config config = fixture_config(0, 0.1);
    config.family = family;
    config.head = head;
    config.layers = 1;
    config.vocabulary = 30;
    config.positions = POSITIONS;
    config.segments = family == GW_FAMILY_ROBERTA ? 1 : 2;
    config.pad = family == GW_FAMILY_ROBERTA ? 1 : 0;
    config.activation = GW_ACTIVATION_GELU_EXACT;
    config.epsilon = 1e-5;
    config.pattern = (gw_pattern){.block = 8, .full = true};
    config.separator = -1;
    return config;
}

static void save_model(const char *folder, gw_family family, gw_head head) {
    gw_config config = config_of(family, head);
    gw_model *model;
    cr_assert_eq(gw_model_new(&config, NULL, 7, &model), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_save(model, folder), GW_OK, "%s", gw_message());
    gw_model_free(model);
    gw_config_free(&config);
}

static gw_model *load(const char *folder) {
    gw_model *model;
    cr_assert_eq(gw_model_load_weights(folder, &model), GW_OK, "%s", gw_message());
    return model;
}

static const float *row(const gw_model *model, gw_role role, int64_t i) {
    const gw_parameter *parameter = gw_model_role(model, role, 0, false);
    cr_assert(parameter && i < parameter->shape[0]);
    return model->parameters.weight + parameter->offset + i * parameter->shape[1];
}

static void expect_rows(const float *a, const float *b, const char *what, int64_t i) {
    cr_expect_eq(memcmp(a, b, WIDTH * sizeof *a), 0, "%s %lld differs", what, (long long)i);
}

static const char *text_field(const json_t *json, const char *key) {
    const char *text = json_string_value(json_object_get(json, key));
    return text ? text : "";
}

static const gw_convert_options bigbird = {
    .from = "in", .to = "out", .keep_type = true, .to_bigbird = true, .positions = 192};

// The rows that the source uses are `used`, from `first` on.
static void expect_bigbird(const gw_model *from, const gw_model *to, int64_t first, int64_t used) {
    cr_expect_eq(to->config.family, GW_FAMILY_BIGBIRD);
    cr_expect_eq(to->config.positions, 192);
    cr_expect_eq(to->config.segments, 2);
    cr_expect(to->config.activation == GW_ACTIVATION_GELU_EXACT && to->config.epsilon == 1e-5);
    cr_expect(to->config.pattern.block == 64 && to->config.pattern.random == 3 && !to->config.pattern.full);
    for (int64_t i = 0; i < 192; i++)
        expect_rows(row(to, GW_ROLE_POSITION, i), row(from, GW_ROLE_POSITION, first + i % used), "position", i);
    for (int64_t i = 0; i < 30; i++)
        expect_rows(row(to, GW_ROLE_TOKEN_EMBEDDING, i), row(from, GW_ROLE_TOKEN_EMBEDDING, i), "word", i);
    expect_rows(row(to, GW_ROLE_SEGMENT, 0), row(from, GW_ROLE_SEGMENT, 0), "token type", 0);
    expect_rows(row(to, GW_ROLE_SEGMENT, 1), row(from, GW_ROLE_SEGMENT, first > 0 ? 0 : 1), "token type", 1);
    expect_rows(row(to, GW_ROLE_FEED_FORWARD, 3), row(from, GW_ROLE_FEED_FORWARD, 3), "inner row", 3);
}

Test(convert, roberta_becomes_bigbird) {
    save_model("in", GW_FAMILY_ROBERTA, GW_HEAD_MASKED);
    scratch_text("in/vocab.json", "{}");
    scratch_text("in/tokenizer_config.json", "{\"model_max_length\": 68, \"x\": 1}");
    scratch_text("in/modules.json", "[{\"type\": \"Pooling\", \"path\": \"\"}]");
    scratch_text("in/sentence_bert_config.json", "{\"max_seq_length\": 68}");
    cr_assert_eq(gw_convert(&bigbird), GW_OK, "%s", gw_message());
    gw_model *from = load("in"), *to = load("out");
    cr_expect_eq(to->config.head, GW_HEAD_MASKED);
    cr_expect_eq(to->config.separator, 2);
    expect_bigbird(from, to, 2, POSITIONS - 2);
    expect_rows(row(to, GW_ROLE_MASK_TRANSFORM, 5), row(from, GW_ROLE_MASK_TRANSFORM, 5), "transform row", 5);
    static const float zero[WIDTH];
    expect_rows(row(to, GW_ROLE_POOLER, 0), zero, "pooler", 0);
    gw_model_free(from);
    gw_model_free(to);
    json_t *json;
    cr_assert_eq(gw_json_load("out/config.json", &json), GW_OK);
    cr_expect_str_eq(text_field(json, "model_type"), "big_bird");
    cr_expect_str_eq(text_field(json, "hidden_act"), "gelu");
    cr_expect_str_eq(text_field(json, "tokenizer_class"), "RobertaTokenizer");
    cr_expect_str_eq(text_field(json, "torch_dtype"), "float32");
    json_decref(json);
    cr_assert_eq(gw_json_load("out/tokenizer_config.json", &json), GW_OK);
    cr_expect_eq(json_integer_value(json_object_get(json, "model_max_length")), 192);
    cr_expect_eq(json_integer_value(json_object_get(json, "x")), 1);
    json_decref(json);
    cr_assert_eq(gw_json_load("out/sentence_bert_config.json", &json), GW_OK);
    cr_expect_eq(json_integer_value(json_object_get(json, "max_seq_length")), 192);
    json_decref(json);
    cr_expect(gw_file_exists("out/vocab.json") && !gw_file_exists("out/merges.txt"));
}

Test(convert, bert_becomes_bigbird) {
    save_model("in", GW_FAMILY_BERT, GW_HEAD_PRETRAINING);
    gw_convert_options options = bigbird;
    options.keep_type = false;
    options.type = GW_STORE_F16;
    cr_assert_eq(gw_convert(&options), GW_OK, "%s", gw_message());
    gw_checkpoint *stored;
    cr_assert_eq(gw_checkpoint_open("out/model.safetensors", &stored), GW_OK, "%s", gw_message());
    cr_expect_str_eq(gw_checkpoint_at(stored, 0)->type, "F16");
    gw_checkpoint_close(stored);
    options = bigbird;
    options.to = "wide";
    cr_assert_eq(gw_convert(&options), GW_OK, "%s", gw_message());
    gw_model *from = load("in"), *to = load("wide");
    expect_bigbird(from, to, 0, POSITIONS);
    expect_rows(row(to, GW_ROLE_POOLER, 4), row(from, GW_ROLE_POOLER, 4), "pooler row", 4);
    expect_rows(row(to, GW_ROLE_PAIR, 1), row(from, GW_ROLE_PAIR, 1), "pair row", 1);
    gw_model_free(from);
    gw_model_free(to);
}

static void expect_refused(const gw_convert_options *options, gw_status code, const char *text) {
    cr_expect_eq(gw_convert(options), code, "expected '%s': %s", text, gw_message());
    cr_expect(strstr(gw_message(), text), "'%s' lacks '%s'", gw_message(), text);
}

Test(convert, what_cannot_become_bigbird_is_named) {
    gw_convert_options options = bigbird;
    save_model("in", GW_FAMILY_ROBERTA, GW_HEAD_NONE);
    options.positions = 100;
    expect_refused(&options, GW_ERR_RANGE, "100 positions: expected a multiple of 64, not below the model's 68");
    options.positions = 64;
    expect_refused(&options, GW_ERR_RANGE, "not below the model's 68");
    save_model("in", GW_FAMILY_ROBERTA, GW_HEAD_SPAN);
    expect_refused(&bigbird, GW_ERR_UNSUPPORTED, "the head of RobertaForQuestionAnswering");
    save_model("in", GW_FAMILY_BIGBIRD, GW_HEAD_NONE);
    expect_refused(&bigbird, GW_ERR_UNSUPPORTED, "BigBirdModel cannot become a BigBird");
}

static void expect_same_bytes(const char *a, const char *b) {
    char *x, *y;
    int64_t first, second;
    cr_assert_eq(gw_read_file(a, &x, &first), GW_OK);
    cr_assert_eq(gw_read_file(b, &y, &second), GW_OK);
    cr_expect(first == second && memcmp(x, y, (size_t)first) == 0, "%s and %s differ", a, b);
    free(x);
    free(y);
}

static void convert(const char *from, const char *to, int type) {
    const gw_convert_options options = {
        .from = from, .to = to, .keep_type = type < 0, .type = type < 0 ? GW_STORE_F32 : (gw_store_type)type};
    cr_assert_eq(gw_convert(&options), GW_OK, "%s", gw_message());
}

// There and back: the same bytes, for folders and for files of weights.
Test(convert, types_come_back) {
    save_model("in", GW_FAMILY_BIGBIRD, GW_HEAD_PRETRAINING);
    convert("in/model.safetensors", "same", -1);
    expect_same_bytes("in/model.safetensors", "same/model.safetensors");
    for (int type = GW_STORE_F16; type <= GW_STORE_BF16; type++) {
        char narrow[16], wide[16], again[16], path[2][48];
        snprintf(narrow, sizeof narrow, "narrow%d", type);
        snprintf(wide, sizeof wide, "wide%d", type);
        snprintf(again, sizeof again, "again%d", type);
        convert("in", narrow, type);
        convert(narrow, wide, GW_STORE_F32);
        convert(wide, again, type);
        snprintf(path[0], sizeof path[0], "%s/model.safetensors", narrow);
        snprintf(path[1], sizeof path[1], "%s/model.safetensors", again);
        expect_same_bytes(path[0], path[1]);
        json_t *json;
        snprintf(path[0], sizeof path[0], "%s/config.json", narrow);
        cr_assert_eq(gw_json_load(path[0], &json), GW_OK);
        cr_expect_str_eq(text_field(json, "torch_dtype"), type == GW_STORE_F16 ? "float16" : "bfloat16");
        json_decref(json);
        convert(narrow, narrow, -1); // in its own place, with its own type
        snprintf(path[0], sizeof path[0], "%s/model.safetensors", narrow);
        expect_same_bytes(path[0], path[1]);
    }
}

Test(convert, tied_decoders_are_written_once) {
    static const float words[] = {1, 2, 3, 4}, other[] = {1, 2, 3, 5};
    gw_tensor_values tensors[] = {
        {.name = "bert.embeddings.word_embeddings.weight",
         .dimensions = 2,
         .shape = {2, 2},
         .count = 4,
         .values = words},
        {.name = "cls.predictions.decoder.weight", .dimensions = 2, .shape = {2, 2}, .count = 4, .values = words}};
    gw_checkpoint *stored;
    cr_assert_eq(gw_make_directory("in"), GW_OK);
    scratch_text("in/config.json", "{\"dtype\": \"float16\"}");
    for (int tied = 1; tied >= 0; tied--) {
        if (!tied) tensors[1].values = other;
        cr_assert_eq(gw_checkpoint_save("in/model.safetensors", tensors, 2, GW_STORE_F32), GW_OK);
        convert("in", "out", -1);
        cr_assert_eq(gw_checkpoint_open("out", &stored), GW_OK, "%s", gw_message());
        cr_expect_eq(gw_checkpoint_count(stored), tied ? 1 : 2);
        cr_expect_str_eq(gw_checkpoint_at(stored, 0)->name, tensors[0].name);
        gw_checkpoint_close(stored);
    }
    json_t *json;
    cr_assert_eq(gw_json_load("out/config.json", &json), GW_OK);
    cr_expect_str_eq(text_field(json, "dtype"), "float32");
    cr_expect_null(json_object_get(json, "torch_dtype"));
    json_decref(json);
}

Test(convert, other_weights_in_the_folder_are_in_the_way) {
    save_model("in", GW_FAMILY_BIGBIRD, GW_HEAD_NONE);
    cr_assert_eq(gw_make_directory("out"), GW_OK);
    scratch_text("out/pytorch_model.bin", "");
    const gw_convert_options options = {.from = "in", .to = "out", .keep_type = true};
    expect_refused(&options, GW_ERR_IO, "out/pytorch_model.bin exists already");
    const gw_convert_options nowhere = {.from = "nowhere", .to = "other", .keep_type = true};
    expect_refused(&nowhere, GW_ERR_IO, "no model 'nowhere' is installed");
}
