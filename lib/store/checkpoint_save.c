// SPDX-License-Identifier: MIT
// Writes a model's tensors as one safetensors file, in the order of its list.
#include "store/checkpoint.h"

#include "base/memory.h"
#include "base/output.h"
#include "store/safetensors.h"
#include "store/write_values.h"

#include <stdlib.h>
#include <string.h>

const char gw_checkpoint_file[] = "model.safetensors";

const char *gw_store_dtype(gw_store_type type) {
    static const char *const names[] = {
        [GW_STORE_F32] = "float32", [GW_STORE_F16] = "float16", [GW_STORE_BF16] = "bfloat16"};
    return names[type];
}

// Wide types first, so that every value lies at a multiple of its size.
static int by_width_and_name(const void *a, const void *b, void *type) {
    const gw_tensor_values *x = a, *y = b;
    const int wide = gw_values_type(x, *(gw_store_type *)type)->bytes,
              other = gw_values_type(y, *(gw_store_type *)type)->bytes;
    return wide != other ? other - wide : strcmp(x->name, y->name);
}

gw_status gw_checkpoint_save(const char *path, const gw_tensor_values *tensors, int count, gw_store_type type) {
    gw_tensor_values *sorted = gw_alloc(count, sizeof *sorted);
    if (!sorted) return GW_ERR_MEMORY;
    if (count > 0) memcpy(sorted, tensors, (size_t)count * sizeof *sorted);
    qsort_r(sorted, (size_t)count, sizeof *sorted, by_width_and_name, &type);
    gw_output output;
    gw_status status = gw_output_open(&output, path);
    if (status == GW_OK) {
        status = gw_safetensors_write(&output, sorted, count, type);
        if (status == GW_OK) status = gw_output_close(&output);
        else gw_output_abandon(&output);
    }
    free(sorted);
    return status;
}
