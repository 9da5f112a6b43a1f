// SPDX-License-Identifier: MIT
// config.json: what is read from the files of transformers and of GENA-LM, what is written for them, and what is
// refused.
#include "base/json.h"
#include "base/output.h"
#include "fixtures.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(config, .init = scratch_enter, .fini = scratch_leave);

static gw_config parse(const char *text) {
    gw_config config;
    cr_assert_eq(gw_config_parse("config.json", text, (int64_t)strlen(text), &config), GW_OK, "%s: %s", text,
                 gw_message());
    return config;
}

static void expect_bad(gw_status code, const char *text, const char *message) {
    gw_config config;
    const gw_status status = gw_config_parse("config.json", text, (int64_t)strlen(text), &config);
    cr_expect_eq(status, code, "%s: status %d: %s", text, (int)status, gw_message());
    cr_expect(strstr(gw_message(), message), "%s: '%s' lacks '%s'", text, gw_message(), message);
    cr_expect(strstr(gw_message(), "config.json"), "'%s' does not name the file", gw_message());
    if (status == GW_OK) gw_config_free(&config);
}

// Writes the config and reads it again.
static gw_config rewrite(gw_config *config, json_t **json) {
    gw_config again;
    cr_assert_eq(gw_config_save(config, "config.json"), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_json_load("config.json", json), GW_OK);
    cr_assert_eq(gw_config_load("config.json", &again), GW_OK, "%s", gw_message());
    gw_config_free(config);
    return again;
}

static const char *text_field(const json_t *json, const char *key) {
    const char *text = json_string_value(json_object_get(json, key));
    return text ? text : "";
}

static int64_t int_field(const json_t *json, const char *key) {
    return json_integer_value(json_object_get(json, key));
}

// --- defaults ------------------------------------------------------------------------------------------------------

Test(config, an_empty_file_is_transformers_bigbird) {
    gw_config c = parse("{}");
    cr_expect(c.family == GW_FAMILY_BIGBIRD && c.head == GW_HEAD_PRETRAINING && c.head_open);
    cr_expect(c.vocabulary == 50358 && c.width == 768 && c.layers == 12 && c.heads == 12 && c.feed_forward == 3072);
    cr_expect(c.positions == 4096 && c.segments == 2 && c.pad == 0 && c.separator == 66);
    cr_expect(c.activation == GW_ACTIVATION_GELU && c.bias && !c.rescale && !c.pre_norm && c.rotary == 0);
    cr_expect(c.pattern.block == 64 && c.pattern.random == 3 && c.pattern.tables == GW_TABLES_SEEDED);
    cr_expect(c.epsilon == 1e-12 && c.dropout == 0.1 && c.classifier_dropout == 0.1);
    gw_config_free(&c);
}

Test(config, families_have_their_own_defaults) {
    gw_config bert = parse("{\"model_type\": \"bert\"}"), roberta = parse("{\"model_type\": \"roberta\"}");
    cr_expect(bert.family == GW_FAMILY_BERT && bert.vocabulary == 30522 && bert.positions == 512 && bert.pad == 0);
    cr_expect(bert.activation == GW_ACTIVATION_GELU_EXACT && bert.pattern.full && bert.head == GW_HEAD_PRETRAINING);
    cr_expect_eq(gw_config_longest(&bert), 512);
    cr_expect(roberta.family == GW_FAMILY_ROBERTA && roberta.vocabulary == 50265 && roberta.pad == 1);
    cr_expect(roberta.activation == GW_ACTIVATION_GELU_EXACT && roberta.pattern.full && roberta.head == GW_HEAD_MASKED);
    cr_expect_eq(gw_config_longest(&roberta), 510); // positions count from pad + 1
    gw_config_free(&bert);
    gw_config_free(&roberta);
}

Test(config, the_class_tells_the_family_where_the_type_does_not) {
    static const struct {
        const char *architecture;
        gw_family family;
    } cases[] = {{"BertForMaskedLM", GW_FAMILY_BERT},
                 {"BigBirdForMaskedLM", GW_FAMILY_BIGBIRD},
                 {"RobertaForMaskedLM", GW_FAMILY_ROBERTA}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[128];
        snprintf(text, sizeof text, "{\"architectures\": [\"%s\"]}", cases[i].architecture);
        gw_config c = parse(text);
        cr_expect(c.family == cases[i].family && c.head == GW_HEAD_MASKED && !c.head_open, "%s", text);
        gw_config_free(&c);
    }
}

// --- heads and labels ----------------------------------------------------------------------------------------------

Test(config, every_class_is_read_and_written) {
    static const char *const heads[] = {
        "ForPreTraining",       "ForMaskedLM",      "Model", "ForSequenceClassification", "ForTokenClassification",
        "ForQuestionAnswering", "ForMultipleChoice"};
    static const char *const types[] = {"big_bird", "bert", "roberta"}, *const names[] = {"BigBird", "Bert", "Roberta"};
    for (int f = 0; f < 3; f++)
        for (int h = 0; h <= GW_HEAD_MULTIPLE_CHOICE; h++) {
            char text[160], name[64];
            json_t *json;
            if (f == GW_FAMILY_ROBERTA && h == GW_HEAD_PRETRAINING) continue;
            snprintf(name, sizeof name, "%s%s", names[f], heads[h]);
            snprintf(text, sizeof text, "{\"model_type\": \"%s\", \"architectures\": [\"%s\"]}", types[f], name);
            gw_config before = parse(text), after = rewrite(&before, &json);
            cr_expect(after.family == (gw_family)f && after.head == (gw_head)h, "%s", text);
            cr_expect_eq(after.labels, h == GW_HEAD_SEQUENCE || h == GW_HEAD_TOKEN ? 2 : 0, "%s", text);
            cr_expect_str_eq(json_string_value(json_array_get(json_object_get(json, "architectures"), 0)), name);
            cr_expect_str_eq(text_field(json, "model_type"), types[f]);
            gw_config_free(&after);
            json_decref(json);
        }
}

#define SEQUENCE "{\"architectures\": [\"BigBirdForSequenceClassification\"]"

Test(config, labels_are_what_transformers_takes_them_for) {
    static const struct {
        const char *text;
        int64_t labels;
        gw_problem problem;
    } cases[] = {
        {SEQUENCE "}", 2, GW_PROBLEM_SINGLE_LABEL},
        {SEQUENCE ", \"num_labels\": 1}", 1, GW_PROBLEM_REGRESSION},
        {SEQUENCE ", \"num_labels\": 919}", 919, GW_PROBLEM_SINGLE_LABEL},
        {SEQUENCE ", \"id2label\": {\"0\": \"a\"}, \"num_labels\": 5}", 1, GW_PROBLEM_REGRESSION},
        {SEQUENCE ", \"num_labels\": 3, \"problem_type\": \"multi_label_classification\"}", 3, GW_PROBLEM_MULTI_LABEL},
        {SEQUENCE ", \"num_labels\": 3, \"problem_type\": \"regression\"}", 3, GW_PROBLEM_REGRESSION},
        {SEQUENCE ", \"problem_type\": null}", 2, GW_PROBLEM_SINGLE_LABEL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *json;
        gw_config before = parse(cases[i].text), after = rewrite(&before, &json);
        cr_expect(after.labels == cases[i].labels && after.problem == cases[i].problem, "%s", cases[i].text);
        cr_expect_eq((int64_t)json_object_size(json_object_get(json, "id2label")), cases[i].labels);
        cr_expect_eq(after.task, GW_TASK_CLASSIFY);
        const char *written = i == 4 ? "multi_label_classification" : i == 5 ? "regression" : "";
        cr_expect_str_eq(text_field(json, "problem_type"), written, "%s", cases[i].text);
        gw_config_free(&after);
        json_decref(json);
    }
}

Test(config, bad_labels_are_named) {
    expect_bad(GW_ERR_FORMAT, SEQUENCE ", \"id2label\": {\"0\": \"a\", \"2\": \"b\"}}", "lacks a name for \"1\"");
    expect_bad(GW_ERR_FORMAT, SEQUENCE ", \"id2label\": [\"a\"]}", "\"id2label\" is not an object");
    expect_bad(GW_ERR_FORMAT, SEQUENCE ", \"id2label\": {}}", "\"id2label\" is not an object of 1 to");
    expect_bad(GW_ERR_RANGE, SEQUENCE ", \"num_labels\": 0}", "\"num_labels\" is 0, expected 1 to");
    expect_bad(GW_ERR_UNSUPPORTED, SEQUENCE ", \"problem_type\": \"ranking\"}", "\"problem_type\" is \"ranking\"");
    expect_bad(GW_ERR_RANGE, SEQUENCE ", \"num_labels\": 1, \"problem_type\": \"single_label_classification\"}",
               "with one label");
    expect_bad(GW_ERR_MISMATCH, "{\"godwit\": {\"task\": \"profiles\"}}", "the task \"profiles\"");
}

// --- what families compute otherwise -------------------------------------------------------------------------------

Test(config, variants_of_bigbird) {
    json_t *json;
    gw_config before = parse("{\"use_bias\": false, \"rescale_embeddings\": true, \"hidden_act\": \"relu\", "
                             "\"sep_token_id\": 5, \"pad_token_id\": 7, \"block_size\": 16, \"num_random_blocks\": 2}");
    gw_config c = rewrite(&before, &json);
    cr_expect(!c.bias && c.rescale && c.activation == GW_ACTIVATION_RELU && c.separator == 5 && c.pad == 7);
    cr_expect(c.pattern.block == 16 && c.pattern.random == 2 && !c.pattern.full);
    cr_expect(json_is_false(json_object_get(json, "use_bias")));
    cr_expect(json_is_true(json_object_get(json, "rescale_embeddings")));
    gw_config_free(&c);
    json_decref(json);
}

Test(config, names_of_one_function_are_one) {
    static const struct {
        const char *name;
        gw_activation activation;
    } cases[] = {{"gelu_new", GW_ACTIVATION_GELU},   {"gelu_pytorch_tanh", GW_ACTIVATION_GELU},
                 {"gelu_fast", GW_ACTIVATION_GELU},  {"gelu_accurate", GW_ACTIVATION_GELU},
                 {"gelu", GW_ACTIVATION_GELU_EXACT}, {"gelu_python", GW_ACTIVATION_GELU_EXACT},
                 {"relu", GW_ACTIVATION_RELU},       {"silu", GW_ACTIVATION_SILU},
                 {"swish", GW_ACTIVATION_SILU}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        snprintf(text, sizeof text, "{\"hidden_act\": \"%s\"}", cases[i].name);
        gw_config c = parse(text);
        cr_expect_eq(c.activation, cases[i].activation, "%s", text);
        gw_config_free(&c);
    }
    expect_bad(GW_ERR_UNSUPPORTED, "{\"hidden_act\": \"mish\"}", "\"hidden_act\" is \"mish\"");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"hidden_act\": \"quick_gelu\"}", "\"hidden_act\" is \"quick_gelu\"");
}

#define GENA "{\"model_type\": \"bert\", \"architectures\": [\"BertForMaskedLM\"], \"num_attention_heads\": 12, "
#define SPARSE                                                                                                         \
    "\"sparse_config_cls\": \"deepspeed.ops.sparse_attention:BigBirdSparsityConfig\", "                                \
    "\"sparse_attention\": {\"num_heads\": 12, \"block\": 64, \"different_layout_per_head\": true, "                   \
    "\"num_sliding_window_blocks\": 3, \"num_global_blocks\": 2, \"num_random_blocks\": 3}}"

Test(config, a_sparse_bert_of_gena) {
    json_t *json;
    gw_config before =
        parse(GENA "\"max_position_embeddings\": 4096, \"pad_token_id\": 3, \"pre_layer_norm\": true, "
                   "\"last_layer_norm\": false, \"position_embedding_type\": \"rotary\", \"rotary_base\": 10000, "
                   "\"rotary_dim\": 32, \"vocab_size\": 32000, \"hidden_act\": \"gelu\", " SPARSE);
    gw_config c = rewrite(&before, &json);
    cr_expect(c.family == GW_FAMILY_GENA && c.head == GW_HEAD_MASKED && c.pre_norm && !c.last_norm && c.pad == 3);
    cr_expect(c.rotary == 32 && c.rotary_base == 10000 && c.activation == GW_ACTIVATION_GELU_EXACT);
    cr_expect(!c.pattern.full && c.pattern.block == 64 && c.pattern.window == 3 && c.pattern.random == 3);
    cr_expect_str_eq(text_field(json, "model_type"), "bert");
    cr_expect_str_eq(text_field(json, "position_embedding_type"), "rotary");
    cr_expect_eq(int_field(json_object_get(json, "sparse_attention"), "num_global_blocks"), 2);
    cr_expect_str_eq(text_field(json, "sparse_config_cls"), "deepspeed.ops.sparse_attention:BigBirdSparsityConfig");
    gw_config_free(&c);
    json_decref(json);
}

Test(config, a_dense_bert_with_norms_before) {
    gw_config c = parse(GENA "\"pre_layer_norm\": true}");
    cr_expect(c.family == GW_FAMILY_GENA && c.pre_norm && c.last_norm && c.rotary == 0 && c.pattern.full);
    gw_config_free(&c);
    c = parse(GENA "\"pre_layer_norm\": false}");
    cr_expect(c.family == GW_FAMILY_BERT && !c.pre_norm && !c.last_norm);
    gw_config_free(&c);
    c = parse(GENA "\"position_embedding_type\": \"rotary\"}");
    cr_expect(c.family == GW_FAMILY_GENA && !c.pre_norm && c.rotary == 64); // of a head of 64
    gw_config_free(&c);
}

static void expect_positions(const char *text, const char *stem, int64_t positions, gw_status expected) {
    gw_config c = parse(text);
    const int64_t own = c.positions;
    if (stem) cr_assert(gw_config_use_stem(&c, stem) == GW_OK);
    cr_expect(gw_config_use_positions(&c, positions) == expected, "%s", text);
    cr_expect(c.positions == (expected == GW_OK ? positions : own), "%s", text);
    gw_config_free(&c);
}

Test(config, positions_without_weights_can_be_others) {
#define ROTARY "\"position_embedding_type\": \"rotary\""
#define BASES "{\"model_type\": \"godwit\", \"architectures\": [\"GodwitForMaskedLM\"], " ROTARY "}"
    expect_positions(GENA ROTARY "}", NULL, 700, GW_OK);
    expect_positions(GENA ROTARY ", " SPARSE, NULL, 8192, GW_OK);
    expect_positions(GENA ROTARY ", " SPARSE, NULL, 8200, GW_ERR_RANGE); // the blocks are of 64
    expect_positions(GENA "\"num_hidden_layers\": 1}", NULL, 700, GW_ERR_UNSUPPORTED);
    expect_positions(BASES, "conv:3", 700, GW_OK);
    expect_positions(BASES, "conv:3+positions", 700, GW_ERR_UNSUPPORTED);
}

Test(config, bad_sparse_and_rotary_fields_are_named) {
    expect_bad(GW_ERR_MISMATCH, GENA "\"last_layer_norm\": true, \"position_embedding_type\": \"rotary\"}",
               "\"last_layer_norm\" is true without");
    expect_bad(GW_ERR_RANGE, GENA "\"position_embedding_type\": \"rotary\", \"rotary_dim\": 31}",
               "rotary positions turn 31 values of a head, expected an even");
    expect_bad(GW_ERR_RANGE, GENA "\"position_embedding_type\": \"rotary\", \"rotary_dim\": 66}",
               "\"rotary_dim\" is 66, expected 2 to 64");
    expect_bad(GW_ERR_RANGE, GENA "\"position_embedding_type\": \"rotary\", \"rotary_base\": 0}",
               "\"rotary_base\" is 0");
    expect_bad(GW_ERR_RANGE, GENA "\"position_embedding_type\": \"rotary\", \"max_position_embeddings\": 1000000000}",
               "\"max_position_embeddings\" is 1000000000, expected at most");
    expect_bad(GW_ERR_UNSUPPORTED, GENA "\"position_embedding_type\": \"relative_key\"}", "is \"relative_key\"");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"position_embedding_type\": \"rotary\"}", "is \"rotary\"");
    expect_bad(GW_ERR_FORMAT, GENA "\"sparse_attention\": {\"block\": 64}}", "needs both \"sparse_config_cls\"");
    expect_bad(GW_ERR_FORMAT, GENA "\"sparse_config_cls\": \"x:y\"}", "needs both \"sparse_config_cls\"");
    expect_bad(GW_ERR_RANGE, GENA "\"max_position_embeddings\": 500, " SPARSE, "expected a multiple of the 64");
    expect_bad(GW_ERR_RANGE, GENA "\"sparse_config_cls\": \"x:y\", \"sparse_attention\": {\"num_heads\": 11}}",
               "\"num_heads\" is 11, expected 12 to 12");
    expect_bad(GW_ERR_UNSUPPORTED,
               GENA "\"sparse_config_cls\": \"x:y\", \"sparse_attention\": {\"attention\": \"unidirectional\"}}",
               "\"attention\" is \"unidirectional\"");
}

// --- refusals ------------------------------------------------------------------------------------------------------

Test(config, another_computation_is_refused_by_its_key) {
    expect_bad(GW_ERR_UNSUPPORTED, "{\"model_type\": \"gpt2\"}", "\"model_type\" is \"gpt2\"");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"attention_type\": \"etc\"}", "\"attention_type\" is \"etc\"");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"num_random_blocks\": 0}", "block_sparse attention needs at least 1");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"is_decoder\": true}", "\"is_decoder\" is true");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"add_cross_attention\": true}", "\"add_cross_attention\" is true");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"quantization_config\": {}}", "\"quantization_config\"");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"pruned_heads\": {\"0\": [1]}}", "\"pruned_heads\" is not empty");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"architectures\": [\"BigBirdForCausalLM\"]}", "architecture BigBirdForCausalLM");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"model_type\": \"bert\", \"architectures\": [\"BertLMHeadModel\"]}",
               "architecture BertLMHeadModel");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"model_type\": \"bert\", \"architectures\": [\"BertForNextSentencePrediction\"]}",
               "architecture BertForNextSentencePrediction");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"model_type\": \"roberta\", \"architectures\": [\"RobertaForPreTraining\"]}",
               "architecture RobertaForPreTraining");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"model_type\": \"big_bird\", \"architectures\": [\"BertModel\"]}",
               "architecture BertModel");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"architectures\": [\"FlaxBigBirdModel\"]}", "architecture FlaxBigBirdModel");
    expect_bad(GW_ERR_UNSUPPORTED, "{\"architectures\": [\"DistilBertModel\"]}", "\"model_type\" is missing");
}

Test(config, bad_numbers_are_named_with_what_is_expected) {
    expect_bad(GW_ERR_RANGE, "{\"hidden_size\": 770}",
               "\"hidden_size\" is 770, expected a multiple of 4 and of its 12");
    expect_bad(GW_ERR_RANGE, "{\"num_attention_heads\": 5}", "5 heads");
    expect_bad(GW_ERR_RANGE, "{\"num_attention_heads\": 0}", "\"num_attention_heads\" is 0, expected 1 to 1024");
    expect_bad(GW_ERR_RANGE, "{\"num_hidden_layers\": -1}", "\"num_hidden_layers\" is -1, expected 1 to 1024");
    expect_bad(GW_ERR_RANGE, "{\"vocab_size\": 9223372036854775807}",
               "\"vocab_size\" is 9223372036854775807, expected");
    expect_bad(GW_ERR_FORMAT, "{\"vocab_size\": 9223372036854775808}", "expected a whole number");
    expect_bad(GW_ERR_FORMAT, "{\"vocab_size\": 512.5}", "\"vocab_size\" is 512.5, expected a whole number");
    expect_bad(GW_ERR_FORMAT, "{\"vocab_size\": \"many\"}", "\"vocab_size\" is \"many\", expected a whole number");
    expect_bad(GW_ERR_FORMAT, "{\"hidden_act\": 3}", "\"hidden_act\" is 3, expected a string");
    expect_bad(GW_ERR_FORMAT, "{\"use_bias\": 1}", "\"use_bias\" is 1, expected true or false");
    expect_bad(GW_ERR_FORMAT, "{\"layer_norm_eps\": []}", "\"layer_norm_eps\" is [], expected a number");
    expect_bad(GW_ERR_RANGE, "{\"layer_norm_eps\": -1e-12}", "\"layer_norm_eps\" is -1e-12");
    expect_bad(GW_ERR_RANGE, "{\"layer_norm_eps\": 1e300}", "\"layer_norm_eps\" is 1e+300, expected 0 to 1");
    expect_bad(GW_ERR_FORMAT, "{\"layer_norm_eps\": 1e999}", "real number overflow");
    expect_bad(GW_ERR_RANGE, "{\"hidden_dropout_prob\": 1}", "\"hidden_dropout_prob\" is 1, expected 0 or more");
    expect_bad(GW_ERR_RANGE, "{\"classifier_dropout\": -0.5}", "\"classifier_dropout\" is -0.5");
    expect_bad(GW_ERR_RANGE, "{\"block_size\": 0}", "\"block_size\" is 0, expected 1 to 4096");
    expect_bad(GW_ERR_RANGE, "{\"model_type\": \"roberta\", \"max_position_embeddings\": 2}",
               "\"max_position_embeddings\" is 2, expected more than \"pad_token_id\" + 1 = 2");
    expect_bad(GW_ERR_FORMAT, "{\"architectures\": \"BertModel\"}", "\"architectures\" is not a list");
    expect_bad(GW_ERR_FORMAT, "{\"architectures\": [5]}", "\"architectures\" is not a list of names");
    expect_bad(GW_ERR_FORMAT, "[1]", "expected a JSON object");
    expect_bad(GW_ERR_FORMAT, "{\"hidden_size\": 768", "not valid JSON");
    expect_bad(GW_ERR_FORMAT, "", "not valid JSON");
}

Test(config, a_pattern_does_not_contradict_the_fields) {
    expect_bad(GW_ERR_MISMATCH, "{\"block_size\": 32, \"godwit\": {\"pattern\": \"itc\"}}", "contradicts");
    expect_bad(GW_ERR_MISMATCH, "{\"attention_type\": \"original_full\", \"godwit\": {\"pattern\": \"itc\"}}",
               "contradicts");
    expect_bad(GW_ERR_MISMATCH, "{\"model_type\": \"bert\", \"godwit\": {\"pattern\": \"longformer\"}}", "contradicts");
    expect_bad(GW_ERR_MISMATCH, "{\"model_type\": \"bert\", \"godwit\": {\"pattern\": \"full+causal\"}}",
               "contradicts");
    gw_config c = parse("{\"model_type\": \"godwit\", \"architectures\": [\"BertForMaskedLM\"], "
                        "\"godwit\": {\"pattern\": \"longformer\"}}");
    cr_expect(c.family == GW_FAMILY_BERT && !c.pattern.full && c.pattern.window == 3);
    gw_config_free(&c);
}

// --- writing -------------------------------------------------------------------------------------------------------

Test(config, the_type_says_what_transformers_can_compute) {
    static const struct {
        const char *spec, *type, *attention;
    } cases[] = {
        {"itc+block:8", "big_bird", "block_sparse"},   {"itc/hf-eval+block:8", "big_bird", "block_sparse"},
        {"itc/google", "godwit", "block_sparse"},      {"itc+global:2@start", "godwit", "block_sparse"},
        {"full+block:8", "big_bird", "original_full"}, {"window+global+random", "godwit", "block_sparse"},
        {"longformer", "godwit", "block_sparse"},      {"itc+causal", "godwit", "block_sparse"},
        {"full+causal", "godwit", "original_full"},    {"sbm:16/fastrg+shared+seed:4", "godwit", "block_sparse"},
        {"band:100", "godwit", "block_sparse"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gw_config config = fixture_config(0, 0.1);
        json_t *json;
        cr_assert_eq(gw_config_use_pattern(&config, cases[i].spec), GW_OK);
        char *before = gw_config_pattern(&config);
        config.vocabulary = 10;
        config.separator = 3; // otherwise the tokenizer's
        config.begin = 2;
        gw_config again = rewrite(&config, &json);
        char *after = gw_config_pattern(&again);
        cr_expect_str_eq(text_field(json, "model_type"), cases[i].type);
        cr_expect_str_eq(text_field(json, "attention_type"), cases[i].attention);
        cr_expect_str_eq(text_field(json, "hidden_act"), "gelu_new");
        cr_expect_eq(int_field(json, "sep_token_id"), 3);
        cr_expect_eq(int_field(json, "eos_token_id"), 3);
        cr_expect_eq(int_field(json, "bos_token_id"), 2);
        cr_expect_str_eq(before, after);
        free(before);
        free(after);
        json_decref(json);
        gw_config_free(&again);
    }
}

// ---- ModernBERT

#define MODERN                                                                                                         \
    "{\"model_type\": \"modernbert\", \"hidden_size\": 64, \"num_attention_heads\": 4, \"num_hidden_layers\": 5"

Test(config, defaults_of_modernbert) {
    gw_config c = parse("{\"model_type\": \"modernbert\", \"architectures\": [\"ModernBertForMaskedLM\"]}");
    cr_expect(c.family == GW_FAMILY_MODERNBERT && c.head == GW_HEAD_MASKED && c.vocabulary == 50368);
    cr_expect(c.width == 768 && c.layers == 22 && c.heads == 12 && c.feed_forward == 1152 && c.positions == 8192);
    cr_expect(c.pre_norm && c.last_norm && c.epsilon == 1e-5 && c.dropout == 0 && c.segments == 1);
    cr_expect(c.rotary == 64 && c.rotary_base == 160000 && c.local_rotary_base == 10000 && c.decoder_bias);
    cr_expect(!c.bias && !c.norm_bias && !c.feed_forward_bias && !c.head_bias && c.pooling == GW_SEQUENCE_FIRST);
    cr_expect(c.activation == GW_ACTIVATION_GELU_EXACT && c.head_activation == GW_ACTIVATION_GELU_EXACT);
    cr_expect(!c.pattern.full && c.pattern.band == 64 && c.pattern.every == 3);
    gw_config_free(&c);
}

// Versions before 5 have a base and a number of layers for what newer ones say of each kind and layer.
Test(config, modernbert_of_older_and_newer_files) {
    static const char *const texts[] = {
        MODERN ", \"global_attn_every_n_layers\": 2, \"global_rope_theta\": 20000.0, \"local_rope_theta\": 500.0, "
               "\"local_attention\": 41, \"classifier_pooling\": \"mean\", \"norm_bias\": true}",
        MODERN ", \"layer_types\": [\"full_attention\", \"sliding_attention\", \"full_attention\", "
               "\"sliding_attention\", \"full_attention\"], \"rope_parameters\": {\"full_attention\": {\"rope_type\": "
               "\"default\", \"rope_theta\": 20000.0}, \"sliding_attention\": {\"rope_theta\": 500.0}}, "
               "\"local_attention\": 40, \"classifier_pooling\": \"mean\", \"norm_bias\": true}"};
    for (size_t i = 0; i < 2; i++) {
        gw_config c = parse(texts[i]);
        json_t *json;
        c = rewrite(&c, &json);
        cr_expect(c.pattern.every == 2 && c.pattern.band == 20 && c.rotary_base == 20000 && c.local_rotary_base == 500);
        cr_expect(c.pooling == GW_SEQUENCE_MEAN && c.norm_bias && c.rotary == 16);
        cr_expect_str_eq(text_field(json, "model_type"), "modernbert");
        cr_expect_str_eq(text_field(json, "classifier_pooling"), "mean");
        cr_expect_str_eq(text_field(json, "hidden_activation"), "gelu");
        cr_expect(int_field(json, "global_attn_every_n_layers") == 2 && int_field(json, "local_attention") == 40);
        cr_expect_eq(json_array_size(json_object_get(json, "layer_types")), 5);
        cr_expect(!json_object_get(json, "type_vocab_size") && !json_object_get(json, "hidden_act"));
        json_decref(json);
        gw_config_free(&c);
    }
}

Test(config, modernbert_of_another_computation_is_refused) {
    expect_bad(GW_ERR_UNSUPPORTED, MODERN ", \"layer_types\": [\"full_attention\"]}", "\"layer_types\" must be");
    expect_bad(GW_ERR_UNSUPPORTED, MODERN ", \"classifier_pooling\": \"max\"}", "\"classifier_pooling\" is \"max\"");
    expect_bad(GW_ERR_UNSUPPORTED, MODERN ", \"rope_scaling\": {\"factor\": 2}}", "\"rope_scaling\"");
    expect_bad(GW_ERR_UNSUPPORTED, MODERN ", \"classifier_activation\": \"elu\"}",
               "\"classifier_activation\" is \"elu\"");
    expect_bad(GW_ERR_RANGE, MODERN ", \"local_rope_theta\": 1}", "the rotary base of sliding_attention is 1");
    expect_bad(GW_ERR_UNSUPPORTED,
               MODERN ", \"rope_parameters\": {\"full_attention\": {\"rope_type\": \"yarn\", \"rope_theta\": 1e4}}}",
               "\"rope_type\" is \"yarn\"");
    expect_bad(GW_ERR_MISMATCH, MODERN ", \"godwit\": {\"pattern\": \"band:32+every:3\"}}", "contradicts");
}

// Layers without any that reads a band, and a pattern that transformers does not have.
Test(config, modernbert_without_bands) {
    gw_config c = parse(MODERN ", \"global_attn_every_n_layers\": 1}");
    json_t *json;
    cr_expect(c.pattern.full && c.pattern.every == 0);
    c = rewrite(&c, &json);
    cr_expect(c.pattern.full && int_field(json, "global_attn_every_n_layers") == 1);
    cr_expect_str_eq(text_field(json, "model_type"), "modernbert");
    json_decref(json);
    cr_assert_eq(gw_pattern_parse("window:3", &c.pattern), GW_OK);
    c = rewrite(&c, &json);
    cr_expect(c.family == GW_FAMILY_MODERNBERT && c.pattern.window == 3);
    cr_expect_str_eq(text_field(json, "model_type"), "godwit");
    json_decref(json);
    gw_config_free(&c);
}

Test(config, keys_that_are_not_read_are_kept) {
    json_t *json;
    gw_config before = parse("{\"model_type\": \"roberta\", \"architectures\": [\"RobertaForMaskedLM\"], "
                             "\"bos_token_id\": 0, \"eos_token_id\": 2, \"attention_probs_dropout_prob\": 0.25, "
                             "\"layer_norm_eps\": 1e-05, \"transformers_version\": \"4.17.0\", \"dtype\": \"float16\", "
                             "\"auto_map\": {\"AutoModel\": \"m.M\"}, \"gradient_checkpointing\": false}");
    gw_config after = rewrite(&before, &json), copy;
    cr_expect_eq(int_field(json, "eos_token_id"), 2);
    cr_expect_eq(json_real_value(json_object_get(json, "attention_probs_dropout_prob")), 0.25);
    cr_expect_str_eq(text_field(json, "transformers_version"), "4.17.0");
    cr_expect_str_eq(text_field(json_object_get(json, "auto_map"), "AutoModel"), "m.M");
    cr_expect_null(json_object_get(json, "dtype")); // of the weights that were read, not of those that are written
    cr_expect_str_eq(text_field(json, "torch_dtype"), "float32");
    cr_expect_eq(after.epsilon, 1e-05);
    cr_assert_eq(gw_config_copy(&after, &copy), GW_OK);
    cr_expect_str_eq(copy.other, after.other);
    gw_config_free(&copy);
    gw_config_free(&after);
    json_decref(json);
}
