// SPDX-License-Identifier: MIT
// GPN's families: what their config.json says, what is refused by its key, and folders as their package writes
// them.
#include "apart.h"
#include "base/memory.h"
#include "model/model.h"
#include "network/network.h"
#include "network/partial.h"
#include "store/checkpoint.h"
#include "tests/unit/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(gpn, .init = scratch_enter, .fini = scratch_leave);

static gw_status parse(const char *text, gw_config *config) {
    return gw_config_parse("config.json", text, (int64_t)strlen(text), config);
}

Test(gpn, layers_follow_from_the_fields) {
    static const struct {
        const char *json, *stem;
    } cases[] = {
        {"{\"model_type\": \"GPN\", \"architectures\": [\"GPNForMaskedLM\"], \"num_hidden_layers\": 10}",
         "gpn:9x2048@1+gpn:5x2048@2,4,8,16,32,64,128,1,2"},
        {"{\"model_type\": \"GPN\", \"architectures\": [\"GPNForMaskedLM\"], \"num_hidden_layers\": 7, "
         "\"first_kernel_size\": 3, \"rest_kernel_size\": 7, \"dilation_base\": 3, \"dilation_cycle\": 5, "
         "\"dilation_double_every\": 2, \"dilation_max\": 8, \"intermediate_size\": 96}",
         "gpn:3x96@1+gpn:7x96@1,3,3,8,1,1"},
        {"{\"model_type\": \"ConvNet\", \"architectures\": [\"ConvNetForMaskedLM\"], \"n_layers\": 8}",
         "convnet:9@1,2,4,8,16,32,1,2"},
        {"{\"model_type\": \"ConvNet\", \"architectures\": [\"ConvNetModel\"], \"n_layers\": 3, \"kernel_size\": 5, "
         "\"dilation_max\": 3}",
         "convnet:5@1,2,3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gw_config config;
        cr_assert_eq(parse(cases[i].json, &config), GW_OK, "%s", gw_message());
        cr_expect_str_eq(config.stem.text, cases[i].stem);
        cr_expect(config.layers == 0 && config.one_hot && config.epsilon == 1e-5);
        gw_config_free(&config);
    }
}

Test(gpn, what_is_another_computation_is_refused_by_its_key) {
    static const struct {
        const char *type, *head, *field, *message;
    } cases[] = {
        {"GPN", "ForMaskedLM", "\"encoder\": \"bytenet\"",
         "config.json: \"encoder\" is \"bytenet\"; only convnet is supported"},
        {"GPN", "ForMaskedLM", "\"depthwise\": true", "config.json: \"depthwise\" is true; only false is supported"},
        {"GPN", "ForMaskedLM", "\"mlm_head_transform\": false",
         "config.json: \"mlm_head_transform\" is false; only true is supported"},
        {"GPN", "ForMaskedLM", "\"embedding\": \"learned\"",
         "config.json: \"embedding\" is \"learned\"; one_hot and embedding are supported"},
        {"GPN", "ForMaskedLM", "\"embedding\": \"embedding\", \"tie_word_embeddings\": true",
         "config.json: \"tie_word_embeddings\" is true; only false is supported"},
        {"GPN", "ForSequenceClassification", "\"classification_head\": \"lightweight_cnn\"",
         "config.json: \"classification_head\" is \"lightweight_cnn\"; only standard is supported"},
        {"GPN", "ForMaskedLM", "\"n_aux_features\": 5",
         "config.json: \"n_aux_features\" is 5: a model that reads tracks beside bases cannot be run"},
        {"ConvNet", "ForMaskedLM", "\"n_aux_features\": 1",
         "config.json: \"n_aux_features\" is 1: a model that reads tracks beside bases cannot be run"},
        {"ConvNet", "ForSequenceClassification", "\"regression_softplus\": true",
         "config.json: \"regression_softplus\" is true; only false is supported"},
        {"ConvNet", "ForSequenceClassification", "\"hidden_act\": \"relu\"",
         "config.json: \"hidden_act\" is \"relu\"; only gelu is supported"},
        {"ConvNet", "ForMaskedLM", "\"kernel_size\": 8",
         "config.json: stem 'convnet:8@1,2,4,8,16,32,1,2,4,8,16,32,1,2,4,8,16,32,1,2,4,8,16,32,1': convnet: found 8 "
         "taps, expected an odd number: as many before a base as after it"},
        {"ConvNet", "ForMaskedLM", "\"hidden_size\": 4",
         "config.json: \"vocab_size\" is 7, more than the 4 values of a one-hot row"},
        {"ConvNet", "ForMaskedLM", "\"n_layers\": 65, \"dilation_cycle\": 1",
         "config.json: stem 'convnet:9@1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1': convnet: more than 64 parts, each dilation counted"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[400];
        gw_config config;
        snprintf(json, sizeof json, "{\"model_type\": \"%s\", \"architectures\": [\"%s%s\"], %s}", cases[i].type,
                 cases[i].type, cases[i].head, cases[i].field);
        cr_assert_neq(parse(json, &config), GW_OK, "%s", json);
        cr_expect_str_eq(gw_message(), cases[i].message);
    }
}

static gw_model *small_model(const char *more) {
    char json[400];
    gw_config config;
    gw_model *model;
    snprintf(json, sizeof json,
             "{\"model_type\": \"GPN\", \"architectures\": [\"GPNForMaskedLM\"], \"num_hidden_layers\": 3, "
             "\"hidden_size\": 16, \"intermediate_size\": 24, \"initializer_range\": 0.3%s}",
             more);
    cr_assert_eq(parse(json, &config), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_new(&config, NULL, 5, &model), GW_OK, "%s", gw_message());
    gw_config_free(&config);
    return model;
}

static const gw_stored_tensor *stored_by_name(gw_checkpoint *stored, const char *name) {
    for (int i = 0; i < gw_checkpoint_count(stored); i++)
        if (strcmp(gw_checkpoint_at(stored, i)->name, name) == 0) return gw_checkpoint_at(stored, i);
    return NULL;
}

// Taps last, as PyTorch has them, and no table of letters.
static void check_file(const gw_model *model, const char *folder) {
    static const char name[] = "model.encoder.layer.1.conv.2.weight";
    const gw_parameter *p = gw_model_parameter(model, name);
    gw_checkpoint *stored;
    cr_assert_eq(gw_checkpoint_open(folder, &stored), GW_OK, "%s", gw_message());
    cr_expect_null(stored_by_name(stored, "model.embeddings.word_embeddings.weight"));
    const gw_stored_tensor *tensor = stored_by_name(stored, name);
    cr_assert(tensor && tensor->dimensions == 3);
    cr_expect(tensor->shape[0] == 16 && tensor->shape[1] == 16 && tensor->shape[2] == 5);
    float *values = gw_alloc(p->count, sizeof *values);
    cr_assert_eq(gw_checkpoint_read(stored, tensor, values), GW_OK, "%s", gw_message());
    for (int64_t i = 0; i < 16 * 16; i++)
        for (int64_t t = 0; t < 5; t++)
            cr_assert_eq(values[i * 5 + t], model->parameters.weight[p->offset + t * 16 * 16 + i]);
    free(values);
    gw_checkpoint_close(stored);
}

Test(gpn, a_folder_holds_what_their_package_reads) {
    static const char *const kinds[] = {"", ", \"bias\": true"};
    for (int i = 0; i < 2; i++) {
        gw_model *model = small_model(kinds[i]), *again;
        const char *folder = i == 0 ? "plain" : "biases";
        cr_assert_eq(gw_model_save(model, folder), GW_OK, "%s", gw_message());
        check_file(model, folder);
        cr_assert_eq(gw_model_load_weights(folder, &again), GW_OK, "%s", gw_message());
        cr_assert_eq(again->parameters.count, model->parameters.count);
        cr_expect_eq(memcmp(again->parameters.weight, model->parameters.weight,
                            (size_t)model->parameters.floats * sizeof(float)),
                     0);
        cr_expect_str_eq(again->config.stem.text, model->config.stem.text);
        gw_model_free(model);
        gw_model_free(again);
    }
}

// --- few masked tokens read few rows of the last layers --------------------------------------------------------------

enum { SEQUENCES = 5, LONGEST = 128, LOGITS = SEQUENCES * 16 };

static gw_model *deep_model(bool bias) {
    char json[400];
    gw_config config;
    gw_model *model;
    snprintf(json, sizeof json,
             "{\"model_type\": \"GPN\", \"architectures\": [\"GPNForMaskedLM\"], \"num_hidden_layers\": 9, "
             "\"hidden_size\": 32, \"intermediate_size\": 48, \"max_position_embeddings\": 128, \"dilation_cycle\": 6, "
             "\"initializer_range\": 0.3, \"bias\": %s}",
             bias ? "true" : "false");
    cr_assert_eq(parse(json, &config), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_new(&config, NULL, 7, &model), GW_OK, "%s", gw_message());
    gw_config_free(&config);
    return model;
}

// Logits of sequences [first, end), a masked token each, in part or whole.
static void masked_logits(gw_model *model, int first, int end, bool in_part, float *out) {
    static const int length[SEQUENCES] = {128, 128, 60, 9, 1}, at[SEQUENCES] = {0, 77, 59, 4, 0};
    static int32_t token[SEQUENCES * LONGEST];
    int32_t asked[SEQUENCES];
    int64_t start[SEQUENCES + 1] = {0};
    const int count = end - first;
    for (int s = first; s < end; s++) {
        const int64_t begin = start[s - first];
        start[s - first + 1] = begin + length[s];
        for (int i = 0; i < length[s]; i++) token[begin + i] = (int32_t)(3 + (s * 1000 + i) * 7919 % 11 % 4);
        asked[s - first] = (int32_t)(begin + at[s]);
        token[asked[s - first]] = 1;
    }
    const gw_batch batch = {.of[GW_ROWS_TOKENS] = {.start = start, .sequences = count, .token = token},
                            .of[GW_ROWS_MASKED] = {.row = asked, .count = count}};
    const gw_network_options options = {
        .tokens = SEQUENCES * LONGEST, .sequences = SEQUENCES, .masked = SEQUENCES, .output_rows = GW_OUTPUT_MASKED};
    gw_network *network;
    gw_partial *partial;
    const float *logits;
    cr_assert_eq(gw_network_new(model, &options, &network), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_partial_new(model, GW_ROWS_MASKED, 1000000000, &partial), GW_OK, "%s", gw_message());
    cr_assert_not_null(partial);
    if (in_part) cr_assert_eq(gw_partial_masked(partial, &batch, &logits), GW_OK, "%s", gw_message());
    else cr_assert_eq(gw_network_forward(network, &batch, NULL), GW_OK, "%s", gw_message());
    if (!in_part) logits = gw_network_output(network, GW_ROWS_MASKED);
    cr_assert_not_null(logits);
    memcpy(out, logits, (size_t)(count * model->config.vocabulary) * sizeof *out);
    gw_partial_free(partial);
    gw_network_free(network);
}

Test(gpn, few_masked_tokens_read_few_rows) {
    for (int i = 0; i < 3; i++) {
        gw_model *model = deep_model(i == 1);
        const int64_t vocabulary = model->config.vocabulary;
        float found[LOGITS], expected[LOGITS], alone[LOGITS];
        if (i == 2) cr_assert_eq(gw_model_freeze(model, GW_F32), GW_OK, "%s", gw_message());
        masked_logits(model, 0, SEQUENCES, true, found);
        masked_logits(model, 0, SEQUENCES, false, expected);
        for (int64_t v = 0; v < SEQUENCES * vocabulary; v++)
            cr_assert_float_eq(found[v], expected[v], 1e-5F * (1 + fabsf(expected[v])), "logit %lld", (long long)v);
        // The same bits in any company.
        for (int s = 0; s < SEQUENCES; s++) {
            masked_logits(model, s, s + 1, true, alone);
            cr_expect_eq(memcmp(alone, found + s * vocabulary, (size_t)vocabulary * sizeof *alone), 0,
                         "sequence %d has other bits alone", s);
        }
        gw_model_free(model);
    }
}
