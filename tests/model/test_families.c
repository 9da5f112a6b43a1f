// SPDX-License-Identifier: MIT
// Every family with every head: round trips through folders, and files that call the tensors otherwise.
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "fixtures.h"
#include "model/convert.h"
#include "model/model_parts.h"
#include "model/task.h"
#include "store/checkpoint.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WIDTH = FAMILY_WIDTH,
    INNER = FAMILY_FEED_FORWARD,
    VOCABULARY = FAMILY_VOCABULARY,
    POSITIONS = FAMILY_POSITIONS
};
enum { LABELS = FAMILY_LABELS };

// --- folders -------------------------------------------------------------------------------------------------------

static char folder[32], warning[512];

static void keep_warning(const char *message) {
    snprintf(warning, sizeof warning, "%s", message);
}

static void begin(void) {
    static const gw_log_hooks hooks = {.warn = keep_warning};
    gw_set_log_hooks(&hooks);
    strcpy(folder, "/tmp/godwit-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void end(void) {
    DIR *opened = opendir(folder);
    for (const struct dirent *entry; (entry = readdir(opened));)
        if (entry->d_name[0] != '.') unlinkat(dirfd(opened), entry->d_name, 0);
    closedir(opened);
    rmdir(folder);
}

TestSuite(families_stored, .init = begin, .fini = end);

static gw_model *new_model(gw_family family, gw_head head) {
    gw_config config = fixture_family(family, head);
    gw_model *model;
    cr_assert_eq(gw_model_new(&config, NULL, 3, &model), GW_OK, "%s", gw_message());
    gw_config_free(&config);
    return model;
}

static gw_model *load(void) {
    gw_model *model;
    warning[0] = 0;
    cr_assert_eq(gw_model_load_weights(folder, &model), GW_OK, "%s", gw_message());
    return model;
}

static void expect_bad(gw_status code, const char *text) {
    gw_model *model = (gw_model *)folder;
    const gw_status status = gw_model_load_weights(folder, &model);
    cr_expect_eq(status, code, "status %d, expected %d: %s", (int)status, (int)code, gw_message());
    cr_expect(strstr(gw_message(), text), "'%s' lacks '%s'", gw_message(), text);
    cr_expect_null(model);
}

static void expect_same(const gw_model *a, const gw_model *b) {
    cr_assert_eq(a->parameters.count, b->parameters.count);
    for (int i = 0; i < a->parameters.count; i++) {
        const gw_parameter *from = &a->parameters.list[i], *to = &b->parameters.list[i];
        cr_expect_eq(from->role, to->role);
        cr_expect_eq(memcmp(a->parameters.weight + from->offset, b->parameters.weight + to->offset,
                            (size_t)from->count * sizeof(float)),
                     0, "%s", from->name);
    }
}

static void save(const gw_model *model) {
    cr_assert_eq(gw_model_save(model, folder), GW_OK, "%s", gw_message());
}

Test(families_stored, every_model_comes_back_to_the_bit) {
    for (gw_family family = 0; family <= GW_FAMILY_GENA; family++)
        for (gw_head head = 0; head <= GW_HEAD_MULTIPLE_CHOICE; head++) {
            if (family == GW_FAMILY_ROBERTA && head == GW_HEAD_PRETRAINING) continue;
            gw_model *model = new_model(family, head);
            save(model);
            gw_model *again = load();
            expect_same(model, again);
            cr_expect(again->config.family == family && again->config.head == head && !again->tokenizer);
            cr_expect_str_empty(warning);
            for (int i = 0; i < model->parameters.count; i++)
                cr_expect_str_eq(model->parameters.list[i].name, again->parameters.list[i].name);
            gw_model_free(again);
            gw_model_free(model);
        }
}

// The stored tensors, to be renamed, dropped or doubled and written back.
typedef struct {
    gw_checkpoint *stored;
    gw_tensor_values list[96];
    int count;
    char names[96][128];
} stored_tensors;

static stored_tensors *read_tensors(void) {
    stored_tensors *t = gw_alloc(1, sizeof *t);
    cr_assert_eq(gw_checkpoint_open(folder, &t->stored), GW_OK, "%s", gw_message());
    t->count = gw_checkpoint_count(t->stored);
    cr_assert_lt(t->count, 96);
    for (int i = 0; i < t->count; i++) {
        const gw_stored_tensor *tensor = gw_checkpoint_at(t->stored, i);
        snprintf(t->names[i], sizeof t->names[i], "%s", tensor->name);
        t->list[i] = (gw_tensor_values){.dimensions = tensor->dimensions, .count = tensor->count, .stored = tensor};
        memcpy(t->list[i].shape, tensor->shape, sizeof tensor->shape);
    }
    return t;
}

static void write_tensors(stored_tensors *t) {
    char *path = gw_join_path(folder, "model.safetensors");
    for (int i = 0; i < t->count; i++) t->list[i].name = t->names[i];
    cr_assert_eq(gw_checkpoint_save(path, t->list, t->count, GW_STORE_F32), GW_OK, "%s", gw_message());
    gw_checkpoint_close(t->stored);
    free(path);
    free(t);
}

static int index_of(const stored_tensors *t, const char *name) {
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->names[i], name) == 0) return i;
    cr_assert_fail("no tensor %s", name);
    return -1;
}

static void drop(stored_tensors *t, const char *name) {
    const int at = index_of(t, name), last = --t->count;
    t->list[at] = t->list[last];
    strcpy(t->names[at], t->names[last]);
}

// Another tensor with the values of `name`.
static void add(stored_tensors *t, const char *name, const char *as) {
    const int at = index_of(t, name);
    t->list[t->count] = t->list[at];
    strcpy(t->names[t->count++], as);
}

static void put_prefix(stored_tensors *t, const char *prefix) {
    for (int i = 0; i < t->count; i++) {
        char name[128];
        strcpy(name, t->names[i]);
        snprintf(t->names[i], sizeof t->names[i], "%s%.100s", prefix, name);
    }
}

static void take_prefix(stored_tensors *t, const char *prefix) {
    const size_t length = strlen(prefix);
    for (int i = 0; i < t->count; i++)
        if (strncmp(t->names[i], prefix, length) == 0) memmove(t->names[i], t->names[i] + length, 128 - length);
}

Test(families_stored, the_prefix_may_be_there_or_not) {
    for (gw_family family = 0; family <= GW_FAMILY_GENA; family++) {
        const char *prefix = family == GW_FAMILY_ROBERTA ? "roberta." : "bert.";
        gw_model *bare = new_model(family, GW_HEAD_NONE), *full = new_model(family, GW_HEAD_MASKED);
        save(bare);
        stored_tensors *t = read_tensors();
        put_prefix(t, prefix);
        write_tensors(t);
        gw_model *again = load();
        expect_same(bare, again);
        gw_model_free(again);
        save(full);
        t = read_tensors();
        take_prefix(t, prefix);
        write_tensors(t);
        again = load();
        expect_same(full, again);
        cr_expect_str_empty(warning);
        gw_model_free(again);
        gw_model_free(bare);
        gw_model_free(full);
    }
}

// ---- tensors that a file holds several of in one

static gw_model *new_modern(gw_head head, bool biases) {
    gw_config config;
    gw_model *model;
    cr_assert_eq(gw_config_preset("modern-tiny", &config), GW_OK, "%s", gw_message());
    config.width = WIDTH;
    config.feed_forward = INNER;
    config.vocabulary = VOCABULARY;
    config.layers = config.heads = 2;
    config.rotary = WIDTH / 2;
    config.head = head;
    config.labels = head == GW_HEAD_SEQUENCE ? LABELS : 0;
    config.bias = config.norm_bias = config.feed_forward_bias = config.head_bias = biases;
    config.decoder_bias = !biases;
    cr_assert_eq(gw_model_new(&config, NULL, 3, &model), GW_OK, "%s", gw_message());
    gw_config_free(&config);
    return model;
}

static void expect_shape(const stored_tensors *t, const char *name, int64_t rows) {
    cr_expect_eq(t->list[index_of(t, name)].shape[0], rows, "%s: %lld rows", name,
                 (long long)t->list[index_of(t, name)].shape[0]);
}

Test(families_stored, modernbert_comes_back_with_its_fused_tensors) {
    static const gw_head made[] = {GW_HEAD_NONE, GW_HEAD_MASKED, GW_HEAD_SEQUENCE};
    for (int i = 0; i < 6; i++) {
        gw_model *model = new_modern(made[i / 2], i % 2);
        const char *prefix = made[i / 2] == GW_HEAD_NONE ? "" : "model.";
        char name[64];
        save(model);
        stored_tensors *t = read_tensors();
        snprintf(name, sizeof name, "%slayers.1.attn.Wqkv.weight", prefix);
        expect_shape(t, name, 3 * WIDTH);
        snprintf(name, sizeof name, "%slayers.0.mlp.Wi.weight", prefix);
        expect_shape(t, name, 2 * INNER);
        if (i == 2) add(t, "model.embeddings.tok_embeddings.weight", "decoder.weight");
        if (i < 2) put_prefix(t, "model.");
        write_tensors(t);
        gw_model *again = load();
        expect_same(model, again);
        cr_expect_str_empty(warning);
        gw_model_free(again);
        gw_model_free(model);
    }
}

Test(families_stored, fused_tensors_are_missed_and_measured_by_their_parts) {
    gw_model *model = new_modern(GW_HEAD_MASKED, false);
    save(model);
    stored_tensors *t = read_tensors();
    drop(t, "model.layers.1.attn.Wqkv.weight");
    write_tensors(t);
    expect_bad(GW_ERR_MISMATCH, "3 tensors are missing: model.layers.1.attn.Wqkv.query.weight");
    save(model);
    t = read_tensors();
    drop(t, "model.layers.1.attn.Wqkv.weight");
    add(t, "model.layers.1.attn.Wo.weight", "model.layers.1.attn.Wqkv.weight");
    write_tensors(t);
    expect_bad(GW_ERR_MISMATCH, "Wqkv.weight has shape [16, 16], config.json asks for [48, 16]");
    gw_model_free(model);
}

// The layer before the logits is what every head begins with.
Test(families_stored, modernbert_hands_its_heads_layer_on) {
    gw_model *masked = new_modern(GW_HEAD_MASKED, false), *labels;
    gw_config config = masked->config;
    config.head = GW_HEAD_SEQUENCE;
    config.labels = LABELS;
    config.task = gw_task_usual(GW_HEAD_SEQUENCE);
    cr_assert_eq(gw_model_with_classifier(masked, &config, 9, &labels), GW_OK, "%s", gw_message());
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "head.dense.weight" : "model.layers.1.attn.Wqkv.key.weight";
        const gw_parameter *from = gw_model_parameter(masked, name), *to = gw_model_parameter(labels, name);
        cr_assert(from && to, "%s", name);
        cr_expect_arr_eq(masked->parameters.weight + from->offset, labels->parameters.weight + to->offset,
                         (size_t)from->count * sizeof(float), "%s", name);
    }
    gw_model_free(masked);
    gw_model_free(labels);
}

Test(families_stored, older_names_and_buffers_are_known) {
    gw_model *model = new_model(GW_FAMILY_BERT, GW_HEAD_PRETRAINING);
    save(model);
    stored_tensors *t = read_tensors();
    for (int i = 0; i < t->count; i++) {
        char *norm = strstr(t->names[i], "LayerNorm.");
        if (norm) strcpy(norm, strstr(norm, "weight") ? "LayerNorm.gamma" : "LayerNorm.beta");
    }
    add(t, "cls.predictions.bias", "bert.embeddings.position_ids");
    add(t, "cls.predictions.bias", "bert.embeddings.token_type_ids");
    add(t, "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight");
    add(t, "cls.predictions.bias", "cls.predictions.decoder.bias");
    write_tensors(t);
    gw_model *again = load();
    expect_same(model, again);
    cr_expect_str_empty(warning);
    gw_model_free(again);
    gw_model_free(model);
}

Test(families_stored, tied_twins_stand_for_each_other) {
    static const struct {
        gw_family family;
        const char *word, *decoder, *bias, *decoder_bias;
    } cases[] = {{GW_FAMILY_BIGBIRD, "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight",
                  "cls.predictions.bias", "cls.predictions.decoder.bias"},
                 {GW_FAMILY_ROBERTA, "roberta.embeddings.word_embeddings.weight", "lm_head.decoder.weight",
                  "lm_head.bias", "lm_head.decoder.bias"}};
    for (size_t i = 0; i < 2; i++) {
        gw_model *model = new_model(cases[i].family, GW_HEAD_MASKED);
        save(model);
        stored_tensors *t = read_tensors();
        strcpy(t->names[index_of(t, cases[i].word)], cases[i].decoder);
        strcpy(t->names[index_of(t, cases[i].bias)], cases[i].decoder_bias);
        write_tensors(t);
        gw_model *again = load();
        expect_same(model, again);
        gw_model_free(again);
        save(model);
        t = read_tensors();
        add(t, cases[i].word, cases[i].decoder);
        float *other = gw_alloc(VOCABULARY * WIDTH, sizeof *other);
        t->list[t->count - 1].values = other;
        write_tensors(t);
        free(other);
        expect_bad(GW_ERR_UNSUPPORTED, "only tied weights can be run");
        gw_model_free(model);
    }
}

// transformers stores one under the decoder's name too, which its logits do not depend on.
Test(families_stored, a_decoders_pooler_is_passed_over) {
    gw_config config = fixture_family(GW_FAMILY_BIGBIRD, GW_HEAD_MASKED);
    gw_model *bigbird = fixture_model_of(&config), *model;
    cr_assert_eq(gw_model_with_decoder(bigbird, 1, &model), GW_OK, "%s", gw_message());
    model->config.task = GW_TASK_SUMMARIZE;
    save(model);
    float other[WIDTH * WIDTH] = {1};
    stored_tensors *t = read_tensors();
    t->list[index_of(t, "decoder.bert.pooler.weight")].values = other;
    write_tensors(t);
    gw_model *again = load();
    expect_same(model, again);
    cr_expect_str_empty(warning);
    gw_model_free(again);
    t = read_tensors();
    t->list[index_of(t, "decoder.bert.encoder.layer.0.attention.self.query.weight")].values = other;
    write_tensors(t);
    expect_bad(GW_ERR_UNSUPPORTED, "only tied weights can be run");
    gw_model_free(model);
    gw_model_free(bigbird);
    gw_config_free(&config);
}

Test(families_stored, other_heads_are_left_out_with_a_warning) {
    gw_model *model = new_model(GW_FAMILY_BERT, GW_HEAD_PRETRAINING);
    save(model);
    stored_tensors *t = read_tensors();
    add(t, "bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight");
    model->config.head = GW_HEAD_MASKED; // what transformers' own bert-base-uncased says of its weights
    save(model);
    write_tensors(t);
    gw_model *again = load();
    cr_expect_eq(again->config.head, GW_HEAD_MASKED);
    cr_expect_null(gw_model_role(again, GW_ROLE_POOLER, 0, false));
    cr_expect_null(gw_model_role(again, GW_ROLE_PAIR, 0, false));
    cr_expect_not_null(gw_model_role(again, GW_ROLE_MASK_NORM, 0, false));
    cr_expect(strstr(warning, "left out tensors that BertForMaskedLM does not have: bert.pooler.dense.bias, "
                              "bert.pooler.dense.weight, cls.seq_relationship.bias, cls.seq_relationship.weight "
                              "(4 tensors)"),
              "%s", warning);
    gw_model_free(again);
    gw_model_free(model);
}

Test(families_stored, unknown_tensors_are_errors) {
    static const char *const strangers[] = {"lm_head.bias", "bert.encoder.layer.1.output.dense.bias",
                                            "qa_outputs.weight", "bert.bert.pooler.weight", "classifier.weights"};
    gw_model *model = new_model(GW_FAMILY_BIGBIRD, GW_HEAD_MASKED);
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        char expected[160];
        save(model);
        stored_tensors *t = read_tensors();
        add(t, "cls.predictions.bias", strangers[i]);
        write_tensors(t);
        snprintf(expected, sizeof expected, "tensor %s does not belong to the model", strangers[i]);
        expect_bad(GW_ERR_MISMATCH, expected);
    }
    gw_model_free(model);
}

Test(families_stored, a_pooler_that_is_not_read_may_be_absent) {
    gw_model *model = new_model(GW_FAMILY_BIGBIRD, GW_HEAD_MASKED);
    save(model);
    stored_tensors *t = read_tensors();
    drop(t, "bert.pooler.weight");
    drop(t, "bert.pooler.bias");
    write_tensors(t);
    gw_model *again = load();
    cr_expect_null(gw_model_role(again, GW_ROLE_POOLER, 0, false));
    cr_expect_eq(again->parameters.count, model->parameters.count - 2);
    const gw_parameter *last = &again->parameters.list[again->parameters.count - 1];
    cr_expect_eq(again->parameters.floats, last->offset + (last->count + 15) / 16 * 16);
    gw_model_free(again);
    save(model);
    t = read_tensors();
    drop(t, "bert.pooler.bias");
    write_tensors(t);
    expect_bad(GW_ERR_MISMATCH, "tensor bert.pooler.bias is missing");
    gw_model_free(model);
}

// A config.json without architectures; `more`: fields beside the sizes, each after its comma.
static void save_bare_config(gw_family family, const char *more) {
    static const char *const types[] = {"big_bird", "bert", "roberta"};
    char bare[512], *path = gw_join_path(folder, "config.json");
    snprintf(bare, sizeof bare,
             "{\"model_type\": \"%s\", \"vocab_size\": %d, \"hidden_size\": %d, \"num_hidden_layers\": 1, "
             "\"num_attention_heads\": 2, \"intermediate_size\": %d, \"max_position_embeddings\": %d%s}",
             types[family], VOCABULARY, WIDTH, INNER, POSITIONS, more);
    cr_assert_eq(gw_write_file(path, bare, (int64_t)strlen(bare)), GW_OK);
    free(path);
}

Test(families_stored, without_an_architecture_the_tensors_tell) {
    static const struct {
        gw_family family;
        gw_head head;
    } cases[] = {{GW_FAMILY_BIGBIRD, GW_HEAD_PRETRAINING}, {GW_FAMILY_BIGBIRD, GW_HEAD_MASKED},
                 {GW_FAMILY_BIGBIRD, GW_HEAD_NONE},        {GW_FAMILY_BIGBIRD, GW_HEAD_SPAN},
                 {GW_FAMILY_BIGBIRD, GW_HEAD_SEQUENCE},    {GW_FAMILY_BERT, GW_HEAD_SPAN},
                 {GW_FAMILY_ROBERTA, GW_HEAD_MASKED},      {GW_FAMILY_ROBERTA, GW_HEAD_SEQUENCE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gw_model *model = new_model(cases[i].family, cases[i].head);
        save(model);
        save_bare_config(cases[i].family, "");
        gw_model *again = load();
        cr_expect(again->config.head == cases[i].head && !again->config.head_open);
        cr_expect_eq(again->config.labels, cases[i].head == GW_HEAD_SEQUENCE ? LABELS : 0);
        expect_same(model, again);
        gw_model_free(again);
        gw_model_free(model);
    }
    gw_model *model = new_model(GW_FAMILY_BERT, GW_HEAD_TOKEN);
    save(model);
    save_bare_config(GW_FAMILY_BERT, "");
    expect_bad(GW_ERR_UNSUPPORTED,
               "may be BertForSequenceClassification, BertForTokenClassification, BertForMultipleChoice");
    gw_model_free(model);
}

Test(families_stored, labels_of_a_head_that_the_tensors_tell) {
    gw_model *model = new_model(GW_FAMILY_ROBERTA, GW_HEAD_SEQUENCE);
    save(model);
    save_bare_config(GW_FAMILY_ROBERTA, ", \"id2label\": {\"0\": \"a\", \"1\": \"b\", \"2\": \"c\"}, \"godwit\": "
                                        "{\"window\": 300}, \"problem_type\": \"multi_label_classification\"");
    gw_model *again = load();
    cr_assert_eq(again->config.labels, LABELS);
    cr_expect_str_eq(again->config.label_names[LABELS - 1], "c");
    cr_expect(again->config.problem == GW_PROBLEM_MULTI_LABEL && again->config.window == 300);
    gw_model_free(again);
    save_bare_config(GW_FAMILY_ROBERTA, ", \"num_labels\": 2");
    expect_bad(GW_ERR_MISMATCH, "config.json asks for [2,");
    gw_model_free(model);
}

// --- layouts -------------------------------------------------------------------------------------------------------

// A model whose two heads read other blocks than each other.
static gw_model *sparse_model(void) {
    gw_model *model = new_model(GW_FAMILY_GENA, GW_HEAD_MASKED);
    const int blocks = POSITIONS / 8, count = 2 * blocks * blocks;
    free(model->config.other);
    model->config.other = gw_strdup("{\"sparse_config_cls\": \"a:b\", \"sparse_attention\": {\"block\": 8}}");
    model->config.pattern = (gw_pattern){.block = 8, .window = 3, .global = 1, .random = 1};
    model->layout = gw_alloc(1, sizeof *model->layout);
    *model->layout = (gw_layout){.layers = 1, .heads = 2, .blocks = blocks, .cell = gw_alloc(count, 1)};
    for (int i = 0; i < count; i++) model->layout->cell[i] = i % blocks == i / blocks % blocks || i % 5 == 0;
    return model;
}

Test(families_stored, layouts_come_from_the_weights) {
    gw_model *model = sparse_model();
    save(model);
    gw_model *again = load(), *classifier_model;
    cr_assert_not_null(again->layout);
    cr_expect(again->layout->layers == 1 && again->layout->heads == 2 && again->layout->blocks == 8);
    cr_expect_eq(memcmp(again->layout->cell, model->layout->cell, 128), 0);
    expect_same(model, again);
    gw_model *further;
    gw_string fresh = {0};
    cr_assert_eq(gw_model_continue(again, &again->config, NULL, 2, &fresh, &further), GW_OK, "%s", gw_message());
    cr_expect_eq(memcmp(further->layout->cell, model->layout->cell, 128), 0);
    expect_same(model, further);
    cr_expect_eq(fresh.length, 0, "fresh: %s", fresh.data);
    gw_model_free(further);
    gw_config config;
    cr_assert_eq(gw_config_copy(&again->config, &config), GW_OK);
    config.labels = 2;
    config.task = GW_TASK_PROMOTER;
    cr_assert_eq(gw_model_with_classifier(again, &config, 1, &classifier_model), GW_OK, "%s", gw_message());
    cr_expect_eq(memcmp(classifier_model->layout->cell, model->layout->cell, 128), 0);
    gw_model_free(classifier_model);
    cr_expect_eq(gw_model_new(&config, NULL, 1, &classifier_model), GW_ERR_UNSUPPORTED);
    // fine-tuned with full attention, it keeps no layout, and its folder asks for none
    cr_assert_eq(gw_pattern_use_mode(&config.pattern, "full"), GW_OK);
    cr_assert_eq(gw_model_with_classifier(again, &config, 1, &classifier_model), GW_OK, "%s", gw_message());
    cr_expect_null(classifier_model->layout);
    save(classifier_model);
    gw_model *full = load();
    cr_expect(full->config.pattern.full && !full->layout);
    gw_model_free(full);
    gw_model_free(classifier_model);
    save(model);
    gw_config_free(&config);
    stored_tensors *t = read_tensors();
    strcpy(t->names[index_of(t, "bert.encoder.layer.0.attention.self.sparse_self_attention.master_layout")],
           "encoder.layer.0.other.master_layout");
    add(t, "bert.embeddings.LayerNorm.bias", "bert.encoder.layer.0.attention.self.rotary_emb.inv_freq");
    write_tensors(t);
    gw_model *renamed = load();
    cr_expect_eq(memcmp(renamed->layout->cell, model->layout->cell, 128), 0);
    gw_model_free(renamed);
    gw_model_free(again);
    gw_model_free(model);
}

Test(families_stored, bad_layouts_are_named) {
    static const char name[] = "bert.encoder.layer.0.attention.self.sparse_self_attention.master_layout";
    gw_model *model = sparse_model();
    save(model);
    stored_tensors *t = read_tensors();
    drop(t, name);
    write_tensors(t);
    expect_bad(GW_ERR_UNSUPPORTED, "hold no layout of sparse attention (encoder.layer.0...master_layout)");
    save(model);
    t = read_tensors();
    strcpy(t->names[index_of(t, name)], "bert.encoder.layer.1.master_layout");
    write_tensors(t);
    expect_bad(GW_ERR_MISMATCH, "is not the only layout of one of the 1 layers");
    save(model);
    t = read_tensors();
    add(t, name, "encoder.layer.0.master_layout");
    write_tensors(t);
    expect_bad(GW_ERR_MISMATCH, "is not the only layout");
    save(model);
    t = read_tensors();
    t->list[index_of(t, name)].shape[0] = 1;
    t->list[index_of(t, name)].shape[1] = 16;
    write_tensors(t);
    expect_bad(GW_ERR_MISMATCH, "has not the shape [2, 8, 8]");
    model->layout->cell[5] = 2;
    save(model);
    expect_bad(GW_ERR_FORMAT, "holds 2, expected 0 and 1");
    gw_model_free(model);
}

// --- classifiers ---------------------------------------------------------------------------------------------------

Test(families_stored, any_encoder_takes_a_classifier) {
    static const gw_head heads[] = {GW_HEAD_MASKED, GW_HEAD_NONE, GW_HEAD_SPAN};
    for (gw_family family = 0; family <= GW_FAMILY_GENA; family++)
        for (size_t h = 0; h < 3; h++) {
            gw_model *model = new_model(family, heads[h]), *made;
            gw_config config;
            const bool labels = family == GW_FAMILY_BERT || family == GW_FAMILY_GENA;
            cr_assert_eq(gw_config_copy(&model->config, &config), GW_OK);
            config.labels = LABELS;
            config.task = GW_TASK_PROFILES;
            cr_assert_eq(gw_model_with_classifier(model, &config, 1, &made), GW_OK, "%s", gw_message());
            cr_expect_eq(made->config.head, GW_HEAD_SEQUENCE);
            cr_expect_not_null(gw_model_role(made, GW_ROLE_LOGITS, 0, false));
            cr_expect_eq(gw_model_role(made, GW_ROLE_HEAD_DENSE, 0, false) == NULL, labels);
            const gw_parameter *from = gw_model_role(model, GW_ROLE_FEED_FORWARD, 0, false),
                               *to = gw_model_role(made, GW_ROLE_FEED_FORWARD, 0, false);
            cr_expect_eq(memcmp(model->parameters.weight + from->offset, made->parameters.weight + to->offset,
                                (size_t)from->count * sizeof(float)),
                         0);
            save(made);
            gw_model *again = load();
            cr_expect(again->config.problem == GW_PROBLEM_MULTI_LABEL && again->config.labels == LABELS);
            gw_model_free(again);
            gw_model_free(made);
            gw_model_free(model);
            gw_config_free(&config);
        }
}
