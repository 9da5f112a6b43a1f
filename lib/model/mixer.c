// SPDX-License-Identifier: MIT
// The table of mixers, from mixers.def.
#include "model/mixer.h"

#include "base/parse.h"

#include <string.h>

static const gw_mixer_row *const mixer_rows[] = {
#define GW_MIXER(NAME, row) &gw_mixer_##row,
#include GW_MIXERS_DEF
#undef GW_MIXER
};

int gw_mixer_count(void) {
    return sizeof mixer_rows / sizeof *mixer_rows;
}

const gw_mixer_row *gw_mixer_of(gw_mixer mixer) {
    return mixer_rows[mixer];
}

int64_t gw_config_globals(const gw_config *config) {
    const int word = gw_mixer_of(config->mixer)->globals;
    if (word == 0) return 0;
    return config->mixer_number[word] > 0 ? config->mixer_number[word] : gw_mixer_of(config->mixer)->words[word].usual;
}

void gw_config_use_globals(gw_config *config, int64_t most) {
    const int word = gw_mixer_of(config->mixer)->globals;
    if (word > 0) config->mixer_number[word] = most;
}

unsigned gw_config_own_layers(const gw_config *config) {
    const gw_mixer_row *mixer = gw_mixer_of(config->mixer);
    return mixer->own_layers ? mixer->own_layers(config) : 0;
}

// Whether a part of the spec has this name, whatever number follows it.
static bool names(const char *spec, const char *name) {
    const size_t length = strlen(name);
    for (const char *part = spec; part; part = gw_next_item(part, '+'))
        if (strncmp(part, name, length) == 0 && strchr(":/+", part[length])) return true;
    return false;
}

gw_mixer gw_mixer_of_pattern(const char *spec) {
    for (int m = 0; m < gw_mixer_count(); m++)
        if (mixer_rows[m]->words && names(spec, mixer_rows[m]->words[0].name)) return (gw_mixer)m;
    return GW_MIXER_ATTENTION;
}

gw_status gw_mixer_parse_blocks(const char *spec, gw_pattern *out) {
    gw_string others = {0};
    for (int m = 0; m < gw_mixer_count(); m++)
        if (mixer_rows[m]->words)
            gw_string_printf(&others, "%s%s", others.length > 0 ? ", " : "", mixer_rows[m]->words[0].name);
    gw_status status = gw_string_status(&others);
    if (status == GW_OK) status = gw_pattern_parse_or(spec, others.data, out);
    gw_string_free(&others);
    return status;
}
