// SPDX-License-Identifier: MIT
// out_r = s_r word_token(r) + position_place(r) + segment_kind(r): BERT's input (Devlin et al., 2019, Figure 2). s_r is
// scale times row_scale_r. scale is sqrt(E) in models that follow the Transformer in this (Vaswani et al., 2017,
// section 3.4), else 1; ESM uses row_scale_r to compensate for masked tokens. A table, or row_scale, that is NULL: no
// such term.
#include "reference/ref.h"

static double scale_of(double scale, const double *row_scale, int64_t row) {
    return row_scale ? scale * row_scale[row] : scale;
}

void ref_embedding(int64_t rows, int64_t width, const int32_t *token, const int32_t *position, const int32_t *segment,
                   double scale, const double *row_scale, const double *token_embedding,
                   const double *position_embedding, const double *segment_embedding, double *out) {
    for (int64_t row = 0; row < rows; row++)
        for (int64_t i = 0; i < width; i++)
            out[row * width + i] =
                (token_embedding ? scale_of(scale, row_scale, row) * token_embedding[token[row] * width + i] : 0.0) +
                (position_embedding ? position_embedding[position[row] * width + i] : 0.0) +
                (segment_embedding ? segment_embedding[segment[row] * width + i] : 0.0);
}

void ref_embedding_backward(int64_t rows, int64_t width, const int32_t *token, const int32_t *position,
                            const int32_t *segment, double scale, const double *row_scale, const double *dout,
                            double *dtoken, double *dposition, double *dsegment) {
    for (int64_t row = 0; row < rows; row++)
        for (int64_t i = 0; i < width; i++) {
            if (dtoken) dtoken[token[row] * width + i] += scale_of(scale, row_scale, row) * dout[row * width + i];
            if (dposition) dposition[position[row] * width + i] += dout[row * width + i];
            if (dsegment) dsegment[segment[row] * width + i] += dout[row * width + i];
        }
}
