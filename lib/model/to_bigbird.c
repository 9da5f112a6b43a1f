// SPDX-License-Identifier: MIT
// BERT or RoBERTa -> BigBird. The tensors are the same by their roles; the embeddings differ in their rows.
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "model/config_names.h"
#include "model/convert.h"
#include "model/head.h"
#include "model/listing.h"
#include "model/model_parts.h"

#include <stdlib.h>
#include <string.h>

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
