// SPDX-License-Identifier: MIT
// Loads a folder, changes its type or family, and writes it whole under the new name.
#include "model/convert.h"

#include "base/json.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "model/config_reader.h"
#include "model/family.h"
#include "model/head.h"
#include "model/model_parts.h"
#include "model/parameters.h"
#include "store/installed.h"
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

// BERT or RoBERTa -> BigBird. The tensors are the same by their roles; the embeddings differ in their rows.

enum { TOKEN_TYPES = 2 };

// Families that can become a BigBird, with the tokenizer's class of their vocabularies, their separator where a config
// names none (-1: it has none), and the activation of their masked head, where hidden_act does not say it.
static const struct source {
    gw_family family;
    const char *tokenizer_class;
    int64_t end;
    gw_activation mask_activation;
} sources[] = {
    {GW_FAMILY_BERT, "BertTokenizer", -1, GW_ACTIVATION_NONE},
    {GW_FAMILY_ROBERTA, "RobertaTokenizer", 2, GW_ACTIVATION_GELU_EXACT},
};

static const struct source *source_of(gw_family family) {
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (sources[i].family == family) return &sources[i];
    return NULL;
}

static gw_status check_source(const gw_config *config, int64_t positions) {
    char name[64];
    gw_architecture_name(config->family, config->head, name);
    const struct source *source = source_of(config->family);
    if (!source) return gw_fail(GW_ERR_UNSUPPORTED, "%s cannot become a BigBird; BERT and RoBERTa can", name);
    const gw_head_row *head = gw_head_of(config->head);
    if (!head->bare && !head->masked)
        return gw_fail(GW_ERR_UNSUPPORTED, "the head of %s is another than BigBird's; fine-tune the converted encoder",
                       name);
    if (source->mask_activation != GW_ACTIVATION_NONE && head->masked && config->activation != source->mask_activation)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "the head of %s computes gelu, and BigBird's its \"hidden_act\", which is %s", name,
                       gw_activation_names[config->activation]);
    const int block = gw_config_defaults(GW_FAMILY_BIGBIRD).pattern.block;
    if (positions % block != 0 || positions < gw_config_longest(config))
        return gw_fail(GW_ERR_RANGE, "%lld positions: expected a multiple of %d, not below the model's %lld",
                       (long long)positions, block, (long long)gw_config_longest(config));
    return GW_OK;
}

// Configs may name the separator only as the end of a sequence, or not at all.
static int64_t separator_of(const gw_config *config) {
    json_t *other = config->other ? json_loads(config->other, 0, NULL) : NULL;
    const json_t *end = json_object_get(other, "eos_token_id");
    int64_t separator = config->separator;
    const int64_t usual = source_of(config->family)->end;
    if (separator < 0 && usual >= 0) separator = json_is_integer(end) ? json_integer_value(end) : usual;
    json_decref(other);
    return separator;
}

// transformers would look for BigBird's own tokenizer unless a file names another.
static gw_status name_tokenizer(const gw_config *from, gw_config *config) {
    json_t *other = config->other ? json_loads(config->other, 0, NULL) : json_object();
    if (!other) return gw_fail(GW_ERR_MEMORY, "out of memory");
    if (!json_object_get(other, "tokenizer_class"))
        json_object_set_new(other, "tokenizer_class", json_string(source_of(from->family)->tokenizer_class));
    free(config->other);
    config->other = json_dumps(other, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(other);
    return config->other ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory");
}

static gw_status make_bigbird_config(const gw_config *from, int64_t positions, const char *pattern, gw_config *out) {
    GW_TRY(gw_config_copy(from, out));
    const gw_config bigbird = gw_config_defaults(GW_FAMILY_BIGBIRD);
    out->family = GW_FAMILY_BIGBIRD;
    out->pattern = bigbird.pattern;
    out->bias = bigbird.bias;
    out->positions = positions;
    out->separator = separator_of(from);
    if (out->segments < TOKEN_TYPES) out->segments = TOKEN_TYPES;
    gw_status status = name_tokenizer(from, out);
    if (status == GW_OK && pattern) status = gw_config_use_pattern(out, pattern);
    if (status != GW_OK) gw_config_free(out);
    return status;
}

// Row i of `to` is row first + i mod (rows - first) of `from`.
static void repeat_rows(const gw_parameter *to, float *out, const gw_parameter *from, const float *in, int64_t first) {
    const int64_t width = to->shape[1], rows = from->shape[0] - first;
    for (int64_t i = 0; i < to->shape[0]; i++)
        memcpy(out + i * width, in + (first + i % rows) * width, (size_t)width * sizeof *out);
}

static void fill_parameter(const gw_model *from, gw_model *to, const gw_parameter *parameter) {
    float *out = to->parameters.weight + parameter->offset;
    const gw_parameter *source = gw_model_source(from, parameter);
    if (!source) return; // the pooler, tables of a mixer: zero
    const float *in = from->parameters.weight + source->offset;
    const int64_t unused = from->config.positions - gw_config_longest(&from->config);
    if (parameter->role == GW_ROLE_POSITION) repeat_rows(parameter, out, source, in, unused);
    else if (parameter->role == GW_ROLE_SEGMENT) repeat_rows(parameter, out, source, in, 0);
    else memcpy(out, in, (size_t)parameter->count * sizeof *out);
}

gw_status gw_model_to_bigbird(const gw_model *model, int64_t positions, const char *pattern, gw_model **out) {
    gw_config config;
    gw_model *made = NULL;
    *out = NULL;
    GW_TRY(check_source(&model->config, positions));
    GW_TRY(make_bigbird_config(&model->config, positions, pattern, &config));
    gw_status status = gw_model_begin(&config, NULL, &made);
    if (status == GW_OK) status = gw_parameters_make(&config, &made->parameters);
    if (status == GW_OK) status = gw_model_allocate(made);
    gw_config_free(&config);
    if (status != GW_OK) {
        gw_model_free(made);
        return status;
    }
    for (int i = 0; i < made->parameters.count; i++) fill_parameter(model, made, &made->parameters.list[i]);
    if (!gw_model_role(model, GW_ROLE_POOLER, 0, false)) gw_note("the model has no pooler; BigBird's is zero");
    *out = made;
    return GW_OK;
}

// BigBird -> encoder and decoder of the same tensors.

static gw_status make_decoder_config(const gw_config *from, gw_config *out) {
    if (from->family != GW_FAMILY_BIGBIRD) {
        char name[64];
        gw_architecture_name(from->family, from->head, name);
        return gw_fail(GW_ERR_UNSUPPORTED, "%s has no decoder, and only a BigBird can be made one", name);
    }
    GW_TRY(gw_config_copy(from, out));
    gw_config_forget_labels(out);
    out->window = out->bin = out->text_length = 0;
    free(out->other);
    out->other = NULL;
    out->family = GW_FAMILY_BIGBIRD_SHARED;
    out->head = GW_HEAD_GENERATION;
    out->decoder_layers = from->layers;
    out->decoder_heads = from->heads;
    out->decoder_feed_forward = from->feed_forward;
    out->decoder_start = out->end = GW_CONFIG_OPEN;
    return GW_OK;
}

gw_status gw_model_with_decoder(const gw_model *model, uint64_t seed, gw_model **out) {
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    gw_string fresh = {0};
    *out = NULL;
    GW_TRY(make_decoder_config(&model->config, &config));
    gw_status status = model->tokenizer ? gw_tokenizer_copy(model->tokenizer, &tokenizer) : GW_OK;
    if (status == GW_OK) status = gw_model_continue(model, &config, tokenizer, seed, &fresh, out);
    gw_config_free(&config);
    gw_string_free(&fresh);
    return status;
}
