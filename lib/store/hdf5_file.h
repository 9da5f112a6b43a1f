// SPDX-License-Identifier: MIT
// HDF5 files with Keras models and weights ("HDF5 File Format Specification Version 3.0"): superblock version 0 or 1,
// groups as trees of symbol tables, and contiguous data sets of little-endian numbers. Newer superblocks, chunks and
// filters are errors that name them.
#ifndef GW_STORE_HDF5_FILE_H
#define GW_STORE_HDF5_FILE_H

#include "store/weights_file.h"

#include <stdbool.h>

bool gw_hdf5_file_is(const unsigned char *bytes, int64_t size);
// Lists the numeric data sets of file->bytes by path, without the first slash, in the order of the groups.
gw_status gw_hdf5_file_read(gw_weights_file *file) GW_MUST_CHECK;

#endif
