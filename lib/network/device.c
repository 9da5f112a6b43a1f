// SPDX-License-Identifier: MIT
// A batch's way to the device, and results' way back. Where the device's memory is the host's nothing is copied: ops
// read the caller's arrays, and results are read where they were made.
#include "network/network_private.h"

void gw_network_take_inputs(gw_network *network, gw_plan *plan) {
    const gw_network_options *options = &network->options;
    const int64_t tokens = options->tokens, sequences = options->sequences, id = sizeof(int32_t);
    gw_rows *of = network->device;
    if (plan->kernels->shares_host) return;
    of[GW_ROWS_TOKENS] = (gw_rows){.start = gw_plan_memory(plan, sequences + 1, sizeof(int64_t)),
                                   .token = gw_plan_memory(plan, tokens, id),
                                   .segment = gw_plan_memory(plan, tokens, id),
                                   .position = gw_plan_memory(plan, tokens, id),
                                   .prefix = gw_plan_memory(plan, sequences, id),
                                   .label = gw_plan_memory(plan, tokens, id)};
    of[GW_ROWS_TARGET] = (gw_rows){.start = gw_plan_memory(plan, sequences + 1, sizeof(int64_t)),
                                   .token = gw_plan_memory(plan, options->targets, id),
                                   .segment = gw_plan_memory(plan, options->targets, id),
                                   .position = gw_plan_memory(plan, options->targets, id),
                                   .label = gw_plan_memory(plan, options->targets, id)};
    for (int level = 1; network->stem.stem && level <= network->stem.stem->levels; level++)
        of[network->stem.stream[level]] =
            (gw_rows){.start = gw_plan_memory(plan, sequences + 1, sizeof(int64_t)),
                      .position = gw_plan_memory(plan, gw_network_level_rows(network, level), id)};
    of[GW_ROWS_FIRST] = (gw_rows){
        .row = gw_plan_memory(plan, sequences, id),
        .label = gw_plan_memory(plan, gw_network_sequence_labels(network) * sequences, id),
        .number = gw_plan_memory(plan, sequences * network->model->config.labels, sizeof(float)),
    };
    of[GW_ROWS_MASKED] =
        (gw_rows){.row = gw_plan_memory(plan, options->masked, id), .label = gw_plan_memory(plan, options->masked, id)};
    of[GW_ROWS_QUESTIONS] = (gw_rows){.label = gw_plan_memory(plan, sequences, id)};
}

static gw_status send(const gw_network *network, void *to, const void *from, int64_t count, int64_t size) {
    return to && from && count > 0 ? network->plan.kernels->to_device(to, from, count * size) : GW_OK;
}

// `labels` of each row.
static gw_status send_rows(gw_network *network, int rows, int64_t labels) {
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
    GW_TRY(send(network, to->prefix, from->prefix, from->sequences, sizeof *to->prefix));
    GW_TRY(send(network, to->label, from->label, from->count * labels, sizeof *to->label));
    return send(network, to->number, from->number, from->count * network->model->config.labels, sizeof *to->number);
}

gw_status gw_network_send(gw_network *network) {
    if (network->plan.kernels->shares_host) return GW_OK;
    GW_TRY(send_rows(network, GW_ROWS_TOKENS, 1));
    GW_TRY(send_rows(network, GW_ROWS_FIRST, gw_network_sequence_labels(network)));
    GW_TRY(send_rows(network, GW_ROWS_MASKED, 1));
    if (network->options.targets > 0) GW_TRY(send_rows(network, GW_ROWS_TARGET, 1));
    for (int level = 1; network->stem.stem && level <= network->stem.stem->levels; level++)
        GW_TRY(send_rows(network, network->stem.stream[level], 0));
    return send_rows(network, GW_ROWS_QUESTIONS, 1);
}

static gw_status mirror(const gw_network *network, gw_tensor tensor, gw_mirror *out) {
    if (tensor.width == 0) return GW_OK; // never described
    const int64_t bytes = gw_plan_most(&network->plan, tensor) * tensor.width * (int64_t)sizeof(float);
    return gw_mirror_make(out, network->plan.kernels, NULL, gw_plan_value(&network->plan, tensor), bytes);
}

gw_status gw_network_mirror_outputs(gw_network *network) {
    GW_TRY(mirror(network, network->hidden, &network->read_hidden));
    GW_TRY(mirror(network, network->pooled, &network->read_pooled));
    GW_TRY(mirror(network, network->mask_logits, &network->read_mask_logits));
    GW_TRY(mirror(network, network->nsp_logits, &network->read_nsp_logits));
    return mirror(network, network->logits, &network->read_logits);
}

void gw_network_free_mirrors(gw_network *network) {
    gw_mirror_free(&network->read_hidden);
    gw_mirror_free(&network->read_pooled);
    gw_mirror_free(&network->read_mask_logits);
    gw_mirror_free(&network->read_nsp_logits);
    gw_mirror_free(&network->read_logits);
}

// A batch without rows of a loss has left its sum as it was.
static gw_status read_sum(const gw_network *network, gw_loss loss, int rows, gw_loss_sum *out) {
    *out = (gw_loss_sum){0};
    if (!loss.sum || network->batch.of[rows].count == 0) return GW_OK;
    return network->plan.kernels->to_host(out, loss.sum, sizeof *out);
}

gw_status gw_network_read_losses(const gw_network *network, gw_losses *losses) {
    gw_loss_sum mlm, nsp, label;
    GW_TRY(read_sum(network, network->mask_loss, GW_ROWS_MASKED, &mlm));
    GW_TRY(read_sum(network, network->nsp_loss, GW_ROWS_FIRST, &nsp));
    GW_TRY(read_sum(network, network->loss, GW_ROWS_FIRST, &label));
    *losses = (gw_losses){mlm.loss,  nsp.loss,  label.loss,  mlm.count,  mlm.right,
                          nsp.count, nsp.right, label.count, label.right};
    return GW_OK;
}

static const float *read_output(const gw_network *network, gw_tensor tensor, const gw_mirror *mirror) {
    if (tensor.width == 0) return NULL;
    const int64_t bytes = network->batch.of[tensor.rows].count * tensor.width * (int64_t)sizeof(float);
    return gw_mirror_to_host(mirror, bytes) == GW_OK ? mirror->host : NULL;
}

const float *gw_network_hidden(const gw_network *network) {
    return read_output(network, network->hidden, &network->read_hidden);
}

const float *gw_network_pooled(const gw_network *network) {
    return read_output(network, network->pooled, &network->read_pooled);
}

const float *gw_network_mlm_logits(const gw_network *network) {
    return read_output(network, network->mask_logits, &network->read_mask_logits);
}

const float *gw_network_nsp_logits(const gw_network *network) {
    return read_output(network, network->nsp_logits, &network->read_nsp_logits);
}

const float *gw_network_logits(const gw_network *network) {
    return read_output(network, network->logits, &network->read_logits);
}
