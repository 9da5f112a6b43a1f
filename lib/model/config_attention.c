// SPDX-License-Identifier: MIT
// Reads the fields that each family has for it.
#include "model/config_reader.h"

#include "model/family.h"
#include "model/mixer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static gw_status read_positions(const gw_config_reader *r) {
    gw_config *config = r->config;
    const char *kind = "absolute";
    GW_TRY(gw_json_string(r->json, r->path, "position_embedding_type", false, &kind));
    const bool rotary = gw_family_of(config->family)->facts.rotary && strcmp(kind, "rotary") == 0;
    if (!rotary && strcmp(kind, "absolute") != 0)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "%s: \"position_embedding_type\" is \"%s\"; absolute, and rotary of GENA-LM and ESM, are what can be run",
            r->path, kind);
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

// transformers' sparse attention fails without random blocks.
static gw_status check_random(const gw_config_reader *r) {
    const gw_pattern *pattern = &r->config->pattern;
    if (pattern->full || pattern->tables == GW_TABLES_OWN || pattern->random > 0) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s: \"num_random_blocks\" is 0; block_sparse attention needs at least 1",
                   r->path);
}

// Whether a pattern of "godwit" may stand beside the architecture's own fields; model_type "godwit" lets any.
static bool agrees(const gw_config_reader *r, const gw_config *named) {
    const gw_family_row *family = gw_family_of(r->config->family);
    const gw_pattern *own = &r->config->pattern, *pattern = &named->pattern;
    const char *type = json_string_value(json_object_get(r->whole, "model_type"));
    const bool by_type = type && strcmp(type, "godwit") == 0;
    if (gw_mixer_of(named->mixer)->words) return by_type;
    return family->agrees ? family->agrees(own, pattern, by_type) : (pattern->full && !pattern->causal) || by_type;
}

// The pattern of the architecture's own fields, or of "godwit", which must not contradict them.
static gw_status read_pattern(const gw_config_reader *r) {
    gw_config *config = r->config, named;
    const char *spec = NULL;
    const gw_family_row *family = gw_family_of(r->config->family);
    if (family->read_pattern) GW_TRY(family->read_pattern(r, &config->pattern));
    GW_TRY(gw_json_string(r->own, r->path, "pattern", false, &spec));
    if (!spec) return check_random(r);
    named = *config;
    const gw_status status = gw_config_use_pattern(&named, spec);
    if (status != GW_OK) return gw_fail_in(status, "%s: \"pattern\"", r->path);
    if (!agrees(r, &named)) {
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

gw_status gw_config_read_attention(const gw_config_reader *r) {
    const gw_family_row *family = gw_family_of(r->config->family);
    GW_TRY(read_positions(r));
    if (family->read) GW_TRY(family->read(r));
    return read_pattern(r);
}
