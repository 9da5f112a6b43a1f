// SPDX-License-Identifier: MIT
// Actions of the targets for all weight formats: list a file, and read all of its tensors.
#ifndef GW_TESTS_FUZZ_WEIGHTS_H
#define GW_TESTS_FUZZ_WEIGHTS_H

#include "store/weights_file.h"

#include <stdlib.h>

enum { FUZZ_MOST_VALUES = 1 << 16 };

static inline void fuzz_read(const gw_tensor_view *view) {
    const int64_t count = view->stored.count < FUZZ_MOST_VALUES ? view->stored.count : FUZZ_MOST_VALUES;
    void *values = malloc((size_t)count * sizeof(int64_t) + 1);
    if (!values) abort();
    if (gw_value_is_float(view->type)) gw_view_to_float(view, 0, count, values);
    else if (gw_value_is_int(view->type)) gw_view_to_int(view, 0, count, values);
    free(values);
}

static inline void fuzz_weights(const uint8_t *data, size_t size) {
    gw_weights_file file;
    if (gw_weights_file_of_bytes("fuzz", data, (int64_t)size, &file) != GW_OK) return;
    for (int64_t i = 0; i < file.count; i++) {
        fuzz_read(&file.views[i]);
        if (!gw_view_same(&file.views[i], &file.views[i])) abort();
    }
    gw_weights_file_close(&file);
}

#endif
