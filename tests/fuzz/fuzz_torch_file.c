// SPDX-License-Identifier: MIT
// Bytes as a file of torch.save(): its archive, its pickle, its views.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_weights.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_weights(data, size);
    return 0;
}
