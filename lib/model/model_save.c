// SPDX-License-Identifier: MIT
// Writes a folder that transformers can open.
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/mixer.h"
#include "model/model.h"
#include "model/model_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char config_file[] = "config.json", tokenizer_config_file[] = "tokenizer_config.json";

// A layout as tensors of the layers; `names` and `values` hold what the tensors borrow.
typedef struct {
    char (*names)[GW_PARAMETER_NAME]; // [layers]
    int64_t *values;
} layout_tensors;

static gw_status add_layout(const gw_model *model, gw_tensor_values *tensors, layout_tensors *workspace) {
    const gw_layout *layout = model->layout;
    if (!layout) return GW_OK;
    const char *prefix = model->parameters.bare ? "" : model->parameters.prefix;
    const int64_t count = (int64_t)layout->heads * layout->blocks * layout->blocks;
    workspace->names = gw_alloc(layout->layers, sizeof *workspace->names);
    workspace->values = gw_alloc(layout->layers * count, sizeof *workspace->values);
    if (!workspace->names || !workspace->values) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < layout->layers * count; i++) workspace->values[i] = layout->cell[i];
    for (int layer = 0; layer < layout->layers; layer++) {
        snprintf(workspace->names[layer], GW_PARAMETER_NAME,
                 "%sencoder.layer.%d.attention.self.sparse_self_attention.master_layout", prefix, layer);
        tensors[layer] = (gw_tensor_values){.name = workspace->names[layer],
                                            .dimensions = 3,
                                            .shape = {layout->heads, layout->blocks, layout->blocks},
                                            .count = count,
                                            .integers = workspace->values + layer * count};
    }
    return GW_OK;
}

static gw_tensor_values values_of(const gw_model *model, const gw_parameter *parameter, const char *name) {
    return (gw_tensor_values){.name = name,
                              .dimensions = parameter->dimensions,
                              .shape = {parameter->shape[0], parameter->shape[1], parameter->shape[2]},
                              .count = parameter->count,
                              .values = model->parameters.weight + parameter->offset};
}

// The tensors of all members, under their names in a file.
static gw_status write_members(const gw_model *model, const char *path, gw_store_type type) {
    const int each = model->members[0]->parameters.count, count = (int)model->config.members * each;
    gw_tensor_values *tensors = gw_alloc(count, sizeof *tensors);
    char(*names)[GW_PARAMETER_NAME] = gw_alloc(count, sizeof *names);
    gw_status status = tensors && names ? GW_OK : GW_ERR_MEMORY;
    for (int i = 0; status == GW_OK && i < count; i++) {
        const gw_model *member = model->members[i / each];
        const gw_parameter *parameter = &member->parameters.list[i % each];
        gw_member_name(i / each, parameter->name, names[i]);
        tensors[i] = values_of(member, parameter, names[i]);
    }
    if (status == GW_OK) status = gw_checkpoint_save(path, tensors, count, type);
    free(tensors);
    free(names);
    return status;
}

// The tensor that a file holds of a parameter: the parts of several, one below the other, or a convolution with its
// taps last. `values` is what the tensor borrows; NULL: the parameter's own.
static gw_status as_stored(const gw_model *model, const gw_parameter *p, float **values, gw_tensor_values *out) {
    const float *weight = model->parameters.weight;
    *out = values_of(model, p, p->stored);
    if (p->parts == 1 && !p->taps_last) return GW_OK;
    gw_parameter_stored_shape(p, out->shape);
    out->count *= p->parts;
    out->values = *values = gw_alloc(out->count, sizeof **values);
    if (!*values) return GW_ERR_MEMORY;
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *part = &model->parameters.list[i];
        if (strcmp(part->stored, p->stored) == 0)
            gw_parameter_to_file(part, weight + part->offset, *values + part->part * part->count);
    }
    return GW_OK;
}

gw_status gw_model_write_weights(const gw_model *model, const char *path, gw_store_type type) {
    if (model->members) return write_members(model, path, type);
    const int parameters = model->parameters.count, layouts = model->layout ? model->layout->layers : 0;
    int count = 0;
    gw_tensor_values *tensors = gw_alloc(2 * parameters + layouts, sizeof *tensors);
    float **values = gw_alloc(parameters, sizeof *values);
    layout_tensors workspace = {0};
    gw_status status = tensors && values ? GW_OK : GW_ERR_MEMORY;
    for (int i = 0; status == GW_OK && i < parameters; i++) {
        const gw_parameter *p = &model->parameters.list[i];
        if (!p->absent && p->part == 0) status = as_stored(model, p, &values[i], &tensors[count++]);
    }
    if (status == GW_OK) status = add_layout(model, tensors + count, &workspace);
    if (status == GW_OK) count += layouts;
    // once more under the names that a decoder has for tensors that it shares: not every version of transformers ties
    // them by itself
    for (int i = 0; status == GW_OK && i < parameters; i++) {
        const gw_parameter *p = &model->parameters.list[i];
        if (p->twin[0]) tensors[count++] = values_of(model, p, p->twin);
    }
    if (status == GW_OK) status = gw_checkpoint_save(path, tensors, count, type);
    for (int i = 0; values && i < parameters; i++) free(values[i]);
    free(workspace.names);
    free(workspace.values);
    free(tensors);
    free(values);
    return status;
}

// Without this file AutoTokenizer does not know which class reads the tokenizer.
static gw_status write_tokenizer_config(const gw_model *model, const char *path) {
    const gw_tokenizer *tokenizer = model->tokenizer;
    json_t *json = json_pack("{s:b, s:[s, s], s:I, s:s}", "clean_up_tokenization_spaces", 0,    //
                             "model_input_names", "input_ids", "attention_mask",                //
                             "model_max_length", (json_int_t)gw_config_longest(&model->config), //
                             "tokenizer_class", gw_tokenizer_class(tokenizer));
    if (!json) return gw_fail(GW_ERR_MEMORY, "cannot make %s", path);
    for (gw_special use = GW_SPECIAL_PAD; use <= GW_SPECIAL_MASK; use++) {
        const int32_t token = gw_tokenizer_special(tokenizer, use);
        const char *key = gw_tokenizer_special_key(tokenizer, use);
        if (token >= 0) json_object_set_new(json, key, json_string(gw_tokenizer_text(tokenizer, token)));
        else if (strcmp(key, "eos_token") == 0) json_object_set_new(json, key, json_null()); // not the class's own
    }
    if (gw_tokenizer_lowers(tokenizer)) json_object_set_new(json, "do_lower_case", json_false());
    if (model->config.segments > 1)
        json_array_insert_new(json_object_get(json, "model_input_names"), 1, json_string("token_type_ids"));
    const gw_status status = gw_json_save(path, json);
    json_decref(json);
    return status;
}

gw_status gw_model_save(const gw_model *model, const char *folder) {
    const gw_tokenizer *tokenizer = model->tokenizer;
    GW_TRY(gw_make_directory(folder));
    char *config = gw_join_path(folder, config_file), *weights = gw_join_path(folder, gw_checkpoint_file);
    char *words = tokenizer ? gw_join_path(folder, gw_tokenizer_file(tokenizer)) : NULL;
    char *words_config = gw_join_path(folder, tokenizer_config_file);
    gw_store_type type = GW_STORE_F32; // that the config names
    while (model->config.stored_as && type < GW_STORE_BF16 &&
           strcmp(gw_store_dtype(type), model->config.stored_as) != 0)
        type++;
    gw_preparing("writing the model %s", folder);
    gw_outputs_begin();
    gw_status status = config && weights && words_config && (words || !tokenizer) ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_config_save(&model->config, config);
    if (status == GW_OK && tokenizer) status = gw_tokenizer_save(tokenizer, words);
    if (status == GW_OK && tokenizer) status = write_tokenizer_config(model, words_config);
    if (status == GW_OK) status = gw_model_write_weights(model, weights, type);
    status = gw_outputs_end(status);
    free(config);
    free(weights);
    free(words);
    free(words_config);
    return status;
}
