// SPDX-License-Identifier: MIT
// Sinusoids: table[p][i] = sin(p / 10000^(2 i / width)), table[p][width / 2 + i] the cosine of the same.
#include "model/sinusoids.h"

#include <math.h>

void gw_sinusoids(int64_t positions, int64_t width, float *table) {
    const int64_t half = width / 2;
    for (int64_t p = 0; p < positions; p++)
        for (int64_t i = 0; i < half; i++) {
            const double angle = (double)p / pow(10000, 2 * (double)i / (double)width);
            table[p * width + i] = (float)sin(angle);
            table[p * width + half + i] = (float)cos(angle);
        }
}

void gw_rotary_frequencies(int64_t count, double base, float *frequency) {
    for (int64_t j = 0; j < count; j++) frequency[j] = 1.0f / (float)pow(base, (double)j / (double)count);
}

void gw_one_hot(int64_t rows, int64_t width, float *table) {
    for (int64_t i = 0; i < rows * width; i++) table[i] = i / width == i % width ? 1.0f : 0.0f;
}
