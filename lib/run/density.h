// SPDX-License-Identifier: MIT
// What metrics say of sampled graphs.
#ifndef GW_RUN_DENSITY_H
#define GW_RUN_DENSITY_H

#include "base/json.h"
#include "model/network.h"

// Adds "density": for each layer a list of its heads' (gw_network_density_of()), where graphs are sampled.
void gw_density_add(const gw_network *network, const gw_config *config, json_t *row);

#endif
