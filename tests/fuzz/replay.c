// SPDX-License-Identifier: MIT
// A fuzz target without a fuzzer: runs it once over each file that is named, whose bytes lie in a block of exactly
// their size, so that a sanitizer sees a read beyond the end.
//   replay_<target> FILE...
#include "base/memory.h"
#include "base/output.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gw_status replay(const char *path) {
    char *text;
    int64_t count;
    GW_TRY(gw_read_file(path, &text, &count));
    uint8_t *exact = gw_alloc(count, 1);
    const gw_status status = exact ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        memcpy(exact, text, (size_t)count);
        LLVMFuzzerTestOneInput(exact, (size_t)count);
    }
    free(exact);
    free(text);
    return status;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (replay(argv[i]) == GW_OK) continue;
        fprintf(stderr, "%s\n", gw_message());
        return 1;
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
