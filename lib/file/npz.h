// SPDX-License-Identifier: MIT
// NumPy's .npz with one array of float32: a zip archive, not compressed, of the file arr_0.npy (version 1.0, C order).
//
// For each file, a zip archive has a header, the bytes, and an entry in the list at the end, which gives the offset of
// the header (APPNOTE.TXT 4.3). Checksums are CRC-32 of IEEE 802.3.
#ifndef GW_FILE_NPZ_H
#define GW_FILE_NPZ_H

#include "base/status.h"

#include <stdint.h>

// Writes values [shape[0]][shape[1]][shape[2]]. An array of 4 GB or more is an error, because plain zip cannot hold it.
// The file appears whole or not at all.
gw_status gw_npz_write(const char *path, const float *values, const int64_t shape[3]) GW_MUST_CHECK;

#endif
