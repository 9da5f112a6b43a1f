// SPDX-License-Identifier: MIT
// Bytes as a MATLAB file of version 5, whose elements are whole, or it is refused; builds without its library have
// none.
#include "file/mat.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
#ifdef GW_HAVE_MAT
    char path[64];
    if (gw_mat_elements_check(fuzz_file(path, "in.mat", data, size)) == GW_OK && size == 0) abort();
#else
    (void)data, (void)size;
#endif
    return 0;
}
