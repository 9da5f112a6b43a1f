// SPDX-License-Identifier: MIT
// What says positions and is not trained.
#ifndef GW_MODEL_SINUSOIDS_H
#define GW_MODEL_SINUSOIDS_H

#include <stdint.h>

// Positions as sines and cosines (Vaswani et al., 2017, section 3.5), sines in the first half of a row as Pegasus has
// them: table[positions][width]; width is even.
void gw_sinusoids(int64_t positions, int64_t width, float *table);
// frequency[count] = base^(-j / count) of rotary positions, rounded as the op rotary_angles has them.
void gw_rotary_frequencies(int64_t count, double base, float *frequency);

#endif
