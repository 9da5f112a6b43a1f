// SPDX-License-Identifier: MIT
// The linear slot of a CPU backend: oneDNN multiplies, bias and activation are applied to each tile of the product.
#include "kernels/cpu/activation.h"
#include "kernels/cpu/isa.h"
#include "kernels/linear_onednn.h"

GW_INLINE gw_f32v same(gw_f32v x) {
    return x;
}

GW_INLINE void finish_row(float *c, int64_t columns, const float *bias, gw_f32v (*f)(gw_f32v)) {
    for (int64_t i = 0; i < columns; i += GW_LANES) {
        gw_f32v x = gw_load_some(c + i, columns - i);
        if (bias) x += gw_load_some(bias + i, columns - i);
        gw_store_some(c + i, f(x), columns - i);
    }
}

#define FINISH_ROWS(f)                                                                                                 \
    for (int64_t row = 0; row < rows; row++) finish_row(c + row * stride, columns, bias, f)

static void finish(gw_epilogue epilogue, float *c, int64_t stride, int64_t rows, int64_t columns, const float *bias) {
    switch (epilogue) {
    case GW_EPILOGUE_NONE:
        if (bias) FINISH_ROWS(same);
        return;
    case GW_EPILOGUE_GELU: FINISH_ROWS(gw_gelu); return;
    case GW_EPILOGUE_GELU_EXACT: FINISH_ROWS(gw_gelu_exact); return;
    case GW_EPILOGUE_RELU: FINISH_ROWS(gw_relu); return;
    case GW_EPILOGUE_TANH: FINISH_ROWS(gw_tanh); return;
    }
}

static void narrow(uint16_t *to, const float *from, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &from[i], sizeof bits);
        const uint32_t even = bits + 0x7fff + (bits >> 16 & 1);
        to[i] = (uint16_t)((from[i] == from[i] ? even : bits | 0x400000) >> 16); // a NaN stays one
    }
}

gw_status GW_KERNEL(linear)(const gw_linear_args *args) {
    return gw_linear_onednn(args, &(gw_linear_parts){finish, narrow});
}
