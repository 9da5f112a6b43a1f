// SPDX-License-Identifier: MIT
// The gemm slot of a CPU backend. f32: oneDNN, with its own choice of instruction set, on operands in place. bf16:
// godwit's own kernels on packed operands.
#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/isa/vector.h"
#include "kernels/cpu/matmul/dot.h"
#include "kernels/cpu/matmul/gemm_onednn.h"
#include "kernels/cpu/matmul/operand.h"
#if defined GW_ISA_amx
#include "kernels/cpu/matmul/tiles.h"
#endif

static void finish(float *c, int64_t stride, const float *tile, int64_t tile_stride, int64_t rows, int64_t columns,
                   const float *bias, bool add) {
    for (int64_t row = 0; row < rows; row++, c += stride, tile += tile_stride)
        for (int64_t i = 0; i < columns; i += GW_LANES) {
            gw_f32v v = gw_load(tile + i); // a tile has whole vectors
            if (bias) v += gw_load_some(bias + i, columns - i);
            if (add) v += gw_load_some(c + i, columns - i);
            gw_store_some(c + i, v, columns - i);
        }
}

#if defined GW_ISA_amx
static const gw_gemm_parts parts = {.pack = gw_operand_pack, .dot = gw_tiles_dot, .squares = true, .finish = finish};
#else
static const gw_gemm_parts parts = {.pack = gw_operand_pack, .dot = GW_DOT_TILE, .finish = finish};
#endif

gw_status GW_KERNEL(gemm)(const gw_gemm_args *args) {
    const bool packs = args->precision == GW_BF16 && args->k > 0;
    GW_TRY(packs ? gw_gemm_packed(args, &parts) : gw_gemm_onednn(args));
    if (args->backward_of == GW_ACTIVATION_NONE) return GW_OK;
    return GW_PLAIN_KERNEL(activation_backward)(&(gw_activation_args){.kind = args->backward_of,
                                                                      .count = args->m * args->n,
                                                                      .in = args->before,
                                                                      .out_gradient = args->c,
                                                                      .in_gradient = args->c});
}
