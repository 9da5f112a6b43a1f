// SPDX-License-Identifier: MIT
// From a model's parameters to a plan, and from a caller's batch to a run of it.
#include "model/network.h"

#include "base/memory.h"
#include "graph/pattern.h"
#include "nn/encoder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gw_network {
    gw_model *model;
    gw_network_options options;
    gw_architecture architecture;
    gw_graph_cache *graphs;
    gw_block_weights *blocks; // [layers]
    float *gradient;          // the parameters' layout; NULL without training
    gw_plan plan;
    gw_tensor hidden, mask_logits, pair_logits, label_logits;
    gw_loss mask_loss, pair_loss, label_loss;
    // What a run reads and the caller may leave out.
    int32_t *position, *no_segment;                     // [tokens]
    int32_t *first_row, *no_pair_label, *no_mask_label; // [sequences], [sequences], [masked]
    float *no_label;                                    // [sequences][labels] NaN
};

static gw_architecture architecture_of(const gw_config *config) {
    return (gw_architecture){
        .norm = GW_NORM_AFTER,
        .order = GW_DROPOUT_THEN_NORM,
        .activation = GW_ACTIVATION_GELU,
        .width = config->width,
        .inner = config->inner,
        .layers = (int)config->layers,
        .heads = (int)config->heads,
        .block = config->pattern.block,
        .epsilon = config->epsilon,
        .dropout = config->dropout,
        .classifier_dropout = config->classifier_dropout,
    };
}

// The weight or bias of a role, whose values are NULL where the model has none.
static gw_weight weight(const gw_network *network, gw_role role, int layer, bool bias) {
    const gw_parameter *parameter = gw_model_role(network->model, role, layer, bias);
    if (!parameter) return (gw_weight){NULL, NULL};
    return (gw_weight){network->model->parameters.weight + parameter->offset,
                       network->gradient ? network->gradient + parameter->offset : NULL};
}

static gw_linear linear(const gw_network *network, gw_role role, int layer) {
    return (gw_linear){weight(network, role, layer, false), weight(network, role, layer, true)};
}

static gw_norm norm(const gw_network *network, gw_role role, int layer) {
    return (gw_norm){weight(network, role, layer, false), weight(network, role, layer, true)};
}

static gw_block_weights block_weights(const gw_network *network, int layer) {
    return (gw_block_weights){
        .query = linear(network, GW_ROLE_QUERY, layer),
        .key = linear(network, GW_ROLE_KEY, layer),
        .value = linear(network, GW_ROLE_VALUE, layer),
        .attention_output = linear(network, GW_ROLE_ATTENTION_OUTPUT, layer),
        .attention_norm = norm(network, GW_ROLE_ATTENTION_NORM, layer),
        .inner = linear(network, GW_ROLE_INNER, layer),
        .output = linear(network, GW_ROLE_OUTPUT, layer),
        .output_norm = norm(network, GW_ROLE_OUTPUT_NORM, layer),
    };
}

static gw_encoder_weights encoder_weights(const gw_network *network) {
    const gw_config *config = &network->model->config;
    return (gw_encoder_weights){
        .embedding = {.word = weight(network, GW_ROLE_WORD, 0, false),
                      .position = weight(network, GW_ROLE_POSITION, 0, false),
                      .segment = weight(network, GW_ROLE_SEGMENT, 0, false),
                      .words = config->vocabulary,
                      .positions = config->positions,
                      .segments = config->segments},
        .embedding_norm = norm(network, GW_ROLE_EMBEDDING_NORM, 0),
        .blocks = network->blocks,
    };
}

static void describe_pretraining_heads(gw_plan *plan, gw_network *network) {
    if (network->options.masked > 0) {
        const gw_mask_head head = {
            .transform = linear(network, GW_ROLE_MASK_TRANSFORM, 0),
            .norm = norm(network, GW_ROLE_MASK_NORM, 0),
            .decoder = {weight(network, GW_ROLE_WORD, 0, false), weight(network, GW_ROLE_MASK_DECODER, 0, true)},
        };
        network->mask_logits =
            gw_plan_mask_head(plan, &network->architecture, network->hidden, head, network->model->config.vocabulary);
        network->mask_loss = gw_plan_cross_entropy(plan, network->mask_logits);
    }
    if (network->options.pair_head) {
        const gw_pair_head head = {linear(network, GW_ROLE_POOLER, 0), linear(network, GW_ROLE_PAIR, 0)};
        network->pair_logits = gw_plan_pair_head(plan, network->hidden, head);
        network->pair_loss = gw_plan_cross_entropy(plan, network->pair_logits);
    }
}

static void describe_label_head(gw_plan *plan, gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_label_head head = {linear(network, GW_ROLE_HEAD_DENSE, 0), linear(network, GW_ROLE_LOGITS, 0)};
    network->label_logits = gw_plan_label_head(plan, &network->architecture, network->hidden, head, config->labels);
    network->label_loss = gw_plan_bce(plan, network->label_logits, config->positive_weight);
}

static void describe(gw_plan *plan, void *context) {
    gw_network *network = context;
    const gw_network_options *options = &network->options;
    const int64_t labels = network->model->config.labels;
    network->position = gw_plan_take(plan, options->tokens, sizeof(int32_t));
    network->no_segment = gw_plan_take(plan, options->tokens, sizeof(int32_t));
    network->first_row = gw_plan_take(plan, options->sequences, sizeof(int32_t));
    network->no_pair_label = gw_plan_take(plan, options->sequences, sizeof(int32_t));
    network->no_mask_label = gw_plan_take(plan, options->masked, sizeof(int32_t));
    network->no_label = gw_plan_take(plan, options->sequences * labels, sizeof(float));
    const gw_encoder_weights weights = encoder_weights(network);
    network->hidden = gw_plan_encoder(plan, &network->architecture, &weights, network->graphs);
    if (labels > 0) describe_label_head(plan, network);
    else describe_pretraining_heads(plan, network);
    gw_plan_release(plan, network->hidden);
}

static void fill_absent_labels(gw_network *network) {
    const gw_network_options *options = &network->options;
    for (int64_t i = 0; i < options->masked; i++) network->no_mask_label[i] = -1;
    for (int64_t i = 0; i < options->sequences; i++) network->no_pair_label[i] = -1;
    for (int64_t i = 0; i < options->sequences * network->model->config.labels; i++) network->no_label[i] = NAN;
}

static gw_status build(gw_network *network) {
    const gw_config *config = &network->model->config;
    const gw_network_options *options = &network->options;
    GW_TRY(gw_graph_cache_new(&config->pattern, NULL, (int)config->layers, (int)config->heads, config->positions,
                              &network->graphs));
    network->blocks = gw_alloc(config->layers, sizeof *network->blocks);
    if (!network->blocks) return GW_ERR_MEMORY;
    if (options->training) {
        network->gradient = gw_alloc(network->model->parameters.floats, sizeof(float));
        if (!network->gradient) return GW_ERR_MEMORY;
    }
    for (int layer = 0; layer < network->architecture.layers; layer++)
        network->blocks[layer] = block_weights(network, layer);
    network->plan.training = options->training;
    network->plan.most[GW_ROWS_TOKENS] = options->tokens;
    network->plan.most[GW_ROWS_MASKED] = options->masked;
    network->plan.most[GW_ROWS_SEQUENCES] = options->sequences;
    GW_TRY(gw_plan_build(&network->plan, describe, network));
    fill_absent_labels(network);
    return GW_OK;
}

gw_status gw_network_new(gw_model *model, const gw_network_options *options, gw_network **out) {
    *out = NULL;
    if (model->config.labels > 0 && (options->masked > 0 || options->pair_head))
        return gw_fail(GW_ERR_UNSUPPORTED, "a classifier has no pretraining heads");
    gw_network *network = gw_alloc(1, sizeof *network);
    if (!network) return GW_ERR_MEMORY;
    network->model = model;
    network->options = *options;
    network->architecture = architecture_of(&model->config);
    const gw_status status = build(network);
    if (status == GW_OK) *out = network;
    else gw_network_free(network);
    return status;
}

void gw_network_free(gw_network *network) {
    if (!network) return;
    gw_plan_free(&network->plan);
    gw_graph_cache_free(network->graphs);
    free(network->blocks);
    free(network->gradient);
    free(network);
}

int64_t gw_network_bytes(const gw_network *network) {
    const int64_t gradient = network->gradient ? network->model->parameters.floats * (int64_t)sizeof(float) : 0;
    return network->plan.arena.size + gradient;
}

static gw_status out_of_room(const char *what, int64_t found, int64_t most) {
    return gw_fail(GW_ERR_RANGE, "a batch has %lld %s, the network was made for %lld", (long long)found, what,
                   (long long)most);
}

// Tokens that sequences of a batch may have: the model's positions, or what they are padded to.
static gw_status check_length(const gw_network *network, const gw_batch *batch, int64_t length) {
    const int64_t positions = network->model->config.positions;
    if (length < 1 || length > positions)
        return gw_fail(GW_ERR_RANGE, "a sequence of %lld tokens; the model has %lld positions", (long long)length,
                       (long long)positions);
    if (batch->pad_to == 0 || (length <= batch->pad_to && batch->pad_to <= positions)) return GW_OK;
    return gw_fail(GW_ERR_RANGE, "a sequence of %lld tokens cannot be padded to %lld; the model has %lld positions",
                   (long long)length, (long long)batch->pad_to, (long long)positions);
}

static gw_status check_rows(const gw_network *network, const gw_batch *batch) {
    const gw_network_options *options = &network->options;
    const int64_t tokens = batch->start[batch->sequences];
    if (batch->sequences < 1 || batch->sequences > options->sequences)
        return out_of_room("sequences", batch->sequences, options->sequences);
    if (tokens > options->tokens) return out_of_room("tokens", tokens, options->tokens);
    if (batch->masked > options->masked) return out_of_room("masked tokens", batch->masked, options->masked);
    for (int s = 0; s < batch->sequences; s++)
        GW_TRY(check_length(network, batch, batch->start[s + 1] - batch->start[s]));
    return GW_OK;
}

static gw_status check_indices(const gw_network *network, const gw_batch *batch) {
    const gw_config *config = &network->model->config;
    const int64_t tokens = batch->start[batch->sequences];
    for (int64_t i = 0; i < tokens; i++) {
        if (batch->token[i] < 0 || batch->token[i] >= config->vocabulary)
            return gw_fail(GW_ERR_RANGE, "token %d of the batch is outside the model's vocabulary of %lld",
                           batch->token[i], (long long)config->vocabulary);
        if (batch->segment && (batch->segment[i] < 0 || batch->segment[i] >= config->segments))
            return gw_fail(GW_ERR_RANGE, "segment %d of the batch is outside the model's %lld", batch->segment[i],
                           (long long)config->segments);
    }
    for (int64_t i = 0; i < batch->masked; i++) {
        if (batch->masked_row[i] < 0 || batch->masked_row[i] >= tokens)
            return gw_fail(GW_ERR_RANGE, "masked row %d of the batch is outside its %lld tokens", batch->masked_row[i],
                           (long long)tokens);
        if (batch->masked_label && batch->masked_label[i] >= config->vocabulary)
            return gw_fail(GW_ERR_RANGE, "masked label %d of the batch is outside the model's vocabulary of %lld",
                           batch->masked_label[i], (long long)config->vocabulary);
    }
    for (int s = 0; batch->pair_label && s < batch->sequences; s++)
        if (batch->pair_label[s] > 1) return gw_fail(GW_ERR_RANGE, "pair label %d is not 0 or 1", batch->pair_label[s]);
    return GW_OK;
}

static gw_run run_of(const gw_network *network, const gw_batch *batch) {
    return (gw_run){
        .kernels = gw_kernels(),
        .rows = {[GW_ROWS_TOKENS] = batch->start[batch->sequences],
                 [GW_ROWS_MASKED] = batch->masked,
                 [GW_ROWS_SEQUENCES] = batch->sequences},
        .start = batch->start,
        .token = batch->token,
        .position = network->position,
        .segment = batch->segment ? batch->segment : network->no_segment,
        .row = {[GW_ROWS_MASKED] = batch->masked_row, [GW_ROWS_SEQUENCES] = network->first_row},
        .class_label = {[GW_ROWS_MASKED] = batch->masked_label ? batch->masked_label : network->no_mask_label,
                        [GW_ROWS_SEQUENCES] = batch->pair_label ? batch->pair_label : network->no_pair_label},
        .label = batch->label ? batch->label : network->no_label,
        .pad_to = batch->pad_to,
        .seed = network->options.seed,
        .step = batch->step,
        .first_token = batch->first_token,
    };
}

// Sums the losses of the rows that have a label.
static double sum_classes(gw_loss out, const int32_t *label, int64_t rows, int64_t *count, int64_t *right) {
    double sum = 0;
    for (int64_t r = 0; r < rows; r++) {
        if (label[r] < 0) continue;
        sum += (double)out.loss[r];
        *count += 1;
        *right += out.best[r] == label[r];
    }
    return sum;
}

static void sum_losses(const gw_network *network, const gw_run *run, gw_losses *losses) {
    *losses = (gw_losses){0};
    if (network->mask_loss.loss)
        losses->mlm_loss = sum_classes(network->mask_loss, run->class_label[GW_ROWS_MASKED], run->rows[GW_ROWS_MASKED],
                                       &losses->mlm_count, &losses->mlm_right);
    if (network->pair_loss.loss)
        losses->pair_loss = sum_classes(network->pair_loss, run->class_label[GW_ROWS_SEQUENCES],
                                        run->rows[GW_ROWS_SEQUENCES], &losses->pair_count, &losses->pair_right);
    if (!network->label_loss.loss) return;
    const int64_t count = run->rows[GW_ROWS_SEQUENCES] * network->model->config.labels;
    for (int64_t i = 0; i < count; i++) {
        if (isnan(run->label[i])) continue;
        losses->label_loss += (double)network->label_loss.loss[i];
        losses->label_count++;
    }
}

gw_status gw_network_forward(gw_network *network, const gw_batch *batch, gw_losses *losses) {
    GW_TRY(check_rows(network, batch));
    GW_TRY(check_indices(network, batch));
    for (int s = 0; s < batch->sequences; s++) {
        network->first_row[s] = (int32_t)batch->start[s];
        for (int64_t i = batch->start[s]; i < batch->start[s + 1]; i++)
            network->position[i] = (int32_t)(i - batch->start[s]);
    }
    const gw_run run = run_of(network, batch);
    if (!run.kernels) return GW_ERR_UNSUPPORTED;
    GW_TRY(gw_plan_forward(&network->plan, &run));
    if (losses) sum_losses(network, &run, losses);
    return GW_OK;
}

gw_status gw_network_backward(gw_network *network, const gw_batch *batch, float mlm_scale, float pair_scale,
                              float label_scale) {
    gw_run run = run_of(network, batch);
    if (!run.kernels) return GW_ERR_UNSUPPORTED;
    run.class_scale[GW_ROWS_MASKED] = mlm_scale;
    run.class_scale[GW_ROWS_SEQUENCES] = pair_scale;
    run.label_scale = label_scale;
    return gw_plan_backward(&network->plan, &run);
}

float *gw_network_gradient(gw_network *network) {
    return network->gradient;
}

const float *gw_network_hidden(const gw_network *network) {
    return network->hidden.value;
}

const float *gw_network_mlm_logits(const gw_network *network) {
    return network->mask_logits.value;
}

const float *gw_network_pair_logits(const gw_network *network) {
    return network->pair_logits.value;
}

const float *gw_network_label_logits(const gw_network *network) {
    return network->label_logits.value;
}
