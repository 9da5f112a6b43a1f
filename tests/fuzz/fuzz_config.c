// SPDX-License-Identifier: MIT
// Bytes as a config.json: what is read can be copied and written, and what was written reads as the same; a list of its
// tensors takes no memory that their sizes ask for.
#include "base/output.h"
#include "model/config.h"
#include "model/parameters.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *path(void) {
    static char name[64];
    if (!name[0]) {
        strcpy(name, "/tmp/godwit-fuzz-XXXXXX");
        const int file = mkstemp(name);
        if (file < 0) abort();
        close(file);
    }
    return name;
}

static void expect_same(const gw_config *a, const gw_config *b) {
    if (a->family != b->family || a->head != b->head || a->width != b->width || a->layers != b->layers ||
        a->vocabulary != b->vocabulary || a->labels != b->labels || a->problem != b->problem || a->bias != b->bias ||
        a->rotary != b->rotary || a->pattern.block != b->pattern.block || a->pattern.full != b->pattern.full)
        abort();
}

static void write_and_read(const gw_config *config) {
    gw_config again;
    if (gw_config_save(config, path()) != GW_OK) return;
    if (gw_config_load(path(), &again) != GW_OK) abort();
    expect_same(config, &again);
    gw_config_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    gw_config config, copy;
    gw_parameters parameters;
    if (gw_config_parse("config.json", (const char *)data, (int64_t)size, &config) != GW_OK) return 0;
    if (gw_parameters_make(&config, &parameters) == GW_OK) gw_parameters_free(&parameters);
    if (gw_config_copy(&config, &copy) == GW_OK) {
        write_and_read(&copy);
        gw_config_free(&copy);
    }
    gw_config_free(&config);
    return 0;
}
