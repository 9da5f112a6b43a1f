// SPDX-License-Identifier: MIT
// Models in memory, and the folder they are read from and written to.
#include "model/model.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/parallel.h"
#include "base/random.h"
#include "model/checkpoint.h"
#include "model/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char config_file[] = "config.json", weights_file[] = "model.safetensors",
                  tokenizer_file[] = "tokenizer.json", tokenizer_config_file[] = "tokenizer_config.json";

enum { INIT_CHUNK = 1 << 16 };

typedef struct {
    float *weight;
    int64_t count;
    double deviation;
    uint64_t seed;
    int tensor;
} init_job;

// Chunk c of a tensor draws from its own stream, so that any thread may fill it.
static void init_chunks(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    const init_job *job = context;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        const int64_t first = chunk * INIT_CHUNK;
        const int64_t last = first + INIT_CHUNK < job->count ? first + INIT_CHUNK : job->count;
        gw_random random = gw_random_at(job->seed, GW_SITE_INIT, (uint64_t)job->tensor | (uint64_t)chunk << 16, 0);
        for (int64_t i = first; i < last; i++) job->weight[i] = (float)job->deviation * gw_random_normal(&random);
    }
}

static void init_parameter(gw_model *model, int tensor, uint64_t seed) {
    const gw_parameter *parameter = &model->parameters.list[tensor];
    float *weight = model->parameters.weight + parameter->offset;
    if (parameter->decay) {
        init_job job = {weight, parameter->count, model->config.initializer_range, seed, tensor};
        gw_parallel_for((parameter->count + INIT_CHUNK - 1) / INIT_CHUNK, 1, init_chunks, &job);
    } else {
        const float value = gw_role_is_norm(parameter->role) && !parameter->bias ? 1 : 0;
        for (int64_t i = 0; i < parameter->count; i++) weight[i] = value;
    }
}

// A model with zeroed parameters. Takes over the tokenizer, also on failure.
static gw_status make(const gw_config *config, gw_tokenizer *tokenizer, gw_model **out) {
    *out = NULL;
    gw_model *model = gw_alloc(1, sizeof *model);
    if (!model) {
        gw_tokenizer_free(tokenizer);
        return GW_ERR_MEMORY;
    }
    model->tokenizer = tokenizer;
    gw_status status = gw_config_copy(config, &model->config);
    if (status != GW_OK) model->config = (gw_config){0};
    if (config->labels > 0 && config->task != GW_TASK_PRETRAIN) model->config.head = GW_HEAD_SEQUENCE;
    const int64_t tokens = gw_tokenizer_size(tokenizer);
    if (model->config.vocabulary == 0) model->config.vocabulary = tokens;
    if (model->config.mean_bases == 0) model->config.mean_bases = gw_tokenizer_mean_bases(tokenizer);
    if (status == GW_OK && tokens > model->config.vocabulary)
        status = gw_fail(GW_ERR_MISMATCH, "the tokenizer has %lld tokens, the model's vocab_size is %lld",
                         (long long)tokens, (long long)model->config.vocabulary);
    if (status == GW_OK) status = gw_parameters_make(&model->config, &model->parameters);
    if (status == GW_OK) {
        model->parameters.weight = gw_alloc(model->parameters.floats, sizeof(float));
        if (!model->parameters.weight) status = GW_ERR_MEMORY;
    }
    if (status == GW_OK) *out = model;
    else gw_model_free(model);
    return status;
}

gw_status gw_model_new(const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed, gw_model **out) {
    GW_TRY(make(config, tokenizer, out));
    for (int i = 0; i < (*out)->parameters.count; i++) init_parameter(*out, i, seed);
    return GW_OK;
}

void gw_model_free(gw_model *model) {
    if (!model) return;
    gw_config_free(&model->config);
    gw_tokenizer_free(model->tokenizer);
    gw_parameters_free(&model->parameters);
    free(model);
}

const gw_parameter *gw_model_parameter(const gw_model *model, const char *name) {
    return gw_parameters_find(&model->parameters, name);
}

const gw_parameter *gw_model_role(const gw_model *model, gw_role role, int layer, bool bias) {
    return gw_parameters_role(&model->parameters, role, layer, bias);
}

int64_t gw_model_longest_window(const gw_model *model) {
    const double bases = model->config.mean_bases > 0 ? model->config.mean_bases : 1;
    return (int64_t)((double)(model->config.positions - 2) * bases);
}

static void shape_text(const int64_t *shape, int dimensions, char text[96]) {
    int used = snprintf(text, 96, "[");
    for (int i = 0; i < dimensions && used < 70; i++)
        used += snprintf(text + used, (size_t)(96 - used), "%s%lld", i > 0 ? ", " : "", (long long)shape[i]);
    snprintf(text + used, (size_t)(96 - used), "]");
}

static gw_status read_parameter(const gw_checkpoint *stored, const char *folder, const gw_parameter *parameter,
                                float *out) {
    const gw_stored_tensor *tensor = gw_checkpoint_find(stored, parameter->name);
    const char *twin = gw_parameter_twin(parameter->name);
    if (!tensor && twin) tensor = gw_checkpoint_find(stored, twin);
    if (!tensor) return gw_fail(GW_ERR_MISMATCH, "%s: tensor %s is missing", folder, parameter->name);
    bool same = tensor->dimensions == parameter->dimensions;
    for (int i = 0; same && i < tensor->dimensions; i++) same = tensor->shape[i] == parameter->shape[i];
    if (same) return gw_checkpoint_read(stored, tensor, out);
    char found[96], expected[96];
    shape_text(tensor->shape, tensor->dimensions, found);
    shape_text(parameter->shape, parameter->dimensions, expected);
    return gw_fail(GW_ERR_MISMATCH, "%s: tensor %s has shape %s, config.json asks for %s", tensor->file, tensor->name,
                   found, expected);
}

// A stored tensor is one of the model's, or the twin of one (with the same values), or holds nothing learnt.
static gw_status check_surplus(const gw_model *model, const gw_checkpoint *stored) {
    for (int i = 0; i < gw_checkpoint_count(stored); i++) {
        const gw_stored_tensor *tensor = gw_checkpoint_at(stored, i);
        bool known = gw_model_parameter(model, tensor->name) || gw_parameter_ignored(tensor->name);
        for (int p = 0; !known && p < model->parameters.count; p++) {
            const char *name = model->parameters.list[p].name, *twin = gw_parameter_twin(name);
            known = twin && strcmp(twin, tensor->name) == 0;
            const gw_stored_tensor *tied = known ? gw_checkpoint_find(stored, name) : NULL;
            if (tied && !gw_checkpoint_same(stored, tied, tensor))
                return gw_fail(GW_ERR_UNSUPPORTED, "%s: %s differs from %s; only tied weights can be run", tensor->file,
                               tensor->name, name);
        }
        if (!known)
            return gw_fail(GW_ERR_MISMATCH, "%s: tensor %s does not belong to the model that config.json describes",
                           tensor->file, tensor->name);
    }
    return GW_OK;
}

static gw_status read_weights(gw_model *model, const char *folder) {
    gw_checkpoint *stored;
    GW_TRY(gw_checkpoint_open(folder, &stored));
    gw_status status = GW_OK;
    for (int i = 0; status == GW_OK && i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        status = read_parameter(stored, folder, parameter, model->parameters.weight + parameter->offset);
    }
    if (status == GW_OK) status = check_surplus(model, stored);
    gw_checkpoint_close(stored);
    return status;
}

// The paths of a model folder's files.
typedef struct {
    char *config, *weights, *tokenizer, *tokenizer_config;
} folder_paths;

static void free_paths(folder_paths *paths) {
    free(paths->config);
    free(paths->weights);
    free(paths->tokenizer);
    free(paths->tokenizer_config);
}

static gw_status make_paths(const char *folder, folder_paths *paths) {
    *paths = (folder_paths){gw_join_path(folder, config_file), gw_join_path(folder, weights_file),
                            gw_join_path(folder, tokenizer_file), gw_join_path(folder, tokenizer_config_file)};
    if (paths->config && paths->weights && paths->tokenizer && paths->tokenizer_config) return GW_OK;
    free_paths(paths);
    return GW_ERR_MEMORY;
}

gw_status gw_model_load(const char *folder, gw_model **out) {
    *out = NULL;
    folder_paths paths;
    gw_config config = {0};
    gw_tokenizer *tokenizer = NULL;
    gw_model *model = NULL;
    GW_TRY(make_paths(folder, &paths));
    gw_status status = gw_config_load(paths.config, &config);
    if (status == GW_OK) status = gw_tokenizer_load(paths.tokenizer, &tokenizer);
    if (status == GW_OK) {
        status = make(&config, tokenizer, &model);
        if (status != GW_OK) status = gw_fail_in(status, "%s", folder);
    }
    if (status == GW_OK) status = read_weights(model, folder);
    if (status == GW_OK) *out = model;
    else gw_model_free(model);
    gw_config_free(&config);
    free_paths(&paths);
    return status;
}

static gw_status write_weights(const gw_model *model, const char *path) {
    const gw_parameters *parameters = &model->parameters;
    gw_tensor_values *tensors = gw_alloc(parameters->count, sizeof *tensors);
    if (!tensors) return GW_ERR_MEMORY;
    for (int i = 0; i < parameters->count; i++) {
        const gw_parameter *parameter = &parameters->list[i];
        tensors[i] = (gw_tensor_values){.name = parameter->name,
                                        .dimensions = parameter->dimensions,
                                        .shape = {parameter->shape[0], parameter->shape[1]},
                                        .count = parameter->count,
                                        .values = parameters->weight + parameter->offset};
    }
    const gw_status status = gw_checkpoint_save(path, tensors, parameters->count, GW_STORE_F32, GW_STORE_SAFETENSORS);
    free(tensors);
    return status;
}

// Without this file AutoTokenizer does not know which class reads tokenizer.json.
static gw_status write_tokenizer_config(const gw_model *model, const char *path) {
    const gw_tokenizer *tokenizer = model->tokenizer;
    static const char *const names[] = {"pad_token", "unk_token", "cls_token", "sep_token", "mask_token"};
    json_t *json = json_pack("{s:b, s:[s, s, s], s:I, s:s}", "clean_up_tokenization_spaces", 0,    //
                             "model_input_names", "input_ids", "token_type_ids", "attention_mask", //
                             "model_max_length", (json_int_t)model->config.positions,              //
                             "tokenizer_class", "PreTrainedTokenizerFast");
    if (!json) return gw_fail(GW_ERR_MEMORY, "cannot make %s", path);
    for (gw_special use = GW_SPECIAL_PAD; use <= GW_SPECIAL_MASK; use++) {
        const int32_t token = gw_tokenizer_special(tokenizer, use);
        if (token >= 0) json_object_set_new(json, names[use], json_string(gw_tokenizer_text(tokenizer, token)));
    }
    const gw_status status = gw_json_save(path, json);
    json_decref(json);
    return status;
}

gw_status gw_model_save(const gw_model *model, const char *folder) {
    folder_paths paths;
    GW_TRY(gw_make_directory(folder));
    GW_TRY(make_paths(folder, &paths));
    gw_outputs_begin();
    gw_status status = gw_config_save(&model->config, paths.config);
    if (status == GW_OK) status = gw_tokenizer_save(model->tokenizer, paths.tokenizer);
    if (status == GW_OK) status = write_tokenizer_config(model, paths.tokenizer_config);
    if (status == GW_OK) status = write_weights(model, paths.weights);
    status = gw_outputs_end(status);
    free_paths(&paths);
    return status;
}

gw_status gw_model_with_classifier(const gw_model *model, const gw_config *config, uint64_t seed, gw_model **out) {
    *out = NULL;
    if (config->labels < 1) return gw_fail(GW_ERR_RANGE, "a classifier needs at least one label");
    gw_tokenizer *tokenizer;
    GW_TRY(gw_tokenizer_copy(model->tokenizer, &tokenizer));
    gw_model *made;
    GW_TRY(gw_model_new(config, tokenizer, seed, &made));
    for (int i = 0; i < made->parameters.count; i++) {
        const gw_parameter *to = &made->parameters.list[i];
        if (!gw_role_is_encoder(to->role)) continue;
        const gw_parameter *from = gw_model_role(model, to->role, to->layer, to->bias);
        if (!from || from->count != to->count || from->shape[0] != to->shape[0]) {
            const gw_status status = gw_fail(
                GW_ERR_MISMATCH, "the classifier's config asks for another tensor %s than the model has", to->name);
            gw_model_free(made);
            return status;
        }
        memcpy(made->parameters.weight + to->offset, model->parameters.weight + from->offset,
               (size_t)to->count * sizeof(float));
    }
    *out = made;
    return GW_OK;
}

gw_status gw_model_md5(const char *folder, char hex[33]) {
    gw_checkpoint *stored;
    GW_TRY(gw_checkpoint_open(folder, &stored));
    const gw_status status = gw_checkpoint_md5(stored, hex);
    gw_checkpoint_close(stored);
    return status;
}
