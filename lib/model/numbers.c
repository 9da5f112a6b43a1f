// SPDX-License-Identifier: MIT
// The object "numbers" of config.json, and the conversion between units and logits.
#include "model/numbers.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const loss_names[] = {"mse", "huber", "poisson", "gaussian"};
enum { LOSSES = sizeof loss_names / sizeof *loss_names };

void gw_numbers_free(gw_numbers *numbers) {
    free(numbers->mean);
    free(numbers->deviation);
    free(numbers->weight);
    *numbers = (gw_numbers){0};
}

static gw_status copy_list(const double *list, int64_t count, double **out) {
    *out = list ? gw_alloc(count, sizeof **out) : NULL;
    if (!list) return GW_OK;
    if (!*out) return GW_ERR_MEMORY;
    memcpy(*out, list, (size_t)count * sizeof *list);
    return GW_OK;
}

gw_status gw_numbers_copy(const gw_numbers *numbers, int64_t columns, gw_numbers *out) {
    *out = (gw_numbers){.loss = numbers->loss, .bend = numbers->bend, .shared = numbers->shared};
    gw_status status = copy_list(numbers->mean, columns, &out->mean);
    if (status == GW_OK) status = copy_list(numbers->deviation, columns, &out->deviation);
    if (status == GW_OK) status = copy_list(numbers->weight, columns, &out->weight);
    if (status != GW_OK) gw_numbers_free(out);
    return status;
}

double gw_numbers_bend(const gw_numbers *numbers) {
    return numbers->bend > 0 ? numbers->bend : 1;
}

// A number for each column, larger than `above`.
static gw_status read_list(const json_t *object, const char *path, const char *key, int64_t columns, double above,
                           double **out) {
    const json_t *list = json_object_get(object, key);
    if (!list) return GW_OK;
    if (!json_is_array(list) || (int64_t)json_array_size(list) != columns)
        return gw_fail(GW_ERR_FORMAT, "%s: \"%s\" of \"numbers\" is not a list of %lld numbers, one for each label",
                       path, key, (long long)columns);
    *out = gw_alloc(columns, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    for (int64_t c = 0; c < columns; c++) {
        const json_t *item = json_array_get(list, (size_t)c);
        (*out)[c] = json_is_number(item) ? json_number_value(item) : NAN;
        if (!((*out)[c] > above && isfinite((*out)[c])))
            return gw_fail(GW_ERR_RANGE, "%s: number %lld of \"%s\" of \"numbers\" is not a finite one%s", path,
                           (long long)c + 1, key, above == 0 ? " above 0" : "");
    }
    return GW_OK;
}

gw_status gw_numbers_read(const json_t *own, const char *path, int64_t columns, gw_numbers *out) {
    const json_t *object = json_object_get(own, "numbers");
    *out = (gw_numbers){0};
    if (!object) return GW_OK;
    if (!json_is_object(object)) return gw_fail(GW_ERR_FORMAT, "%s: \"numbers\" is not an object", path);
    const char *name = loss_names[0];
    int loss = 0;
    GW_TRY(gw_json_string(object, path, "loss", false, &name));
    while (loss < LOSSES && strcmp(name, loss_names[loss]) != 0) loss++;
    if (loss == LOSSES)
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "%s: \"loss\" of \"numbers\" is \"%.40s\", expected mse, huber, poisson or gaussian", path,
                       name);
    out->loss = (gw_number_loss_kind)loss;
    GW_TRY(gw_json_double(object, path, "bend", false, &out->bend));
    GW_TRY(gw_json_bool(object, path, "shared", false, &out->shared));
    if (!(out->bend >= 0 && isfinite(out->bend)))
        return gw_fail(GW_ERR_RANGE, "%s: \"bend\" of \"numbers\" is %g, expected more than 0", path, out->bend);
    GW_TRY(read_list(object, path, "mean", columns, -INFINITY, &out->mean));
    GW_TRY(read_list(object, path, "deviation", columns, 0, &out->deviation));
    if (!out->mean != !out->deviation)
        return gw_fail(GW_ERR_FORMAT, "%s: \"numbers\" has one of \"mean\" and \"deviation\", expected both", path);
    return read_list(object, path, "weight", columns, 0, &out->weight);
}

static void set_list(json_t *object, const char *key, const double *list, int64_t columns) {
    if (!list) return;
    json_t *array = json_array();
    for (int64_t c = 0; c < columns; c++) json_array_append_new(array, json_real(list[c]));
    json_object_set_new(object, key, array);
}

json_t *gw_numbers_json(const gw_numbers *numbers, int64_t columns) {
    if (!numbers->mean && !numbers->weight && !numbers->shared && numbers->loss == GW_NUMBER_LOSS_SQUARED) return NULL;
    json_t *object = json_pack("{s:s}", "loss", loss_names[numbers->loss]);
    if (numbers->loss == GW_NUMBER_LOSS_HUBER) json_object_set_new(object, "bend", json_real(gw_numbers_bend(numbers)));
    if (numbers->shared) json_object_set_new(object, "shared", json_true());
    set_list(object, "mean", numbers->mean, columns);
    set_list(object, "deviation", numbers->deviation, columns);
    set_list(object, "weight", numbers->weight, columns);
    return object;
}

gw_status gw_numbers_fit(gw_numbers *numbers, const float *values, int64_t rows, int64_t columns, char *const *names) {
    const bool poisson = numbers->loss == GW_NUMBER_LOSS_POISSON;
    free(numbers->mean);
    free(numbers->deviation);
    numbers->mean = gw_alloc(columns, sizeof *numbers->mean);
    numbers->deviation = gw_alloc(columns, sizeof *numbers->deviation);
    if (!numbers->mean || !numbers->deviation) return GW_ERR_MEMORY;
    for (int64_t c = 0; c < columns; c++) {
        double mean = 0, squares = 0, least = INFINITY; // Welford
        int64_t count = 0;
        for (int64_t i = 0; i < rows; i++) {
            const double y = (double)values[i * columns + c], before = y - mean;
            if (isnan(y)) continue;
            mean += before / (double)++count;
            squares += before * (y - mean);
            least = fmin(least, y);
        }
        const double deviation = count > 0 ? sqrt(squares / (double)count) : 0;
        if (count == 0)
            return gw_fail(GW_ERR_FORMAT, "the column '%s' has no number: nothing can be learned of it", names[c]);
        if (!(deviation > 0))
            return gw_fail(GW_ERR_FORMAT, "all %lld numbers of the column '%s' are %g: nothing can be learned of it",
                           (long long)count, names[c], mean);
        if (poisson && least < 0)
            return gw_fail(GW_ERR_RANGE, "the column '%s' holds %g: the Poisson loss takes no numbers below 0",
                           names[c], least);
        numbers->mean[c] = poisson ? 0 : mean;
        numbers->deviation[c] = poisson ? mean : deviation;
    }
    return GW_OK;
}

void gw_numbers_standardise(const gw_numbers *numbers, int64_t columns, float *row) {
    for (int64_t c = 0; numbers->mean && c < columns; c++)
        row[c] = (float)(((double)row[c] - numbers->mean[c]) / numbers->deviation[c]);
}

double gw_numbers_value(const gw_numbers *numbers, int64_t column, double logit) {
    const double z = numbers->loss == GW_NUMBER_LOSS_POISSON ? exp(logit) : logit;
    return numbers->mean ? numbers->mean[column] + numbers->deviation[column] * z : z;
}
