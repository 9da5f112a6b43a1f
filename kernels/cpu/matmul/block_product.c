// SPDX-License-Identifier: MIT
// Makes and keeps the products of each block shape, once for the whole process.
#include "kernels/cpu/matmul/block_product.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { WIDTHS = GW_NC / GW_NR, DEPTHS = GW_KC / GW_KC_STEP };

static gw_product *_Atomic products[2][WIDTHS][DEPTHS];
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static dnnl_status_t make(const gw_block_shape *shape, gw_product **out) {
    gw_product *product = malloc(sizeof *product);
    if (!product) return dnnl_out_of_memory;
    dnnl_status_t status = gw_product_make_packed(product, GW_MC, shape->columns, shape->depth, shape->adds);
    if (status == dnnl_success && product->scratch > GW_BLOCK_SCRATCH) status = dnnl_out_of_memory;
    if (status == dnnl_success) {
        *out = product;
        return status;
    }
    gw_product_free(product);
    free(product);
    return status;
}

dnnl_status_t gw_block_product(const gw_block_shape *shape, const gw_product **out) {
    gw_product *_Atomic *place = &products[shape->adds][shape->columns / GW_NR - 1][shape->depth / GW_KC_STEP - 1];
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
