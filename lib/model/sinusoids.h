// SPDX-License-Identifier: MIT
// Tables that are not trained, and that files may lack: what says positions, and letters as one-hot rows.
#ifndef GW_MODEL_SINUSOIDS_H
#define GW_MODEL_SINUSOIDS_H

#include <stdint.h>

// Positions as sines and cosines (Vaswani et al., 2017, section 3.5), sines in the first half of a row as Pegasus has
// them: table[positions][width]; width is even.
void gw_sinusoids(int64_t positions, int64_t width, float *table);
// frequency[count] = base^(-j / count) of rotary positions, rounded as the op rotary_angles has them.
void gw_rotary_frequencies(int64_t count, double base, float *frequency);
// table[rows][width]: 1 in column i of row i, else 0; no more rows than columns.
void gw_one_hot(int64_t rows, int64_t width, float *table);

#endif
