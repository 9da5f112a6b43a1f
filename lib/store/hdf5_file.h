// SPDX-License-Identifier: MIT
// HDF5 files as Keras writes models and weights ("HDF5 File Format Specification Version 3.0"): superblock of version 0
// or 1, groups as trees of symbol tables, and data sets of little-endian numbers that lie in one place. What newer
// libraries write on request (other superblocks), chunks and filters are refused by name.
#ifndef GW_STORE_HDF5_FILE_H
#define GW_STORE_HDF5_FILE_H

#include "store/weights_file.h"

#include <stdbool.h>

bool gw_hdf5_file_is(const unsigned char *bytes, int64_t size);
// Lists the data sets of numbers of file->bytes by their paths, without the first slash, in the order of the groups.
gw_status gw_hdf5_file_read(gw_weights_file *file) GW_MUST_CHECK;

#endif
