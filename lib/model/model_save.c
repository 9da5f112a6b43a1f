// SPDX-License-Identifier: MIT
// A model -> a folder that transformers opens.
#include "base/json.h"
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

// Tensors once more under the names that a decoder has for them, where it shares them: not every version of
// transformers ties them by itself. Returns how many there are.
static int add_twins(const gw_model *model, gw_tensor_values *tensors) {
    int twins = 0;
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        if (parameter->twin[0]) tensors[twins++] = values_of(model, parameter, parameter->twin);
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

// The parameters as a file has them; *count of them.
static gw_status list_tensors(const gw_model *model, gw_tensor_values *tensors, float **values, int *count) {
    *count = 0;
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *p = &model->parameters.list[i];
        if (!p->absent && p->part == 0) GW_TRY(as_stored(model, p, &values[i], &tensors[(*count)++]));
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
    gw_status status = tensors && values ? list_tensors(model, tensors, values, &count) : GW_ERR_MEMORY;
    if (status == GW_OK) status = add_layout(model, tensors + count, &workspace);
    if (status == GW_OK) count += layouts;
    if (status == GW_OK) count += add_twins(model, tensors + count);
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

// The type of values that the config names.
static gw_store_type stored_type(const gw_config *config) {
    gw_store_type type = GW_STORE_F32;
    while (config->stored_as && type < GW_STORE_BF16 && strcmp(gw_store_dtype(type), config->stored_as) != 0) type++;
    return type;
}

gw_status gw_model_save(const gw_model *model, const char *folder) {
    GW_TRY(gw_make_directory(folder));
    char *config = gw_join_path(folder, config_file);
    char *weights = gw_join_path(folder, gw_checkpoint_file);
    gw_outputs_begin();
    gw_status status = config && weights ? gw_config_save(&model->config, config) : GW_ERR_MEMORY;
    if (status == GW_OK) status = write_tokenizer(model, folder);
    if (status == GW_OK) status = gw_model_write_weights(model, weights, stored_type(&model->config));
    status = gw_outputs_end(status);
    free(config);
    free(weights);
    return status;
}

// Layouts of sparse attention as DeepSpeed keeps them: a buffer of every layer, whose name ends in "master_layout".

bool gw_config_has_layout(const gw_config *config) {
    return config->layout && !config->pattern.full && !gw_mixer_of(config->mixer)->words;
}

void gw_layout_free(gw_layout *layout) {
    if (layout) free(layout->cell);
    free(layout);
}

static int64_t cells(const gw_layout *layout) {
    return (int64_t)layout->layers * layout->heads * layout->blocks * layout->blocks;
}

// Takes the sizes of `sizes`, whose cells are not read.
static gw_status make_layout(const gw_layout *sizes, gw_layout **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    **out = *sizes;
    (*out)->cell = gw_alloc(cells(sizes), 1);
    if ((*out)->cell) return GW_OK;
    gw_layout_free(*out);
    *out = NULL;
    return GW_ERR_MEMORY;
}

gw_status gw_layout_copy(const gw_layout *layout, gw_layout **out) {
    *out = NULL;
    if (!layout) return GW_OK;
    GW_TRY(make_layout(layout, out));
    memcpy((*out)->cell, layout->cell, (size_t)cells(layout));
    return GW_OK;
}

// The layers' tensors, each once and of the size that config.json asks for.
static gw_status find_layers(const gw_checkpoint *stored, const char *folder, const gw_layout *sizes,
                             const gw_stored_tensor **tensors) {
    for (int i = 0; i < gw_checkpoint_count(stored); i++) {
        const gw_stored_tensor *tensor = gw_checkpoint_at(stored, i);
        int layer;
        if (!gw_stored_is_layout(tensor->name, &layer)) continue;
        if (layer < 0 || layer >= sizes->layers || tensors[layer])
            return gw_fail(GW_ERR_MISMATCH, "%s: %s is not the only layout of one of the %d layers", tensor->file,
                           tensor->name, sizes->layers);
        if (tensor->dimensions != 3 || tensor->shape[0] != sizes->heads || tensor->shape[1] != sizes->blocks ||
            tensor->shape[2] != sizes->blocks)
            return gw_fail(GW_ERR_MISMATCH,
                           "%s: the layout %s has not the shape [%d, %d, %d] that config.json asks for", tensor->file,
                           tensor->name, sizes->heads, sizes->blocks, sizes->blocks);
        tensors[layer] = tensor;
    }
    for (int layer = 0; layer < sizes->layers; layer++)
        if (!tensors[layer])
            return gw_fail(GW_ERR_UNSUPPORTED,
                           "%s: the weights hold no layout of sparse attention (encoder.layer.%d...master_layout), and "
                           "it cannot be made again: it was drawn when the model was",
                           folder, layer);
    return GW_OK;
}

static gw_status read_layer(const gw_checkpoint *stored, const gw_stored_tensor *tensor, int64_t *values,
                            uint8_t *cell) {
    GW_TRY(gw_checkpoint_read_int(stored, tensor, values));
    for (int64_t i = 0; i < tensor->count; i++) {
        if (values[i] != 0 && values[i] != 1)
            return gw_fail(GW_ERR_FORMAT, "%s: the layout %s holds %lld, expected 0 and 1", tensor->file, tensor->name,
                           (long long)values[i]);
        cell[i] = (uint8_t)values[i];
    }
    return GW_OK;
}

gw_status gw_layout_read(const gw_checkpoint *stored, const char *folder, gw_model *model) {
    const gw_config *config = &model->config;
    const gw_layout sizes = {.layers = (int)config->layers,
                             .heads = (int)config->heads,
                             .blocks = (int)(config->positions / config->pattern.block)};
    const int64_t per_layer = cells(&sizes) / sizes.layers;
    const gw_stored_tensor **tensors = gw_alloc(sizes.layers, sizeof *tensors);
    int64_t *values = NULL;
    if (!tensors) return GW_ERR_MEMORY;
    gw_status status = find_layers(stored, folder, &sizes, tensors);
    if (status == GW_OK) {
        values = gw_alloc(per_layer, sizeof *values);
        status = values ? make_layout(&sizes, &model->layout) : GW_ERR_MEMORY;
    }
    for (int layer = 0; status == GW_OK && layer < sizes.layers; layer++)
        status = read_layer(stored, tensors[layer], values, model->layout->cell + layer * per_layer);
    free(values);
    free(tensors);
    return status;
}
