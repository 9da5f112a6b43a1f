// SPDX-License-Identifier: MIT
// CIFAR-10 in its binary form: files of records, a class (0 to 9) and 3,072 bytes, red, green and blue of 32 x 32
// pixels.
#ifndef GW_DATA_ARENA_CIFAR_H
#define GW_DATA_ARENA_CIFAR_H

#include "base/string.h"

#include <stdbool.h>

enum { GW_CIFAR_FILES = 6, GW_CIFAR_IMAGES = 10000 }; // data_batch_1.bin to 5, test_batch.bin; images of each

// Whole files in memory. Zero-initialise, and free.
typedef struct {
    char *bytes[GW_CIFAR_FILES];
} gw_cifar_files;

// A file that is missing, or of another size, is an error that names it.
gw_status gw_cifar_open(const char *folder, gw_cifar_files *out) GW_MUST_CHECK;
void gw_cifar_free(gw_cifar_files *files);
// Image i of the five files, or of the test's, as 1,024 greys of 0 to 255 between blanks, and its class.
gw_status gw_cifar_read(const gw_cifar_files *files, bool test, int64_t i, gw_string *text,
                        gw_string *label) GW_MUST_CHECK;

#endif
