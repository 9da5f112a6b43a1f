// SPDX-License-Identifier: MIT
// What heads ask of the labels of a batch.
#include "network/network_private.h"

int gw_network_sequence_labels(const gw_network *network) {
    return network->head->sequence_labels > 0 ? network->head->sequence_labels : 1;
}

gw_status gw_network_check_classes(const gw_network *network, int rows, const char *what, int64_t classes) {
    const gw_rows *labelled = &network->batch.of[rows];
    for (int64_t i = 0; i < labelled->count; i++)
        if (labelled->label[i] >= classes)
            return gw_fail(GW_ERR_RANGE, "%s %d of the batch is outside the %lld that there are", what,
                           labelled->label[i], (long long)classes);
    return GW_OK;
}
