// SPDX-License-Identifier: MIT
// Gaussian matrices, by vectors of sixteen where the processor has AVX-512: the search for the smallest d needs tens of
// billions of normal numbers.
#ifndef GW_THEORY_FLEX_GAUSSIAN_H
#define GW_THEORY_FLEX_GAUSSIAN_H

#include <stdint.h>

// out[0 .. count) = what gw_random_normal() gives one after the other for the stream of this seed and draw. Vectors
// have a logarithm and a cosine of their own, exact to units in the last place: a quarter of the numbers differ by one
// from those of libm, none is off by more than two of the radius sqrt(-2 ln u).
void gw_flex_gaussian(float *out, int64_t count, uint64_t seed, uint64_t draw);

#endif
