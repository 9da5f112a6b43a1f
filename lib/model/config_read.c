// SPDX-License-Identifier: MIT
// Converts config.json to gw_config. Missing values take transformers' defaults (files of transformers omit defaults).
// Values for an unsupported computation are errors that name them.
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/string.h"
#include "model/config_reader.h"
#include "model/family.h"
#include "model/head.h"
#include "model/mixer.h"
#include "model/task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Dropout draws four numbers at a time, and a row begins at a multiple of the width: WIDTH_MULTIPLE.
enum { MOST_WIDTH = 1 << 16, MOST_LABELS = 1 << 20, MOST_TOKENS = 1 << 30, WIDTH_MULTIPLE = 4 };

bool gw_config_has(const gw_config_reader *r, const char *key) {
    const json_t *value = json_object_get(r->json, key);
    return value && !json_is_null(value);
}

gw_status gw_config_int(const gw_config_reader *r, const char *field, int64_t min, int64_t max, int64_t *out) {
    const char *key = gw_family_field(r->config->family, field);
    if (!key) return GW_OK;
    return gw_json_int(r->json, r->path, key, false, min, max, out);
}

gw_status gw_config_read_activation(const gw_config_reader *r, const char *key, gw_activation *out) {
    static const struct {
        const char *name;
        gw_activation activation;
    } names[] = {
        {"gelu_new", GW_ACTIVATION_GELU},
        {"gelu_pytorch_tanh", GW_ACTIVATION_GELU},
        {"gelu_fast", GW_ACTIVATION_GELU},
        {"gelu_accurate", GW_ACTIVATION_GELU},
        {"gelu_python_tanh", GW_ACTIVATION_GELU},
        {"gelu", GW_ACTIVATION_GELU_EXACT},
        {"gelu_python", GW_ACTIVATION_GELU_EXACT},
        {"relu", GW_ACTIVATION_RELU},
        {"silu", GW_ACTIVATION_SILU},
        {"swish", GW_ACTIVATION_SILU},
    };
    const char *name = gw_activation_names[*out];
    if (!key) return GW_OK;
    GW_TRY(gw_json_string(r->json, r->path, key, false, &name));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0) {
            *out = names[i].activation;
            return GW_OK;
        }
    return gw_fail(GW_ERR_UNSUPPORTED,
                   "%s: \"%s\" is \"%s\"; gelu, its tanh forms (gelu_new), relu and silu are supported", r->path, key,
                   name);
}

// Whether positions are rotary, which not all families compute.
static gw_status read_kind(const gw_config_reader *r, bool computed, bool *rotary) {
    const char *kind = "absolute";
    GW_TRY(gw_json_string(r->json, r->path, "position_embedding_type", false, &kind));
    *rotary = computed && strcmp(kind, "rotary") == 0;
    if (*rotary || strcmp(kind, "absolute") == 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED,
                   "%s: \"position_embedding_type\" is \"%s\"; absolute, and rotary of GENA-LM and ESM, are supported",
                   r->path, kind);
}

gw_status gw_config_read_absolute(const gw_config_reader *r) {
    bool rotary;
    return read_kind(r, false, &rotary);
}

gw_status gw_config_read_rotary(const gw_config_reader *r) {
    gw_config *config = r->config;
    bool rotary;
    GW_TRY(read_kind(r, true, &rotary));
    if (!rotary) return GW_OK;
    const int64_t head = config->width / config->heads;
    const char *base = gw_family_field(config->family, "rotary_base");
    config->rotary = head;
    GW_TRY(gw_config_int(r, "rotary_dim", 2, head, &config->rotary));
    GW_TRY(gw_json_double(r->json, r->path, base, false, &config->rotary_base));
    if (config->rotary % 2 != 0)
        return gw_fail(GW_ERR_RANGE, "%s: rotary positions turn %lld values of a head, expected an even number",
                       r->path, (long long)config->rotary);
    if (!(config->rotary_base > 1 && isfinite(config->rotary_base)))
        return gw_fail(GW_ERR_RANGE, "%s: \"%s\" is %g, expected more than 1", r->path, base, config->rotary_base);
    // No table of positions in the weights bounds them.
    if (config->positions > GW_MOST_ROTATED)
        return gw_fail(GW_ERR_RANGE, "%s: \"max_position_embeddings\" is %lld, expected at most %d", r->path,
                       (long long)config->positions, GW_MOST_ROTATED);
    return GW_OK;
}

gw_status gw_config_read_bases(const gw_config_reader *r) {
    const char *stem = NULL;
    GW_TRY(gw_config_read_rotary(r));
    GW_TRY(gw_json_string(r->own, r->path, "stem", false, &stem));
    if (!stem) return GW_OK;
    const gw_status status = gw_stem_parse(stem, r->config->width, &r->config->stem);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", r->path);
}

static const char own_type[] = "godwit"; // what transformers does not compute

// "big_bird, bert, roberta", for messages; free() it.
static char *list_types(void) {
    gw_string list = {0};
    for (int f = 0; f < gw_family_count(); f++)
        if (!gw_family_of(f)->is && strcmp(gw_family_of(f)->model_type, own_type) != 0)
            gw_string_printf(&list, "%s%s", f > 0 ? ", " : "", gw_family_of(f)->model_type);
    return list.data;
}

// The family by model_type; by the architecture's first letters where that says "godwit" or nothing. Of families that
// share both a later one is asked.
static gw_status read_family(const gw_config_reader *r, const char *architecture, gw_family *out) {
    const char *type = own_type;
    int family = -1;
    GW_TRY(gw_json_string(r->json, r->path, "model_type", false, &type));
    const bool named = strcmp(type, own_type) != 0, typed = gw_config_has(r, "model_type");
    size_t most = 0;
    for (int f = 0; f < gw_family_count(); f++) {
        const gw_family_row *row = gw_family_of(f);
        // a longer name may begin with another family's
        const bool begins = architecture && gw_has_prefix(architecture, row->prefix);
        const size_t letters = named ? strcmp(row->model_type, type) == 0 : begins ? strlen(row->prefix) : 0;
        if (letters > most) family = f;
        if (letters > most) most = letters;
    }
    if (family < 0 && (named || (architecture && !typed))) {
        char *types = list_types();
        const char *known = types ? types : "known ones";
        if (named)
            gw_fail(GW_ERR_UNSUPPORTED, "%s: \"model_type\" is \"%s\"; %s and godwit are supported", r->path, type,
                    known);
        else
            gw_fail(GW_ERR_UNSUPPORTED,
                    "%s: \"model_type\" is missing, and architecture %s does not tell it; %s and godwit are "
                    "supported",
                    r->path, architecture, known);
        free(types);
        return GW_ERR_UNSUPPORTED;
    }
    if (family < 0 && !typed)
        gw_warn("%s: \"model_type\" and \"architectures\" are missing; read as big_bird", r->path);
    if (family < 0) family = GW_FAMILY_BIGBIRD;
    *out = (gw_family)family;
    for (int f = family + 1; f < gw_family_count(); f++) {
        bool is = false;
        if (gw_family_of(f)->is && strcmp(gw_family_of(f)->model_type, gw_family_of(family)->model_type) == 0)
            GW_TRY(gw_family_of(f)->is(r, &is));
        if (is) *out = (gw_family)f;
    }
    return GW_OK;
}

// The head by the class's name.
static gw_status read_head(const gw_config_reader *r, const char *architecture) {
    gw_config *config = r->config;
    const gw_family family = config->family;
    const char *prefix = gw_family_of(family)->prefix;
    if (architecture && gw_family_nests(family) && strcmp(architecture, prefix) == 0) return GW_OK; // the usual one
    if (r->head >= 0) config->head = (gw_head)r->head;
    config->head_open = !architecture && r->head < 0;
    if (!architecture) return GW_OK;
    const int head = gw_has_prefix(architecture, prefix) ? gw_head_by_suffix(architecture + strlen(prefix)) : -1;
    if (head >= 0 && gw_family_has_head(family, (gw_head)head)) {
        config->head = (gw_head)head;
        return GW_OK;
    }
    gw_string list = {0};
    for (int known = 0; known < gw_head_count(); known++) {
        char name[64];
        if (!gw_family_has_head(family, (gw_head)known)) continue;
        gw_architecture_name(family, (gw_head)known, name);
        gw_string_printf(&list, "%s%s", list.length > 0 ? ", " : "", name);
    }
    gw_fail(GW_ERR_UNSUPPORTED, "%s: architecture %s; of %s, %s are supported", r->path, architecture,
            gw_family_of(family)->model_type, list.data ? list.data : "known ones");
    gw_string_free(&list);
    return GW_ERR_UNSUPPORTED;
}

// Fields that have one value here: anything else is another computation.
static gw_status check_fixed(const gw_config_reader *r) {
    static const char *const flags[] = {"is_decoder", "add_cross_attention", "is_encoder_decoder"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        bool value = false;
        GW_TRY(gw_json_bool(r->json, r->path, flags[i], false, &value));
        const bool of_family = i == 2 && r->config->decoder_layers > 0;
        if (value && !of_family)
            return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"%s\" is true; only false is supported", r->path, flags[i]);
    }
    if (gw_config_has(r, "quantization_config"))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"quantization_config\": quantised weights cannot be run", r->path);
    if (json_object_size(json_object_get(r->json, "pruned_heads")) > 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"pruned_heads\" is not empty, which is not supported", r->path);
    return GW_OK;
}

static gw_status read_sizes(const gw_config_reader *r) {
    gw_config *config = r->config;
    GW_TRY(gw_config_int(r, "vocab_size", 1, MOST_TOKENS, &config->vocabulary));
    GW_TRY(gw_config_int(r, "hidden_size", 1, MOST_WIDTH, &config->width));
    GW_TRY(
        gw_config_int(r, "num_hidden_layers", gw_family_network(config->family).parts ? 0 : 1, 1024, &config->layers));
    GW_TRY(gw_config_int(r, "num_attention_heads", 1, 1024, &config->heads));
    GW_TRY(gw_config_int(r, "intermediate_size", 1, 16 * MOST_WIDTH, &config->feed_forward));
    GW_TRY(gw_config_int(r, "max_position_embeddings", 1, MOST_TOKENS, &config->positions));
    GW_TRY(gw_config_int(r, "type_vocab_size", 1, MOST_WIDTH, &config->segments));
    GW_TRY(gw_config_int(r, "pad_token_id", 0, MOST_TOKENS, &config->pad));
    GW_TRY(gw_config_int(r, "sep_token_id", 0, MOST_TOKENS, &config->separator));
    if (config->width % config->heads != 0 || config->width % WIDTH_MULTIPLE != 0)
        return gw_fail(GW_ERR_RANGE, "%s: \"%s\" is %lld, expected a multiple of %d and of its %lld heads", r->path,
                       gw_family_field(config->family, "hidden_size"), (long long)config->width, WIDTH_MULTIPLE,
                       (long long)config->heads);
    if (gw_config_longest(config) < 1)
        return gw_fail(GW_ERR_RANGE,
                       "%s: \"max_position_embeddings\" is %lld, expected more than \"pad_token_id\" + 1 = %lld",
                       r->path, (long long)config->positions, (long long)config->pad + 1);
    return GW_OK;
}

// A number of 0 to 1, or below 1.
static gw_status read_share(const gw_config_reader *r, const char *field, bool below, double *out) {
    const char *key = gw_family_field(r->config->family, field);
    if (!key) return GW_OK;
    GW_TRY(gw_json_double(r->json, r->path, key, false, out));
    if (*out >= 0 && (*out < 1 || (*out == 1 && !below))) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "%s: \"%s\" is %g, expected 0 %s", r->path, key, *out,
                   below ? "or more and below 1" : "to 1");
}

// The pattern of "godwit", which must not contradict that of the architecture's own fields; model_type "godwit" lets
// any stand.
static gw_status read_pattern(const gw_config_reader *r) {
    gw_config *config = r->config, named = *config;
    const gw_pattern *own = &config->pattern;
    const gw_family_row *family = gw_family_of(config->family);
    const char *spec = NULL, *type = json_string_value(json_object_get(r->whole, "model_type"));
    const bool by_type = type && strcmp(type, own_type) == 0;
    GW_TRY(gw_json_string(r->own, r->path, "pattern", false, &spec));
    if (!spec) {
        // transformers' sparse attention fails without random blocks
        if (own->full || own->tables == GW_TABLES_OWN || own->random > 0) return GW_OK;
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"num_random_blocks\" is 0; block_sparse attention needs at least 1",
                       r->path);
    }
    const gw_status status = gw_config_use_pattern(&named, spec);
    if (status != GW_OK) return gw_fail_in(status, "%s: \"pattern\"", r->path);
    const bool agrees = gw_mixer_of(named.mixer)->words ? by_type
                        : family->agrees                ? family->agrees(own, &named.pattern, by_type)
                                                        : by_type || (named.pattern.full && !named.pattern.causal);
    if (!agrees) {
        char *found = gw_config_pattern(config);
        const gw_status mismatch =
            gw_fail(GW_ERR_MISMATCH, "%s: the pattern %s contradicts the attention that the other fields describe, %s",
                    r->path, spec, found ? found : "another");
        free(found);
        return mismatch;
    }
    *config = named;
    return GW_OK;
}

// Labels of the sequence and token heads: "id2label", {"0": name, "1": name ...}, else "num_labels" without names.
static gw_status read_labels(const gw_config_reader *r) {
    gw_config *config = r->config;
    const json_t *names = json_object_get(r->json, "id2label");
    config->labels = r->labels;
    if (!gw_config_has(r, "id2label")) return gw_config_int(r, "num_labels", 1, MOST_LABELS, &config->labels);
    const int64_t count = (int64_t)json_object_size(names);
    config->labels = 0;
    if (count < 1 || count > MOST_LABELS)
        return gw_fail(GW_ERR_FORMAT, "%s: \"id2label\" is not an object of 1 to %d label names", r->path, MOST_LABELS);
    config->label_names = gw_alloc(count, sizeof(char *));
    if (!config->label_names) return GW_ERR_MEMORY;
    config->labels = count;
    for (int64_t i = 0; i < count; i++) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)i);
        const char *name = json_string_value(json_object_get(names, key));
        if (!name) return gw_fail(GW_ERR_FORMAT, "%s: \"id2label\" lacks a name for \"%s\"", r->path, key);
        config->label_names[i] = gw_strdup(name);
        if (!config->label_names[i]) return GW_ERR_MEMORY;
    }
    return GW_OK;
}

static gw_status read_task(const gw_config_reader *r) {
    gw_config *config = r->config;
    const char *task = NULL;
    const gw_head_row *head = gw_head_of(config->head);
    GW_TRY(gw_json_string(r->own, r->path, "task", false, &task));
    config->task = gw_task_usual(config->head);
    // Pretraining is also what a folder says whose head had no task yet when it was written.
    if (task && strcmp(task, gw_task_of(GW_TASK_PRETRAIN)->name) == 0) task = NULL;
    if (task && gw_task_of(gw_task_by_name(task))->head == config->head) config->task = gw_task_by_name(task);
    if (task && strcmp(task, gw_task_of(config->task)->name) != 0) {
        char name[64];
        gw_architecture_name(config->family, config->head, name);
        return gw_fail(GW_ERR_MISMATCH, "%s: the task \"%s\" does not belong to architecture %s", r->path, task, name);
    }
    // Question heads of transformers have two labels without names, which mean nothing.
    const char *first = json_string_value(json_object_get(json_object_get(r->json, "id2label"), "0"));
    const bool columns = head->columns && first && gw_has_prefix(first, "start");
    if (head->labels || columns) GW_TRY(read_labels(r));
    if (!head->problem) return GW_OK;

    int problem = (int)gw_problem_by_labels(config->labels);
    const char *name = gw_problem_names[problem];
    GW_TRY(gw_json_string(r->json, r->path, "problem_type", false, &name));
    for (problem = 0; problem < 3 && strcmp(gw_problem_names[problem], name) != 0;) problem++;
    if (problem == 3)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"problem_type\" is \"%s\"; %s, %s and %s are supported", r->path, name,
                       gw_problem_names[0], gw_problem_names[1], gw_problem_names[2]);
    config->problem = (gw_problem)problem;
    if (problem == GW_PROBLEM_SINGLE_LABEL && config->labels == 1)
        return gw_fail(GW_ERR_RANGE, "%s: \"problem_type\" is \"%s\" with one label, expected two or more", r->path,
                       name);
    return GW_OK;
}

// The "godwit" object.
static gw_status read_own(const gw_config_reader *r) {
    gw_config *config = r->config;
    const char *md5 = NULL, *command = NULL, *pooling = gw_pooling_names[config->pooling];
    double temperature = 0;
    if (gw_config_has_numbers(config)) {
        GW_TRY(gw_numbers_read(r->own, r->path, config->labels, &config->numbers));
        config->both_strands = json_is_true(json_object_get(r->own, "both_strands"));
    }
    const json_t *weights = json_object_get(r->own, "positive_weight"); // one number, or one for each label
    const bool several = json_is_array(weights);
    if (!several) GW_TRY(gw_json_double(r->own, r->path, "positive_weight", false, &config->positive_weight));
    else if ((int64_t)json_array_size(weights) != config->labels)
        return gw_fail(GW_ERR_FORMAT, "%s: \"positive_weight\" has %zu numbers for %lld labels", r->path,
                       json_array_size(weights), (long long)config->labels);
    else if (!(config->positive_weights = gw_alloc(config->labels, sizeof(double)))) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < (several ? config->labels : 1); i++) {
        const double weight = several ? json_number_value(json_array_get(weights, (size_t)i)) : config->positive_weight;
        if (!(weight > 0 && isfinite(weight)))
            return gw_fail(GW_ERR_RANGE, "%s: \"positive_weight\" is %g, expected more than 0", r->path, weight);
        if (several) config->positive_weights[i] = weight;
    }
    config->overlap = gw_task_of(config->task)->bases && json_is_true(json_object_get(r->own, "overlap"));
    GW_TRY(gw_json_double(r->own, r->path, "temperature", false, &temperature));
    gw_status status = GW_OK;
    if (json_object_get(r->own, "temperature")) status = gw_config_use_temperature(config, temperature);
    if (status != GW_OK) return gw_fail_in(status, "%s: \"temperature\"", r->path);
    GW_TRY(gw_json_int(r->own, r->path, "window", false, 0, INT64_MAX, &config->window));
    GW_TRY(gw_json_int(r->own, r->path, "members", false, 0, GW_MOST_MEMBERS, &config->members));
    GW_TRY(gw_json_int(r->own, r->path, "bin", false, 0, INT64_MAX, &config->bin));
    GW_TRY(gw_json_int(r->own, r->path, "tss_offset", false, -1, INT64_MAX, &config->tss_offset));
    GW_TRY(gw_json_int(r->own, r->path, "text_length", false, 0, INT64_MAX, &config->text_length));
    GW_TRY(gw_json_double(r->own, r->path, "mean_bases", false, &config->mean_bases));
    GW_TRY(gw_json_string(r->own, r->path, "reference_md5", false, &md5));
    GW_TRY(gw_json_string(r->own, r->path, "command", false, &command));
    GW_TRY(gw_json_string(r->own, r->path, "pooling", false, &pooling));
    status = gw_config_use_pooling(config, pooling);
    if (status != GW_OK) return gw_fail_in(status, "%s", r->path);
    if (config->pooling == GW_SEQUENCE_ATTENTION && !gw_head_of(config->head)->problem)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"pooling\" is \"attention\", which is for labels of sequences",
                       r->path);
    if (!(config->mean_bases >= 0 && config->mean_bases <= MOST_TOKENS))
        return gw_fail(GW_ERR_RANGE, "%s: \"mean_bases\" is %g, expected 0 to %d", r->path, config->mean_bases,
                       MOST_TOKENS);
    if (md5 && !(config->reference_md5 = gw_strdup(md5))) return GW_ERR_MEMORY;
    if (command && !(config->command = gw_strdup(command))) return GW_ERR_MEMORY;
    return GW_OK;
}

// Keeps the whole object but for what is always written anew: what the writer sets takes precedence over the rest.
static gw_status keep_other(const gw_config_reader *r) {
    static const char *const left_out[] = {"godwit", "dtype", "num_labels"};
    json_t *other = json_copy((json_t *)(uintptr_t)r->whole);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) json_object_del(other, left_out[i]);
    r->config->other = json_dumps(other, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(other);
    return r->config->other ? GW_OK : gw_fail(GW_ERR_MEMORY, "%s: out of memory", r->path);
}

static gw_status read_all(gw_config_reader *r) {
    gw_config *config = r->config;
    const json_t *list = json_object_get(r->json, "architectures");
    const char *architecture = json_string_value(json_array_get(list, 0));
    const bool listed = json_is_array(list) && (architecture || json_array_size(list) == 0);
    if (gw_config_has(r, "architectures") && !listed)
        return gw_fail(GW_ERR_FORMAT, "%s: \"architectures\" is not a list of names", r->path);
    gw_family family = GW_FAMILY_BIGBIRD;
    GW_TRY(read_family(r, architecture, &family));
    *config = gw_config_defaults(family);
    GW_TRY(read_head(r, architecture));
    GW_TRY(check_fixed(r));
    if (gw_family_nests(family)) {
        r->json = json_object_get(r->whole, "encoder");
        if (!json_is_object(r->json)) return gw_fail(GW_ERR_FORMAT, "%s: \"encoder\" is not an object", r->path);
        GW_TRY(check_fixed(r));
    }
    GW_TRY(gw_config_read_activation(r, gw_family_field(family, "hidden_act"), &config->activation));
    GW_TRY(read_sizes(r));
    GW_TRY(read_share(r, "layer_norm_eps", false, &config->epsilon));
    GW_TRY(read_share(r, "initializer_range", false, &config->initializer_range));
    GW_TRY(read_share(r, "hidden_dropout_prob", true, &config->dropout));
    config->classifier_dropout = config->dropout;
    GW_TRY(read_share(r, "classifier_dropout", true, &config->classifier_dropout));
    const gw_family_row *row = gw_family_of(family);
    for (int i = 0; row->numbers && row->numbers[i].key; i++)
        GW_TRY(gw_json_int(r->json, r->path, row->numbers[i].key, false, row->numbers[i].least, row->numbers[i].most,
                           &config->number[i]));
    GW_TRY(row->read ? row->read(r) : gw_config_read_absolute(r));
    GW_TRY(read_pattern(r));
    GW_TRY(read_task(r));
    GW_TRY(read_own(r));
    return keep_other(r);
}

static gw_status read_json(const char *path, json_t *json, int head, int64_t labels, gw_config *out) {
    *out = gw_config_defaults(GW_FAMILY_BIGBIRD);
    gw_config_reader r = {path, json, json_object_get(json, "godwit"), json, out, head, labels > 0 ? labels : 2};
    const gw_status status = read_all(&r);
    json_decref(json);
    if (status != GW_OK) gw_config_free(out);
    return status;
}

gw_status gw_config_parse(const char *path, const char *text, int64_t length, gw_config *out) {
    json_t *json;
    GW_TRY(gw_json_parse(path, text, length, &json));
    return read_json(path, json, -1, 0, out);
}

static gw_status load(const char *path, int head, int64_t labels, gw_config *out) {
    json_t *json;
    GW_TRY(gw_json_load(path, &json));
    return read_json(path, json, head, labels, out);
}

gw_status gw_config_load(const char *path, gw_config *out) {
    return load(path, -1, 0, out);
}

gw_status gw_config_load_headed(const char *path, gw_head head, int64_t labels, gw_config *out) {
    return load(path, (int)head, labels, out);
}
