// SPDX-License-Identifier: MIT
// Models in memory.
#include "model/model.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "model/head.h"
#include "model/listing.h"
#include "model/model_parts.h"
#include "model/task.h"

#include <stdlib.h>
#include <string.h>

const char gw_model_genomes_file[] = "training.chrom.sizes";

enum { INIT_CHUNK = 1 << 16 };

typedef struct {
    float *weight;
    int64_t count;
    double deviation;
    uint64_t seed;
    int tensor;
} init_job;

// Chunk c of a tensor draws from its own stream, so that any thread may fill it.
static void init_chunks(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    const init_job *job = context;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        const int64_t first = chunk * INIT_CHUNK;
        const int64_t last = first + INIT_CHUNK < job->count ? first + INIT_CHUNK : job->count;
        gw_random random = gw_random_at(job->seed, GW_SITE_INIT, (uint64_t)job->tensor | (uint64_t)chunk << 16, 0);
        for (int64_t i = first; i < last; i++) job->weight[i] = (float)job->deviation * gw_random_normal(&random);
    }
}

static void init_parameter(gw_model *model, int tensor, uint64_t seed) {
    const gw_parameter *p = &model->parameters.list[tensor];
    float *weight = model->parameters.weight + p->offset;
    if (p->beginning != GW_BEGINS_DRAWN) {
        gw_parameter_begin(p, weight);
        return;
    }
    init_job job = {weight, p->count, p->begins_at, seed, tensor};
    gw_parallel_for((p->count + INIT_CHUNK - 1) / INIT_CHUNK, 1, init_chunks, &job);
}

static void take_special(int64_t *id, const gw_tokenizer *tokenizer, gw_special use) {
    if (*id == GW_CONFIG_OPEN) *id = tokenizer ? gw_tokenizer_special(tokenizer, use) : -1;
}

// What the config leaves to the tokenizer, which may be NULL.
static void take_tokenizer(gw_config *config, const gw_tokenizer *tokenizer) {
    take_special(&config->pad, tokenizer, GW_SPECIAL_PAD);
    take_special(&config->separator, tokenizer, GW_SPECIAL_SEP);
    take_special(&config->begin, tokenizer, GW_SPECIAL_CLS);
    take_special(&config->decoder_start, tokenizer, GW_SPECIAL_CLS);
    take_special(&config->end, tokenizer, GW_SPECIAL_SEP);
    if (config->pad < 0) config->pad = 0;
    if (!tokenizer) return;
    if (config->vocabulary == 0) config->vocabulary = gw_tokenizer_size(tokenizer);
    if (config->mean_bases == 0) config->mean_bases = gw_tokenizer_mean_bases(tokenizer);
}

gw_status gw_model_begin(const gw_config *config, gw_tokenizer *tokenizer, gw_model **out) {
    *out = NULL;
    gw_model *model = gw_alloc(1, sizeof *model);
    if (!model) {
        gw_tokenizer_free(tokenizer);
        return GW_ERR_MEMORY;
    }
    model->tokenizer = tokenizer;
    gw_status status = gw_config_copy(config, &model->config);
    if (status != GW_OK) model->config = (gw_config){0};
    const int64_t tokens = tokenizer ? gw_tokenizer_size(tokenizer) : 0;
    if (model->config.labels > 0 && model->config.task != GW_TASK_PRETRAIN)
        model->config.head = gw_task_of(model->config.task)->head;
    take_tokenizer(&model->config, tokenizer);
    if (status == GW_OK && tokens > model->config.vocabulary)
        status = gw_fail(GW_ERR_MISMATCH, "the tokenizer has %lld tokens, the model's vocab_size is %lld",
                         (long long)tokens, (long long)model->config.vocabulary);
    if (status == GW_OK && (model->config.decoder_start < 0 || model->config.end < 0))
        status =
            gw_fail(GW_ERR_UNSUPPORTED, "the tokenizer has no tokens that begin and end a text, [CLS] and [SEP] or "
                                        "others for their use: a decoder cannot be made for it");
    if (status == GW_OK) *out = model;
    else gw_model_free(model);
    return status;
}

gw_status gw_model_allocate(gw_model *model) {
    model->parameters.weight = gw_alloc(model->parameters.floats, sizeof(float));
    return model->parameters.weight ? GW_OK : GW_ERR_MEMORY;
}

// Fresh weights of all tensors.
static gw_status fill(gw_model *model, uint64_t seed) {
    model->config.head_open = false;
    GW_TRY(gw_parameters_make(&model->config, &model->parameters));
    GW_TRY(gw_model_allocate(model));
    for (int i = 0; i < model->parameters.count; i++) init_parameter(model, i, seed);
    return GW_OK;
}

gw_status gw_model_fresh(const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed, gw_model **out) {
    GW_TRY(gw_model_begin(config, tokenizer, out));
    const gw_status status = fill(*out, seed);
    if (status == GW_OK) return GW_OK;
    gw_model_free(*out);
    *out = NULL;
    return status;
}

gw_status gw_model_new(const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed, gw_model **out) {
    if (!gw_config_has_layout(config)) return gw_model_fresh(config, tokenizer, seed, out);
    *out = NULL;
    gw_tokenizer_free(tokenizer);
    return gw_fail(GW_ERR_UNSUPPORTED, "a model whose sparse attention has a layout of its own cannot be made afresh, "
                                       "only read");
}

void gw_model_free(gw_model *model) {
    if (!model) return;
    gw_config_free(&model->config);
    gw_tokenizer_free(model->tokenizer);
    for (int i = 0; model->packed && i < model->parameters.count; i++)
        model->parameters.mirror.kernels->packed_free(model->packed[i]);
    free(model->packed);
    gw_parameters_free(&model->parameters);
    gw_layout_free(model->layout);
    for (int64_t i = 0; model->members && i < model->config.members; i++) gw_model_free(model->members[i]);
    free(model->members);
    free(model);
}

const gw_parameter *gw_model_parameter(const gw_model *model, const char *name) {
    return gw_parameters_find(&model->parameters, name);
}

const gw_parameter *gw_model_role(const gw_model *model, gw_role role, int layer, bool bias) {
    return gw_parameters_role(&model->parameters, role, layer, bias);
}

const gw_parameter *gw_model_source(const gw_model *model, const gw_parameter *parameter) {
    const gw_parameter *same = gw_model_role(model, parameter->role, parameter->layer, parameter->bias);
    return same ? same : gw_model_role(model, gw_role_of_tokens(parameter->role), parameter->layer, parameter->bias);
}

char *gw_model_attention(const gw_model *model) {
    const gw_pattern *pattern = &model->config.pattern;
    if (model->layout && !pattern->full) return gw_strprintf("layout+block:%d", pattern->block);
    return gw_config_provenance(&model->config);
}

// Mean bases of a token over random ones, for tokenizers of others, which do not say; genomes have somewhat more.
static double sampled_bases(const gw_tokenizer *tokenizer) {
    enum { SAMPLE = 1 << 14 };
    char *bases = gw_alloc(SAMPLE, 1);
    gw_encoder *encoder = NULL;
    const int32_t *tokens;
    int64_t count = 0;
    gw_random random = gw_random_at(0, GW_SITE_TEXT, 0, 0);
    for (int i = 0; bases && i < SAMPLE; i++) bases[i] = "ACGT"[gw_random_below(&random, 4)];
    if (bases && tokenizer && gw_encoder_new(tokenizer, &encoder) == GW_OK &&
        gw_encode(encoder, bases, SAMPLE, &tokens, &count) != GW_OK)
        count = 0;
    gw_encoder_free(encoder);
    free(bases);
    return count > 0 ? (double)SAMPLE / (double)count : 1;
}

int64_t gw_model_longest_window(const gw_model *model) {
    const double known = model->config.mean_bases, bases = known > 0 ? known : sampled_bases(model->tokenizer);
    gw_frame frame = {.begins = 1, .ends = 1};
    if (model->tokenizer && gw_tokenizer_frame(model->tokenizer, &frame) != GW_OK) frame = (gw_frame){0};
    return (int64_t)((double)(gw_config_longest(&model->config) - gw_frame_tokens(&frame)) * bases);
}
