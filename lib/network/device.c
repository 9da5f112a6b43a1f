// SPDX-License-Identifier: MIT
// A batch's way to the device, and results' way back. Where the device's memory is the host's nothing is copied: ops
// read the caller's arrays, and results are read where they were made.
#include "network/network_private.h"

static void *take(gw_plan *plan, int64_t count, int64_t size) {
    return count > 0 ? gw_plan_memory(plan, count, size) : NULL;
}

static gw_rows take_rows(gw_plan *plan, int number, bool scaled) {
    const gw_plan_rows *declared = &plan->rows[number];
    const int64_t most = declared->most, sequences = declared->most_sequences, id = sizeof(int32_t);
    gw_rows rows = {.label = take(plan, most * declared->classes, id),
                    .number = take(plan, most * declared->numbers, sizeof(float))};
    if (sequences == 0) {
        rows.row = take(plan, most, id);
        rows.position = take(plan, most, id);
        return rows;
    }
    rows.row = declared->within != number ? take(plan, most, id) : NULL;
    rows.start = take(plan, sequences + 1, sizeof(int64_t));
    rows.prefix = take(plan, sequences, id);
    rows.token = take(plan, most, id);
    rows.segment = take(plan, most, id);
    rows.position = take(plan, most, id);
    rows.scale = number == GW_ROWS_TOKENS && scaled ? take(plan, most, sizeof(float)) : NULL;
    return rows;
}

void gw_network_take_inputs(gw_network *network, gw_plan *plan) {
    for (int i = 0; i < GW_BATCH_ROWS && !plan->kernels->shares_host; i++)
        network->device[i] = take_rows(plan, i, network->token_scale != NULL);
}

static gw_status send(const gw_network *network, void *to, const void *from, int64_t count, int64_t size) {
    return to && from && count > 0 ? network->plan.kernels->to_device(to, from, count * size) : GW_OK;
}

static gw_status send_rows(gw_network *network, int rows) {
    const gw_plan_rows *declared = &network->plan.rows[rows];
    const gw_rows *from = &network->batch.of[rows];
    gw_rows *to = &network->device[rows];
    to->count = from->count;
    to->sequences = from->sequences;
    to->first = from->first;
    GW_TRY(send(network, to->start, from->start, from->sequences + 1, sizeof *to->start));
    GW_TRY(send(network, to->row, from->row, from->count, sizeof *to->row));
    GW_TRY(send(network, to->token, from->token, from->count, sizeof *to->token));
    GW_TRY(send(network, to->segment, from->segment, from->count, sizeof *to->segment));
    GW_TRY(send(network, to->position, from->position, from->count, sizeof *to->position));
    GW_TRY(send(network, to->scale, from->scale, from->count, sizeof *to->scale));
    GW_TRY(send(network, to->prefix, from->prefix, from->sequences, sizeof *to->prefix));
    GW_TRY(send(network, to->label, from->label, from->count * declared->classes, sizeof *to->label));
    return send(network, to->number, from->number, from->count * declared->numbers, sizeof *to->number);
}

gw_status gw_network_send(gw_network *network) {
    if (network->plan.kernels->shares_host) return GW_OK;
    for (int i = 0; i < GW_BATCH_ROWS; i++) GW_TRY(send_rows(network, i));
    return GW_OK;
}

static gw_status mirror(const gw_plan *plan, gw_tensor tensor, gw_network_read *out) {
    const int64_t bytes = gw_plan_most(plan, tensor) * tensor.width * (int64_t)sizeof(float);
    out->tensor = tensor;
    return gw_mirror_make(&out->mirror, plan->kernels, NULL, gw_plan_value(plan, tensor), bytes);
}

// What a decoder reads of the source stays on the device.
gw_status gw_network_mirror_outputs(gw_network *network) {
    const gw_plan *plan = &network->plan;
    GW_TRY(mirror(plan, network->hidden, &network->read_hidden));
    for (int64_t i = 0; i < plan->tensor_count && !network->options.memory; i++) {
        const gw_tensor tensor = plan->tensors[i].tensor;
        gw_network_read *output = &network->output[tensor.rows];
        if (!plan->tensors[i].output || i == network->hidden.id || output->tensor.width > 0) continue;
        GW_TRY(mirror(plan, tensor, output));
    }
    return GW_OK;
}

void gw_network_free_mirrors(gw_network *network) {
    gw_mirror_free(&network->read_hidden.mirror);
    for (int i = 0; i < GW_BATCH_ROWS; i++) gw_mirror_free(&network->output[i].mirror);
}

static const float *read(const gw_network *network, const gw_network_read *output) {
    const gw_tensor tensor = output->tensor;
    if (tensor.width == 0) return NULL;
    const int64_t bytes = network->batch.of[tensor.rows].count * tensor.width * (int64_t)sizeof(float);
    return gw_mirror_to_host(&output->mirror, bytes) == GW_OK ? output->mirror.host : NULL;
}

const float *gw_network_hidden(const gw_network *network) {
    return read(network, &network->read_hidden);
}

const float *gw_network_output(const gw_network *network, int rows) {
    return read(network, &network->output[rows]);
}

int64_t gw_network_output_width(const gw_network *network, int rows) {
    return network->output[rows].tensor.width;
}
