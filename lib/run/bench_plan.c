// SPDX-License-Identifier: MIT
// Plans of base-size models and their work. Plans for a GPU need no GPU.
#include "base/memory.h"
#include "kernels/backend.h"
#include "kernels/stored_bf16.h"
#include "model/model_parts.h"
#include "network/network.h"
#include "run/bench.h"

#include <stdlib.h>

// ---- the CUDA plugin's plans

// Packed weights of a plan that never runs hold nothing.
struct gw_packed {
    char unused;
};

static gw_status pack_nothing(const float *weight, int64_t n, int64_t k, gw_precision precision, gw_packed **out) {
    (void)weight, (void)n, (void)k, (void)precision;
    *out = gw_alloc(1, sizeof **out);
    return *out ? GW_OK : GW_ERR_MEMORY;
}

static void free_nothing(gw_packed *packed) {
    free(packed);
}

static int64_t no_bytes(const gw_packed *packed) {
    (void)packed;
    return 0;
}

static int64_t no_scratch(gw_op op, const void *arguments) {
    (void)op, (void)arguments;
    return 0;
}

static bool multiplies_bf16(void) {
    return true;
}

gw_status gw_bench_plan_cuda(void) {
    static gw_backend paper;
    const gw_backend *host = gw_kernels();
    if (!host) return GW_ERR_UNSUPPORTED;
    paper = *host;
    paper.name = "cuda";
    paper.multiplies_bf16 = multiplies_bf16;
    paper.takes_bf16 = gw_cuda_takes_bf16;
    paper.pack = pack_nothing;
    paper.packed_free = free_nothing;
    paper.packed_bytes = no_bytes;
    paper.scratch = no_scratch;
    gw_use_device(&paper);
    return GW_OK;
}

// ---- the plan of a model

enum { MASKED_SHARE = 7, LAYERS = 2, FIRST_LAYER = 1 };

static gw_status write_plan(gw_model *model, const gw_network_options *options, gw_string *steps, gw_work_sum *layer) {
    gw_network *network;
    if (!options->training) GW_TRY(gw_model_freeze(model, options->precision));
    GW_TRY(gw_network_new(model, options, &network));
    gw_status status = gw_network_print_plan(network, steps);
    if (status == GW_OK) status = gw_network_work(network, FIRST_LAYER, layer);
    gw_network_free(network);
    return status;
}

gw_status gw_bench_plan(bool training, gw_precision precision, bool described, gw_string *steps, gw_work_sum *layer) {
    const gw_network_options options = {.tokens = GW_BENCH_PLAN_TOKENS,
                                        .sequences = 1,
                                        .masked = GW_BENCH_PLAN_TOKENS / MASKED_SHARE,
                                        .nsp_head = training,
                                        .training = training,
                                        .precision = precision,
                                        .plain = described};
    gw_config config;
    gw_model *model;
    GW_TRY(gw_config_preset("base", &config));
    config.layers = LAYERS;
    config.vocabulary = GW_BENCH_WORDS;
    gw_status status = gw_model_begin(&config, NULL, &model);
    gw_config_free(&config);
    GW_TRY(status);
    // A plan does not depend on the weights, which stay zero.
    status = gw_parameters_make(&model->config, &model->parameters);
    if (status == GW_OK) status = gw_model_allocate(model);
    if (status == GW_OK) status = write_plan(model, &options, steps, layer);
    gw_model_free(model);
    return status;
}
