// SPDX-License-Identifier: MIT
// Bytes as a training state: it is refused, or filled in whole.
#include "run/state.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_file.h"

enum { FLOATS = 4, OTHER = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    float weights[FLOATS] = {0}, moments[FLOATS] = {0}, other[OTHER] = {0};
    gw_training_state state = {
        .fingerprint = "{}", .floats = FLOATS, .size = {[2] = OTHER}, .blocks = 3, .block = {weights, moments, other}};
    bool found = false;
    fuzz_file(path, gw_state_file, data, size);
    if (gw_state_load(&state, fuzz_folder, &found) == GW_OK && found) {
        if (state.step < 0 || !json_is_object(state.notes)) abort();
        json_decref(state.notes);
    }
    return 0;
}
