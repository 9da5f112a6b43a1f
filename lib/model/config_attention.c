// SPDX-License-Identifier: MIT
// Reads the fields that each family has for it.
#include "model/config_attention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROTATED = 1 << 20 };
enum { MOST_BLOCK = 4096, MOST_RANDOM = 65535 }; // what a pattern may have (gw_pattern_parse)

static gw_status read_positions(const gw_config_reader *r) {
    gw_config *config = r->config;
    const char *kind = "absolute";
    GW_TRY(gw_json_string(r->json, r->path, "position_embedding_type", false, &kind));
    const bool rotary = config->family == GW_FAMILY_GENA && strcmp(kind, "rotary") == 0;
    if (!rotary && strcmp(kind, "absolute") != 0)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "%s: \"position_embedding_type\" is \"%s\"; absolute, and rotary of a BERT, are what can be run",
                       r->path, kind);
    if (!rotary) return GW_OK;
    const int64_t head = config->width / config->heads;
    config->rotary = head;
    GW_TRY(gw_config_int(r, "rotary_dim", 2, head, &config->rotary));
    GW_TRY(gw_json_double(r->json, r->path, "rotary_base", false, &config->rotary_base));
    if (config->rotary % 2 != 0)
        return gw_fail(GW_ERR_RANGE, "%s: \"rotary_dim\" is %lld, expected an even number", r->path,
                       (long long)config->rotary);
    if (!(config->rotary_base > 1 && isfinite(config->rotary_base)))
        return gw_fail(GW_ERR_RANGE, "%s: \"rotary_base\" is %g, expected more than 1", r->path, config->rotary_base);
    // No table of positions in the weights bounds them.
    if (config->positions > MOST_ROTATED)
        return gw_fail(GW_ERR_RANGE, "%s: \"max_position_embeddings\" is %lld, expected at most %d", r->path,
                       (long long)config->positions, MOST_ROTATED);
    return GW_OK;
}

// What a family computes otherwise: BigBird's flags; the norms of GENA-LM.
static gw_status read_variant(const gw_config_reader *r) {
    gw_config *config = r->config;
    if (config->family == GW_FAMILY_BIGBIRD) {
        GW_TRY(gw_json_bool(r->json, r->path, "use_bias", false, &config->bias));
        return gw_json_bool(r->json, r->path, "rescale_embeddings", false, &config->rescale);
    }
    if (config->family != GW_FAMILY_GENA) return GW_OK;
    GW_TRY(gw_json_bool(r->json, r->path, "pre_layer_norm", false, &config->pre_norm));
    config->last_norm = config->pre_norm;
    GW_TRY(gw_json_bool(r->json, r->path, "last_layer_norm", false, &config->last_norm));
    if (config->last_norm && !config->pre_norm)
        return gw_fail(GW_ERR_MISMATCH, "%s: \"last_layer_norm\" is true without \"pre_layer_norm\"", r->path);
    return GW_OK;
}

// BigBird's pattern by the architecture's own fields.
static gw_status bigbird_pattern(const gw_config_reader *r, gw_pattern *pattern) {
    const char *kind = "block_sparse";
    int64_t block = pattern->block, random = pattern->random;
    GW_TRY(gw_json_string(r->json, r->path, "attention_type", false, &kind));
    GW_TRY(gw_config_int(r, "block_size", 1, MOST_BLOCK, &block));
    GW_TRY(gw_config_int(r, "num_random_blocks", 0, MOST_RANDOM, &random));
    pattern->block = (int)block;
    pattern->random = (int)random;
    if (strcmp(kind, "block_sparse") == 0) return GW_OK;
    *pattern = (gw_pattern){.block = (int)block, .full = true};
    if (strcmp(kind, "original_full") == 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"attention_type\" is \"%s\", expected block_sparse or original_full",
                   r->path, kind);
}

// transformers' sparse attention fails without random blocks.
static gw_status check_random(const gw_config_reader *r) {
    const gw_pattern *pattern = &r->config->pattern;
    if (pattern->full || pattern->tables == GW_TABLES_OWN || pattern->random > 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"num_random_blocks\" is 0; block_sparse attention needs at least 1",
                   r->path);
}

// GENA-LM's sparse attention: which blocks are read stands in the weights; here is how large they are, and what they
// were drawn as.
static gw_status gena_pattern(const gw_config_reader *r, gw_pattern *pattern) {
    const json_t *sparse = json_object_get(r->json, "sparse_attention");
    if (!gw_config_has(r, "sparse_attention") && !gw_config_has(r, "sparse_config_cls")) return GW_OK;
    if (!json_is_object(sparse) || !json_is_string(json_object_get(r->json, "sparse_config_cls")))
        return gw_fail(GW_ERR_FORMAT,
                       "%s: sparse attention needs both \"sparse_config_cls\", a name, and \"sparse_attention\", an "
                       "object",
                       r->path);
    const char *direction = "bidirectional";
    int64_t block = 16, window = 3, global = 1, random = 1, heads = r->config->heads; // DeepSpeed's defaults
    GW_TRY(gw_json_string(sparse, r->path, "attention", false, &direction));
    GW_TRY(gw_json_int(sparse, r->path, "block", false, 1, 1024, &block));
    GW_TRY(gw_json_int(sparse, r->path, "num_sliding_window_blocks", false, 1, 1024, &window));
    GW_TRY(gw_json_int(sparse, r->path, "num_global_blocks", false, 0, 1024, &global));
    GW_TRY(gw_json_int(sparse, r->path, "num_random_blocks", false, 0, 1024, &random));
    GW_TRY(gw_json_int(sparse, r->path, "num_heads", false, heads, heads, &heads));
    if (strcmp(direction, "bidirectional") != 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"attention\" is \"%s\"; bidirectional is what can be run", r->path,
                       direction);
    if (r->config->positions % block != 0)
        return gw_fail(GW_ERR_RANGE,
                       "%s: \"max_position_embeddings\" is %lld, expected a multiple of the %lld of "
                       "\"block\"",
                       r->path, (long long)r->config->positions, (long long)block);
    *pattern = (gw_pattern){
        .block = (int)block, .window = (int)(window - 1 + window % 2), .global = (int)global, .random = (int)random};
    return GW_OK;
}

// Whether a pattern of "godwit" may stand beside the architecture's own fields: those of model_type "godwit" say only
// the size of blocks, and how many are random.
static bool agrees(const gw_config_reader *r, const gw_pattern *own, const gw_pattern *named) {
    const char *type = json_string_value(json_object_get(r->json, "model_type"));
    if (r->config->family == GW_FAMILY_BIGBIRD) {
        const bool drawn = named->tables != GW_TABLES_OWN;
        return named->block == own->block && (!drawn || (!own->full && named->random == own->random));
    }
    if (r->config->family == GW_FAMILY_GENA && !own->full) return named->block == own->block;
    return (named->full && !named->causal) || (type && strcmp(type, "godwit") == 0);
}

// The pattern of the architecture's own fields, or of "godwit", which must not contradict them.
static gw_status read_pattern(const gw_config_reader *r) {
    gw_pattern *pattern = &r->config->pattern, named;
    const char *spec = NULL;
    if (r->config->family == GW_FAMILY_BIGBIRD) GW_TRY(bigbird_pattern(r, pattern));
    if (r->config->family == GW_FAMILY_GENA) GW_TRY(gena_pattern(r, pattern));
    GW_TRY(gw_json_string(r->own, r->path, "pattern", false, &spec));
    if (!spec) return check_random(r);
    const gw_status status = gw_pattern_parse(spec, &named);
    if (status != GW_OK) return gw_fail_in(status, "%s: \"pattern\"", r->path);
    if (!agrees(r, pattern, &named)) {
        char *found = gw_pattern_text(pattern);
        const gw_status mismatch =
            gw_fail(GW_ERR_MISMATCH, "%s: the pattern %s contradicts the attention that the other fields describe, %s",
                    r->path, spec, found ? found : "another");
        free(found);
        return mismatch;
    }
    *pattern = named;
    return GW_OK;
}

gw_status gw_config_read_attention(const gw_config_reader *r) {
    GW_TRY(read_positions(r));
    GW_TRY(read_variant(r));
    return read_pattern(r);
}
