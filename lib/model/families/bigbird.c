// SPDX-License-Identifier: MIT
// BigBird as transformers' modeling_big_bird: attention over blocks, dropout then norm after the embeddings.
#include "model/families/bigbird.h"

#include <string.h>

enum { MOST_BLOCK = 4096, MOST_RANDOM = 65535 }; // what a pattern may have (gw_pattern_parse)

static void set_defaults(gw_config *config) {
    config->vocabulary = 50358;
    config->positions = 4096;
    config->separator = 66;
    config->activation = GW_ACTIVATION_GELU;
    config->pattern = (gw_pattern){.block = 64, .window = 3, .global = 2, .random = 3, .tables = GW_TABLES_SEEDED};
}

gw_status gw_bigbird_read_pattern(const gw_config_reader *r) {
    gw_pattern *pattern = &r->config->pattern;
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

static gw_status read(const gw_config_reader *r) {
    GW_TRY(gw_config_read_absolute(r));
    GW_TRY(gw_json_bool(r->json, r->path, "use_bias", false, &r->config->bias));
    GW_TRY(gw_json_bool(r->json, r->path, "rescale_embeddings", false, &r->config->rescale));
    return gw_bigbird_read_pattern(r);
}

void gw_bigbird_write(json_t *json, const gw_config *config) {
    const gw_pattern *pattern = &config->pattern;
    json_object_set_new(json, "attention_type", json_string(pattern->full ? "original_full" : "block_sparse"));
    json_object_set_new(json, "block_size", json_integer(pattern->block));
    json_object_set_new(json, "num_random_blocks", json_integer(pattern->random));
    json_object_set_new(json, "rescale_embeddings", json_boolean(config->rescale));
    json_object_set_new(json, "use_bias", json_boolean(config->bias));
    gw_config_write_special_tokens(json, config);
}

// The fields say only the size of blocks, and how many are random.
bool gw_bigbird_agrees(const gw_pattern *own, const gw_pattern *named, bool by_type) {
    (void)by_type;
    const bool drawn = named->tables != GW_TABLES_OWN;
    return named->block == own->block && (!drawn || (!own->full && named->random == own->random));
}

bool gw_bigbird_computes(const gw_config *config) {
    const gw_pattern *pattern = &config->pattern;
    const bool drawn = pattern->tables == GW_TABLES_SEEDED || pattern->tables == GW_TABLES_HF_EVAL;
    const bool known = pattern->full || (drawn && pattern->random > 0);
    return config->pooling == GW_SEQUENCE_FIRST && pattern->band == 0 && known;
}

static void describe(gw_builder *b) {
    gw_transformer of = gw_bert();
    of.pooler = "pooler";
    of.order = GW_DROPOUT_THEN_NORM;
    of.labels = GW_LABELS_OF_DENSE;
    of.pools_always = true;
    of.question_block = true;
    of.choice_drops_hidden = true;
    gw_describe_transformer(b, &of);
}

const gw_family_row gw_family_bigbird = {
    .model_type = "big_bird",
    .prefix = "BigBird",
    .set_defaults = set_defaults,
    .read = read,
    .write = gw_bigbird_write,
    .agrees = gw_bigbird_agrees,
    .computes = gw_bigbird_computes,
    .describe = describe,
};
