// SPDX-License-Identifier: MIT
// A micro-tile of bf16 products. dot.c includes it once for each shape: 2 DOT_HALF rows by DOT_VECTORS vectors, in two
// halves. DOT_SHAPED(name) makes names for a shape.

GW_DOT_INLINE void DOT_SHAPED(rows)(__m512 sum[DOT_HALF][DOT_VECTORS], const uint32_t *a, int64_t row,
                                    const __m512bh b[DOT_VECTORS]) {
    for (int r = 0; r < DOT_HALF; r++) {
        const __m512bh all = (__m512bh)_mm512_set1_epi32((int)a[r * row]);
        for (int v = 0; v < DOT_VECTORS; v++) sum[r][v] = _mm512_dpbf16_ps(sum[r][v], all, b[v]);
    }
}

// Stores the columns below `columns`.
GW_DOT_INLINE void DOT_SHAPED(store)(const gw_dot *dot, float *c, const __m512 sum[DOT_VECTORS]) {
    for (int v = 0; v < DOT_VECTORS; v++) {
        const int64_t column = v * GW_DOT_LANES, left = dot->columns - column;
        const __mmask16 lanes = left >= GW_DOT_LANES ? 0xffff : left > 0 ? (__mmask16)((1 << left) - 1) : 0;
        __m512 out = sum[v];
        if (dot->bias) out = _mm512_add_ps(out, _mm512_maskz_loadu_ps(lanes, dot->bias + column));
        if (dot->add) out = _mm512_add_ps(out, _mm512_maskz_loadu_ps(lanes, c + column));
        _mm512_mask_storeu_ps(c + column, lanes, out);
    }
}

// Prefetches c while the products are summed.
GW_DOT_INLINE void DOT_SHAPED(prefetch)(const gw_dot *dot, const float *c, int64_t rows) {
    for (int64_t r = 0; r < rows; r++)
        for (int v = 0; v < DOT_VECTORS; v++) __builtin_prefetch(c + r * dot->c_stride + v * GW_DOT_LANES);
}

GW_DOT_TARGET static __attribute__((noinline)) void DOT_SHAPED(micro_kernel)(const gw_dot *dot, int64_t first,
                                                                             int64_t rows) {
    __m512 upper[DOT_HALF][DOT_VECTORS], lower[DOT_HALF][DOT_VECTORS];
    float *c = dot->c + first * dot->c_stride;
    if (dot->add) DOT_SHAPED(prefetch)(dot, c, rows);
    for (int r = 0; r < DOT_HALF; r++)
        for (int v = 0; v < DOT_VECTORS; v++) upper[r][v] = lower[r][v] = _mm512_setzero_ps();
    int64_t part = 0;
    do {
        const uint32_t *a = dot->a + first * dot->row + part * dot->a_step, *below = a + DOT_HALF * dot->row;
        const uint32_t *from = dot->b + part * dot->b_step;
        for (int64_t word = 0; word < dot->words; word++) {
            __m512bh b[DOT_VECTORS];
            for (int v = 0; v < DOT_VECTORS; v++) b[v] = (__m512bh)_mm512_loadu_si512(from + v * GW_DOT_LANES);
            DOT_SHAPED(rows)(upper, a, dot->row, b);
            DOT_SHAPED(rows)(lower, below, dot->row, b);
            a += dot->word, below += dot->word, from += DOT_VECTORS * GW_DOT_LANES;
        }
    } while (++part < dot->parts);
    for (int r = 0; r < 2 * DOT_HALF; r++)
        if (r < rows) DOT_SHAPED(store)(dot, c + r * dot->c_stride, r < DOT_HALF ? upper[r] : lower[r - DOT_HALF]);
}

void DOT_SHAPED(tile)(const gw_dot *dot) {
    enum { ROWS = 2 * DOT_HALF };
    for (int64_t row = 0; row < dot->rows; row += ROWS)
        DOT_SHAPED(micro_kernel)(dot, row, dot->rows - row < ROWS ? dot->rows - row : ROWS);
}

#undef DOT_SHAPED
#undef DOT_HALF
#undef DOT_VECTORS
