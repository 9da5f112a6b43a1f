// SPDX-License-Identifier: MIT
// Bytes as a pickle, without an archive around it.
#include "store/pickle.h"
#include "tests/fuzz/fuzz.h"

static const gw_pickle_name names[] = {
    {"a", "d", GW_PICKLE_AS_DICT}, {"a", "c", GW_PICKLE_AS_CALL}, {"a", "v", GW_PICKLE_AS_VALUE}, {NULL}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gw_pickle pickle;
    if (gw_pickle_read("fuzz", data, (int64_t)size, names, &pickle) == GW_OK) gw_pickle_free(&pickle);
    return 0;
}
