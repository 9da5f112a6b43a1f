// SPDX-License-Identifier: MIT
// Reads each tensor of a model from the file, by its name and layout there.
#include "model/state_dict.h"

#include "base/memory.h"
#include "base/string.h"
#include "model/model_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const gw_state_dict_layout *layout;
    const gw_checkpoint *stored;
    gw_model *model;
    bool *taken; // [tensors of the file]
    float *values;
    int64_t capacity;
} reader;

static gw_status find(const gw_state_dict_layout *layout, const gw_checkpoint *stored, const char *name,
                      const gw_stored_tensor **out) {
    *out = gw_checkpoint_find(stored, name);
    if (*out) return GW_OK;
    const char *file = gw_checkpoint_count(stored) > 0 ? gw_checkpoint_at(stored, 0)->file : "the file";
    return gw_fail(GW_ERR_FORMAT, "%s: no tensor %s: not %s", file, name, layout->are);
}

gw_status gw_state_dict_shape(const gw_state_dict_layout *layout, const gw_checkpoint *stored, const char *name,
                              int dimensions, int64_t *shape) {
    const gw_stored_tensor *tensor;
    GW_TRY(find(layout, stored, name, &tensor));
    if (tensor->dimensions > dimensions)
        return gw_fail(GW_ERR_FORMAT, "%s: %s has %d dimensions, expected at most %d", tensor->file, name,
                       tensor->dimensions, dimensions);
    for (int i = 0; i < dimensions; i++) shape[i] = i < tensor->dimensions ? tensor->shape[i] : 1;
    return GW_OK;
}

static gw_status read_values(reader *r, const char *name, const gw_stored_tensor **out) {
    GW_TRY(find(r->layout, r->stored, name, out));
    for (int i = 0; i < gw_checkpoint_count(r->stored); i++)
        if (gw_checkpoint_at(r->stored, i) == *out) r->taken[i] = true;
    GW_TRY(gw_reserve(&r->values, &r->capacity, (*out)->count, sizeof *r->values));
    return gw_checkpoint_read(r->stored, *out, r->values);
}

static gw_status misshapen(const gw_stored_tensor *tensor, const gw_parameter *p) {
    gw_string found = {0}, expected = {0};
    for (int i = 0; i < tensor->dimensions; i++)
        gw_string_printf(&found, "%s%lld", i > 0 ? ", " : "", (long long)tensor->shape[i]);
    for (int i = 0; i < p->dimensions; i++)
        gw_string_printf(&expected, "%s%lld", i > 0 ? ", " : "", (long long)p->shape[i]);
    gw_fail(GW_ERR_FORMAT, "%s: %s has the shape [%s]; it does not fit the model's %s of [%s]", tensor->file,
            tensor->name, found.data ? found.data : "", p->name, expected.data ? expected.data : "");
    gw_string_free(&found);
    gw_string_free(&expected);
    return GW_ERR_FORMAT;
}

// A matrix [out][in], or a convolution [taps][out][in], from the layout of the file.
static gw_status take_matrix(reader *r, const gw_parameter *p, const gw_stored_place *place, float *to) {
    const bool convolution = p->dimensions == 3;
    const int64_t taps = convolution ? p->shape[0] : 1, outs = p->shape[convolution], ins = p->shape[convolution + 1];
    const gw_stored_tensor *tensor;
    GW_TRY(read_values(r, place->name, &tensor));
    // What of the file's extents are taps, outputs and inputs; a matrix may have taps of 1.
    const int64_t *shape = tensor->shape;
    const int many = tensor->dimensions;
    int64_t found_taps = 1, found_outs = 0, found_ins = 0;
    if (many == 2) found_outs = shape[r->layout->taps_first], found_ins = shape[!r->layout->taps_first];
    if (many >= 3 && r->layout->taps_first) found_taps = shape[0], found_ins = shape[1], found_outs = shape[2];
    if (many >= 3 && !r->layout->taps_first) found_outs = shape[0], found_ins = shape[1], found_taps = shape[2];
    for (int i = 3; i < many; i++) found_taps *= shape[i];
    const int64_t inputs = place->inputs > 0 ? place->inputs : found_ins;
    const int64_t all = place->outputs > 0 ? place->outputs : outs;
    if (many < 2 || found_taps != taps || found_outs != all || inputs != ins || place->first + ins > found_ins)
        return misshapen(tensor, p);
    for (int64_t t = 0; t < taps; t++)
        for (int64_t o = 0; o < outs; o++)
            for (int64_t i = 0; i < ins; i++) {
                const int64_t in = place->first + i, out = place->first_output + o;
                const int64_t at =
                    r->layout->taps_first ? (t * found_ins + in) * all + out : (out * found_ins + in) * taps + t;
                to[(t * outs + o) * ins + i] = r->values[at];
            }
    return GW_OK;
}

static gw_status take_vector(reader *r, const gw_parameter *p, const gw_stored_place *place, float *to) {
    const gw_stored_tensor *tensor;
    GW_TRY(read_values(r, place->name, &tensor));
    if (tensor->count != (place->outputs > 0 ? place->outputs : p->count)) return misshapen(tensor, p);
    memcpy(to, r->values + place->first_output, (size_t)p->count * sizeof *to);
    return GW_OK;
}

// Folds the statistics of a batch norm into the scale, or the shift, that the file has beside them.
static gw_status fold_norm(reader *r, const gw_parameter *p, const char *name, float *to) {
    const size_t stem = (size_t)(strrchr(name, '.') - name);
    gw_stored_place of = {{0}, 0, 0, 0, 0};
    float *part = gw_alloc(3 * p->count, sizeof *part); // scale, mean, variance
    static const char *const fields[] = {".weight", ".running_mean", ".running_var"};
    if (!part) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    for (int f = 0; status == GW_OK && f < 3; f++) {
        snprintf(of.name, sizeof of.name, "%.*s%s", (int)stem, name, fields[f]);
        status = take_vector(r, p, &of, part + f * p->count);
    }
    for (int64_t i = 0; status == GW_OK && i < p->count; i++) {
        const double a = (double)part[i] / sqrt((double)part[2 * p->count + i] + r->layout->epsilon);
        to[i] = (float)(p->bias ? (double)to[i] - (double)part[p->count + i] * a : a);
    }
    free(part);
    return status;
}

static bool is_norm(const reader *r, const char *name) {
    char mean[GW_PARAMETER_NAME];
    const char *dot = strrchr(name, '.');
    if (!dot) return false;
    snprintf(mean, sizeof mean, "%.*s.running_mean", (int)(dot - name), name);
    return gw_checkpoint_find(r->stored, mean) != NULL;
}

static gw_status take(reader *r, const gw_parameter *p) {
    float *to = r->model->parameters.weight + p->offset;
    gw_stored_place place = {{0}, 0, 0, 0, 0};
    if (p->absent) {
        gw_parameter_begin(p, to);
        return GW_OK;
    }
    snprintf(place.name, sizeof place.name, "%s", p->stored);
    if (r->layout->place) r->layout->place(&r->model->config, p->stored, &place);
    if (p->dimensions > 1) return take_matrix(r, p, &place, to);
    GW_TRY(take_vector(r, p, &place, to));
    return is_norm(r, place.name) ? fold_norm(r, p, place.name, to) : GW_OK;
}

static bool is_passed(const reader *r, const char *name) {
    const char *const *end = r->layout->passed;
    if (gw_has_suffix(name, ".num_batches_tracked")) return true;
    if (r->layout->twins && gw_has_prefix(name, r->layout->twins)) return true;
    while (end && *end && !gw_has_suffix(name, *end)) end++;
    return end && *end;
}

static gw_status take_all(reader *r) {
    const gw_parameters *parameters = &r->model->parameters;
    for (int i = 0; i < parameters->count; i++) GW_TRY(take(r, &parameters->list[i]));
    for (int i = 0; i < gw_checkpoint_count(r->stored); i++) {
        const gw_stored_tensor *tensor = gw_checkpoint_at(r->stored, i);
        if (!r->taken[i] && !is_passed(r, tensor->name))
            return gw_fail(GW_ERR_FORMAT, "%s: the tensor %s is none of %s", tensor->file, tensor->name,
                           r->layout->are);
    }
    return GW_OK;
}

gw_status gw_model_from_state_dict(const gw_state_dict_layout *layout, const gw_checkpoint *stored,
                                   const gw_config *config, gw_model **out) {
    reader r = {.layout = layout, .stored = stored};
    gw_config whole = *config; // the tokenizer says what is left open
    gw_tokenizer *letters;
    *out = NULL;
    whole.vocabulary = 0;
    whole.pad = whole.separator = whole.begin = GW_CONFIG_OPEN;
    GW_TRY(gw_tokenizer_letters(&letters));
    GW_TRY(gw_model_begin(&whole, letters, &r.model));
    r.taken = gw_alloc(gw_checkpoint_count(stored), sizeof *r.taken);
    gw_status status = r.taken ? gw_parameters_make(&r.model->config, &r.model->parameters) : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_model_allocate(r.model);
    if (status == GW_OK) status = take_all(&r);
    if (status == GW_OK) *out = r.model;
    else gw_model_free(r.model);
    free(r.taken);
    free(r.values);
    return status;
}
