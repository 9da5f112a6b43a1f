// SPDX-License-Identifier: MIT
// Converts gw_config to config.json: the fields of the family's class of transformers, then unknown fields of the file
// that was read, then fields that transformers needs in addition.
#include "model/config.h"

#include "base/json.h"
#include "model/config_reader.h"
#include "model/family.h"
#include "model/head.h"
#include "model/mixer.h"
#include "model/model_parts.h"
#include "model/task.h"

#include <stdio.h>
#include <stdlib.h>

// Whether transformers, or the family's own code, computes the same function.
static bool transformers_computes(const gw_config *config) {
    const gw_pattern *pattern = &config->pattern;
    const gw_family_row *family = gw_family_of(config->family);
    if (gw_mixer_of(config->mixer)->words || gw_head_of(config->head)->apart) return false;
    if (pattern->causal || pattern->at_start) return false;
    if (family->computes) return family->computes(config);
    const bool known = pattern->full || gw_config_has_layout(config);
    return config->pooling == GW_SEQUENCE_FIRST && pattern->band == 0 && known;
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
    if (gw_head_of(config->head)->problem && config->problem != gw_problem_by_labels(config->labels))
        set_text(json, "problem_type", gw_problem_names[config->problem]);
}

void gw_config_write_special_tokens(json_t *json, const gw_config *config) {
    if (config->other) return;
    if (config->begin >= 0) set_int(json, "bos_token_id", config->begin);
    if (config->separator >= 0) set_int(json, "eos_token_id", config->separator);
}

static json_t *own_object(const gw_config *config, const char *spec) {
    json_t *own = json_object();
    set_text(own, "pattern", spec);
    if (config->stem.count > 0) set_text(own, "stem", config->stem.text);
    if (config->pooling != gw_config_defaults(config->family).pooling)
        set_text(own, "pooling", gw_pooling_names[config->pooling]);
    set_text(own, "task", gw_task_of(config->task)->name);
    if (config->positive_weights) {
        json_t *weights = json_array();
        for (int64_t i = 0; i < config->labels; i++)
            json_array_append_new(weights, json_real(config->positive_weights[i]));
        json_object_set_new(own, "positive_weight", weights);
    } else if (config->labels > 0) set_real(own, "positive_weight", config->positive_weight);
    json_t *numbers = gw_config_has_numbers(config) ? gw_numbers_json(&config->numbers, config->labels) : NULL;
    if (numbers) json_object_set_new(own, "numbers", numbers);
    if (config->both_strands) set_bool(own, "both_strands", true);
    if (config->overlap) set_bool(own, "overlap", true);
    if (config->temperature > 0) set_real(own, "temperature", config->temperature);
    if (config->members > 0) set_int(own, "members", config->members);
    if (config->window > 0) set_int(own, "window", config->window);
    if (config->bin > 0) set_int(own, "bin", config->bin);
    if (config->tss_offset >= 0) set_int(own, "tss_offset", config->tss_offset);
    if (config->text_length > 0) set_int(own, "text_length", config->text_length);
    if (config->mean_bases > 0) set_real(own, "mean_bases", config->mean_bases);
    set_text(own, "reference_md5", config->reference_md5);
    set_text(own, "command", config->command);
    return own;
}

gw_status gw_config_save(const gw_config *config, const char *path) {
    const gw_family_row *family = gw_family_of(config->family);
    char architecture[64];
    char *spec = gw_config_pattern(config);
    json_t *other = config->other ? json_loads(config->other, 0, NULL) : json_object();
    gw_status status = spec && other ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory");
    json_t *json = json_object();
    // What all families have, in BERT's names, which then become the family's.
    gw_architecture_name(config->family, config->head, architecture);
    json_object_set_new(json, "architectures", json_pack("[s]", architecture));
    set_text(json, "model_type", transformers_computes(config) ? family->model_type : "godwit");
    set_real(json, "classifier_dropout", config->classifier_dropout);
    set_text(json, "hidden_act", gw_activation_names[config->activation]);
    set_real(json, "hidden_dropout_prob", config->dropout);
    set_int(json, "hidden_size", config->width);
    set_real(json, "initializer_range", config->initializer_range);
    set_int(json, "intermediate_size", config->feed_forward);
    set_real(json, "layer_norm_eps", config->epsilon);
    set_int(json, "max_position_embeddings", config->positions);
    set_int(json, "num_attention_heads", config->heads);
    set_int(json, "num_hidden_layers", config->layers);
    if (config->pad >= 0) set_int(json, "pad_token_id", config->pad);
    set_text(json, "position_embedding_type", config->rotary > 0 ? "rotary" : "absolute");
    if (config->separator >= 0) set_int(json, "sep_token_id", config->separator);
    set_bool(json, "tie_word_embeddings", config->tied);
    set_text(json, "torch_dtype", config->stored_as ? config->stored_as : "float32");
    set_int(json, "type_vocab_size", config->segments);
    set_int(json, "vocab_size", config->vocabulary);
    for (const gw_config_field *own = family->fields; own && own->bert; own++) {
        json_t *value = json_object_get(json, own->bert);
        if (value && own->own) json_object_set(json, own->own, value);
        json_object_del(json, own->bert);
    }
    for (int i = 0; family->numbers && family->numbers[i].key; i++)
        set_int(json, family->numbers[i].key, config->number[i]);
    if (family->write) family->write(json, config);
    if (config->labels > 0) set_labels(json, config);
    // Keys of the file that was read, and that nothing here drops attention.
    if (other) json_object_update_missing(json, other);
    json_decref(other);
    const char *attention = gw_family_field(config->family, "attention_probs_dropout_prob");
    if (!gw_family_nests(config->family) && !json_object_get(json, attention)) set_real(json, attention, 0);
    json_object_set_new(json, "godwit", own_object(config, spec));
    if (status == GW_OK) status = gw_json_save(path, json);
    json_decref(json);
    free(spec);
    return status;
}
