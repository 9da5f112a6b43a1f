// SPDX-License-Identifier: MIT
// NumPy's .npz with one array of float32: a zip archive, not compressed, of the file arr_0.npy (version 1.0, C order).
//
// A zip has for each file a head, its bytes, and an entry of the list at its end, which says where the head is
// (APPNOTE.TXT 4.3). Sums are CRC-32 of IEEE 802.3.
#ifndef GW_FILE_NPZ_H
#define GW_FILE_NPZ_H

#include "base/status.h"

#include <stdint.h>

// values [shape[0]][shape[1]][shape[2]]. An array of 4 GB or more is an error, since plain zip has no room for it. The
// file appears whole or not at all.
gw_status gw_npz_write(const char *path, const float *values, const int64_t shape[3]) GW_MUST_CHECK;

#endif
