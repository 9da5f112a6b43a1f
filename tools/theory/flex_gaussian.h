// SPDX-License-Identifier: MIT
// Gaussian matrices, by vectors of eight where the processor has AVX-512: the search for the smallest d needs tens of
// billions of normal numbers.
#ifndef GW_THEORY_FLEX_GAUSSIAN_H
#define GW_THEORY_FLEX_GAUSSIAN_H

#include <stdint.h>

// out[0 .. count) = what gw_random_normal() gives one after the other for the stream of this seed and draw; vectors
// round logarithm and cosine to the nearest float, libm to one of the two nearest: one number in some hundreds differs
// by a unit in its last place.
void gw_flex_gaussian(float *out, int64_t count, uint64_t seed, uint64_t draw);

#endif
