// SPDX-License-Identifier: MIT
// config.json: what is missing takes transformers' default (its own saves leave defaults out); what would change the
// computation in a way that this program does not do is refused by name.
#include "model/config.h"

#include "base/json.h"
#include "base/memory.h"
#include "text/tokenizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WIDTH = 1 << 16, MOST_LABELS = 1 << 20, MOST_TOKENS = 1 << 30, WIDTH_MULTIPLE = 4 };

static const char *const task_names[] = {"pretrain", "promoter", "profiles"};
static const char *const pretraining = "BigBirdForPreTraining", *const classification =
                                                                    "BigBirdForSequenceClassification";

const char *gw_task_name(gw_task task) {
    return task_names[task];
}

static const gw_pattern bigbird_pattern = {
    .block = 64, .window = 3, .global = 2, .random = 3, .tables = GW_TABLES_SEEDED};

// transformers' BigBirdConfig() and what "godwit" says where nothing is said.
static gw_config defaults(void) {
    return (gw_config){
        .vocabulary = 50358,
        .width = 768,
        .layers = 12,
        .heads = 12,
        .inner = 3072,
        .positions = 4096,
        .segments = 2,
        .epsilon = 1e-12,
        .dropout = 0.1,
        .classifier_dropout = 0.1,
        .initializer_range = 0.02,
        .pattern = bigbird_pattern,
        .bias = true,
        .rotary_base = 10000,
        .pad = GW_TOKEN_PAD,
        .separator = GW_TOKEN_SEP,
        .positive_weight = 1,
        .tss_offset = -1,
    };
}

gw_status gw_config_preset(const char *size, gw_config *out) {
    static const struct {
        const char *name;
        int64_t layers, width, heads, positions;
    } presets[] = {{"tiny", 4, 128, 2, 1024},
                   {"small", 6, 384, 6, 4096},
                   {"base", 12, 768, 12, 4096},
                   {"large", 24, 1024, 16, 4096}};
    *out = defaults();
    out->vocabulary = 0; // the tokenizer's
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        if (strcmp(presets[i].name, size) != 0) continue;
        out->layers = presets[i].layers;
        out->width = presets[i].width;
        out->heads = presets[i].heads;
        out->positions = presets[i].positions;
        out->inner = 4 * presets[i].width;
        return GW_OK;
    }
    return gw_fail(GW_ERR_RANGE, "unknown model size '%s': tiny, small, base or large", size);
}

void gw_config_free(gw_config *config) {
    for (int64_t i = 0; config->label_names && i < config->labels; i++) free(config->label_names[i]);
    free(config->label_names);
    free(config->reference_md5);
    free(config->command);
    config->label_names = NULL;
    config->reference_md5 = config->command = NULL;
}

// A copy of text that may be NULL; *failed is set where memory is short.
static char *copy_text(const char *text, bool *failed) {
    char *copy = text ? gw_strdup(text) : NULL;
    if (text && !copy) *failed = true;
    return copy;
}

gw_status gw_config_copy(const gw_config *config, gw_config *out) {
    bool failed = false;
    *out = *config;
    out->reference_md5 = copy_text(config->reference_md5, &failed);
    out->command = copy_text(config->command, &failed);
    out->label_names = config->label_names ? gw_alloc(config->labels, sizeof(char *)) : NULL;
    if (config->label_names && !out->label_names) failed = true;
    for (int64_t i = 0; out->label_names && i < config->labels; i++)
        out->label_names[i] = copy_text(config->label_names[i], &failed);
    if (!failed) return GW_OK;
    gw_config_free(out);
    return GW_ERR_MEMORY;
}

// Fields that have one value here: anything else is another computation.
static gw_status check_fixed(const json_t *json, const char *path) {
    static const struct {
        const char *key, *values[3];
    } texts[] = {{"model_type", {"big_bird", "godwit"}},
                 {"hidden_act", {"gelu_new", "gelu_pytorch_tanh"}},
                 {"position_embedding_type", {"absolute"}}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *value = texts[i].values[0];
        GW_TRY(gw_json_string(json, path, texts[i].key, false, &value));
        bool known = false;
        for (int j = 0; j < 3 && texts[i].values[j]; j++) known = known || strcmp(value, texts[i].values[j]) == 0;
        if (!known)
            return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"%s\" is \"%s\"; \"%s\" is what can be run", path, texts[i].key,
                           value, texts[i].values[0]);
    }
    static const struct {
        const char *key;
        bool value;
    } flags[] = {
        {"use_bias", true}, {"rescale_embeddings", false}, {"is_decoder", false}, {"add_cross_attention", false}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        bool value = flags[i].value;
        GW_TRY(gw_json_bool(json, path, flags[i].key, false, &value));
        if (value != flags[i].value)
            return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"%s\" is %s; %s is what can be run", path, flags[i].key,
                           value ? "true" : "false", value ? "false" : "true");
    }
    return GW_OK;
}

static gw_status read_sizes(const json_t *json, const char *path, gw_config *config) {
    GW_TRY(gw_json_int(json, path, "vocab_size", false, 1, MOST_TOKENS, &config->vocabulary));
    GW_TRY(gw_json_int(json, path, "hidden_size", false, 1, MOST_WIDTH, &config->width));
    GW_TRY(gw_json_int(json, path, "num_hidden_layers", false, 1, 1024, &config->layers));
    GW_TRY(gw_json_int(json, path, "num_attention_heads", false, 1, 1024, &config->heads));
    GW_TRY(gw_json_int(json, path, "intermediate_size", false, 1, 16 * MOST_WIDTH, &config->inner));
    GW_TRY(gw_json_int(json, path, "max_position_embeddings", false, 1, MOST_TOKENS, &config->positions));
    GW_TRY(gw_json_int(json, path, "type_vocab_size", false, 1, MOST_WIDTH, &config->segments));
    GW_TRY(gw_json_double(json, path, "layer_norm_eps", false, &config->epsilon));
    GW_TRY(gw_json_double(json, path, "hidden_dropout_prob", false, &config->dropout));
    config->classifier_dropout = config->dropout;
    GW_TRY(gw_json_double(json, path, "classifier_dropout", false, &config->classifier_dropout));
    GW_TRY(gw_json_double(json, path, "initializer_range", false, &config->initializer_range));
    if (config->width % config->heads != 0 || config->width % WIDTH_MULTIPLE != 0)
        return gw_fail(GW_ERR_RANGE, "%s: \"hidden_size\" is %lld, expected a multiple of %d and of its %lld heads",
                       path, (long long)config->width, WIDTH_MULTIPLE, (long long)config->heads);
    const double probabilities[] = {config->dropout, config->classifier_dropout};
    for (int i = 0; i < 2; i++)
        if (!(probabilities[i] >= 0 && probabilities[i] < 1))
            return gw_fail(GW_ERR_RANGE, "%s: a dropout is %g, expected 0 or more and below 1", path, probabilities[i]);
    if (!(config->epsilon >= 0) || !(config->initializer_range >= 0))
        return gw_fail(GW_ERR_RANGE, "%s: \"layer_norm_eps\" and \"initializer_range\" are not negative", path);
    return GW_OK;
}

// The pattern of the architecture's own fields, or of "godwit", which must not contradict them.
static gw_status read_pattern(const json_t *json, const json_t *own, const char *path, gw_pattern *pattern) {
    const char *kind = "block_sparse", *spec = NULL;
    int64_t block = bigbird_pattern.block, random = bigbird_pattern.random;
    GW_TRY(gw_json_string(json, path, "attention_type", false, &kind));
    GW_TRY(gw_json_int(json, path, "block_size", false, 1, 1024, &block));
    GW_TRY(gw_json_int(json, path, "num_random_blocks", false, 0, 1024, &random));
    const bool full = strcmp(kind, "original_full") == 0;
    if (!full && strcmp(kind, "block_sparse") != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"attention_type\" is \"%s\", expected block_sparse or original_full",
                       path, kind);
    if (full) *pattern = (gw_pattern){.block = (int)block, .full = true};
    else {
        *pattern = bigbird_pattern;
        pattern->block = (int)block;
        pattern->random = (int)random;
    }
    GW_TRY(gw_json_string(own, path, "pattern", false, &spec));
    if (!spec) return GW_OK;
    gw_pattern named;
    const gw_status status = gw_pattern_parse(spec, &named);
    if (status != GW_OK) return gw_fail_in(status, "%s: \"pattern\"", path);
    const bool agrees = named.block == block && (named.tables == GW_TABLES_OWN || (!full && named.random == random));
    if (!agrees)
        return gw_fail(GW_ERR_MISMATCH,
                       "%s: the pattern %s contradicts attention_type %s, block_size %lld and "
                       "num_random_blocks %lld",
                       path, spec, kind, (long long)block, (long long)random);
    *pattern = named;
    return GW_OK;
}

// Names of the classifier's outputs from id2label: {"0": name, "1": name ...}.
static gw_status read_labels(const json_t *json, const char *path, gw_config *config) {
    const json_t *names = json_object_get(json, "id2label");
    const int64_t count = (int64_t)json_object_size(names);
    if (count < 1 || count > MOST_LABELS)
        return gw_fail(GW_ERR_FORMAT, "%s: a classifier needs \"id2label\" with its label names", path);
    config->label_names = gw_alloc(count, sizeof(char *));
    if (!config->label_names) return GW_ERR_MEMORY;
    config->labels = count;
    for (int64_t i = 0; i < count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)i);
        const char *name = json_string_value(json_object_get(names, key));
        if (!name) return gw_fail(GW_ERR_FORMAT, "%s: \"id2label\" lacks a name for \"%s\"", path, key);
        config->label_names[i] = gw_strdup(name);
        if (!config->label_names[i]) return GW_ERR_MEMORY;
    }
    return GW_OK;
}

static gw_status read_task(const json_t *json, const json_t *own, const char *path, gw_config *config) {
    const char *architecture = json_string_value(json_array_get(json_object_get(json, "architectures"), 0));
    const char *problem = "multi_label_classification", *task = NULL;
    if (!architecture) architecture = pretraining;
    const bool classifier = strcmp(architecture, classification) == 0;
    if (!classifier && strcmp(architecture, pretraining) != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: architecture %s; %s and %s are what can be run", path, architecture,
                       pretraining, classification);
    GW_TRY(gw_json_string(own, path, "task", false, &task));
    config->task = classifier ? GW_TASK_PROFILES : GW_TASK_PRETRAIN;
    if (classifier && task && strcmp(task, task_names[GW_TASK_PROMOTER]) == 0) config->task = GW_TASK_PROMOTER;
    if (task && strcmp(task, task_names[config->task]) != 0)
        return gw_fail(GW_ERR_MISMATCH, "%s: the task \"%s\" does not belong to architecture %s", path, task,
                       architecture);
    if (!classifier) return GW_OK;
    config->head = GW_HEAD_SEQUENCE;
    GW_TRY(gw_json_string(json, path, "problem_type", !own, &problem));
    if (strcmp(problem, "multi_label_classification") != 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "%s: \"problem_type\" is \"%s\"; multi_label_classification is what can be run", path, problem);
    return read_labels(json, path, config);
}

static gw_status read_own(const json_t *own, const char *path, gw_config *config) {
    const char *md5 = NULL, *command = NULL;
    bool failed = false;
    GW_TRY(gw_json_double(own, path, "positive_weight", false, &config->positive_weight));
    GW_TRY(gw_json_int(own, path, "window", false, 0, INT64_MAX, &config->window));
    GW_TRY(gw_json_int(own, path, "bin", false, 0, INT64_MAX, &config->bin));
    GW_TRY(gw_json_int(own, path, "tss_offset", false, -1, INT64_MAX, &config->tss_offset));
    GW_TRY(gw_json_double(own, path, "mean_bases", false, &config->mean_bases));
    GW_TRY(gw_json_string(own, path, "reference_md5", false, &md5));
    GW_TRY(gw_json_string(own, path, "command", false, &command));
    if (!(config->positive_weight > 0))
        return gw_fail(GW_ERR_RANGE, "%s: \"positive_weight\" is %g, expected more than 0", path,
                       config->positive_weight);
    config->reference_md5 = copy_text(md5, &failed);
    config->command = copy_text(command, &failed);
    return failed ? GW_ERR_MEMORY : GW_OK;
}

gw_status gw_config_load(const char *path, gw_config *out) {
    *out = defaults();
    json_t *json;
    GW_TRY(gw_json_load(path, &json));
    const json_t *own = json_object_get(json, "godwit");
    gw_status status = check_fixed(json, path);
    if (status == GW_OK) status = read_sizes(json, path, out);
    if (status == GW_OK) status = read_pattern(json, own, path, &out->pattern);
    if (status == GW_OK) status = read_task(json, own, path, out);
    if (status == GW_OK) status = read_own(own, path, out);
    json_decref(json);
    if (status != GW_OK) gw_config_free(out);
    return status;
}

// Whether transformers computes the same function: full attention, or BigBird's blocks as it draws them.
static bool transformers_computes(const gw_pattern *pattern) {
    const bool drawn = pattern->tables == GW_TABLES_SEEDED || pattern->tables == GW_TABLES_HF_EVAL;
    return pattern->full || (drawn && pattern->random > 0);
}

static void set_text(json_t *object, const char *key, const char *text) {
    if (text) json_object_set_new(object, key, json_string(text));
}

static void set_int(json_t *object, const char *key, int64_t value) {
    json_object_set_new(object, key, json_integer(value));
}

static void set_real(json_t *object, const char *key, double value) {
    json_object_set_new(object, key, json_real(value));
}

static void set_bool(json_t *object, const char *key, bool value) {
    json_object_set_new(object, key, json_boolean(value));
}

static void set_architecture(json_t *json, const gw_config *config) {
    json_object_set_new(json, "architectures", json_pack("[s]", config->labels > 0 ? classification : pretraining));
    set_text(json, "model_type", transformers_computes(&config->pattern) ? "big_bird" : "godwit");
    set_real(json, "attention_probs_dropout_prob", 0);
    set_text(json, "attention_type", config->pattern.full ? "original_full" : "block_sparse");
    set_int(json, "block_size", config->pattern.block);
    set_int(json, "bos_token_id", GW_TOKEN_CLS);
    set_real(json, "classifier_dropout", config->classifier_dropout);
    set_int(json, "eos_token_id", GW_TOKEN_SEP);
    set_text(json, "hidden_act", "gelu_new");
    set_real(json, "hidden_dropout_prob", config->dropout);
    set_int(json, "hidden_size", config->width);
    set_real(json, "initializer_range", config->initializer_range);
    set_int(json, "intermediate_size", config->inner);
    set_real(json, "layer_norm_eps", config->epsilon);
    set_int(json, "max_position_embeddings", config->positions);
    set_int(json, "num_attention_heads", config->heads);
    set_int(json, "num_hidden_layers", config->layers);
    set_int(json, "num_random_blocks", config->pattern.random);
    set_int(json, "pad_token_id", GW_TOKEN_PAD);
    set_text(json, "position_embedding_type", "absolute");
    set_bool(json, "rescale_embeddings", false);
    set_int(json, "sep_token_id", GW_TOKEN_SEP);
    set_text(json, "torch_dtype", "float32");
    set_int(json, "type_vocab_size", config->segments);
    set_bool(json, "use_bias", true);
    set_int(json, "vocab_size", config->vocabulary);
}

// id2label and its inverse; of names that recur the inverse keeps the last.
static void set_labels(json_t *json, const gw_config *config) {
    json_t *names = json_object(), *indices = json_object();
    for (int64_t i = 0; i < config->labels; i++) {
        char key[24], unnamed[32];
        snprintf(key, sizeof key, "%lld", (long long)i);
        snprintf(unnamed, sizeof unnamed, "LABEL_%lld", (long long)i);
        const char *name = config->label_names ? config->label_names[i] : unnamed;
        set_text(names, key, name);
        set_int(indices, name, i);
    }
    json_object_set_new(json, "id2label", names);
    json_object_set_new(json, "label2id", indices);
    set_text(json, "problem_type", "multi_label_classification");
}

static json_t *own_object(const gw_config *config, const char *spec) {
    json_t *own = json_object();
    set_text(own, "pattern", spec);
    set_text(own, "task", task_names[config->task]);
    if (config->labels > 0) set_real(own, "positive_weight", config->positive_weight);
    if (config->window > 0) set_int(own, "window", config->window);
    if (config->bin > 0) set_int(own, "bin", config->bin);
    if (config->tss_offset >= 0) set_int(own, "tss_offset", config->tss_offset);
    if (config->mean_bases > 0) set_real(own, "mean_bases", config->mean_bases);
    set_text(own, "reference_md5", config->reference_md5);
    set_text(own, "command", config->command);
    return own;
}

gw_status gw_config_save(const gw_config *config, const char *path) {
    char *spec = gw_pattern_text(&config->pattern);
    if (!spec) return GW_ERR_MEMORY;
    json_t *json = json_object();
    set_architecture(json, config);
    if (config->labels > 0) set_labels(json, config);
    json_object_set_new(json, "godwit", own_object(config, spec));
    const gw_status status = gw_json_save(path, json);
    json_decref(json);
    free(spec);
    return status;
}
