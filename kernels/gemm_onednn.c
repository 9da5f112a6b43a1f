// SPDX-License-Identifier: MIT
#include "kernels/gemm_onednn.h"

#include "base/parallel.h"

#include <dnnl.h>
#include <string.h>

enum { ROWS_AT_ONCE = 16 };

// c = bias or c += bias, so that the product is added to it.
static void put_bias(void *context, int64_t begin, int64_t end, int thread) {
    const gw_gemm_args *args = context;
    (void)thread;
    for (int64_t row = begin; row < end; row++) {
        float *c = args->c + row * args->c_stride;
        if (args->accumulate)
            for (int64_t column = 0; column < args->n; column++) c[column] += args->bias[column];
        else memcpy(c, args->bias, (size_t)args->n * sizeof *c);
    }
}

gw_status gw_gemm_onednn(const gw_gemm_args *args) {
    if (args->bias) gw_parallel_for(args->m, ROWS_AT_ONCE, put_bias, (void *)args);
    const float beta = args->accumulate || args->bias ? 1.0f : 0.0f;
    const dnnl_status_t status =
        dnnl_sgemm(args->transpose_a ? 'T' : 'N', args->transpose_b ? 'T' : 'N', args->m, args->n, args->k, 1.0f,
                   args->a, args->a_stride, args->b, args->b_stride, beta, args->c, args->c_stride);
    if (status == dnnl_success) return GW_OK;
    return gw_fail(status == dnnl_out_of_memory ? GW_ERR_MEMORY : GW_ERR_RANGE,
                   "oneDNN refuses a product of %lld x %lld x %lld (status %d)", (long long)args->m, (long long)args->n,
                   (long long)args->k, (int)status);
}
