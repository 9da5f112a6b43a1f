// SPDX-License-Identifier: MIT
// Tensors of a made state dict, whose values follow from their names.
#include "made_dict.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void made_dict_put(made_dict *d, const char *layer, const char *field, const int64_t shape[3], double scale,
                   double offset) {
    gw_tensor_values *t = &d->of[d->count];
    const int dimensions = shape[1] == 0 ? 1 : shape[2] == 0 ? 2 : 3;
    int64_t count = 1;
    for (int i = 0; i < dimensions; i++) count *= shape[i];
    float *values = malloc((size_t)count * sizeof *values);
    cr_assert(d->count < MADE_DICT_MOST && values);
    for (int64_t i = 0; i < count; i++)
        values[i] = (float)(offset + scale * sin(0.7 * (double)i * (1 + 0.013 * d->number) + d->number));
    snprintf(d->name[d->count], sizeof d->name[0], "%s%s%s", layer, *field ? "." : "", field);
    *t = (gw_tensor_values){.name = d->name[d->count], .dimensions = dimensions, .count = count, .values = values};
    memcpy(t->shape, shape, 3 * sizeof *shape);
    d->count++;
    d->number++;
}

void made_dict_put_weight(made_dict *d, const char *layer, int64_t out, int64_t in, int64_t taps) {
    made_dict_put(d, layer, "weight", (int64_t[3]){out, in, taps}, 1.4 / sqrt((double)(in * (taps > 0 ? taps : 1))), 0);
}

void made_dict_put_pair(made_dict *d, const char *layer, int64_t out, int64_t in, int64_t taps) {
    made_dict_put_weight(d, layer, out, in, taps);
    made_dict_put(d, layer, "bias", (int64_t[3]){out}, 0.1, 0);
}

void made_dict_put_norm(made_dict *d, const char *layer, int64_t width, bool statistics) {
    made_dict_put(d, layer, "weight", (int64_t[3]){width}, 0.2, 1);
    made_dict_put(d, layer, "bias", (int64_t[3]){width}, 0.2, 0);
    if (!statistics) return;
    made_dict_put(d, layer, "running_mean", (int64_t[3]){width}, 0.3, 0);
    made_dict_put(d, layer, "running_var", (int64_t[3]){width}, 0.3, 1);
}

void made_dict_save(made_dict *d, const char *path) {
    cr_assert_eq(gw_checkpoint_save(path, d->of, d->count, GW_STORE_F32), GW_OK, "%s", gw_message());
    for (int i = 0; i < d->count; i++) free((void *)d->of[i].values);
    d->count = 0;
}
