// SPDX-License-Identifier: MIT
// Tests the heights of a product's tiles on random numbers, with the strides of the product.
#include "kernels/cpu/matmul/gemm_heights.h"

#include "base/parallel.h"
#include "kernels/cpu/matmul/onednn.h"
#include "kernels/cpu/matmul/tile_heights.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_HEIGHTS = 1 + GW_MOST_ROWS / GW_ROW_STEP };

typedef struct {
    const gw_gemm_args *args;
    int heights;
    int64_t rows[MOST_HEIGHTS], columns;
    float *a, *b; // [rows][a_stride]; as the product's
} heights_trial;

static int multiply_height(void *context, int height, const void *from, float *c) {
    const heights_trial *trial = context;
    const gw_gemm_args *args = trial->args;
    const int64_t rows = trial->rows[height];
    for (int64_t row = 0; row < rows; row++)
        memcpy(trial->a + row * args->a_stride, (const float *)from + row * args->k,
               (size_t)args->k * sizeof *trial->a);
    return (int)dnnl_sgemm('N', args->transpose_b ? 'T' : 'N', rows, trial->columns, args->k, 1.0f, trial->a,
                           args->a_stride, trial->b, args->b_stride, 0.0f, c, args->c_stride);
}

static gw_status try_heights(const void *context, int *same) {
    heights_trial trial = *(const heights_trial *)context;
    const gw_gemm_args *args = trial.args;
    const int64_t of_a = trial.rows[0] * args->a_stride,
                  of_b = (args->transpose_b ? trial.columns : args->k) * args->b_stride;
    trial.a = gw_tile_memory(of_a + of_b);
    if (!trial.a) return GW_ERR_MEMORY;
    trial.b = trial.a + of_a;
    gw_tile_random(1, trial.b, of_b);
    const int threads = gw_threads();
    gw_set_threads(1); // as tiles are multiplied
    const gw_status status = gw_tile_heights_try(&(gw_tile_trial){.heights = trial.heights,
                                                                  .rows = trial.rows,
                                                                  .columns = trial.columns,
                                                                  .k = args->k,
                                                                  .stride = args->c_stride,
                                                                  .precision = GW_F32,
                                                                  .multiply = multiply_height,
                                                                  .context = &trial},
                                                 same);
    gw_set_threads(threads);
    free(trial.a);
    return status;
}

gw_status gw_gemm_heights_agree(const gw_gemm_args *args, int64_t rows, int64_t columns, bool *agree) {
    *agree = false;
    if (args->transpose_a) return GW_OK;
    heights_trial trial = {.args = args, .heights = 1, .rows = {GW_TALL_ROWS}, .columns = columns};
    for (int64_t row = rows; row > 0; row -= GW_ROW_STEP) trial.rows[trial.heights++] = row;
    const gw_tile_key key = {.form = args->transpose_b ? GW_TILES_OF_SGEMM_TRANSPOSED_B : GW_TILES_OF_SGEMM,
                             .columns = columns,
                             .k = args->k,
                             .stride = args->c_stride,
                             .a_stride = args->a_stride,
                             .b_stride = args->b_stride};
    int same;
    GW_TRY(gw_tile_heights(&key, try_heights, &trial, &same));
    *agree = same == trial.heights;
    return GW_OK;
}
