// SPDX-License-Identifier: MIT
// For parity_oracle.py: what a network computes for one batch.   parity_dump FOLDER REQUEST OUT
//
// REQUEST is text, one field a line: its name, the number of values, the values.
//   mode NAME  layers N  pad_to N  bf16 1 (multiplies in bf16)
//   scale MLM PAIR LABEL     training mode, and gradients of that sum of losses
//   start token segment masked_row masked_label nsp_label label class_label span_label choices     of gw_batch
// OUT gets float32 arrays end to end; a line on standard output says each one's name and number of values. Gradients
// have the names of stored tensors; those of which a file holds several in one follow each other under its name.
#include "base/memory.h"
#include "base/output.h"
#include "network/network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char name[32];
    int64_t count;
    double *value;
} field;

enum { MOST_FIELDS = 16 };
typedef struct {
    field list[MOST_FIELDS];
    int count;
    char mode[32];
} request;

static gw_status read_field(FILE *in, request *r, const char *name, long long count) {
    if (r->count == MOST_FIELDS) return gw_fail(GW_ERR_FORMAT, "more than %d fields", MOST_FIELDS);
    field *f = &r->list[r->count++];
    snprintf(f->name, sizeof f->name, "%s", name);
    f->count = count;
    f->value = gw_alloc(count, sizeof *f->value);
    if (!f->value) return GW_ERR_MEMORY;
    for (long long i = 0; i < count; i++)
        if (fscanf(in, "%lf", &f->value[i]) != 1) return gw_fail(GW_ERR_FORMAT, "%s lacks values", name);
    return GW_OK;
}

static gw_status read_request(const char *path, request *r) {
    FILE *in = fopen(path, "r");
    if (!in) return gw_fail(GW_ERR_IO, "cannot open %s", path);
    gw_status status = GW_OK;
    char name[32];
    long long count;
    while (status == GW_OK && fscanf(in, "%31s %lld", name, &count) == 2) {
        if (strcmp(name, "mode") != 0) status = read_field(in, r, name, count);
        else if (fscanf(in, "%31s", r->mode) != 1) status = gw_fail(GW_ERR_FORMAT, "mode has no name");
    }
    fclose(in);
    return status;
}

static const field *find(const request *r, const char *name) {
    static const field none = {0};
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->list[i].name, name) == 0) return &r->list[i];
    return &none;
}

static int64_t number(const request *r, const char *name) {
    const field *f = find(r, name);
    return f->count > 0 ? (int64_t)f->value[0] : 0;
}

// Values as the batch has them; NULL where the request has none. The program ends before they need to be freed.
static int32_t *integers(const request *r, const char *name) {
    const field *f = find(r, name);
    int32_t *list = f->count > 0 ? gw_alloc(f->count, sizeof *list) : NULL;
    for (int64_t i = 0; list && i < f->count; i++) list[i] = (int32_t)f->value[i];
    return list;
}

static float *reals(const request *r, const char *name) {
    const field *f = find(r, name);
    float *list = f->count > 0 ? gw_alloc(f->count, sizeof *list) : NULL;
    for (int64_t i = 0; list && i < f->count; i++) list[i] = (float)f->value[i];
    return list;
}

static gw_status put(gw_output *out, const char *name, const float *values, int64_t count) {
    printf("%s %lld\n", name, (long long)count);
    return gw_output_write(out, values, count * (int64_t)sizeof *values);
}

// Which of the request's factors, and of the losses that are put, a row set has: masked tokens, sentence pairs, labels.
static int place_of(int rows, const gw_config *config) {
    if (rows == GW_ROWS_OWN && config->head != GW_HEAD_MULTIPLE_CHOICE) return 0;
    return rows == GW_ROWS_FIRST && config->head == GW_HEAD_PRETRAINING ? 1 : 2;
}

static gw_status put_losses(gw_output *out, const gw_losses *losses, const gw_config *config) {
    float values[3] = {0};
    for (int rows = 0; rows < GW_BATCH_ROWS; rows++) values[place_of(rows, config)] += (float)losses->of[rows].loss;
    return put(out, "losses", values, 3);
}

static gw_status backward(gw_network *network, const double *scale, const gw_config *config) {
    float of[GW_BATCH_ROWS];
    for (int rows = 0; rows < GW_BATCH_ROWS; rows++) of[rows] = (float)scale[place_of(rows, config)];
    return gw_network_backward(network, of);
}

// In the order of a file. The program ends before what is turned needs to be freed.
static gw_status put_gradient(gw_output *out, const char *name, const gw_parameter *p, const float *gradient) {
    if (p->absent) return GW_OK;
    if (!p->taps_last) return put(out, name, gradient, p->count);
    float *turned = gw_alloc(p->count, sizeof *turned);
    if (!turned) return GW_ERR_MEMORY;
    gw_parameter_to_file(p, gradient, turned);
    return put(out, name, turned, p->count);
}

static gw_status put_gradients(gw_output *out, const gw_model *model, gw_network *network) {
    for (int i = 0; i < model->parameters.count; i++) {
        const gw_parameter *p = &model->parameters.list[i];
        GW_TRY(put_gradient(out, p->stored, p, gw_network_gradient(network) + p->offset));
    }
    return GW_OK;
}

static gw_status put_outputs(gw_output *out, const gw_config *config, const gw_network_options *options,
                             gw_network *network, const gw_batch *batch) {
    const gw_rows *stream = &batch->of[GW_ROWS_TOKENS];
    const int64_t sequences = stream->sequences, tokens = stream->start[sequences];
    GW_TRY(put(out, "hidden", gw_network_hidden(network), tokens * config->width));
    if (options->layers != 0) return GW_OK;
    if (options->masked > 0)
        GW_TRY(put(out, "mlm", gw_network_output(network, GW_ROWS_MASKED),
                   batch->of[GW_ROWS_MASKED].count * config->vocabulary));
    if (options->nsp_head) GW_TRY(put(out, "pair", gw_network_output(network, GW_ROWS_FIRST), sequences * 2));
    switch (config->head) {
    case GW_HEAD_NONE: {
        const float *pooled = gw_network_output(network, GW_ROWS_FIRST);
        return pooled ? put(out, "pooled", pooled, sequences * config->width) : GW_OK;
    }
    case GW_HEAD_SEQUENCE:
        return put(out, "label", gw_network_output(network, GW_ROWS_FIRST), sequences * config->labels);
    case GW_HEAD_TOKEN: return put(out, "token", gw_network_output(network, GW_ROWS_TOKENS), tokens * config->labels);
    case GW_HEAD_SPAN: return put(out, "token", gw_network_output(network, GW_ROWS_TOKENS), tokens * 2);
    case GW_HEAD_MULTIPLE_CHOICE: return put(out, "choice", gw_network_output(network, GW_ROWS_FIRST), sequences);
    default: return GW_OK;
    }
}

static gw_status run(gw_model *model, const request *r, gw_output *out) {
    const field *start_of = find(r, "start"), *scale = find(r, "scale");
    int64_t *start = gw_alloc(start_of->count, sizeof *start);
    for (int64_t i = 0; start && i < start_of->count; i++) start[i] = (int64_t)start_of->value[i];
    if (!start || start_of->count < 2) return gw_fail(GW_ERR_FORMAT, "no sequence is given");
    gw_batch batch = {0};
    gw_rows *tokens = &batch.of[GW_ROWS_TOKENS], *masked = &batch.of[GW_ROWS_MASKED], *first = &batch.of[GW_ROWS_FIRST];
    *tokens = (gw_rows){.sequences = start_of->count - 1,
                        .start = start,
                        .token = integers(r, "token"),
                        .segment = integers(r, "segment"),
                        .pad_to = number(r, "pad_to")};
    *masked = (gw_rows){
        .count = find(r, "masked_row")->count, .row = integers(r, "masked_row"), .label = integers(r, "masked_label")};
    *first = (gw_rows){.label = integers(r, "nsp_label"), .number = reals(r, "label")};
    if (model->config.head == GW_HEAD_SEQUENCE) first->label = integers(r, "class_label");
    if (model->config.head == GW_HEAD_SPAN) first->label = integers(r, "span_label");
    if (model->config.head == GW_HEAD_TOKEN) tokens->label = integers(r, "class_label");
    if (number(r, "choices") > 0)
        batch.of[GW_ROWS_QUESTIONS] =
            (gw_rows){.count = tokens->sequences / number(r, "choices"), .label = integers(r, "class_label")};
    const int layers = (int)number(r, "layers");
    const gw_network_options options = {.tokens = start[tokens->sequences],
                                        .sequences = tokens->sequences,
                                        .masked = find(r, "masked_row")->count,
                                        .nsp_head = layers == 0 && model->config.head == GW_HEAD_PRETRAINING,
                                        .layers = layers,
                                        .training = scale->count == 3};
    gw_network *network;
    gw_losses losses;
    GW_TRY(gw_network_new(model, &options, &network));
    gw_status status = gw_network_forward(network, &batch, &losses);
    if (status == GW_OK) status = put_outputs(out, &model->config, &options, network, &batch);
    if (status == GW_OK) status = put_losses(out, &losses, &model->config);
    if (status == GW_OK && options.training) {
        status = backward(network, scale->value, &model->config);
        if (status == GW_OK) status = put_gradients(out, model, network);
    }
    gw_network_free(network);
    free(start);
    return status;
}

int main(int argc, char **argv) {
    gw_model *model = NULL;
    gw_output out = {0};
    request r = {0};
    gw_status status = argc == 4 ? read_request(argv[2], &r) : gw_fail(GW_ERR_RANGE, "FOLDER REQUEST OUT");
    if (status == GW_OK) status = gw_model_load(argv[1], &model);
    if (status == GW_OK && r.mode[0]) status = gw_pattern_use_mode(&model->config.pattern, r.mode);
    if (status == GW_OK && number(&r, "bf16") > 0) status = gw_model_freeze(model, GW_BF16);
    if (status == GW_OK) status = gw_output_open(&out, argv[3]);
    if (status == GW_OK) status = run(model, &r, &out);
    if (status == GW_OK) status = gw_output_close(&out);
    else fprintf(stderr, "parity_dump: %s\n", gw_message());
    gw_output_abandon(&out);
    gw_model_free(model);
    return status == GW_OK ? 0 : 1;
}
