// SPDX-License-Identifier: MIT
#include "kernels/cpu/matmul/panels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { WIDTHS = GW_PANEL_COLUMNS / GW_PANEL_COLUMNS_STEP, DEPTHS = GW_PANEL_DEPTH / GW_PANEL_DEPTH_STEP };

static gw_product *_Atomic products[2][WIDTHS][DEPTHS];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static dnnl_status_t make(const gw_panel_shape *shape, gw_product **out) {
    gw_product *product = malloc(sizeof *product);
    if (!product) return dnnl_out_of_memory;
    dnnl_status_t status = gw_product_make_panels(product, GW_PANEL_ROWS, shape->columns, shape->depth, shape->adds);
    if (status == dnnl_success && product->scratch > GW_PANEL_SCRATCH) status = dnnl_out_of_memory;
    if (status == dnnl_success) {
        *out = product;
        return status;
    }
    gw_product_free(product);
    free(product);
    return status;
}

dnnl_status_t gw_panel_product(const gw_panel_shape *shape, const gw_product **out) {
    gw_product *_Atomic *place =
        &products[shape->adds][shape->columns / GW_PANEL_COLUMNS_STEP - 1][shape->depth / GW_PANEL_DEPTH_STEP - 1];
    gw_product *found = atomic_load(place);
    dnnl_status_t status = dnnl_success;
    if (!found) {
        pthread_mutex_lock(&making);
        found = atomic_load(place);
        if (!found) status = make(shape, &found);
        if (status == dnnl_success) atomic_store(place, found);
        pthread_mutex_unlock(&making);
    }
    *out = found;
    return status;
}
