// SPDX-License-Identifier: MIT
// Model folders: what is saved comes back to the bit, and what is wrong with a folder is named.
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/random.h"
#include "fixtures.h"
#include "score/score_output.h"
#include "store/checkpoint.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[32];
static const char *const files[] = {"config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"};

static void make_folder(void) {
    strcpy(folder, "/tmp/godwit-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = gw_join_path(folder, files[i]);
        unlink(path);
        free(path);
    }
    cr_expect_eq(rmdir(folder), 0, "something was left in %s", folder);
}

TestSuite(folder, .init = make_folder, .fini = remove_folder);

static char *path_of(const char *file) {
    static char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

static void save(int64_t labels) {
    gw_model *model = fixture_model(labels, 0.1);
    model->config.command = gw_strdup("godwit test \"quoted\"");
    cr_assert_eq(gw_model_save(model, folder), GW_OK, "%s", gw_message());
    gw_model_free(model);
}

static void expect_bad(gw_status code, const char *text) {
    gw_model *model = (gw_model *)folder;
    const gw_status status = gw_model_load(folder, &model);
    cr_expect_eq(status, code, "status %d, expected %d: %s", (int)status, (int)code, gw_message());
    cr_expect(strstr(gw_message(), text), "'%s' lacks '%s'", gw_message(), text);
    cr_expect_null(model);
}

static void expect_same_parameters(const gw_model *a, const gw_model *b) {
    cr_assert_eq(a->parameters.count, b->parameters.count);
    cr_assert_eq(a->parameters.floats, b->parameters.floats);
    cr_expect_eq(memcmp(a->parameters.weight, b->parameters.weight, (size_t)a->parameters.floats * sizeof(float)), 0);
}

Test(folder, a_pretraining_model_comes_back_to_the_bit) {
    gw_model *model = fixture_model(0, 0.1), *again;
    model->config.mean_bases = 5.0 / 3;
    model->config.reference_md5 = gw_strdup("0123456789abcdef0123456789abcdef");
    cr_assert_eq(gw_model_save(model, folder), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load(folder, &again), GW_OK, "%s", gw_message());
    expect_same_parameters(model, again);
    const gw_config *a = &model->config, *b = &again->config;
    cr_expect(a->vocabulary == b->vocabulary && a->width == b->width && a->layers == b->layers && a->heads == b->heads);
    cr_expect(a->feed_forward == b->feed_forward && a->positions == b->positions && a->segments == b->segments);
    cr_expect(a->epsilon == b->epsilon && a->dropout == b->dropout && fabs(a->mean_bases - b->mean_bases) < 1e-14);
    cr_expect(a->task == b->task && b->labels == 0 && b->label_names == NULL && b->tss_offset == -1);
    cr_expect(b->pattern.tables == GW_TABLES_SEEDED && b->pattern.block == 8 && b->pattern.random == 3);
    cr_expect_str_eq(b->reference_md5, "0123456789abcdef0123456789abcdef");
    cr_expect_eq(gw_tokenizer_size(again->tokenizer), 10);
    gw_model_free(model);
    gw_model_free(again);
}

Test(folder, a_classifier_comes_back_to_the_bit) {
    gw_model *model = fixture_model(FIXTURE_LABELS, 0.1), *again;
    free(model->config.label_names[2]);
    model->config.label_names[2] = gw_strdup("label a"); // names may recur
    model->config.window = 1000;
    model->config.bin = 200;
    cr_assert_eq(gw_model_save(model, folder), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_model_load(folder, &again), GW_OK, "%s", gw_message());
    expect_same_parameters(model, again);
    const gw_config *b = &again->config;
    cr_expect(b->task == GW_TASK_PROFILES && b->labels == FIXTURE_LABELS && b->positive_weight == 8);
    cr_expect(b->window == 1000 && b->bin == 200);
    cr_expect_str_eq(b->label_names[2], "label a");
    cr_expect_str_eq(b->label_names[3], "label d");
    gw_model_free(model);
    gw_model_free(again);
}

// Changes a whole-number field of the saved config.json.
static void set_field(const char *key, int64_t value) {
    json_t *json;
    cr_assert_eq(gw_json_load(path_of("config.json"), &json), GW_OK);
    json_object_set_new(json, key, json_integer(value));
    cr_assert_eq(gw_json_save(path_of("config.json"), json), GW_OK);
    json_decref(json);
}

Test(folder, a_config_that_does_not_fit_the_weights_is_named) {
    save(0);
    set_field("intermediate_size", 28);
    expect_bad(GW_ERR_MISMATCH, "tensor bert.encoder.layer.0.intermediate.dense.weight has shape [24, 16], config.json "
                                "asks for [28, 16]");
    set_field("intermediate_size", 24);
    set_field("num_hidden_layers", 3);
    expect_bad(GW_ERR_MISMATCH, "16 tensors are missing: bert.encoder.layer.2.attention.self.query.weight, "
                                "bert.encoder.layer.2.attention.self.query.bias, "
                                "bert.encoder.layer.2.attention.self.key.weight, "
                                "bert.encoder.layer.2.attention.self.key.bias, ...");
    set_field("num_hidden_layers", 1);
    expect_bad(GW_ERR_MISMATCH, "does not belong to the model");
    set_field("num_hidden_layers", 2);
    set_field("vocab_size", 9);
    expect_bad(GW_ERR_MISMATCH, "the tokenizer has 10 tokens, the model's vocab_size is 9");
}

// The saved weights as bytes, to be spoilt and written back.
static char *weights(int64_t *count) {
    char *bytes;
    cr_assert_eq(gw_read_file(path_of("model.safetensors"), &bytes, count), GW_OK);
    return bytes;
}

static void write_weights(const char *bytes, int64_t count) {
    cr_assert_eq(gw_write_file(path_of("model.safetensors"), bytes, count), GW_OK);
}

// Replaces the first `from` in the header by `to` of the same length, tries to load, and puts it back.
static void expect_bad_header(const char *from, const char *to, const char *text) {
    int64_t count;
    char *bytes = weights(&count), *at = strstr(bytes + 8, from);
    cr_assert(at && strlen(from) == strlen(to), "'%s' is not in the header", from);
    memcpy(at, to, strlen(to));
    write_weights(bytes, count);
    expect_bad(GW_ERR_FORMAT, text);
    memcpy(at, from, strlen(from));
    write_weights(bytes, count);
    free(bytes);
}

Test(folder, spoilt_headers_are_named) {
    save(0);
    expect_bad_header("\"F32\"", "\"F16\"", "do not hold");
    expect_bad_header("\"F32\"", "\"X32\"", "of type X32");
    expect_bad_header("\"dtype\"", "\"ctype\"", "\"dtype\" is missing");
    expect_bad_header("\"shape\":[16]", "\"shape\":[-6]", "not a whole number");
    expect_bad_header("\"shape\":[16]", "\"shape\":\"ab\"", "\"shape\" is not a list");
    expect_bad_header("\"data_offsets\":[0,64]", "\"data_offsets\":[0,99]", "do not hold");
    expect_bad_header("\"data_offsets\":[0,64]", "\"data_offsets\":[4,68]", "belong to no tensor");
    expect_bad_header("\"data_offsets\":[64,128]", "\"data_offsets\":[60,124]", "overlap");
    expect_bad_header("\"data_offsets\":[0,64]", "\"data_offsets\":[9,64]", "do not hold");
    expect_bad_header("\"data_offsets\":[0,64]", "\"data_offsets\":[0.64]", "not a pair");
    expect_bad_header("{\"__metadata__\"", "[\"__metadata__\"", "not a JSON object");
}

Test(folder, cut_and_padded_files_are_named) {
    save(0);
    int64_t count;
    char *bytes = weights(&count);
    write_weights(bytes, count - 1);
    expect_bad(GW_ERR_FORMAT, "lie outside the file");
    write_weights(bytes, 100);
    expect_bad(GW_ERR_FORMAT, "a header of");
    write_weights(bytes, 7);
    expect_bad(GW_ERR_FORMAT, "7 bytes are too few");
    write_weights(bytes, count + 1); // gw_read_file() appends a zero byte
    expect_bad(GW_ERR_FORMAT, "1 bytes after the last tensor");
    bytes[7] = 1; // a header of 2^56 bytes
    write_weights(bytes, count);
    expect_bad(GW_ERR_FORMAT, "a header of 7205759403");
    free(bytes);
    unlink(path_of("model.safetensors"));
    expect_bad(GW_ERR_IO, "cannot open");
    unlink(path_of("tokenizer.json"));
    expect_bad(GW_ERR_IO, "tokenizer.json");
}

// Writes the model's tensors with one added, left out or changed by `edit`.
typedef void (*tensor_edit)(gw_tensor_values *tensors, int *count);

static void rewrite(tensor_edit edit) {
    gw_checkpoint *stored;
    static gw_tensor_values tensors[64];
    static float values[64][1 << 11];
    cr_assert_eq(gw_checkpoint_open(folder, &stored), GW_OK, "%s", gw_message());
    int count = gw_checkpoint_count(stored);
    for (int i = 0; i < count; i++) {
        const gw_stored_tensor *tensor = gw_checkpoint_at(stored, i);
        cr_assert_leq(tensor->count, 1 << 11);
        cr_assert_eq(gw_checkpoint_read(stored, tensor, values[i]), GW_OK, "%s", gw_message());
        tensors[i] = (gw_tensor_values){tensor->name, tensor->dimensions, {0}, tensor->count, values[i]};
        memcpy(tensors[i].shape, tensor->shape, sizeof tensor->shape);
    }
    edit(tensors, &count);
    cr_assert_eq(gw_checkpoint_save(path_of("model.safetensors"), tensors, count, GW_STORE_F32), GW_OK, "%s",
                 gw_message());
    gw_checkpoint_close(stored);
}

static void find_and(gw_tensor_values *tensors, int count, const char *name, const char *to) {
    for (int i = 0; i < count; i++)
        if (strcmp(tensors[i].name, name) == 0) tensors[i].name = to;
}

static void drop_pooler(gw_tensor_values *tensors, int *count) {
    int kept = 0;
    for (int i = 0; i < *count; i++)
        if (strcmp(tensors[i].name, "bert.pooler.bias") != 0) tensors[kept++] = tensors[i];
    *count = kept;
}

static void add_stranger(gw_tensor_values *tensors, int *count) {
    tensors[*count] = tensors[0];
    tensors[(*count)++].name = "lm_head.weight";
}

static void flatten(gw_tensor_values *tensors, int *count) {
    for (int i = 0; i < *count; i++)
        if (strcmp(tensors[i].name, "bert.pooler.weight") == 0) tensors[i].dimensions = 1, tensors[i].shape[0] = 256;
}

static void rename_tied(gw_tensor_values *tensors, int *count) {
    find_and(tensors, *count, "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight");
    find_and(tensors, *count, "cls.predictions.bias", "cls.predictions.decoder.bias");
}

static void add_tied(gw_tensor_values *tensors, int *count) {
    for (int i = 0, before = *count; i < before; i++)
        if (strcmp(tensors[i].name, "bert.embeddings.word_embeddings.weight") == 0) {
            tensors[*count] = tensors[i];
            tensors[(*count)++].name = "cls.predictions.decoder.weight";
        }
}

static void add_untied(gw_tensor_values *tensors, int *count) {
    static float other[160];
    add_tied(tensors, count);
    tensors[*count - 1].values = other;
}

Test(folder, missing_surplus_and_misshapen_tensors_are_named) {
    save(0);
    rewrite(drop_pooler);
    expect_bad(GW_ERR_MISMATCH, "tensor bert.pooler.bias is missing");
    save(0);
    rewrite(add_stranger);
    expect_bad(GW_ERR_MISMATCH, "tensor lm_head.weight does not belong to the model");
    save(0);
    rewrite(flatten);
    expect_bad(GW_ERR_MISMATCH, "tensor bert.pooler.weight has shape [256], config.json asks for [16, 16]");
    save(0);
    rewrite(add_untied);
    expect_bad(GW_ERR_UNSUPPORTED, "cls.predictions.decoder.weight differs from");
}

Test(folder, tied_tensors_are_read_under_either_name) {
    gw_model *model, *again;
    save(0);
    cr_assert_eq(gw_model_load(folder, &model), GW_OK, "%s", gw_message());
    rewrite(rename_tied);
    cr_assert_eq(gw_model_load(folder, &again), GW_OK, "%s", gw_message());
    expect_same_parameters(model, again);
    gw_model_free(again);
    save(0);
    rewrite(add_tied);
    cr_assert_eq(gw_model_load(folder, &again), GW_OK, "%s", gw_message());
    expect_same_parameters(model, again);
    gw_model_free(again);
    gw_model_free(model);
}

Test(folder, half_precision_is_widened) {
    static const char header[] = "{\"a\":{\"dtype\":\"F16\",\"shape\":[7],\"data_offsets\":[0,14]},"
                                 "\"b\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[14,18]},"
                                 "\"c\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[18,26]}}";
    static const uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x8000, 0x7bff, 0x7c00, 0x3555, 0x3f80, 0xc049};
    static const float expected[] = {1, -2, 0x1p-24f, -0.0f, 65504, INFINITY, 0x1.554p-2f, 1, -3.140625f};
    char bytes[8 + sizeof header - 1 + sizeof halves + 8] = {0};
    bytes[0] = (char)(sizeof header - 1);
    memcpy(bytes + 8, header, sizeof header - 1);
    memcpy(bytes + 8 + sizeof header - 1, halves, sizeof halves);
    write_weights(bytes, sizeof bytes);
    gw_checkpoint *file;
    float values[9];
    cr_assert_eq(gw_checkpoint_open(path_of("model.safetensors"), &file), GW_OK, "%s", gw_message());
    cr_assert_eq(gw_checkpoint_read(file, gw_checkpoint_find(file, "a"), values), GW_OK);
    cr_assert_eq(gw_checkpoint_read(file, gw_checkpoint_find(file, "b"), values + 7), GW_OK);
    cr_expect_eq(memcmp(values, expected, sizeof expected), 0);
    cr_expect_eq(gw_checkpoint_read(file, gw_checkpoint_find(file, "c"), values), GW_ERR_UNSUPPORTED);
    cr_expect(strstr(gw_message(), "tensor c has type I64"), "%s", gw_message());
    gw_checkpoint_close(file);
}

Test(folder, a_classifier_keeps_the_encoder) {
    gw_model *model = fixture_model(0, 0.1), *made, *again;
    gw_config config = fixture_config(2, 0.1);
    config.vocabulary = model->config.vocabulary;
    cr_assert_eq(gw_model_with_classifier(model, &config, 3, &made), GW_OK, "%s", gw_message());
    cr_expect_null(gw_model_parameter(made, "cls.predictions.bias"));
    const gw_parameter *head = gw_model_parameter(made, "classifier.out_proj.weight");
    cr_assert_not_null(head);
    cr_expect(head->shape[0] == 2 && head->shape[1] == 16);
    cr_expect_neq(made->parameters.weight[head->offset], 0.0f);
    for (int i = 0; i < made->parameters.count; i++) {
        const gw_parameter *to = &made->parameters.list[i], *from = gw_model_parameter(model, to->name);
        if (strncmp(to->name, "bert.", 5) != 0) continue;
        cr_expect_eq(memcmp(made->parameters.weight + to->offset, model->parameters.weight + from->offset,
                            (size_t)to->count * sizeof(float)),
                     0, "%s", to->name);
    }
    config.feed_forward = 28;
    cr_expect_eq(gw_model_with_classifier(model, &config, 3, &again), GW_ERR_MISMATCH);
    cr_expect(strstr(gw_message(), "intermediate.dense.weight"), "%s", gw_message());
    gw_config_free(&config);
    gw_model_free(made);
    gw_model_free(model);
}

Test(folder, fresh_weights_are_a_function_of_seed_and_tensor) {
    gw_config config;
    cr_assert_eq(gw_config_preset("tiny", &config), GW_OK);
    gw_model *models[3];
    for (int i = 0; i < 3; i++) {
        gw_tokenizer *tokenizer;
        cr_assert_eq(gw_tokenizer_letters(&tokenizer), GW_OK);
        cr_assert_eq(gw_model_new(&config, tokenizer, i == 2 ? 2 : 1, &models[i]), GW_OK);
    }
    expect_same_parameters(models[0], models[1]);
    const gw_parameter *matrix = gw_model_parameter(models[0], "bert.embeddings.position_embeddings.weight");
    cr_assert_eq(matrix->count, 1024 * 128);
    const float *weight = models[0]->parameters.weight + matrix->offset;
    double sum = 0, square = 0;
    for (int64_t i = 0; i < matrix->count; i++)
        sum += (double)weight[i], square += (double)weight[i] * (double)weight[i];
    cr_expect_float_eq(sum / (double)matrix->count, 0, 3e-4);
    cr_expect_float_eq(sqrt(square / (double)matrix->count), 0.02, 2e-4);
    cr_expect_neq(weight[0], weight[65536]); // chunks draw from streams of their own
    cr_expect_neq(weight[0], models[2]->parameters.weight[matrix->offset]);
    const gw_parameter *norm = gw_model_parameter(models[0], "bert.embeddings.LayerNorm.weight");
    cr_expect(models[0]->parameters.weight[norm->offset] == 1 && !norm->decay && matrix->decay);
    cr_expect_eq(gw_model_longest_window(models[0]), 1022);
    models[0]->config.mean_bases = 4.5;
    cr_expect_eq(gw_model_longest_window(models[0]), 4599);
    for (int i = 0; i < 3; i++) gw_model_free(models[i]);
}

Test(folder, md5_of_the_weights) {
    char hex[33];
    write_weights("\2\0\0\0\0\0\0\0{}", 10); // no tensors
    cr_assert_eq(gw_model_md5(folder, hex), GW_OK, "%s", gw_message());
    cr_expect_str_eq(hex, "808e0f83570c2c8dc3f8e866b5004874");
    unlink(path_of("model.safetensors"));
    cr_expect_eq(gw_model_md5(folder, hex), GW_ERR_IO);
}

Test(folder, a_full_disk_leaves_no_weights) {
    gw_model *model = fixture_model(0, 0.1);
    cr_expect_eq(gw_model_save(model, "/dev/full/model"), GW_ERR_IO);
    gw_model_free(model);
}
