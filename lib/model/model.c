// SPDX-License-Identifier: MIT
// Models in memory: made fresh, joined as members, made from other models, and packed for products.
#include "model/model.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "model/head.h"
#include "model/model_parts.h"
#include "model/parameters.h"
#include "model/task.h"

#include <stdio.h>
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

gw_status gw_model_begin(const gw_config *config, gw_tokenizer *tokenizer, gw_model **out) {
    *out = NULL;
    gw_model *model = gw_alloc(1, sizeof *model);
    if (!model) {
        gw_tokenizer_free(tokenizer);
        return GW_ERR_MEMORY;
    }
    model->tokenizer = tokenizer;
    gw_config *own = &model->config;
    gw_status status = gw_config_copy(config, own);
    if (status != GW_OK) *own = (gw_config){0};
    if (own->labels > 0 && own->task != GW_TASK_PRETRAIN) own->head = gw_task_of(own->task)->head;
    // what the config leaves to the tokenizer
    take_special(&own->pad, tokenizer, GW_SPECIAL_PAD);
    take_special(&own->separator, tokenizer, GW_SPECIAL_SEP);
    take_special(&own->begin, tokenizer, GW_SPECIAL_CLS);
    take_special(&own->decoder_start, tokenizer, GW_SPECIAL_CLS);
    take_special(&own->end, tokenizer, GW_SPECIAL_SEP);
    if (own->pad < 0) own->pad = 0;
    const int64_t tokens = tokenizer ? gw_tokenizer_size(tokenizer) : 0;
    if (tokenizer && own->vocabulary == 0) own->vocabulary = tokens;
    if (tokenizer && own->mean_bases == 0) own->mean_bases = gw_tokenizer_mean_bases(tokenizer);
    if (status == GW_OK && tokens > own->vocabulary)
        status = gw_fail(GW_ERR_MISMATCH, "the tokenizer has %lld tokens, the model's vocab_size is %lld",
                         (long long)tokens, (long long)own->vocabulary);
    if (status == GW_OK && (own->decoder_start < 0 || own->end < 0))
        status = gw_fail(
            GW_ERR_UNSUPPORTED,
            "the tokenizer has no tokens that begin and end a text ([CLS] and [SEP], or equivalent ones): a decoder "
            "needs them");
    if (status == GW_OK) *out = model;
    else gw_model_free(model);
    return status;
}

gw_status gw_model_allocate(gw_model *model) {
    model->parameters.weight = gw_alloc(model->parameters.floats, sizeof(float));
    return model->parameters.weight ? GW_OK : GW_ERR_MEMORY;
}

// As gw_model_new(), but without the layout that the config may ask for.
static gw_status make_fresh(const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed, gw_model **out) {
    gw_model *model;
    GW_TRY(gw_model_begin(config, tokenizer, &model));
    model->config.head_open = false;
    gw_status status = gw_parameters_make(&model->config, &model->parameters);
    if (status == GW_OK) status = gw_model_allocate(model);
    for (int i = 0; status == GW_OK && i < model->parameters.count; i++) init_parameter(model, i, seed);
    if (status != GW_OK) gw_model_free(model);
    *out = status == GW_OK ? model : NULL;
    return status;
}

gw_status gw_model_new(const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed, gw_model **out) {
    if (!gw_config_has_layout(config)) return make_fresh(config, tokenizer, seed, out);
    *out = NULL;
    gw_tokenizer_free(tokenizer);
    return gw_fail(
        GW_ERR_UNSUPPORTED,
        "a model whose checkpoint stores the layout of its sparse attention cannot be made with fresh weights");
}

gw_status gw_layout_make(const gw_layout *sizes, gw_layout **out) {
    gw_layout *made = gw_alloc(1, sizeof *made);
    *out = made;
    if (!made) return GW_ERR_MEMORY;
    *made = *sizes;
    made->cell = gw_alloc((int64_t)made->layers * made->heads * made->blocks * made->blocks, 1);
    return made->cell ? GW_OK : GW_ERR_MEMORY;
}

void gw_model_free(gw_model *model) {
    if (!model) return;
    gw_config_free(&model->config);
    gw_tokenizer_free(model->tokenizer);
    for (int i = 0; model->packed && i < model->parameters.count; i++)
        model->parameters.mirror.kernels->packed_free(model->packed[i]);
    free(model->packed);
    gw_parameters_free(&model->parameters);
    if (model->layout) free(model->layout->cell);
    free(model->layout);
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

void gw_member_name(int member, const char *name, char out[GW_PARAMETER_NAME]) {
    snprintf(out, GW_PARAMETER_NAME, "members.%d.%s", member, name);
}

static gw_status check_same(gw_model *const *members, int count) {
    for (int i = 1; i < count; i++) {
        const gw_config *a = &members[0]->config, *b = &members[i]->config;
        if (a->family != b->family || !gw_config_same_classifier(a, b) || strcmp(a->stem.text, b->stem.text) != 0)
            return gw_fail(GW_ERR_MISMATCH, "member %d differs from the first network: stem '%s', expected '%s'", i + 1,
                           b->stem.text, a->stem.text);
    }
    return GW_OK;
}

gw_status gw_model_join(gw_model **members, int count, gw_model **out) {
    gw_tokenizer *tokenizer = NULL;
    *out = count == 1 ? members[0] : NULL;
    if (count == 1) return GW_OK;
    gw_status status = check_same(members, count);
    if (status == GW_OK && members[0]->tokenizer) status = gw_tokenizer_copy(members[0]->tokenizer, &tokenizer);
    if (status == GW_OK) status = gw_model_begin(&members[0]->config, tokenizer, out);
    if (status == GW_OK) {
        (*out)->members = gw_alloc(count, sizeof(gw_model *));
        if (!(*out)->members) status = GW_ERR_MEMORY;
    }
    if (status != GW_OK) {
        for (int i = 0; i < count; i++) gw_model_free(members[i]);
        gw_model_free(*out);
        *out = NULL;
        return status;
    }
    memcpy((*out)->members, members, (size_t)count * sizeof *members);
    (*out)->config.members = count;
    return GW_OK;
}

gw_model *gw_model_member(gw_model *model, int member) {
    return model->members ? model->members[member] : model;
}

int gw_model_member_count(const gw_model *model) {
    return model->members ? (int)model->config.members : 1;
}

// Models that begin as other models: tensors find each other by their roles.

static gw_status check_alone(const gw_model *model) {
    if (!model->members) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "the model is %lld networks: only a single network can be trained further",
                   (long long)model->config.members);
}

static gw_status copy_layout(const gw_model *from, gw_model *to) {
    const gw_layout *of = from->layout;
    if (!of || !gw_config_has_layout(&to->config)) return GW_OK;
    GW_TRY(gw_layout_make(of, &to->layout));
    memcpy(to->layout->cell, of->cell, (size_t)of->layers * (size_t)(of->heads * of->blocks * of->blocks));
    return GW_OK;
}

// The encoder's tensors, what all heads have, and the head's where it tells the same labels. A pooler that the model
// does not have stays fresh, and so does what is a mixer's own.
static gw_status copy_encoder(const gw_model *from, gw_model *to) {
    const bool head = gw_config_same_classifier(&from->config, &to->config);
    const bool masked = gw_head_of(to->config.head)->masked;
    for (int i = 0; i < to->parameters.count; i++) {
        const gw_parameter *target = &to->parameters.list[i];
        const gw_parameter *source = gw_model_source(from, target);
        // a layer before the logits that other heads than that of masked tokens have where all of the family's have it
        const bool of_every = !masked && (target->role == GW_ROLE_MASK_TRANSFORM || target->role == GW_ROLE_MASK_NORM);
        const bool may_be_fresh = target->role == GW_ROLE_POOLER || gw_role_is_of_mixer(target->role) || of_every;
        if (!head && !of_every && !target->of_encoder) continue;
        if (!source && may_be_fresh) continue;
        if (!source || source->count != target->count || source->shape[0] != target->shape[0])
            return gw_fail(GW_ERR_MISMATCH, "the classifier's config asks for another tensor %s than the model has",
                           target->name);
        memcpy(to->parameters.weight + target->offset, from->parameters.weight + source->offset,
               (size_t)target->count * sizeof(float));
    }
    return copy_layout(from, to);
}

gw_status gw_model_with_classifier(const gw_model *model, const gw_config *config, uint64_t seed, gw_model **out) {
    *out = NULL;
    if (gw_head_of(config->head)->labels && config->labels < 1)
        return gw_fail(GW_ERR_RANGE, "a classifier needs at least one label");
    GW_TRY(check_alone(model));
    gw_tokenizer *tokenizer = NULL;
    gw_model *made;
    if (model->tokenizer) GW_TRY(gw_tokenizer_copy(model->tokenizer, &tokenizer));
    GW_TRY(make_fresh(config, tokenizer, seed, &made));
    const gw_status status = copy_encoder(model, made);
    if (status == GW_OK) *out = made;
    else gw_model_free(made);
    return status;
}

gw_status gw_model_continue(const gw_model *model, const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed,
                            gw_string *fresh, gw_model **out) {
    *out = NULL;
    gw_model *made;
    GW_TRY(make_fresh(config, tokenizer, seed, &made));
    for (int i = 0; i < made->parameters.count; i++) {
        const gw_parameter *target = &made->parameters.list[i], *source = gw_model_source(model, target);
        if (source && source->count <= target->count) // of a larger vocabulary the first rows
            memcpy(made->parameters.weight + target->offset, model->parameters.weight + source->offset,
                   (size_t)source->count * sizeof(float));
        else gw_string_printf(fresh, "%s%s", fresh->length > 0 ? ", " : "", target->name);
    }
    gw_status status = check_alone(model);
    if (status == GW_OK) status = copy_layout(model, made);
    if (status == GW_OK) status = gw_string_status(fresh);
    if (status == GW_OK) *out = made;
    else gw_model_free(made);
    return status;
}

gw_status gw_model_freeze(gw_model *model, gw_precision precision) {
    model->precision = precision;
    for (int64_t i = 0; model->members && i < model->config.members; i++)
        GW_TRY(gw_model_freeze(model->members[i], precision));
    if (model->members) return GW_OK;
    GW_TRY(gw_parameters_on_device(&model->parameters));
    const gw_mirror *mirror = &model->parameters.mirror;
    model->packed = gw_alloc(model->parameters.count, sizeof(gw_packed *));
    if (!model->packed) return GW_ERR_MEMORY;
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *parameter = &model->parameters.list[i];
        if (!parameter->multiplied) continue;
        const float *weight = (const float *)mirror->device + parameter->offset;
        GW_TRY(mirror->kernels->pack(weight, parameter->shape[0], parameter->shape[1], precision, &model->packed[i]));
    }
    return GW_OK;
}
