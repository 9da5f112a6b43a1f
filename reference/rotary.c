// SPDX-License-Identifier: MIT
// Rotary positions (Su et al., 2021, equation 34). With h = rotary / 2 and the angle a = position base^(-j / h), the
// pair of a head's values j and j + h is rotated by a:  x_j' = x_j cos a - x_j+h sin a,  x_j+h' = x_j+h cos a + x_j sin
// a. The paper pairs neighbours 2j and 2j + 1; GPT-NeoX, and the models read here, pair values h apart. Models are
// trained with frequencies and angles in f32: the tables are made from these, or from frequencies stored in a model
// (given). The gradient is the gradient of the rotated values rotated back: direction -1.
#include "reference/ref.h"

#include <math.h>

static double rounded(double x) {
    return (double)(float)x;
}

void ref_rotary_angles(int64_t positions, int64_t rotary, double base, const double *given, double *cosine,
                       double *sine) {
    const int64_t half = rotary / 2;
    for (int64_t position = 0; position < positions; position++)
        for (int64_t j = 0; j < half; j++) {
            const double by_base = rounded(1.0 / rounded(pow(base, (double)j / (double)half)));
            const double frequency = given ? given[j] : by_base;
            const double angle = rounded((double)position * frequency);
            cosine[position * half + j] = cos(angle);
            sine[position * half + j] = sin(angle);
        }
}

void ref_rotary(int64_t rows, int heads, int64_t head_size, int64_t rotary, double base, double direction,
                const int32_t *position, double *data) {
    const int64_t half = rotary / 2;
    for (int64_t row = 0; row < rows; row++)
        for (int head = 0; head < heads; head++)
            for (int64_t j = 0; j < half; j++) {
                double *x = data + (row * heads + head) * head_size + j, *y = x + half;
                const double angle = direction * position[row] * pow(base, -(double)j / (double)half);
                const double turned = *x * cos(angle) - *y * sin(angle);
                *y = *y * cos(angle) + *x * sin(angle);
                *x = turned;
            }
}
