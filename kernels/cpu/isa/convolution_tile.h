// SPDX-License-Identifier: MIT
// A micro-kernel of f32 convolutions. convolution_f32.h includes it once for each shape. 2 TILE_HALF rows by
// TILE_VECTORS vectors are summed in registers, in two halves so that compilers keep them there. CONV_SHAPED(name)
// makes names for a shape. Each number is summed independently in the order of the depth, so its bits are the same in
// all shapes.

enum { CONV_SHAPED(ROWS) = 2 * TILE_HALF, CONV_SHAPED(PANEL) = TILE_VECTORS * GW_LANES };

// Half of the rows. Addresses of three rows are one register with multiples of another.
GW_INLINE void CONV_SHAPED(add_rows)(gw_f32v sum[TILE_HALF][TILE_VECTORS], const float *const a[TILE_HALF / 3],
                                     int64_t row, const gw_f32v of_b[TILE_VECTORS]) {
#pragma GCC unroll 6
    for (int r = 0; r < TILE_HALF; r++) {
        const gw_f32v all = gw_all(a[r / 3][r % 3 * row]);
#pragma GCC unroll 4
        for (int v = 0; v < TILE_VECTORS; v++) sum[r][v] = gw_fma(all, of_b[v], sum[r][v]);
    }
}

// c (+)= sums + bias, for half of a whole tile.
GW_INLINE void CONV_SHAPED(put_half)(const conv_tile *t, float *c, gw_f32v sum[TILE_HALF][TILE_VECTORS]) {
#pragma GCC unroll 6
    for (int r = 0; r < TILE_HALF; r++, c += t->c_stride)
#pragma GCC unroll 4
        for (int v = 0; v < TILE_VECTORS; v++) {
            gw_f32v out = sum[r][v];
            if (t->bias) out += gw_load(t->bias + v * GW_LANES);
            if (t->adds) out += gw_load(c + v * GW_LANES);
            gw_store(c + v * GW_LANES, out);
        }
}

// The same for a tile with missing rows or columns.
static __attribute__((noinline)) void CONV_SHAPED(put_some)(const conv_tile *t,
                                                            float sums[2 * TILE_HALF][CONV_SHAPED(PANEL)]) {
    for (int64_t r = 0; r < t->rows; r++)
        for (int64_t i = 0; i < t->columns && i < CONV_SHAPED(PANEL); i += GW_LANES) {
            float *c = t->c + r * t->c_stride + i;
            gw_f32v out = gw_load(sums[r] + i);
            if (t->bias) out += gw_load_some(t->bias + i, t->columns - i);
            if (t->adds) out += gw_load_some(c, t->columns - i);
            gw_store_some(c, out, t->columns - i);
        }
}

static void CONV_SHAPED(multiply)(const conv_tile *t) {
    gw_f32v upper[TILE_HALF][TILE_VECTORS], lower[TILE_HALF][TILE_VECTORS];
    const float *b = t->b, *above[TILE_HALF / 3], *below[TILE_HALF / 3];
    const int64_t row = t->a_row, step = t->a_step;
#pragma GCC unroll 2
    for (int i = 0; i < TILE_HALF / 3; i++) above[i] = t->a + 3 * i * row, below[i] = t->a + (TILE_HALF + 3 * i) * row;
#pragma GCC unroll 6
    for (int r = 0; r < TILE_HALF; r++)
#pragma GCC unroll 4
        for (int v = 0; v < TILE_VECTORS; v++) upper[r][v] = lower[r][v] = gw_all(0.0f);
    for (int64_t d = 0; d < t->depth; d++, b += CONV_SHAPED(PANEL)) {
        gw_f32v of_b[TILE_VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < TILE_VECTORS; v++) of_b[v] = gw_load(b + v * GW_LANES);
        CONV_SHAPED(add_rows)(upper, above, row, of_b);
        CONV_SHAPED(add_rows)(lower, below, row, of_b);
#pragma GCC unroll 2
        for (int i = 0; i < TILE_HALF / 3; i++) above[i] += step, below[i] += step;
    }
    if (t->rows == 2 * TILE_HALF && t->columns >= CONV_SHAPED(PANEL)) {
        CONV_SHAPED(put_half)(t, t->c, upper);
        CONV_SHAPED(put_half)(t, t->c + TILE_HALF * t->c_stride, lower);
        return;
    }
    float sums[2 * TILE_HALF][CONV_SHAPED(PANEL)];
#pragma GCC unroll 6
    for (int r = 0; r < TILE_HALF; r++)
#pragma GCC unroll 4
        for (int v = 0; v < TILE_VECTORS; v++) {
            gw_store(sums[r] + v * GW_LANES, upper[r][v]);
            gw_store(sums[r + TILE_HALF] + v * GW_LANES, lower[r][v]);
        }
    CONV_SHAPED(put_some)(t, sums);
}

#undef CONV_SHAPED
#undef TILE_HALF
#undef TILE_VECTORS
