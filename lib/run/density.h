// SPDX-License-Identifier: MIT
// What metrics say of sampled graphs.
#ifndef GW_RUN_DENSITY_H
#define GW_RUN_DENSITY_H

#include "base/json.h"
#include "base/string.h"
#include "network/network.h"

// Adds "density": for each layer a list of its heads' (gw_network_density_of()), where graphs are sampled.
void gw_density_add(const gw_network *network, const gw_config *config, json_t *row);

// Notes the densities by layer and head of what the network has read, where its graphs are sampled.
void gw_density_tell(const gw_network *network, const gw_config *config);
// What a run's fingerprint says of how graphs learn; nothing where they are not sampled.
void gw_density_print(const gw_network_density *density, const gw_config *config, gw_string *out);

#endif
