// SPDX-License-Identifier: MIT
// Fuzz targets: each tests/fuzz/fuzz_<name>.c defines LLVMFuzzerTestOneInput(), which must not crash or leak for any
// bytes. `make fuzz` builds the targets with libFuzzer; `make test` replays tests/fuzz/corpus/<name>.
#ifndef GW_TESTS_FUZZ_H
#define GW_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
