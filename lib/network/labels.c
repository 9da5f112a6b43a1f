// SPDX-License-Identifier: MIT
// What heads ask of the labels of a batch.
#include "network/network_private.h"

gw_status gw_network_check_classes(const gw_network *network, int rows, const char *what, int64_t classes) {
    const gw_rows *labelled = &network->batch.of[rows];
    for (int64_t i = 0; labelled->label && i < labelled->count; i++)
        if (labelled->label[i] >= classes)
            return gw_fail(GW_ERR_RANGE, "%s %d of the batch is outside the %lld that there are", what,
                           labelled->label[i], (long long)classes);
    return GW_OK;
}
