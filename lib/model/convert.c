// SPDX-License-Identifier: MIT
// Converts models between families, and folders between types; writes whole folders.
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
        return gw_fail(GW_ERR_UNSUPPORTED, "the head of %s differs from BigBird's; fine-tune the converted encoder",
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

static gw_status make_bigbird_config(const gw_config *from, int64_t positions, const char *pattern, gw_config *out) {
    const struct source *source = source_of(from->family);
    GW_TRY(gw_config_copy(from, out));
    const gw_config bigbird = gw_config_defaults(GW_FAMILY_BIGBIRD);
    out->family = GW_FAMILY_BIGBIRD;
    out->pattern = bigbird.pattern;
    out->bias = bigbird.bias;
    out->positions = positions;
    if (out->segments < TOKEN_TYPES) out->segments = TOKEN_TYPES;
    json_t *other = from->other ? json_loads(from->other, 0, NULL) : json_object();
    // Configs may name the separator only as the end of a sequence, or not at all.
    const json_t *end = json_object_get(other, "eos_token_id");
    if (from->separator < 0 && source->end >= 0)
        out->separator = json_is_integer(end) ? json_integer_value(end) : source->end;
    // transformers would look for BigBird's own tokenizer unless a file names another.
    if (!json_object_get(other, "tokenizer_class"))
        json_object_set_new(other, "tokenizer_class", json_string(source->tokenizer_class));
    free(out->other);
    out->other = json_dumps(other, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(other);
    gw_status status = out->other ? GW_OK : gw_fail(GW_ERR_MEMORY, "out of memory");
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

// BigBird with the weights of a BERT or RoBERTa, as the paper's authors began (section 4): the P position rows that the
// source uses are repeated, row i of the new table being row i mod P; RoBERTa's first pad_token_id + 1 rows, which no
// token uses, are left out; one token type becomes two equal ones; a pooler that the source lacks is zero, and so is
// what a pattern's mixer has beside (NULL: BigBird's own pattern); layers that its rows do not share are copies. Heads:
// none, masked tokens, pretraining.
static gw_status to_bigbird(const gw_model *model, int64_t positions, const char *pattern, gw_model **out) {
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
    const int64_t unused = model->config.positions - gw_config_longest(&model->config);
    for (int i = 0; i < made->parameters.count; i++) {
        const gw_parameter *p = &made->parameters.list[i], *source = gw_model_source(model, p);
        if (!source) continue; // the pooler, tables of a mixer: zero
        float *to = made->parameters.weight + p->offset;
        const float *in = model->parameters.weight + source->offset;
        if (p->role == GW_ROLE_POSITION) repeat_rows(p, to, source, in, unused);
        else if (p->role == GW_ROLE_SEGMENT) repeat_rows(p, to, source, in, 0);
        else memcpy(to, in, (size_t)p->count * sizeof *to);
    }
    if (!gw_model_role(model, GW_ROLE_POOLER, 0, false)) gw_note("the model has no pooler; BigBird's is zero");
    *out = made;
    return GW_OK;
}

// BigBird -> encoder and decoder of the same tensors.

gw_status gw_model_with_decoder(const gw_model *model, uint64_t seed, gw_model **out) {
    const gw_config *from = &model->config;
    gw_config config;
    gw_tokenizer *tokenizer = NULL;
    gw_string fresh = {0};
    char name[64];
    *out = NULL;
    gw_architecture_name(from->family, from->head, name);
    if (from->family != GW_FAMILY_BIGBIRD)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s has no decoder, and only a BigBird can be made one", name);
    GW_TRY(gw_config_copy(from, &config));
    gw_config_forget_labels(&config);
    config.window = config.bin = config.text_length = 0;
    free(config.other);
    config.other = NULL;
    config.family = GW_FAMILY_BIGBIRD_SHARED;
    config.head = GW_HEAD_GENERATION;
    config.decoder_layers = from->layers;
    config.decoder_heads = from->heads;
    config.decoder_feed_forward = from->feed_forward;
    config.decoder_start = config.end = GW_CONFIG_OPEN;
    gw_status status = model->tokenizer ? gw_tokenizer_copy(model->tokenizer, &tokenizer) : GW_OK;
    if (status == GW_OK) status = gw_model_continue(model, &config, tokenizer, seed, &fresh, out);
    gw_config_free(&config);
    gw_string_free(&fresh);
    return status;
}

// Folders into others.

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
    gw_status status = to_bigbird(model, options->positions, options->pattern, &bigbird);
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

static gw_status copy_file(const char *folder, const char *to_folder, const char *name, int64_t positions) {
    char *from = gw_join_path(folder, name), *to = gw_join_path(to_folder, name);
    gw_status status = from && to ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK && gw_file_exists(from)) {
        if (strcmp(name, tokenizer_config_file) == 0) status = copy_longest(from, to, "model_max_length", positions);
        else if (strcmp(name, "sentence_bert_config.json") == 0)
            status = copy_longest(from, to, "max_seq_length", positions);
        else if (strcmp(name, gw_sentence_modules_file) == 0) status = gw_copy_file(from, to); // a list, read before
        else { // what says that it is JSON must be
            json_t *json = NULL;
            if (gw_has_suffix(name, ".json")) status = gw_json_load(from, &json);
            json_decref(json);
            if (status == GW_OK) status = gw_copy_file(from, to);
        }
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

gw_status gw_convert(const gw_convert_options *options) {
    const int64_t positions = options->to_bigbird ? options->positions : 0;
    gw_lock lock = {0};
    char *folder = NULL, *config = NULL, *weights = NULL;
    GW_TRY(gw_lock_acquire(&lock, options->to));
    gw_preparing("reading %s and writing %s", options->from, options->to);
    gw_status status = gw_checkpoint_folder(options->from, &folder);
    if (status == GW_OK) {
        config = gw_join_path(options->to, config_file);
        weights = gw_join_path(options->to, gw_checkpoint_file);
        status = config && weights ? gw_make_directory(options->to) : GW_ERR_MEMORY;
    }
    if (status == GW_OK) status = gw_checkpoint_check_folder(options->to);
    if (status == GW_OK)
        status = options->to_bigbird ? convert_to_bigbird(options, config, weights)
                                     : convert_stored(options, folder, config, weights);
    for (size_t i = 0; status == GW_OK && i < sizeof copied_files / sizeof *copied_files; i++)
        status = copy_file(folder, options->to, copied_files[i], positions);
    if (status == GW_OK) status = copy_file(folder, options->to, gw_model_genomes_file, positions);
    if (status == GW_OK) status = copy_modules(options, folder, positions);
    if (status == GW_OK) status = copy_file(folder, options->to, tokenizer_config_file, positions);
    free(folder);
    free(config);
    free(weights);
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
enum { FOREIGN_KINDS = sizeof foreign_kinds / sizeof *foreign_kinds };

gw_status gw_foreign_kind(const char *folder, const char **kind) {
    char *path = gw_join_path(folder, "config.json");
    json_t *json = NULL;
    gw_status status = path ? gw_json_load(path, &json) : GW_ERR_MEMORY;
    const char *type = json_string_value(json_object_get(json, "model_type"));
    *kind = NULL;
    for (size_t k = 0; type && k < FOREIGN_KINDS; k++)
        if (strcmp(foreign_kinds[k].kind, type) == 0) *kind = foreign_kinds[k].kind;
    json_decref(json);
    free(path);
    return status;
}

gw_status gw_convert_foreign(const char *kind, const char *from, const char *to, gw_store_type type) {
    gw_model *model = NULL;
    gw_lock lock = {0};
    GW_TRY(gw_lock_acquire(&lock, to));
    gw_preparing("reading %s and writing %s", from, to);
    size_t k = 0;
    while (k < FOREIGN_KINDS && strcmp(foreign_kinds[k].kind, kind) != 0) k++;
    gw_status status = k < FOREIGN_KINDS ? foreign_kinds[k].read(from, &model)
                                         : gw_fail(GW_ERR_RANGE, "'%s' is not a known kind of weights", kind);
    if (status == GW_OK) model->config.stored_as = gw_store_dtype(type);
    if (status == GW_OK) status = gw_model_save(model, to);
    if (status == GW_OK) status = gw_card_write(to, kind, foreign_kinds[k].licence);
    gw_model_free(model);
    gw_lock_release(&lock);
    return status;
}
