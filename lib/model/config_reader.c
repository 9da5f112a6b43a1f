// SPDX-License-Identifier: MIT
// Reads typed fields of the JSON object, and refuses values outside their ranges.
#include "model/config_reader.h"

#include "model/family.h"

bool gw_config_has(const gw_config_reader *r, const char *key) {
    const json_t *value = json_object_get(r->json, key);
    return value && !json_is_null(value);
}

gw_status gw_config_int(const gw_config_reader *r, const char *field, int64_t min, int64_t max, int64_t *out) {
    const char *key = gw_family_field(r->config->family, field);
    if (!key) return GW_OK;
    return gw_json_int(r->json, r->path, key, false, min, max, out);
}

gw_status gw_config_read_stem(const gw_config_reader *r) {
    const char *stem = NULL;
    GW_TRY(gw_json_string(r->own, r->path, "stem", false, &stem));
    if (!stem) return GW_OK;
    const gw_status status = gw_stem_parse(stem, r->config->width, &r->config->stem);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", r->path);
}
