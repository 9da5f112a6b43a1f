// SPDX-License-Identifier: MIT
// A model -> a folder that transformers opens.
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/family.h"
#include "model/fused.h"
#include "model/members.h"
#include "model/model_parts.h"
#include "model/names.h"
#include "model/taps.h"

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
    const char *prefix = gw_encoder_prefix(&model->config);
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

// The encoder's tensors once more under the names that a decoder has for them, where it shares them: not every version
// of transformers ties them by itself. `names` has room for one of each; returns how many there are.
static int add_twins(const gw_model *model, gw_tensor_values *tensors, char (*names)[GW_PARAMETER_NAME]) {
    const gw_family_row *family = gw_family_of(model->config.family);
    const size_t prefix = strlen(family->encoder);
    int twins = 0;
    for (int i = 0; family->twin && i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        if (!gw_role_is_encoder(parameter->role)) continue;
        snprintf(names[twins], GW_PARAMETER_NAME, "%s%s", family->twin, parameter->name + prefix);
        tensors[twins] = values_of(model, parameter, names[twins]);
        twins++;
    }
    return twins;
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

// Parameters that a file holds as one tensor, joined, or in another order; `name` and `values` are what the tensor
// borrows.
typedef struct {
    char name[GW_PARAMETER_NAME];
    float *values;
} joined;

// The tensor that holds `parts` parameters, the first of which is this one.
static gw_status join_parts(const gw_model *model, const gw_parameter *first, int parts, joined *workspace,
                            gw_tensor_values *out) {
    char name[GW_PARAMETER_NAME];
    workspace->values = gw_alloc(parts * first->count, sizeof(float));
    if (!workspace->values) return GW_ERR_MEMORY;
    for (int part = 0; part < parts; part++) {
        gw_fused_part(model->config.family, workspace->name, part, name);
        const gw_parameter *parameter = gw_model_parameter(model, name);
        memcpy(workspace->values + part * first->count, model->parameters.weight + parameter->offset,
               (size_t)first->count * sizeof(float));
    }
    *out = values_of(model, first, workspace->name);
    out->shape[0] *= parts;
    out->count *= parts;
    out->values = workspace->values;
    return GW_OK;
}

// A convolution with its taps last.
static gw_status turn_taps(const gw_model *model, const gw_parameter *parameter, joined *workspace,
                           gw_tensor_values *out) {
    workspace->values = gw_alloc(parameter->count, sizeof(float));
    if (!workspace->values) return GW_ERR_MEMORY;
    gw_taps_to_file(parameter, model->parameters.weight + parameter->offset, workspace->values);
    *out = values_of(model, parameter, parameter->name);
    gw_taps_stored_shape(parameter, out->shape);
    out->values = workspace->values;
    return GW_OK;
}

// The parameters as a file has them; *count of them.
static gw_status list_tensors(const gw_model *model, gw_tensor_values *tensors, joined *workspace, int *count) {
    const gw_parameters *parameters = &model->parameters;
    *count = 0;
    for (int i = 0; i < parameters->count; i++) {
        const gw_parameter *parameter = &parameters->list[i];
        int part, parts;
        if (parameter->made) continue;
        gw_fused_into(model->config.family, parameter->name, workspace[i].name, &part, &parts);
        if (part > 0) continue;
        gw_tensor_values *tensor = &tensors[(*count)++];
        if (parameter->taps_last) GW_TRY(turn_taps(model, parameter, &workspace[i], tensor));
        else if (parts == 1) *tensor = values_of(model, parameter, parameter->name);
        else GW_TRY(join_parts(model, parameter, parts, &workspace[i], tensor));
    }
    return GW_OK;
}

gw_status gw_model_write_weights(const gw_model *model, const char *path, gw_store_type type) {
    if (model->members) return write_members(model, path, type);
    const int parameters = model->parameters.count, layouts = model->layout ? model->layout->layers : 0;
    int count = 0;
    gw_tensor_values *tensors = gw_alloc(2 * parameters + layouts, sizeof *tensors);
    char(*twins)[GW_PARAMETER_NAME] = gw_alloc(parameters, sizeof *twins);
    joined *fused = gw_alloc(parameters, sizeof *fused);
    layout_tensors workspace = {0};
    gw_status status = tensors && twins && fused ? list_tensors(model, tensors, fused, &count) : GW_ERR_MEMORY;
    if (status == GW_OK) status = add_layout(model, tensors + count, &workspace);
    if (status == GW_OK) count += layouts;
    if (status == GW_OK) count += add_twins(model, tensors + count, twins);
    if (status == GW_OK) status = gw_checkpoint_save(path, tensors, count, type);
    for (int i = 0; fused && i < parameters; i++) free(fused[i].values);
    free(workspace.names);
    free(workspace.values);
    free(tensors);
    free(twins);
    free(fused);
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

static gw_status write_tokenizer(const gw_model *model, const char *folder) {
    if (!model->tokenizer) return GW_OK;
    char *path = gw_join_path(folder, gw_tokenizer_file(model->tokenizer));
    char *config = gw_join_path(folder, tokenizer_config_file);
    gw_status status = path && config ? gw_tokenizer_save(model->tokenizer, path) : GW_ERR_MEMORY;
    if (status == GW_OK) status = write_tokenizer_config(model, config);
    free(path);
    free(config);
    return status;
}

gw_status gw_model_save(const gw_model *model, const char *folder) {
    GW_TRY(gw_make_directory(folder));
    char *config = gw_join_path(folder, config_file);
    char *weights = gw_join_path(folder, gw_checkpoint_file);
    gw_outputs_begin();
    gw_status status = config && weights ? gw_config_save(&model->config, config) : GW_ERR_MEMORY;
    if (status == GW_OK) status = write_tokenizer(model, folder);
    if (status == GW_OK) status = gw_model_write_weights(model, weights, GW_STORE_F32);
    status = gw_outputs_end(status);
    free(config);
    free(weights);
    return status;
}
