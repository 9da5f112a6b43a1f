// SPDX-License-Identifier: MIT
// Densities by layer and head as JSON, and how they are learned as text.
#include "run/density.h"

#include "base/log.h"

void gw_density_add(const gw_network *network, const gw_config *config, json_t *row) {
    if (config->pattern.clusters == 0) return;
    json_t *layers = json_array();
    for (int l = 0; l < config->layers; l++) {
        json_t *heads = json_array();
        for (int h = 0; h < config->heads; h++)
            json_array_append_new(heads, json_real(gw_network_density_of(network, l, h)));
        json_array_append_new(layers, heads);
    }
    json_object_set_new(row, "density", layers);
}

void gw_density_tell(const gw_network *network, const gw_config *config) {
    gw_string text = {0};
    if (config->pattern.clusters == 0 || !network) return;
    for (int l = 0; l < config->layers; l++) {
        gw_string_printf(&text, "; layer %d:", l);
        for (int h = 0; h < config->heads; h++) gw_string_printf(&text, " %.3g", gw_network_density_of(network, l, h));
    }
    if (text.data) gw_note("densities of sampled graphs by head%s", text.data);
    gw_string_free(&text);
}

void gw_density_print(const gw_network_density *density, const gw_config *config, gw_string *out) {
    if (config->pattern.clusters == 0) return;
    gw_string_printf(out, ", exploration %.9g, price of %s %.9g%s", density->exploration,
                     density->expected ? "probabilities" : "edges", density->weight,
                     density->gradient == GW_EDGES_LEARN_BY_MASK ? ", gradient of the mask" : "");
}
