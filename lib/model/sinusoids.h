// SPDX-License-Identifier: MIT
// Positions as sines and cosines (Vaswani et al., 2017, section 3.5), sines in the first half of a row as Pegasus has
// them.
#ifndef GW_MODEL_SINUSOIDS_H
#define GW_MODEL_SINUSOIDS_H

#include <stdint.h>

// table[positions][width]; width is even.
void gw_sinusoids(int64_t positions, int64_t width, float *table);

#endif
