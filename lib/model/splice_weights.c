// SPDX-License-Identifier: MIT
// Reads tensors one after another, by the names of a layout.
#include "model/splice_weights.h"

#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "model/config_reader.h"
#include "model/model.h"
#include "model/model_parts.h"
#include "model/parameters.h"
#include "model/task.h"
#include "store/checkpoint.h"

#include <dirent.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 32, LETTERS = 4, CLASSES = 3, STAGES = 4, LONGEST = 1 << 20, NAME = GW_SPLICE_LAYER_NAME };

// SpliceAI's; the flanks of a window are 40, 200, 1,000 and 5,000 bases then.
static const gw_splice_stage usual_stages[STAGES] = {{11, 1}, {11, 4}, {21, 10}, {41, 25}};

typedef struct gw_splice_source {
    const gw_splice_weights *layout;
    char *const *paths; // of all files
    int file, files;    // the one that is read
    const char *path;
    gw_checkpoint *stored;
    gw_model *model;
    float *values; // of the tensor that was read last
    int64_t capacity;
    int taken; // tensors
} source;

// Whose probability is 0, of what a file does not tell.
static const float never = -1000;

static gw_status not_such(const source *s, const char *name) {
    return gw_fail(GW_ERR_FORMAT, "%s: no tensor %s: not %s", s->path, name, s->layout->are);
}

static void name_tensor(const source *s, gw_splice_layer_kind kind, int units, const char *field, char name[NAME]) {
    s->layout->name(kind, units, name);
    const size_t length = strlen(name);
    snprintf(name + length, NAME - length, "%s", field);
}

// The values of a tensor, which has that shape; 0 dimensions behind the last. Keras' images of one row have a 1 before.
static gw_status read(source *s, const char *name, const int64_t shape[3]) {
    const gw_stored_tensor *tensor = gw_checkpoint_find(s->stored, name);
    if (!tensor) return not_such(s, name);
    int64_t found[3] = {0};
    const int ahead = tensor->dimensions == 4 && tensor->shape[0] == 1, dimensions = tensor->dimensions - ahead;
    for (int i = 0; i < dimensions && i < 3; i++) found[i] = tensor->shape[ahead + i];
    if (dimensions > 3 || memcmp(found, shape, sizeof found) != 0)
        return gw_fail(GW_ERR_FORMAT, "%s: %s has %d dimensions %lld, %lld, %lld, expected %lld, %lld, %lld", s->path,
                       name, dimensions, (long long)found[0], (long long)found[1], (long long)found[2],
                       (long long)shape[0], (long long)shape[1], (long long)shape[2]);
    s->taken++;
    GW_TRY(gw_reserve(&s->values, &s->capacity, tensor->count, sizeof *s->values));
    return gw_checkpoint_read(s->stored, tensor, s->values);
}

gw_status gw_splice_source_read(gw_splice_source *from, const char *name, const int64_t shape[3],
                                const float **values) {
    GW_TRY(read(from, name, shape));
    *values = from->values;
    return GW_OK;
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

static gw_status take_convolution(source *s, gw_splice_layer_kind kind, int units, int64_t out, int64_t in,
                                  int64_t taps, float *weight, float *bias) {
    const bool first = s->layout->taps_first;
    char name[NAME];
    name_tensor(s, kind, units, s->layout->weight, name);
    GW_TRY(read(s, name, (const int64_t[3]){first ? taps : out, in, first ? out : taps}));
    for (int64_t t = 0; t < taps; t++) // [out][in][taps] or [taps][in][out] -> [taps][out][in]
        for (int64_t o = 0; o < out; o++)
            for (int64_t i = 0; i < in; i++)
                weight[(t * out + o) * in + i] = s->values[first ? (t * in + i) * out + o : (o * in + i) * taps + t];
    name_tensor(s, kind, units, s->layout->bias, name);
    return take_vector(s, name, out, bias);
}

static gw_status take_norm(source *s, gw_splice_layer_kind kind, int units, float *weight, float *bias) {
    float gamma[WIDTH], beta[WIDTH], mean[WIDTH], variance[WIDTH];
    float *const to[] = {gamma, beta, mean, variance};
    char name[NAME];
    for (int f = 0; f < GW_SPLICE_NORM_FIELDS; f++) {
        name_tensor(s, kind, units, s->layout->norm[f], name);
        GW_TRY(take_vector(s, name, WIDTH, to[f]));
    }
    if (s->layout->batches) {
        name_tensor(s, kind, units, s->layout->batches, name);
        s->taken += gw_checkpoint_find(s->stored, name) != NULL;
    }
    for (int c = 0; c < WIDTH; c++) {
        const double a = (double)gamma[c] / sqrt((double)variance[c] + s->layout->epsilon);
        weight[c] = (float)a;
        bias[c] = (float)((double)beta[c] - (double)mean[c] * a);
    }
    return GW_OK;
}

// One-hot letters times a convolution of one tap are rows of a table, to which the bias is added; N has the bias alone,
// or the mean of the letters' rows.
static gw_status take_letters(source *s) {
    static const char letters[] = "ACGT";
    float weight[WIDTH * LETTERS], bias[WIDTH];
    GW_TRY(take_convolution(s, GW_SPLICE_FIRST, 0, WIDTH, LETTERS, 1, weight, bias));
    const gw_tokenizer *tokenizer = s->model->tokenizer;
    float *table = place(s, GW_ROLE_TOKEN_EMBEDDING, 0, false);
    for (int32_t token = 0; token < gw_tokenizer_size(tokenizer); token++) {
        const char *text = gw_tokenizer_text(tokenizer, token),
                   *letter = strlen(text) == 1 ? strchr(letters, *text) : NULL;
        const bool mean = s->layout->unknown_is_mean && strcmp(text, "N") == 0;
        for (int c = 0; c < WIDTH; c++) {
            const float *of = weight + c * LETTERS;
            table[token * WIDTH + c] = bias[c] + (letter ? of[letter - letters]
                                                  : mean ? (of[0] + of[1] + of[2] + of[3]) / LETTERS
                                                         : 0);
        }
    }
    return GW_OK;
}

// The unit behind so many others.
static gw_status take_unit(source *s, int units, int part, int taps) {
    static const struct {
        gw_splice_layer_kind norm, convolution;
        gw_role norm_role, role;
    } halves[] = {
        {GW_SPLICE_NORM, GW_SPLICE_CONVOLUTION, GW_ROLE_STEM_NORM, GW_ROLE_STEM_CONVOLUTION},
        {GW_SPLICE_SECOND_NORM, GW_SPLICE_SECOND, GW_ROLE_STEM_OUTPUT_NORM, GW_ROLE_STEM_SECOND},
    };
    for (int h = 0; h < 2; h++) {
        const gw_role norm = halves[h].norm_role, role = halves[h].role;
        GW_TRY(take_norm(s, halves[h].norm, units, place(s, norm, part, false), place(s, norm, part, true)));
        GW_TRY(take_convolution(s, halves[h].convolution, units, WIDTH, WIDTH, taps, place(s, role, part, false),
                                place(s, role, part, true)));
    }
    return GW_OK;
}

static gw_status take_all(source *s) {
    const gw_stem *stem = &s->model->config.stem;
    float *logits = place(s, GW_ROLE_LOGITS, 0, false), *bias = place(s, GW_ROLE_LOGITS, 0, true);
    int units = 0;
    GW_TRY(take_letters(s));
    for (int part = 0; part < stem->count; part++) {
        if (stem->part[part].kind != GW_STEM_SKIP) GW_TRY(take_unit(s, units++, part, stem->part[part].taps));
        else
            GW_TRY(take_convolution(s, GW_SPLICE_SKIP, units, WIDTH, WIDTH, 1,
                                    place(s, GW_ROLE_STEM_OUTPUT, part, false),
                                    place(s, GW_ROLE_STEM_OUTPUT, part, true)));
    }
    if (s->layout->logit) { // the one logit that a file tells, among those of all files
        const int64_t row = 1 + s->file;
        for (int64_t l = 0; l <= s->files; l++) bias[l] = never;
        memset(logits, 0, (size_t)((s->files + 1) * WIDTH) * sizeof *logits);
        GW_TRY(s->layout->logit(s, s->path, logits + row * WIDTH, bias + row));
    } else GW_TRY(take_convolution(s, GW_SPLICE_LAST, units, CLASSES, WIDTH, 1, logits, bias));
    if (s->layout->rest) GW_TRY(s->layout->rest(s, s->model));
    if (s->taken == gw_checkpoint_count(s->stored)) return GW_OK;
    return gw_fail(GW_ERR_FORMAT, "%s holds %d tensors, and a network of %d units has %d of them", s->path,
                   gw_checkpoint_count(s->stored), units, s->taken);
}

// Of a network of so many stages of four units and a skip.
static gw_status make_config(const source *s, int count, gw_config *out) {
    static const char *const names[CLASSES] = {"none", "acceptor", "donor"};
    const int64_t labels = s->layout->label ? 1 + s->files : CLASSES;
    *out = gw_config_defaults(s->layout->family ? *s->layout->family : GW_FAMILY_SPLICE);
    out->overlap = s->layout->family != NULL;
    out->head = GW_HEAD_TOKEN;
    out->task = GW_TASK_BASES;
    out->problem = GW_PROBLEM_SINGLE_LABEL;
    out->width = out->rotary = out->feed_forward = WIDTH;
    out->heads = 1;
    out->layers = 0;
    out->positions = LONGEST;
    out->dropout = out->classifier_dropout = 0;
    out->vocabulary = 0;
    out->pad = out->separator = out->begin = GW_CONFIG_OPEN;
    out->label_names = gw_alloc(labels, sizeof *out->label_names);
    if (!out->label_names) return GW_ERR_MEMORY;
    for (; out->labels < labels; out->labels++) {
        gw_string name = {0};
        gw_status status = GW_OK;
        if (!s->layout->label || out->labels == 0) gw_string_puts(&name, names[out->labels]);
        else status = s->layout->label(s->paths[out->labels - 1], &name);
        if (status == GW_OK) status = gw_string_status(&name);
        if (status != GW_OK) gw_string_free(&name);
        GW_TRY(status);
        out->label_names[out->labels] = name.data;
    }
    gw_string stem = {0};
    gw_string_printf(&stem, "letters:%d+skip", WIDTH);
    const gw_splice_stage *stages = s->layout->stages ? s->layout->stages : usual_stages;
    for (int stage = 0; stage < count; stage++) {
        const int d = stages[stage].dilation;
        gw_string_printf(&stem, "+%s:%d@%d,%d,%d,%d+skip", s->layout->unit, stages[stage].taps, d, d, d, d);
    }
    gw_status status = gw_string_status(&stem);
    if (status == GW_OK) status = gw_stem_parse(stem.data, WIDTH, &out->stem);
    gw_string_free(&stem);
    return status;
}

static gw_status read_file(const gw_splice_weights *layout, char *const *paths, int files, int file, gw_model **out) {
    source s = {.layout = layout, .paths = paths, .files = files, .file = file, .path = paths[file]};
    gw_config config = {0};
    gw_tokenizer *letters = NULL;
    char name[NAME];
    const int least = layout->stages ? layout->stage_count : 1, most = layout->stages ? layout->stage_count : STAGES;
    int count;
    *out = NULL;
    GW_TRY(gw_checkpoint_open(s.path, &s.stored));
    for (count = 0; count < most; count++) {
        name_tensor(&s, GW_SPLICE_NORM, count * GW_SPLICE_STAGE_UNITS, layout->norm[0], name);
        if (!gw_checkpoint_find(s.stored, name)) break;
    }
    gw_status status = count >= least ? make_config(&s, count, &config) : not_such(&s, name);
    if (status == GW_OK) status = gw_tokenizer_letters(&letters);
    if (status == GW_OK) status = gw_model_begin(&config, letters, &s.model);
    if (status == GW_OK) status = gw_parameters_make(&s.model->config, &s.model->parameters);
    if (status == GW_OK) status = gw_model_allocate(s.model);
    if (status == GW_OK) status = take_all(&s);
    if (status == GW_OK) *out = s.model;
    else gw_model_free(s.model);
    gw_config_free(&config);
    gw_checkpoint_close(s.stored);
    free(s.values);
    return status;
}

static int by_path(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

gw_status gw_splice_weights_read(const gw_splice_weights *layout, const char *path, gw_model **out) {
    DIR *opened = opendir(path);
    char *paths[GW_MOST_MEMBERS];
    gw_model *members[GW_MOST_MEMBERS];
    int count = 0, read = 0;
    *out = NULL;
    if (!opened) {
        char *file = gw_strdup(path);
        const gw_status status = file ? read_file(layout, &file, 1, 0, out) : GW_ERR_MEMORY;
        free(file);
        return status;
    }
    gw_status status = GW_OK;
    for (const struct dirent *entry; status == GW_OK && (entry = readdir(opened));) {
        if (fnmatch(layout->files, entry->d_name, FNM_PERIOD) != 0) continue;
        if (count == GW_MOST_MEMBERS)
            status =
                gw_fail(GW_ERR_RANGE, "%s holds more than %d files named %s", path, GW_MOST_MEMBERS, layout->files);
        else if (!(paths[count] = gw_join_path(path, entry->d_name))) status = GW_ERR_MEMORY;
        else count++;
    }
    closedir(opened);
    if (status == GW_OK && count == 0)
        status = gw_fail(GW_ERR_IO, "%s: no file in the folder is named %s", path, layout->files);
    qsort(paths, (size_t)count, sizeof *paths, by_path);
    while (status == GW_OK && read < count) {
        status = read_file(layout, paths, count, read, &members[read]);
        if (status == GW_OK) read++;
    }
    if (status == GW_OK) status = gw_model_join(members, count, out);
    else
        while (read > 0) gw_model_free(members[--read]);
    if (status != GW_OK) status = gw_fail_in(status, "%s", path);
    while (count > 0) free(paths[--count]);
    return status;
}
