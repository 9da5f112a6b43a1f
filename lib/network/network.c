// SPDX-License-Identifier: MIT
// Networks: from a model's config and parameters to the plan of ops; copying of batches to the device and of results
// back; and passes over batches.
#include "base/memory.h"
#include "base/number.h"
#include "model/family.h"
#include "network/network_private.h"
#include "nn/layers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A stem that ends in windows of bases has no hidden state of a token; one that embeds letters in other channels than
// the model's has no rows that a masked letter's state could be compared with.
static gw_status check_stem(const gw_config *config, const gw_head_row *head) {
    if (head->masked && config->stem.count > 0 && config->stem.letters != config->width)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "the stem '%s' embeds letters in %lld channels, not in the model's %lld: it supports labels, but no "
            "masked letters",
            config->stem.text, (long long)config->stem.letters, (long long)config->width);
    if (gw_stem_end_level(&config->stem) == 0) return GW_OK;
    if (!head->bare && !head->masked && !head->tokens && config->pooling != GW_SEQUENCE_FIRST) return GW_OK;
    return gw_fail(
        GW_ERR_UNSUPPORTED,
        "the stem '%s' pools more than it unpools: it supports labels of sequences by their mean, but no hidden "
        "state of a base",
        config->stem.text);
}

static gw_status check_options(const gw_model *model, const gw_network_options *options, const gw_head_row *head) {
    const gw_config *config = &model->config;
    if ((options->memory || options->targets > 0) && config->decoder_layers == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no decoder: it cannot read or write targets");
    if (head->generates && options->targets == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model writes a text for a text; the options reserve no tokens for it");
    if (options->layers < -1 || options->layers > config->layers)
        return gw_fail(GW_ERR_RANGE, "%d layers are requested; the model has %lld", options->layers,
                       (long long)config->layers);
    if (options->masked > 0 && !head->masked)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s has no head for masked tokens",
                       head->bare ? "a bare encoder" : "a classifier");
    if (options->nsp_head && !head->pairs)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no head for sentence pairs");
    if (options->training && options->precision == GW_BF16 && !gw_has_bf16())
        return gw_fail(GW_ERR_UNSUPPORTED, "this processor has no bf16 instructions (AVX512_BF16)");
    if (options->training && !options->still && config->undropped)
        return gw_fail(GW_ERR_UNSUPPORTED, "config.json: \"%s\" is not 0: training with this dropout is not supported",
                       config->undropped);
    if (options->training && !options->still && model->packed)
        return gw_fail(GW_ERR_UNSUPPORTED, "the model's weights were fixed; it cannot be trained");
    // Whether the rows of the last layer that are made are all that the heads read.
    const bool masked = options->masked > 0;
    const bool enough = options->output_rows == GW_OUTPUT_FIRST    ? !masked && !head->tokens
                        : options->output_rows == GW_OUTPUT_MASKED ? masked && !options->nsp_head
                                                                   : true;
    if (!enough || (options->training && options->output_rows != GW_OUTPUT_ALL))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s need more rows of the last layer than are requested",
                       options->training ? "gradients" : "the model's heads");
    if (options->training && head->bare)
        return gw_fail(GW_ERR_UNSUPPORTED, "a bare encoder has no head whose loss could train it");
    if (options->contrasts > 0 && (!gw_mixer_of(config->mixer)->holds_tokens || options->globals == 0))
        return gw_fail(GW_ERR_UNSUPPORTED, "the model has no global tokens that could predict the encoding of others");
    GW_TRY(check_stem(config, head));
    return head->check ? head->check(config) : GW_OK;
}

// Finds a declared tensor among the model's, most often behind the one before it.
static gw_found_tensor find_tensor(gw_builder *b, const gw_parameter *declared) {
    gw_network *network = b->network;
    const gw_model *model = network->model;
    const gw_parameters *parameters = &model->parameters;
    const gw_parameter *next = parameters->list + network->next_parameter % parameters->count;
    const gw_parameter *found =
        strcmp(next->name, declared->name) == 0 ? next : gw_parameters_find(parameters, declared->name);
    if (!found) return (gw_found_tensor){0};
    const int64_t index = found - parameters->list;
    network->next_parameter = (int)index + 1;
    const bool sinusoids = found->fixed && found->beginning == GW_BEGINS_SINUSOIDS;
    float *gradient = network->gradient && !sinusoids ? network->gradient + found->offset : NULL;
    return (gw_found_tensor){{(float *)parameters->mirror.device + found->offset, gradient},
                             model->packed ? model->packed[index] : NULL};
}

static gw_tensor mix(gw_builder *b, int layer, gw_tensor query, gw_tensor key, gw_tensor value) {
    return b->network->mixer->describe(b, layer, query, key, value);
}

// Behind the encoder: its hidden states are outputs, and the head reads them.
static void end(gw_builder *b, gw_tensor hidden, gw_tensor beside) {
    gw_network *network = b->network;
    network->hidden = hidden;
    gw_plan_output(b->plan, hidden);
    if (network->options.contrasts > 0) {
        gw_plan_row_set(b->plan, GW_ROWS_PREDICTED, GW_ROWS_GLOBALS, network->options.contrasts);
        gw_plan_row_set(b->plan, GW_ROWS_ENCODED, GW_ROWS_GLOBALS, network->options.contrasts);
        gw_plan_contrast_loss(b->plan, gw_plan_gather(b->plan, beside, GW_ROWS_PREDICTED),
                              gw_plan_gather(b->plan, beside, GW_ROWS_ENCODED));
    }
    if (network->options.memory) { // what a decoder that writes reads of the source
        gw_describe_source(&network->builder, network->hidden, network->memory);
        for (int i = 0; i < 2 * network->model->config.decoder_layers; i++)
            gw_plan_output(&network->plan, network->memory[i]);
    } else network->head->describe(b, hidden);
}

// A head that reads more of a sequence than its first row needs all its rows.
static int rows_of(const gw_network *network) {
    const bool all = !network->head->bare && network->model->config.pooling != GW_SEQUENCE_FIRST;
    switch (network->options.output_rows) {
    case GW_OUTPUT_FIRST: return all ? GW_ROWS_TOKENS : GW_ROWS_FIRST;
    case GW_OUTPUT_MASKED: return GW_ROWS_MASKED;
    default: return GW_ROWS_TOKENS;
    }
}

static void begin_builder(gw_network *network) {
    const gw_config *config = &network->model->config;
    const int asked = network->options.layers;
    gw_builder *b = &network->builder;
    b->config = config;
    b->plan = &network->plan;
    b->network = network;
    b->find = find_tensor;
    b->mix = mix;
    b->end = end;
    b->picks = network->mixer->picks;
    b->zeros = network->zeros;
    b->prefix = "";
    b->deviation = -1;
    b->layers = asked == 0 ? (int)config->layers : asked > 0 ? asked : 0;
    b->rows.tokens = b->rows.level[0] = GW_ROWS_TOKENS;
    b->rows.blocks = network->mixer->holds_tokens ? GW_ROWS_MIXER : GW_ROWS_TOKENS;
    b->rows.made = rows_of(network);
    b->rows.beside = network->options.contrasts > 0 ? GW_ROWS_GLOBALS : 0;
    b->rows.others = gw_config_own_layers(config) != 0 ? GW_ROWS_GLOBALS : 0;
    network->levels = gw_config_levels(config, network->factor);
    for (int level = 1; level <= network->levels; level++) b->rows.level[level] = GW_BATCH_ROWS - level;
}

// The mixer's stream, where it has one; of a mixer that holds the tokens with rows of its own beside them: those that a
// batch gives, or those that the mixer makes of the tokens. All of them are a stream where its rows are computed apart.
static void describe_mixer(gw_network *network, gw_plan *plan) {
    const gw_config *config = &network->model->config;
    const gw_mixer_row *mixer = network->mixer;
    const int64_t sequences = network->options.sequences, given = network->options.globals,
                  rows = plan->rows[gw_network_mixed_stream(network)].most;
    gw_rows *own = &network->own_rows;
    if (!mixer->own_rows) return;
    const int64_t most = mixer->holds_tokens ? gw_max(mixer->most_rows(config, rows, sequences), rows + given)
                                             : sequences * mixer->own_rows(config, rows);
    gw_plan_stream(plan, GW_ROWS_MIXER, most, sequences);
    own->start = gw_plan_alloc(plan, sequences + 1, sizeof *own->start);
    if (!mixer->holds_tokens) return;
    plan->rows[GW_ROWS_TOKENS].within = GW_ROWS_MIXER;
    own->token = gw_plan_alloc(plan, most, sizeof *own->token);
    own->segment = gw_plan_alloc(plan, most, sizeof *own->segment);
    own->position = gw_plan_alloc(plan, most, sizeof *own->position);
    network->token_row = gw_plan_alloc(plan, rows, sizeof *network->token_row);
    mixer->alloc(network, plan, most, sequences);
    const bool apart = gw_config_own_layers(config) != 0;
    const int64_t globals = apart ? most - rows : given;
    if (globals == 0) return;
    gw_plan_stream(plan, GW_ROWS_GLOBALS, globals, sequences);
    plan->rows[GW_ROWS_GLOBALS].within = GW_ROWS_MIXER;
    network->global_row = gw_plan_alloc(plan, globals, sizeof *network->global_row);
    if (apart) network->global_start = gw_plan_alloc(plan, sequences + 1, sizeof *network->global_start);
}

static void declare_masked(gw_plan *plan, gw_network *network) {
    const int64_t most = network->options.masked;
    gw_plan_row_set(plan, GW_ROWS_OWN, GW_ROWS_TOKENS, most);
    if (!network->options.training || !plan->kernels->repeats) return;
    network->masked_row = gw_plan_alloc(plan, most, sizeof *network->masked_row);
    network->masked_label = gw_plan_alloc(plan, most, sizeof *network->masked_label);
}

static void declare_own(gw_plan *plan, gw_network *network) {
    const gw_network_options *options = &network->options;
    switch (network->head->own) {
    case GW_OWN_ROWS: declare_masked(plan, network); break;
    case GW_OWN_SEQUENCES: gw_plan_sequence_rows(plan, GW_ROWS_OWN, GW_ROWS_TOKENS); break;
    case GW_OWN_STREAM: gw_plan_stream(plan, GW_ROWS_OWN, options->targets, options->sequences); break;
    case GW_OWN_CHOICES: {
        const int64_t most = gw_choice_entries(&network->model->config, options->tokens);
        gw_plan_stream(plan, GW_ROWS_OWN, most, most);
        break;
    }
    default: break;
    }
}

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

static void describe(gw_plan *plan, void *context) {
    gw_network *network = context;
    const gw_network_options *options = &network->options;
    const int64_t at_once = options->rows > 0 ? options->rows : options->tokens;
    gw_plan_stream(plan, GW_ROWS_TOKENS, gw_min(at_once, options->tokens), options->sequences);
    gw_plan_sequence_rows(plan, GW_ROWS_FIRST, GW_ROWS_TOKENS);
    declare_own(plan, network);
    // A stream for each resolution; each sequence can have a last row of fewer tokens.
    for (int level = 1; level <= network->levels; level++) {
        const int64_t rows = options->tokens / network->factor[level] + options->sequences;
        gw_plan_stream(plan, network->builder.rows.level[level], gw_min(at_once + options->sequences, rows),
                       options->sequences);
        network->level[level] = (gw_rows){.start = gw_plan_alloc(plan, options->sequences + 1, sizeof(int64_t)),
                                          .position = gw_plan_alloc(plan, rows, sizeof(int32_t))};
    }
    describe_mixer(network, plan);
    network->position = gw_plan_alloc(plan, options->tokens, sizeof(int32_t));
    network->segment = gw_plan_alloc(plan, options->tokens, sizeof(int32_t));
    if (network->model->config.token_dropout)
        network->token_scale = gw_plan_alloc(plan, options->tokens, sizeof(float));
    network->target_position = gw_plan_alloc(plan, options->targets, sizeof(int32_t));
    network->target_segment = gw_plan_alloc(plan, options->targets, sizeof(int32_t));
    network->first_row = gw_plan_alloc(plan, options->sequences, sizeof(int32_t));
    network->prefix = gw_plan_alloc(plan, options->sequences, sizeof(int32_t));
    const int made = network->builder.rows.made;
    if (network->model->config.rotary > 0 && made != GW_ROWS_TOKENS)
        network->picked_position[made] = gw_plan_alloc(plan, plan->rows[made].most, sizeof(int32_t));
    gw_family_of(network->model->config.family)->describe(&network->builder);
    // Labels of row sets that batches may leave out.
    for (int i = 0; i < GW_BATCH_ROWS; i++) {
        const gw_plan_rows *rows = &plan->rows[i];
        network->no_class_count = gw_max(network->no_class_count, rows->most * rows->classes);
        network->no_number_count = gw_max(network->no_number_count, rows->most * rows->numbers);
    }
    network->no_class = gw_plan_alloc(plan, network->no_class_count, sizeof *network->no_class);
    network->no_number = gw_plan_alloc(plan, network->no_number_count, sizeof *network->no_number);
    for (int i = 0; i < GW_BATCH_ROWS && !plan->kernels->shares_host; i++)
        network->device[i] = take_rows(plan, i, network->token_scale != NULL);
}

// A model's decoder: its graphs, which list no key that is not there.
enum { BLOCK = 64 };

static gw_status make_decoder(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_pattern full = {.block = BLOCK, .full = true}, causal = {.block = BLOCK, .full = true, .causal = true};
    const int heads = (int)config->decoder_heads, layers = (int)config->decoder_layers;
    network->memory = gw_alloc(2 * layers, sizeof *network->memory);
    if (!network->memory) return GW_ERR_MEMORY;
    GW_TRY(gw_pattern_source_new(&causal, NULL, layers, heads, config->positions, &network->own_graphs));
    GW_TRY(gw_pattern_source_new(&full, NULL, layers, heads, config->positions, &network->cross_graphs));
    network->own_graphs->kernels = network->cross_graphs->kernels = network->model->parameters.mirror.kernels;
    return GW_OK;
}

static gw_status mirror(const gw_plan *plan, gw_tensor tensor, gw_network_read *out) {
    const int64_t bytes = gw_plan_most(plan, tensor) * tensor.width * (int64_t)sizeof(float);
    out->tensor = tensor;
    return gw_mirror_make(&out->mirror, plan->kernels, NULL, gw_plan_value(plan, tensor), bytes);
}

// What a decoder reads of the source stays on the device.
static gw_status mirror_outputs(gw_network *network) {
    const gw_plan *plan = &network->plan;
    GW_TRY(mirror(plan, network->hidden, &network->read_hidden));
    for (int64_t i = 0; i < plan->tensor_count && !network->options.memory; i++) {
        const gw_tensor tensor = plan->tensors[i].tensor;
        gw_network_read *output = &network->output[tensor.rows];
        const bool hidden = i == network->hidden.id && !network->head->tracks;
        if (!plan->tensors[i].output || hidden || output->tensor.width > 0) continue;
        GW_TRY(mirror(plan, tensor, output));
    }
    const int64_t masked = network->options.masked;
    if (masked == 0 || network->options.training || plan->kernels->shares_host) return GW_OK;
    return gw_mirror_make(&network->masked_loss, plan->kernels, NULL, NULL, masked * (int64_t)sizeof(float));
}

static double weight_of(const gw_config *config, int64_t label) {
    if (!gw_config_has_numbers(config)) return gw_config_positive_weight(config, label);
    return config->numbers.weight ? config->numbers.weight[label] : 1;
}

static gw_status build(gw_network *network) {
    const gw_network_options *options = &network->options;
    GW_TRY(gw_parameters_on_device(&network->model->parameters));
    const gw_mirror *weights = &network->model->parameters.mirror;
    if (network->mixer->make) GW_TRY(network->mixer->make(network));
    if (options->training) GW_TRY(weights->kernels->allocate(weights->bytes, (void **)&network->gradient));
    const gw_config *config = &network->model->config;
    if (!config->norm_bias) { // zeros in the place of biases that norms do not have
        const int64_t bytes = config->width * (int64_t)sizeof(float);
        GW_TRY(weights->kernels->allocate(bytes, (void **)&network->zeros));
        GW_TRY(weights->kernels->zero(network->zeros, bytes));
    }
    if (network->head->generates || options->memory) GW_TRY(make_decoder(network));
    begin_builder(network);
    if (config->labels > 0) {
        gw_mirror *label_weight = &network->label_weight;
        GW_TRY(gw_mirror_make(label_weight, weights->kernels, NULL, NULL, config->labels * (int64_t)sizeof(float)));
        for (int64_t l = 0; l < config->labels; l++) ((float *)label_weight->host)[l] = (float)weight_of(config, l);
        GW_TRY(gw_mirror_to_device(label_weight));
    }
    network->plan.training = options->training;
    network->plan.recompute = options->recompute;
    network->plan.plain = options->plain;
    network->plan.parts = options->parts;
    network->plan.still = options->still;
    GW_TRY(gw_plan_build(&network->plan, describe, network));
    for (int64_t i = 0; i < network->no_class_count; i++) network->no_class[i] = -1;
    for (int64_t i = 0; i < network->no_number_count; i++) network->no_number[i] = NAN;
    return mirror_outputs(network);
}

gw_status gw_network_new(gw_model *model, const gw_network_options *options, gw_network **out) {
    *out = NULL;
    if (model->members)
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "the model is %lld networks whose class probabilities are averaged: only godwit score computes these "
            "averages",
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
    gw_mirror_free(&network->read_hidden.mirror);
    for (int i = 0; i < GW_BATCH_ROWS; i++) gw_mirror_free(&network->output[i].mirror);
    gw_mirror_free(&network->masked_loss);
    gw_mirror_free(&network->label_weight);
    if (network->plan.kernels) {
        network->plan.kernels->record_free(network->forward);
        network->plan.kernels->record_free(network->backward);
    }
    gw_plan_free(&network->plan);
    if (network->mixing) network->mixer->free(network->mixing);
    gw_graph_source_free(network->own_graphs);
    gw_graph_source_free(network->cross_graphs);
    free(network->memory);
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

// A batch's way to the device. Where the device's memory is the host's nothing is copied: ops read the caller's arrays,
// and results are read where they were made.
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

static gw_status send_batch(gw_network *network) {
    if (network->plan.kernels->shares_host) return GW_OK;
    for (int i = 0; i < GW_BATCH_ROWS; i++) GW_TRY(send_rows(network, i));
    return GW_OK;
}

typedef struct {
    const gw_plan *plan;
    gw_run run;
} network_pass;

static gw_status launch_forward(void *context) {
    const network_pass *pass = context;
    return gw_plan_forward(pass->plan, &pass->run);
}

static gw_status launch_backward(void *context) {
    const network_pass *pass = context;
    return gw_plan_backward(pass->plan, &pass->run);
}

gw_status gw_network_forward(gw_network *network, const gw_batch *batch, gw_losses *losses) {
    GW_TRY(gw_network_complete(network, batch));
    GW_TRY(send_batch(network));
    network_pass pass = {&network->plan, gw_network_run(network)};
    GW_TRY(network->plan.kernels->repeat(&network->forward, launch_forward, &pass));
    return losses ? gw_network_losses(network, losses) : GW_OK;
}

gw_status gw_network_losses(const gw_network *network, gw_losses *losses) {
    return gw_plan_read_losses(&network->plan, &network->batch, losses);
}

gw_status gw_network_backward(gw_network *network, const float *scale) {
    network_pass pass = {&network->plan, gw_network_run(network)};
    memcpy(pass.run.scale, scale, sizeof pass.run.scale);
    pass.run.acted = network->acted;
    pass.run.context = network->acted_context;
    if (network->acted) return launch_backward(&pass); // which is told of each action once
    return network->plan.kernels->repeat(&network->backward, launch_backward, &pass);
}

gw_status gw_network_backward_from(gw_network *network, int rows, const float *seed, gw_step_function rule) {
    const gw_run run = gw_network_run(network);
    return gw_plan_backward_from(&network->plan, &run, network->output[rows].tensor, seed, rule);
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

// The cross entropy of a token as the label is -ln of its probability. Batches without training have no labels.
gw_status gw_network_log_probabilities(gw_network *network, const int32_t *token, double *out) {
    const gw_tensor logits = network->output[GW_ROWS_MASKED].tensor;
    const gw_backend *kernels = network->plan.kernels;
    const int64_t count = network->batch.of[GW_ROWS_MASKED].count;
    int32_t *label = network->device[GW_ROWS_MASKED].label;
    GW_TRY(kernels->to_device(label, token, count * (int64_t)sizeof *token));
    GW_TRY(kernels->cross_entropy(&(gw_cross_entropy_args){.rows = count,
                                                           .classes = logits.width,
                                                           .logit = gw_plan_value(&network->plan, logits),
                                                           .logit_stride = logits.width,
                                                           .label = label,
                                                           .loss = network->masked_loss.device}));
    GW_TRY(gw_mirror_to_host(&network->masked_loss, count * (int64_t)sizeof(float)));
    for (int64_t i = 0; i < count; i++) out[i] = -(double)((const float *)network->masked_loss.host)[i];
    return GW_OK;
}

int64_t gw_network_output_width(const gw_network *network, int rows) {
    return network->output[rows].tensor.width;
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

gw_status gw_network_embedded(const gw_network *network, float *out) {
    const gw_tensor tensor = embedded(network);
    const int64_t floats = network->batch.of[GW_ROWS_TOKENS].count * tensor.width;
    return network->plan.kernels->to_host(out, gw_plan_value(&network->plan, tensor), floats * (int64_t)sizeof *out);
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

gw_status gw_network_print_plan(const gw_network *network, gw_string *out) {
    return gw_plan_print(&network->plan, out);
}

gw_status gw_network_work(const gw_network *network, int segment, gw_work_sum *out) {
    return gw_plan_work(&network->plan, segment, out);
}

// What the mixer says of what it read.

void gw_network_restart_metrics(gw_network *network) {
    if (network->mixer->restart) network->mixer->restart(network);
}

double *gw_network_metric_sums(gw_network *network, int64_t *count) {
    *count = 0;
    return network->mixer->sums ? network->mixer->sums(network, count) : NULL;
}

void gw_network_add_metrics(const gw_network *network, json_t *row) {
    if (network->mixer->add_metrics) network->mixer->add_metrics(network, row);
}

void gw_network_note_metrics(const gw_network *network) {
    if (network && network->mixer->note_metrics) network->mixer->note_metrics(network);
}

void gw_network_watch(gw_network *network, int layer, int head) {
    if (network->mixer->watch) network->mixer->watch(network, layer, head);
}

gw_drawn_graph gw_network_drawn(const gw_network *network, int layer, int head) {
    return network->mixer->drawn ? network->mixer->drawn(network, layer, head) : (gw_drawn_graph){.band = -1};
}

void gw_mixer_print_options(const gw_config *config, const gw_mixer_options *options, gw_string *out) {
    const gw_mixer_row *mixer = gw_mixer_of(config->mixer);
    if (mixer->print_options) mixer->print_options(options, out);
}
