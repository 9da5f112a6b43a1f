// SPDX-License-Identifier: MIT
// ModernBERT as transformers' modeling_modernbert: norms before all sublayers except the first, rotary positions, and
// gated feed-forward layers. Every third layer reads all tokens, the others a band; each kind has its rotary base.
// Linear layers and norms have biases only if a field says so.
#include "model/config_reader.h"
#include "model/family.h"

#include <math.h>
#include <string.h>

enum { MOST_REACH = 1 << 24, MOST_EVERY = 1024 }; // of a pattern (gw_pattern_parse)

static const char global[] = "full_attention", local[] = "sliding_attention";

static void set_defaults(gw_config *config) {
    config->head = GW_HEAD_MASKED;
    config->vocabulary = 50368;
    config->positions = 8192;
    config->pad = 50283;
    config->separator = 50282;
    config->pattern = (gw_pattern){.block = 64, .band = 64, .every = 3};
    config->pre_norm = config->last_norm = true;
    config->layers = 22;
    config->feed_forward = 1152;
    config->segments = 1;
    config->epsilon = 1e-5;
    config->dropout = config->classifier_dropout = 0;
    config->bias = config->norm_bias = config->feed_forward_bias = config->head_bias = false;
    config->head_activation = GW_ACTIVATION_GELU_EXACT;
    config->rotary = config->width / config->heads;
    config->rotary_base = 160000;
}

// A base by its older field, or where newer files have it: of that kind of layers in "rope_parameters".
static gw_status read_base(const gw_config_reader *r, const char *kind, const char *field, double *base) {
    const json_t *own = json_object_get(json_object_get(r->json, "rope_parameters"), kind);
    const char *type = "default";
    if (gw_config_has(r, field)) GW_TRY(gw_json_double(r->json, r->path, field, false, base));
    if (own) GW_TRY(gw_json_string(own, r->path, "rope_type", false, &type));
    if (own) GW_TRY(gw_json_double(own, r->path, "rope_theta", false, base));
    if (strcmp(type, "default") != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"rope_type\" is \"%s\"; only default is supported", r->path, type);
    if (*base > 1 && isfinite(*base)) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "%s: the rotary base of %s is %g, expected more than 1", r->path, kind, *base);
}

// Whether "layer_types" has a global layer first and then each `every`-th.
static bool is_every(const gw_config_reader *r, const json_t *types, int64_t every) {
    for (int64_t i = 0; i < r->config->layers; i++) {
        const char *type = json_string_value(json_array_get(types, (size_t)i));
        if (!type || strcmp(type, i % every == 0 ? global : local) != 0) return false;
    }
    return (int64_t)json_array_size(types) == r->config->layers;
}

// The older field says how far apart layers are that read all, unless "layer_types" says otherwise.
static gw_status read_pattern(const gw_config_reader *r) {
    gw_pattern *pattern = &r->config->pattern;
    const json_t *types = json_object_get(r->json, "layer_types");
    int64_t window = 2 * (int64_t)pattern->band, every = 3;
    GW_TRY(gw_json_int(r->json, r->path, "local_attention", false, 2, MOST_REACH, &window));
    GW_TRY(gw_json_int(r->json, r->path, "global_attn_every_n_layers", false, 1, MOST_EVERY, &every));
    if (gw_config_has(r, "layer_types") && !is_every(r, types, every)) {
        for (every = 1; every <= r->config->layers && !is_every(r, types, every);) every++;
        if (every > r->config->layers)
            return gw_fail(
                GW_ERR_UNSUPPORTED,
                "%s: \"layer_types\" must be %s for the first layer and at a fixed interval after it, and %s for all "
                "others",
                r->path, global, local);
    }
    *pattern = (gw_pattern){.block = pattern->block, .full = true};
    if (every == 1) return GW_OK;
    pattern->full = false;
    pattern->band = (int)(window / 2);
    pattern->every = (int)every;
    return GW_OK;
}

static gw_status read(const gw_config_reader *r) {
    static const char *const dropouts[] = {"embedding_dropout", "attention_dropout"};
    gw_config *config = r->config;
    const char *pooling = "cls";
    GW_TRY(gw_config_read_absolute(r));
    GW_TRY(gw_json_bool(r->json, r->path, "attention_bias", false, &config->bias));
    GW_TRY(gw_json_bool(r->json, r->path, "norm_bias", false, &config->norm_bias));
    GW_TRY(gw_json_bool(r->json, r->path, "mlp_bias", false, &config->feed_forward_bias));
    GW_TRY(gw_json_bool(r->json, r->path, "classifier_bias", false, &config->head_bias));
    GW_TRY(gw_json_bool(r->json, r->path, "decoder_bias", false, &config->decoder_bias));
    // Dropout of the embeddings and of attention is not computed: such a model runs, and is not trained.
    for (int i = 0; i < 2; i++) {
        double probability = 0;
        GW_TRY(gw_json_double(r->json, r->path, dropouts[i], false, &probability));
        if (probability != 0) config->undropped = dropouts[i];
    }
    GW_TRY(gw_json_string(r->json, r->path, "classifier_pooling", false, &pooling));
    config->pooling = strcmp(pooling, "mean") == 0 ? GW_SEQUENCE_MEAN : GW_SEQUENCE_FIRST;
    if (strcmp(pooling, "mean") != 0 && strcmp(pooling, "cls") != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"classifier_pooling\" is \"%s\"; cls and mean are supported", r->path,
                       pooling);
    GW_TRY(gw_config_read_activation(r, "classifier_activation", &config->head_activation));
    config->rotary = config->width / config->heads;
    if (gw_config_has(r, "rope_scaling"))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"rope_scaling\": scaled positions are not supported", r->path);
    if (config->rotary % 2 != 0)
        return gw_fail(GW_ERR_RANGE, "%s: heads of %lld values, expected an even number", r->path,
                       (long long)config->rotary);
    if (config->positions > GW_MOST_ROTATED)
        return gw_fail(GW_ERR_RANGE, "%s: \"max_position_embeddings\" is %lld, expected at most %d", r->path,
                       (long long)config->positions, GW_MOST_ROTATED);
    GW_TRY(read_base(r, global, "global_rope_theta", &config->rotary_base));
    GW_TRY(read_base(r, local, "local_rope_theta", &config->local_rotary_base));
    return read_pattern(r);
}

static bool computes_pattern(const gw_pattern *pattern) {
    const bool other = pattern->window > 0 || pattern->global > 0 || pattern->random > 0;
    return pattern->full || (pattern->band > 0 && pattern->every > 0 && !other);
}

static bool computes(const gw_config *config) {
    const bool pools = config->pooling == GW_SEQUENCE_FIRST || config->pooling == GW_SEQUENCE_MEAN;
    return pools && computes_pattern(&config->pattern);
}

// The size of blocks changes nothing that is computed.
static bool agrees(const gw_pattern *own, const gw_pattern *named, bool by_type) {
    const bool same = named->full == own->full && named->band == own->band && named->every == own->every;
    return by_type || (same && !named->causal && computes_pattern(named));
}

static void write(json_t *json, const gw_config *config) {
    const gw_pattern *pattern = &config->pattern;
    json_object_set_new(json, "attention_bias", json_boolean(config->bias));
    json_object_set_new(json, "norm_bias", json_boolean(config->norm_bias));
    json_object_set_new(json, "mlp_bias", json_boolean(config->feed_forward_bias));
    json_object_set_new(json, "classifier_bias", json_boolean(config->head_bias));
    json_object_set_new(json, "decoder_bias", json_boolean(config->decoder_bias));
    json_object_set_new(json, "classifier_pooling", json_string(config->pooling == GW_SEQUENCE_MEAN ? "mean" : "cls"));
    json_object_set_new(json, "classifier_activation", json_string(gw_config_activation(config->head_activation)));
    json_object_set_new(json, "global_rope_theta", json_real(config->rotary_base));
    json_object_set_new(json, "local_rope_theta", json_real(config->local_rotary_base));
    json_object_set_new(json, "global_attn_every_n_layers", json_integer(pattern->every > 0 ? pattern->every : 1));
    if (pattern->band > 0) json_object_set_new(json, "local_attention", json_integer(2 * (json_int_t)pattern->band));
    json_t *types = json_array(); // what newer versions of transformers read
    for (int layer = 0; layer < config->layers; layer++)
        json_array_append_new(types, json_string(gw_pattern_is_local(pattern, layer) ? local : global));
    json_object_set_new(json, "layer_types", types);
    json_object_set_new(json, "rope_parameters",
                        json_pack("{s:{s:s, s:f}, s:{s:s, s:f}}", global, "rope_type", "default", "rope_theta",
                                  config->rotary_base, local, "rope_type", "default", "rope_theta",
                                  config->local_rotary_base));
    gw_config_write_special_tokens(json, config);
}

static const gw_config_field fields[] = {
    {"hidden_act", "hidden_activation"},
    {"layer_norm_eps", "norm_eps"},
    {"hidden_dropout_prob", "mlp_dropout"},
    {"attention_probs_dropout_prob", "attention_dropout"},
    {"position_embedding_type", NULL},
    {"type_vocab_size", NULL},
    {0},
};

// Norms before the sublayers, but for the first; a layer before the logits of every head.
static void describe(gw_builder *b) {
    gw_transformer of = gw_bert();
    of.prefix = "model.";
    of.tokens = "embeddings.tok_embeddings";
    of.segments = NULL;
    of.embedding_norm = "embeddings.norm";
    of.layers = "layers";
    of.attention = (gw_attention_names){"attn.Wqkv/query", "attn.Wqkv/key", "attn.Wqkv/value", "attn.Wo", "attn_norm"};
    of.feed_forward = "mlp.Wi/input";
    of.gate = "mlp.Wi/gate";
    of.output = "mlp.Wo";
    of.output_norm = "mlp_norm";
    of.last_norm = "final_norm";
    of.ties[0] = "decoder";
    of.transform = "head.dense";
    of.transform_norm = "head.norm";
    of.words = "decoder";
    of.questions = "classifier";
    of.transforms = GW_TRANSFORMS_ALL;
    of.drawn_by = GW_DRAWN_BY_DEPTH;
    of.bias_in_output = true;
    of.first_norm = false;
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_modernbert = {
    .model_type = "modernbert",
    .prefix = "ModernBert",
    .fields = fields,
    .set_defaults = set_defaults,
    .read = read,
    .write = write,
    .agrees = agrees,
    .computes = computes,
    .describe = describe,
};
