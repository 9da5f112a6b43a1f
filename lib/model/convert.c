// SPDX-License-Identifier: MIT
// Loads a folder, changes its type or family, and writes it whole under the new name.
#include "model/convert.h"

#include "base/json.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/foreign.h"
#include "model/model_parts.h"
#include "store/card.h"
#include "store/sentence_modules.h"

#include <stdlib.h>
#include <string.h>

static const char config_file[] = "config.json", tokenizer_config_file[] = "tokenizer_config.json";
// What makes a tokenizer; copied where it is there.
static const char *const copied_files[] = {"tokenizer.json",
                                           "special_tokens_map.json",
                                           "added_tokens.json",
                                           "spiece.model",
                                           "sentencepiece.bpe.model",
                                           "tokenizer.model",
                                           "vocab.json",
                                           "vocab.txt",
                                           "merges.txt"};

// The type that all floats of the checkpoint have, or f32.
static gw_store_type common_type(const gw_checkpoint *stored) {
    static const char *const names[] = {[GW_STORE_F32] = "F32", [GW_STORE_F16] = "F16", [GW_STORE_BF16] = "BF16"};
    int seen[3] = {0};
    for (int i = 0; i < gw_checkpoint_count(stored); i++)
        for (int type = 0; type < 3; type++) seen[type] += strcmp(gw_checkpoint_at(stored, i)->type, names[type]) == 0;
    for (int type = GW_STORE_F16; type <= GW_STORE_BF16; type++)
        if (seen[type] > 0 && seen[GW_STORE_F16] + seen[GW_STORE_BF16] + seen[GW_STORE_F32] == seen[type])
            return (gw_store_type)type;
    return GW_STORE_F32;
}

// "cls.predictions.decoder.weight" and its like, where they are the embeddings or the head's bias once more.
static bool is_tied_decoder(const gw_checkpoint *stored, const gw_stored_tensor *tensor) {
    static const char marker[] = ".decoder.";
    if (!strstr(tensor->name, marker)) return false;
    for (int i = 0; i < gw_checkpoint_count(stored); i++) {
        const gw_stored_tensor *other = gw_checkpoint_at(stored, i);
        if (other != tensor && other->count == tensor->count && !strstr(other->name, marker) &&
            gw_checkpoint_same(stored, other, tensor))
            return true;
    }
    return false;
}

// tied: logits are products with the embeddings, whatever is stored besides.
static gw_status write_stored(const gw_checkpoint *stored, const char *path, gw_store_type type, bool tied) {
    const int count = gw_checkpoint_count(stored);
    int kept = 0;
    gw_tensor_values *tensors = gw_alloc(count, sizeof *tensors);
    if (!tensors) return GW_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        const gw_stored_tensor *tensor = gw_checkpoint_at(stored, i);
        if (tied && is_tied_decoder(stored, tensor)) continue;
        gw_tensor_values *to = &tensors[kept++];
        *to = (gw_tensor_values){
            .name = tensor->name, .dimensions = tensor->dimensions, .count = tensor->count, .stored = tensor};
        memcpy(to->shape, tensor->shape, sizeof to->shape);
    }
    const gw_status status = gw_checkpoint_save(path, tensors, kept, type);
    free(tensors);
    return status;
}

// Copies config.json, whose type of values becomes that of the weights; *tied is what it says of these.
static gw_status write_config(const char *from, const char *to, gw_store_type type, bool *tied) {
    json_t *json;
    GW_TRY(gw_json_load(from, &json));
    *tied = !json_is_false(json_object_get(json, "tie_word_embeddings"));
    const char *key = json_object_get(json, "dtype") ? "dtype" : "torch_dtype";
    if (strcmp(key, "dtype") == 0) json_object_del(json, "torch_dtype");
    json_object_set_new(json, key, json_string(gw_store_dtype(type)));
    const gw_status status = gw_json_save(to, json);
    json_decref(json);
    return status;
}

static gw_status convert_stored(const gw_convert_options *options, const char *folder, const char *config,
                                const char *weights) {
    gw_checkpoint *stored = NULL;
    char *from = gw_join_path(folder, config_file);
    gw_status status = from ? gw_checkpoint_open(options->from, &stored) : GW_ERR_MEMORY;
    if (status == GW_OK && gw_checkpoint_count(stored) == 0)
        status = gw_fail(GW_ERR_FORMAT, "%s holds no tensor", options->from);
    if (status == GW_OK) {
        const gw_store_type type = options->keep_type ? common_type(stored) : options->type;
        bool tied = true;
        status = write_config(from, config, type, &tied);
        if (status == GW_OK) status = write_stored(stored, weights, type, tied);
    }
    gw_checkpoint_close(stored);
    free(from);
    return status;
}

static gw_status convert_to_bigbird(const gw_convert_options *options, const char *config, const char *weights) {
    gw_checkpoint *stored;
    gw_model *model, *bigbird = NULL;
    GW_TRY(gw_checkpoint_open(options->from, &stored));
    const gw_store_type type = options->keep_type ? common_type(stored) : options->type;
    gw_checkpoint_close(stored);
    GW_TRY(gw_model_load_weights(options->from, &model));
    gw_status status = gw_model_to_bigbird(model, options->positions, options->pattern, &bigbird);
    if (status != GW_OK) status = gw_fail_in(status, "%s", options->from);
    gw_model_free(model);
    if (status == GW_OK) {
        bigbird->config.stored_as = gw_store_dtype(type);
        status = gw_config_save(&bigbird->config, config);
    }
    if (status == GW_OK) status = gw_model_write_weights(bigbird, weights, type);
    gw_model_free(bigbird);
    return status;
}

// The file may cut inputs at the number of positions, which has grown; 0: it stays as it is.
static gw_status copy_longest(const char *from, const char *to, const char *longest_key, int64_t positions) {
    json_t *json;
    GW_TRY(gw_json_load(from, &json));
    if (positions > 0 && json_integer_value(json_object_get(json, longest_key)) > 0 &&
        json_integer_value(json_object_get(json, longest_key)) < positions)
        json_object_set_new(json, longest_key, json_integer(positions));
    const gw_status status = positions > 0 ? gw_json_save(to, json) : gw_copy_file(from, to);
    json_decref(json);
    return status;
}

// What says that it is JSON must be.
static gw_status copy_checked(const char *from, const char *to) {
    const size_t length = strlen(from);
    if (length > 5 && strcmp(from + length - 5, ".json") == 0) {
        json_t *json;
        GW_TRY(gw_json_load(from, &json));
        json_decref(json);
    }
    return gw_copy_file(from, to);
}

static gw_status copy_file(const char *folder, const char *to_folder, const char *name, int64_t positions) {
    char *from = gw_join_path(folder, name), *to = gw_join_path(to_folder, name);
    gw_status status = from && to ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_file_exists(from)) {
        if (strcmp(name, tokenizer_config_file) == 0) status = copy_longest(from, to, "model_max_length", positions);
        else if (strcmp(name, "sentence_bert_config.json") == 0)
            status = copy_longest(from, to, "max_seq_length", positions);
        else if (strcmp(name, gw_sentence_modules_file) == 0) status = gw_copy_file(from, to); // a list, read before
        else status = copy_checked(from, to);
    }
    free(from);
    free(to);
    return status;
}

// The folders of the modules of sentence-transformers, but the network's own.
static gw_status copy_module(const char *folder, const char *to_folder, const char *module) {
    char *from = gw_join_path(folder, module), *to = gw_join_path(to_folder, module);
    gw_status status = from && to ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_file_exists(from)) status = gw_make_directory(to);
    for (const char *const *name = gw_sentence_module_files; status == GW_OK && *name; name++)
        status = copy_file(from, to, *name, 0);
    free(from);
    free(to);
    return status;
}

static gw_status copy_modules(const gw_convert_options *options, const char *folder, int64_t positions) {
    gw_sentence_modules modules;
    gw_status status = gw_sentence_modules_load(folder, &modules);
    for (const char *const *name = gw_sentence_files; status == GW_OK && modules.json && *name; name++)
        status = copy_file(folder, options->to, *name, positions);
    for (int64_t i = 0; status == GW_OK && i < modules.count; i++)
        if (*modules.items[i].folder) status = copy_module(folder, options->to, modules.items[i].folder);
    gw_sentence_modules_free(&modules);
    return status;
}

static gw_status copy_files(const gw_convert_options *options, const char *folder) {
    const int64_t positions = options->to_bigbird ? options->positions : 0;
    for (size_t i = 0; i < sizeof copied_files / sizeof *copied_files; i++)
        GW_TRY(copy_file(folder, options->to, copied_files[i], positions));
    GW_TRY(copy_file(folder, options->to, gw_model_genomes_file, positions));
    GW_TRY(copy_modules(options, folder, positions));
    return copy_file(folder, options->to, tokenizer_config_file, positions);
}

static gw_status convert(const gw_convert_options *options) {
    char *folder;
    GW_TRY(gw_checkpoint_folder(options->from, &folder));
    char *config = gw_join_path(options->to, config_file), *weights = gw_join_path(options->to, gw_checkpoint_file);
    gw_status status = config && weights ? gw_make_directory(options->to) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_checkpoint_check_folder(options->to);
    if (status == GW_OK)
        status = options->to_bigbird ? convert_to_bigbird(options, config, weights)
                                     : convert_stored(options, folder, config, weights);
    if (status == GW_OK) status = copy_files(options, folder);
    free(folder);
    free(config);
    free(weights);
    return status;
}

gw_status gw_convert(const gw_convert_options *options) {
    gw_lock lock = {0};
    GW_TRY(gw_lock_acquire(&lock, options->to));
    const gw_status status = convert(options);
    gw_lock_release(&lock);
    return status;
}

static const struct {
    const char *kind, *licence;
    gw_status (*read)(const char *path, gw_model **out);
} foreign_kinds[] = {
#define GW_FOREIGN(name, licence) {#name, licence, gw_model_from_##name},
#include "model/foreign.def"
#undef GW_FOREIGN
};

static gw_status read_foreign(const char *kind, const char *path, gw_model **out, const char **licence) {
    for (size_t k = 0; k < sizeof foreign_kinds / sizeof *foreign_kinds; k++)
        if (strcmp(foreign_kinds[k].kind, kind) == 0) {
            *licence = foreign_kinds[k].licence;
            return foreign_kinds[k].read(path, out);
        }
    return gw_fail(GW_ERR_RANGE, "'%s' is no kind of weights that can be read", kind);
}

gw_status gw_convert_foreign(const char *kind, const char *from, const char *to, gw_store_type type) {
    gw_model *model = NULL;
    gw_lock lock = {0};
    GW_TRY(gw_lock_acquire(&lock, to));
    const char *licence = NULL;
    gw_status status = read_foreign(kind, from, &model, &licence);
    if (status == GW_OK) model->config.stored_as = gw_store_dtype(type);
    if (status == GW_OK) status = gw_model_save(model, to);
    if (status == GW_OK) status = gw_card_write(to, kind, licence);
    gw_model_free(model);
    gw_lock_release(&lock);
    return status;
}
