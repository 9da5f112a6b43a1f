// SPDX-License-Identifier: MIT
// Layouts of sparse attention as DeepSpeed keeps them: a buffer of every layer, whose name ends in "master_layout".
#include "base/memory.h"
#include "model/mixer.h"
#include "model/model_parts.h"
#include "model/stored_names.h"

#include <stdlib.h>
#include <string.h>

bool gw_config_has_layout(const gw_config *config) {
    return config->layout && !config->pattern.full && !gw_mixer_of(config->mixer)->words;
}

void gw_layout_free(gw_layout *layout) {
    if (layout) free(layout->cell);
    free(layout);
}

static int64_t cells(const gw_layout *layout) {
    return (int64_t)layout->layers * layout->heads * layout->blocks * layout->blocks;
}

// Takes the sizes of `sizes`, whose cells are not read.
static gw_status make_layout(const gw_layout *sizes, gw_layout **out) {
    *out = gw_alloc(1, sizeof **out);
    if (!*out) return GW_ERR_MEMORY;
    **out = *sizes;
    (*out)->cell = gw_alloc(cells(sizes), 1);
    if ((*out)->cell) return GW_OK;
    gw_layout_free(*out);
    *out = NULL;
    return GW_ERR_MEMORY;
}

gw_status gw_layout_copy(const gw_layout *layout, gw_layout **out) {
    *out = NULL;
    if (!layout) return GW_OK;
    GW_TRY(make_layout(layout, out));
    memcpy((*out)->cell, layout->cell, (size_t)cells(layout));
    return GW_OK;
}

// The layers' tensors, each once and of the size that config.json asks for.
static gw_status find_layers(const gw_checkpoint *stored, const char *folder, const gw_layout *sizes,
                             const gw_stored_tensor **tensors) {
    for (int i = 0; i < gw_checkpoint_count(stored); i++) {
        const gw_stored_tensor *tensor = gw_checkpoint_at(stored, i);
        int layer;
        if (!gw_stored_is_layout(tensor->name, &layer)) continue;
        if (layer < 0 || layer >= sizes->layers || tensors[layer])
            return gw_fail(GW_ERR_MISMATCH, "%s: %s is not the only layout of one of the %d layers", tensor->file,
                           tensor->name, sizes->layers);
        if (tensor->dimensions != 3 || tensor->shape[0] != sizes->heads || tensor->shape[1] != sizes->blocks ||
            tensor->shape[2] != sizes->blocks)
            return gw_fail(GW_ERR_MISMATCH,
                           "%s: the layout %s has not the shape [%d, %d, %d] that config.json asks for", tensor->file,
                           tensor->name, sizes->heads, sizes->blocks, sizes->blocks);
        tensors[layer] = tensor;
    }
    for (int layer = 0; layer < sizes->layers; layer++)
        if (!tensors[layer])
            return gw_fail(GW_ERR_UNSUPPORTED,
                           "%s: the weights hold no layout of sparse attention (encoder.layer.%d...master_layout), and "
                           "it cannot be made again: it was drawn when the model was",
                           folder, layer);
    return GW_OK;
}

static gw_status read_layer(const gw_checkpoint *stored, const gw_stored_tensor *tensor, int64_t *values,
                            uint8_t *cell) {
    GW_TRY(gw_checkpoint_read_int(stored, tensor, values));
    for (int64_t i = 0; i < tensor->count; i++) {
        if (values[i] != 0 && values[i] != 1)
            return gw_fail(GW_ERR_FORMAT, "%s: the layout %s holds %lld, expected 0 and 1", tensor->file, tensor->name,
                           (long long)values[i]);
        cell[i] = (uint8_t)values[i];
    }
    return GW_OK;
}

gw_status gw_layout_read(const gw_checkpoint *stored, const char *folder, gw_model *model) {
    const gw_config *config = &model->config;
    const gw_layout sizes = {.layers = (int)config->layers,
                             .heads = (int)config->heads,
                             .blocks = (int)(config->positions / config->pattern.block)};
    const int64_t per_layer = cells(&sizes) / sizes.layers;
    const gw_stored_tensor **tensors = gw_alloc(sizes.layers, sizeof *tensors);
    int64_t *values = NULL;
    if (!tensors) return GW_ERR_MEMORY;
    gw_status status = find_layers(stored, folder, &sizes, tensors);
    if (status == GW_OK) {
        values = gw_alloc(per_layer, sizeof *values);
        status = values ? make_layout(&sizes, &model->layout) : GW_ERR_MEMORY;
    }
    for (int layer = 0; status == GW_OK && layer < sizes.layers; layer++)
        status = read_layer(stored, tensors[layer], values, model->layout->cell + layer * per_layer);
    free(values);
    free(tensors);
    return status;
}
