// SPDX-License-Identifier: MIT
// Names of the state dict: initial_conv, initial_skip.conv, residual_units.I with batchnorm1, conv1, batchnorm2, conv2,
// every fifth of which is a skip (residual_units.I.conv), final_conv. Convolutions are [out][in][taps] there.
#include "model/from_openspliceai.h"

#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "model/config_names.h"
#include "model/members.h"
#include "model/model_parts.h"
#include "model/names.h"
#include "model/task.h"
#include "store/checkpoint.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 32, LETTERS = 4, CLASSES = 3, STAGES = 4, STAGE_UNITS = 4, LONGEST = 1 << 20 };
static const double epsilon = 1e-5; // torch's of batch norms

// Taps and dilation of the units of a stage; the flanks of a window are 40, 200, 1,000 and 5,000 bases then.
static const struct { int taps, dilation; } stages[STAGES] = {{11, 1}, {11, 4}, {21, 10}, {41, 25}};

typedef struct {
    const char *path;
    gw_checkpoint *stored;
    gw_model *model;
    float *values; // of the tensor that was read last
    int64_t capacity;
    int taken; // tensors
} source;

// The values of a tensor, which has that shape; 0 dimensions behind the last.
static gw_status read(source *s, const char *name, const int64_t shape[3]) {
    const gw_stored_tensor *tensor = gw_checkpoint_find(s->stored, name);
    if (!tensor) return gw_fail(GW_ERR_FORMAT, "%s: no tensor %s: not a state dict of OpenSpliceAI", s->path, name);
    int64_t found[3] = {0};
    for (int i = 0; i < tensor->dimensions && i < 3; i++) found[i] = tensor->shape[i];
    if (tensor->dimensions > 3 || memcmp(found, shape, sizeof found) != 0)
        return gw_fail(GW_ERR_FORMAT, "%s: %s has %d dimensions %lld, %lld, %lld, expected %lld, %lld, %lld", s->path,
                       name, tensor->dimensions, (long long)found[0], (long long)found[1], (long long)found[2],
                       (long long)shape[0], (long long)shape[1], (long long)shape[2]);
    s->taken++;
    GW_TRY(gw_reserve(&s->values, &s->capacity, tensor->count, sizeof *s->values));
    return gw_checkpoint_read(s->stored, tensor, s->values);
}

static float *place(const source *s, gw_role role, int part, bool bias) {
    const gw_parameter *parameter = gw_model_role(s->model, role, part, bias);
    return s->model->parameters.weight + parameter->offset;
}

static gw_status take_vector(source *s, const char *name, int64_t count, float *to) {
    GW_TRY(read(s, name, (const int64_t[3]){count}));
    memcpy(to, s->values, (size_t)count * sizeof *to);
    return GW_OK;
}

// [out][in][taps] -> [taps][out][in]
static gw_status take_convolution(source *s, const char *name, int64_t out, int64_t in, int64_t taps, float *weight,
                                  float *bias) {
    char full[64];
    snprintf(full, sizeof full, "%s.weight", name);
    GW_TRY(read(s, full, (const int64_t[3]){out, in, taps}));
    for (int64_t o = 0; o < out; o++)
        for (int64_t i = 0; i < in; i++)
            for (int64_t t = 0; t < taps; t++) weight[(t * out + o) * in + i] = s->values[(o * in + i) * taps + t];
    snprintf(full, sizeof full, "%s.bias", name);
    return take_vector(s, full, out, bias);
}

static gw_status take_norm(source *s, const char *name, float *weight, float *bias) {
    float gamma[WIDTH], beta[WIDTH], mean[WIDTH], variance[WIDTH];
    const struct {
        const char *name;
        float *to;
    } fields[] = {{"weight", gamma}, {"bias", beta}, {"running_mean", mean}, {"running_var", variance}};
    char full[64];
    for (int f = 0; f < 4; f++) {
        snprintf(full, sizeof full, "%s.%s", name, fields[f].name);
        GW_TRY(take_vector(s, full, WIDTH, fields[f].to));
    }
    snprintf(full, sizeof full, "%s.num_batches_tracked", name);
    s->taken += gw_checkpoint_find(s->stored, full) != NULL; // counts what was seen, for nothing
    for (int c = 0; c < WIDTH; c++) {
        const double a = (double)gamma[c] / sqrt((double)variance[c] + epsilon);
        weight[c] = (float)a;
        bias[c] = (float)((double)beta[c] - (double)mean[c] * a);
    }
    return GW_OK;
}

// One-hot letters times a convolution of one tap are rows of a table, to which the bias is added; N has the bias alone.
static gw_status take_letters(source *s) {
    static const char letters[] = "ACGT";
    float weight[WIDTH * LETTERS], bias[WIDTH];
    GW_TRY(take_convolution(s, "initial_conv", WIDTH, LETTERS, 1, weight, bias));
    const gw_tokenizer *tokenizer = s->model->tokenizer;
    float *table = place(s, GW_ROLE_TOKEN_EMBEDDING, 0, false);
    for (int32_t token = 0; token < gw_tokenizer_size(tokenizer); token++) {
        const char *text = gw_tokenizer_text(tokenizer, token),
                   *letter = strlen(text) == 1 ? strchr(letters, *text) : NULL;
        for (int c = 0; c < WIDTH; c++)
            table[token * WIDTH + c] = bias[c] + (letter ? weight[c * LETTERS + (letter - letters)] : 0);
    }
    return GW_OK;
}

static gw_status take_unit(source *s, int unit, int part, int taps) {
    char name[64];
    snprintf(name, sizeof name, "residual_units.%d.batchnorm1", unit);
    GW_TRY(take_norm(s, name, place(s, GW_ROLE_STEM_NORM, part, false), place(s, GW_ROLE_STEM_NORM, part, true)));
    snprintf(name, sizeof name, "residual_units.%d.conv1", unit);
    GW_TRY(take_convolution(s, name, WIDTH, WIDTH, taps, place(s, GW_ROLE_STEM_CONVOLUTION, part, false),
                            place(s, GW_ROLE_STEM_CONVOLUTION, part, true)));
    snprintf(name, sizeof name, "residual_units.%d.batchnorm2", unit);
    GW_TRY(take_norm(s, name, place(s, GW_ROLE_STEM_OUTPUT_NORM, part, false),
                     place(s, GW_ROLE_STEM_OUTPUT_NORM, part, true)));
    snprintf(name, sizeof name, "residual_units.%d.conv2", unit);
    return take_convolution(s, name, WIDTH, WIDTH, taps, place(s, GW_ROLE_STEM_SECOND, part, false),
                            place(s, GW_ROLE_STEM_SECOND, part, true));
}

static gw_status take_skip(source *s, const char *name, int part) {
    return take_convolution(s, name, WIDTH, WIDTH, 1, place(s, GW_ROLE_STEM_OUTPUT, part, false),
                            place(s, GW_ROLE_STEM_OUTPUT, part, true));
}

static gw_status take_all(source *s) {
    const gw_stem *stem = &s->model->config.stem;
    char name[64];
    GW_TRY(take_letters(s));
    GW_TRY(take_skip(s, "initial_skip.conv", 0));
    for (int part = 1; part < stem->count; part++) {
        const int unit = part - 1;
        snprintf(name, sizeof name, "residual_units.%d.conv", unit);
        GW_TRY(stem->part[part].kind == GW_STEM_SKIP ? take_skip(s, name, part)
                                                     : take_unit(s, unit, part, stem->part[part].taps));
    }
    GW_TRY(take_convolution(s, "final_conv", CLASSES, WIDTH, 1, place(s, GW_ROLE_LOGITS, 0, false),
                            place(s, GW_ROLE_LOGITS, 0, true)));
    if (s->taken == gw_checkpoint_count(s->stored)) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s holds %d tensors, and a network of %d units has %d of them", s->path,
                   gw_checkpoint_count(s->stored), stem->count - 1, s->taken);
}

// How many stages of four units and a skip there are.
static gw_status count_stages(const source *s, int *out) {
    char name[64];
    for (*out = 0; *out < STAGES; ++*out) {
        snprintf(name, sizeof name, "residual_units.%d.conv1.weight", *out * (STAGE_UNITS + 1));
        if (!gw_checkpoint_find(s->stored, name)) break;
    }
    if (*out > 0) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s: no tensor residual_units.0.conv1.weight: not a state dict of OpenSpliceAI",
                   s->path);
}

static gw_status write_stem(int count, gw_string *out) {
    gw_string_printf(out, "letters:%d+skip", WIDTH);
    for (int stage = 0; stage < count; stage++) {
        const int d = stages[stage].dilation;
        gw_string_printf(out, "+leaky-unit:%d@%d,%d,%d,%d+skip", stages[stage].taps, d, d, d, d);
    }
    return gw_string_status(out);
}

static gw_status make_config(int count, gw_config *out) {
    static const char *const names[CLASSES] = {"none", "acceptor", "donor"};
    gw_string stem = {0};
    *out = gw_config_defaults(GW_FAMILY_SPLICE);
    out->head = GW_HEAD_TOKEN;
    out->task = gw_task_usual(out->head);
    out->problem = GW_PROBLEM_SINGLE_LABEL;
    out->width = out->rotary = out->feed_forward = WIDTH;
    out->heads = 1;
    out->layers = 0;
    out->positions = LONGEST;
    out->dropout = out->classifier_dropout = 0;
    out->vocabulary = 0;
    out->pad = out->separator = out->begin = GW_CONFIG_OPEN;
    out->label_names = gw_alloc(CLASSES, sizeof *out->label_names);
    if (!out->label_names) return GW_ERR_MEMORY;
    for (out->labels = 0; out->labels < CLASSES; out->labels++)
        if (!(out->label_names[out->labels] = gw_strdup(names[out->labels]))) return GW_ERR_MEMORY;
    gw_status status = write_stem(count, &stem);
    if (status == GW_OK) status = gw_stem_parse(stem.data, WIDTH, &out->stem);
    gw_string_free(&stem);
    return status;
}

static gw_status begin(source *s) {
    gw_config config = {0};
    gw_tokenizer *letters = NULL;
    int count;
    GW_TRY(count_stages(s, &count));
    gw_status status = make_config(count, &config);
    if (status == GW_OK) status = gw_tokenizer_letters(&letters);
    if (status == GW_OK) status = gw_model_begin(&config, letters, &s->model);
    if (status == GW_OK) status = gw_parameters_make(&s->model->config, &s->model->parameters);
    if (status == GW_OK) status = gw_model_allocate(s->model);
    gw_config_free(&config);
    return status;
}

static gw_status read_dict(const char *path, gw_model **out) {
    source s = {.path = path};
    *out = NULL;
    GW_TRY(gw_checkpoint_open(path, &s.stored));
    gw_status status = begin(&s);
    if (status == GW_OK) status = take_all(&s);
    if (status == GW_OK) *out = s.model;
    else gw_model_free(s.model);
    gw_checkpoint_close(s.stored);
    free(s.values);
    return status;
}

typedef struct {
    char *path[GW_MOST_MEMBERS];
    int count;
} dict_list;

static int by_path(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static gw_status add_dict(dict_list *list, const char *folder, const char *name) {
    static const char ending[] = ".pt";
    const size_t length = strlen(name);
    if (length < sizeof ending || strcmp(name + length - strlen(ending), ending) != 0) return GW_OK;
    if (list->count == GW_MOST_MEMBERS)
        return gw_fail(GW_ERR_RANGE, "%s holds more than %d state dicts", folder, GW_MOST_MEMBERS);
    return (list->path[list->count] = gw_join_path(folder, name)) ? (list->count++, GW_OK) : GW_ERR_MEMORY;
}

static gw_status list_dicts(DIR *opened, const char *folder, dict_list *list) {
    for (const struct dirent *entry; (entry = readdir(opened));) GW_TRY(add_dict(list, folder, entry->d_name));
    if (list->count == 0) return gw_fail(GW_ERR_IO, "%s: no file in the folder is named *.pt", folder);
    qsort(list->path, (size_t)list->count, sizeof *list->path, by_path);
    return GW_OK;
}

static gw_status read_dicts(const dict_list *list, gw_model **out) {
    gw_model *members[GW_MOST_MEMBERS];
    for (int i = 0; i < list->count; i++) {
        const gw_status status = read_dict(list->path[i], &members[i]);
        if (status == GW_OK) continue;
        while (i > 0) gw_model_free(members[--i]);
        return status;
    }
    return gw_model_join(members, list->count, out);
}

gw_status gw_model_from_openspliceai(const char *path, gw_model **out) {
    DIR *opened = opendir(path);
    dict_list list = {0};
    *out = NULL;
    if (!opened) return read_dict(path, out);
    gw_status status = list_dicts(opened, path, &list);
    closedir(opened);
    if (status == GW_OK) status = read_dicts(&list, out);
    if (status != GW_OK) status = gw_fail_in(status, "%s", path);
    for (int i = 0; i < list.count; i++) free(list.path[i]);
    return status;
}
