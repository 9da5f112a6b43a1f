// SPDX-License-Identifier: MIT
// Bytes as an HDF5 file: its groups, its data sets.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_weights(data, size);
    return 0;
}
