// SPDX-License-Identifier: MIT
// A network's life, and its passes over batches.
#include "network/network_private.h"

#include "base/memory.h"
#include "model/family.h"

#include <stdlib.h>
#include <string.h>

// Whether the rows of the last layer that are made are all that the heads read.
static bool reads_enough(const gw_network_options *options, const gw_head_row *head) {
    const bool masked = options->masked > 0;
    switch (options->output_rows) {
    case GW_OUTPUT_FIRST: return !masked && !head->tokens;
    case GW_OUTPUT_MASKED: return masked && !options->nsp_head;
    default: return true;
    }
}

// A stem that ends in windows of bases has no hidden state of a token; one that embeds letters in other channels than
// the model's has no rows that a masked letter's state could be compared with.
static gw_status check_stem(const gw_config *config, const gw_head_row *head) {
    if (head->masked && config->stem.count > 0 && config->stem.letters != config->width)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "the stem '%s' embeds letters in %lld channels, not in the model's %lld: it gives labels, and no "
            "masked letters",
            config->stem.text, (long long)config->stem.letters, (long long)config->width);
    if (gw_stem_end_level(&config->stem) == 0) return GW_OK;
    if (!head->bare && !head->masked && !head->tokens && config->pooling != GW_SEQUENCE_FIRST) return GW_OK;
    return gw_fail(
        GW_ERR_UNSUPPORTED,
        "the stem '%s' pools more than it unpools: it gives labels to sequences by their mean, and no hidden "
        "state to a base",
        config->stem.text);
}

static gw_status check_options(const gw_model *model, const gw_network_options *options, const gw_head_row *head) {
    const gw_config *config = &model->config;
    if ((options->memory || options->targets > 0) && config->decoder_layers == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no decoder: it cannot read or write targets");
    if (head->generates && options->targets == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model writes text about a text; no room for that was asked for");
    if (options->layers < -1 || options->layers > config->layers)
        return gw_fail(GW_ERR_RANGE, "%d layers are asked for; the model has %lld", options->layers,
                       (long long)config->layers);
    if (options->masked > 0 && !head->masked)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s has no head for masked tokens",
                       head->bare ? "a bare encoder" : "a classifier");
    if (options->nsp_head && !head->pairs)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no head for sentence pairs");
    if (options->training && options->precision == GW_BF16 && !gw_has_bf16())
        return gw_fail(GW_ERR_UNSUPPORTED, "this processor has no bf16 instructions (AVX512_BF16)");
    if (options->training && !options->still && config->undropped)
        return gw_fail(GW_ERR_UNSUPPORTED, "config.json: \"%s\" is not 0: training that drops there cannot be run",
                       config->undropped);
    if (options->training && !options->still && model->packed)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model's weights were fixed; it cannot be trained");
    if (!reads_enough(options, head) || (options->training && options->output_rows != GW_OUTPUT_ALL))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s need more rows of the last layer than are asked for",
                       options->training ? "gradients" : "the model's heads");
    if (options->training && head->bare)
        return gw_fail(GW_ERR_UNSUPPORTED, "a bare encoder has no head whose loss could train it");
    if (options->contrasts > 0 && (!gw_mixer_of(config->mixer)->holds_tokens || options->globals == 0))
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no global tokens that could predict the encoding of others");
    GW_TRY(check_stem(config, head));
    return head->check ? head->check(config) : GW_OK;
}

static double label_weight(const gw_config *config, int64_t label) {
    if (!gw_config_has_numbers(config)) return gw_config_positive_weight(config, label);
    return config->numbers.weight ? config->numbers.weight[label] : 1;
}

static gw_status send_label_weights(gw_network *network) {
    const gw_config *config = &network->model->config;
    gw_mirror *weights = &network->label_weight;
    if (config->labels == 0) return GW_OK;
    GW_TRY(gw_mirror_make(weights, network->model->parameters.mirror.kernels, NULL, NULL,
                          config->labels * (int64_t)sizeof(float)));
    for (int64_t l = 0; l < config->labels; l++) ((float *)weights->host)[l] = (float)label_weight(config, l);
    return gw_mirror_to_device(weights);
}

// Zeros in the place of biases that norms do not have.
static gw_status make_zeros(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_backend *kernels = network->model->parameters.mirror.kernels;
    const int64_t bytes = config->width * (int64_t)sizeof(float);
    if (config->norm_bias) return GW_OK;
    GW_TRY(kernels->allocate(bytes, (void **)&network->zeros));
    return kernels->zero(network->zeros, bytes);
}

static gw_status build(gw_network *network) {
    const gw_network_options *options = &network->options;
    GW_TRY(gw_parameters_on_device(&network->model->parameters));
    const gw_mirror *weights = &network->model->parameters.mirror;
    if (network->mixer->make) GW_TRY(network->mixer->make(network));
    if (options->training) GW_TRY(weights->kernels->allocate(weights->bytes, (void **)&network->gradient));
    GW_TRY(make_zeros(network));
    if (network->head->generates || options->memory) GW_TRY(gw_network_make_decoder(network));
    gw_network_begin_builder(network);
    GW_TRY(send_label_weights(network));
    network->plan.training = options->training;
    network->plan.recompute = options->recompute;
    network->plan.plain = options->plain;
    network->plan.parts = options->parts;
    network->plan.still = options->still;
    GW_TRY(gw_plan_build(&network->plan, gw_network_describe, network));
    gw_network_fill_absent(network);
    return gw_network_mirror_outputs(network);
}

gw_status gw_network_new(gw_model *model, const gw_network_options *options, gw_network **out) {
    *out = NULL;
    if (model->members)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "the model is %lld networks whose class probabilities are averaged: score "
                       "computes those, nothing else does",
                       (long long)model->config.members);
    const bool whole = options->layers == 0 && !options->memory;
    const gw_head_row *head = whole ? gw_head_of(model->config.head) : &gw_head_none;
    GW_TRY(check_options(model, options, head));
    gw_network *network = gw_alloc(1, sizeof *network);
    if (!network) return GW_ERR_MEMORY;
    network->model = model;
    network->options = *options;
    network->head = head;
    network->mixer = gw_mixer_of(model->config.mixer);
    network->builder.precision = options->training ? options->precision : model->precision;
    const gw_status status = build(network);
    if (status == GW_OK) *out = network;
    else gw_network_free(network);
    return status;
}

void gw_network_free(gw_network *network) {
    if (!network) return;
    gw_network_free_mirrors(network);
    gw_mirror_free(&network->label_weight);
    gw_plan_free(&network->plan);
    if (network->mixing) network->mixer->free(network->mixing);
    gw_network_free_decoder(network);
    if (network->zeros) network->model->parameters.mirror.kernels->release(network->zeros);
    if (network->gradient) network->model->parameters.mirror.kernels->release(network->gradient);
    free(network);
}

int64_t gw_network_bytes(const gw_network *network) {
    const int64_t gradient = network->gradient ? network->model->parameters.floats * (int64_t)sizeof(float) : 0;
    return gw_plan_bytes(&network->plan) + gradient;
}

gw_run gw_network_run(const gw_network *network) {
    const bool shares = network->plan.kernels->shares_host;
    return (gw_run){.kernels = network->plan.kernels,
                    .batch = &network->batch,
                    .device = shares ? NULL : network->device,
                    .seed = network->options.seed};
}

gw_status gw_network_forward(gw_network *network, const gw_batch *batch, gw_losses *losses) {
    GW_TRY(gw_network_complete(network, batch));
    GW_TRY(gw_network_send(network));
    const gw_run run = gw_network_run(network);
    GW_TRY(gw_plan_forward(&network->plan, &run));
    return losses ? gw_plan_read_losses(&network->plan, &network->batch, losses) : GW_OK;
}

gw_status gw_network_backward(gw_network *network, const float *scale) {
    gw_run run = gw_network_run(network);
    memcpy(run.scale, scale, sizeof run.scale);
    run.acted = network->acted;
    run.context = network->acted_context;
    return gw_plan_backward(&network->plan, &run);
}

float *gw_network_gradient(gw_network *network) {
    return network->gradient;
}

// Its backward step is the last of the pass, and reads the gradient where nothing is written any more.
static gw_tensor embedded(const gw_network *network) {
    const gw_step *first = &network->plan.steps[0];
    return first->ins == 0 && first->rows == GW_ROWS_TOKENS ? first->out[0] : (gw_tensor){0};
}

int64_t gw_network_embedded_width(const gw_network *network) {
    return embedded(network).width;
}

gw_status gw_network_embedded_gradient(const gw_network *network, float *out) {
    const gw_tensor tensor = embedded(network);
    const int64_t floats = network->batch.of[GW_ROWS_TOKENS].count * tensor.width;
    return network->plan.kernels->to_host(out, network->plan.tensors[tensor.id].gradient,
                                          floats * (int64_t)sizeof *out);
}

void gw_network_tell(gw_network *network, void (*acted)(void *context, int64_t actions), void *context) {
    network->acted = acted;
    network->acted_context = context;
}

int64_t gw_network_last_write(const gw_network *network, int64_t begin, int64_t end) {
    const gw_parameters *parameters = &network->model->parameters;
    const float *gradient = network->gradient;
    int64_t last = 0;
    for (int i = 0; i < parameters->count; i++) {
        const gw_parameter *p = &parameters->list[i];
        if (p->offset >= end || p->offset + p->count <= begin) continue;
        const int64_t at = gw_plan_last_write(&network->plan, gradient + p->offset, gradient + p->offset + p->count);
        if (at > last) last = at;
    }
    return last;
}

void gw_network_print_plan(const gw_network *network, gw_string *out) {
    gw_plan_print(&network->plan, out);
}
