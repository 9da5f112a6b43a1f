// SPDX-License-Identifier: MIT
// Grey is 0.2989 red + 0.587 green + 0.114 blue, as the benchmark's pictures are.
#include "data/arena/cifar.h"

#include "base/memory.h"
#include "base/output.h"

#include <math.h>
#include <stdlib.h>

enum { PIXELS = 32 * 32, RECORD = 1 + 3 * PIXELS, CLASSES = 10, TEST_FILE = GW_CIFAR_FILES - 1 };

static gw_status open_file(const char *folder, int f, char **out) {
    char name[32];
    int64_t length = 0;
    snprintf(name, sizeof name, f == TEST_FILE ? "test_batch.bin" : "data_batch_%d.bin", f + 1);
    char *path = gw_join_path(folder, name);
    gw_status status = path ? gw_read_file(path, out, &length) : GW_ERR_MEMORY;
    if (status == GW_OK && length != (int64_t)GW_CIFAR_IMAGES * RECORD)
        status = gw_fail(GW_ERR_FORMAT, "%s: %lld bytes, expected %lld of %d images", path, (long long)length,
                         (long long)GW_CIFAR_IMAGES * RECORD, GW_CIFAR_IMAGES);
    free(path);
    return status;
}

gw_status gw_cifar_open(const char *folder, gw_cifar_files *out) {
    for (int f = 0; f < GW_CIFAR_FILES; f++) GW_TRY(open_file(folder, f, &out->bytes[f]));
    return GW_OK;
}

void gw_cifar_free(gw_cifar_files *files) {
    for (int f = 0; f < GW_CIFAR_FILES; f++) free(files->bytes[f]);
    *files = (gw_cifar_files){0};
}

gw_status gw_cifar_read(const gw_cifar_files *files, bool test, int64_t i, gw_string *text, gw_string *label) {
    const int64_t f = test ? TEST_FILE : i / GW_CIFAR_IMAGES;
    if (f >= (test ? GW_CIFAR_FILES : TEST_FILE) || i >= (test ? 1 : TEST_FILE) * (int64_t)GW_CIFAR_IMAGES)
        return gw_fail(GW_ERR_RANGE, "CIFAR-10 has no image %lld there", (long long)i + 1);
    const unsigned char *record = (const unsigned char *)files->bytes[f] + i % GW_CIFAR_IMAGES * RECORD;
    if (record[0] >= CLASSES)
        return gw_fail(GW_ERR_FORMAT, "CIFAR-10: image %lld is of class %d, expected 0 to 9", (long long)i + 1,
                       record[0]);
    gw_string_printf(label, "%d", record[0]);
    for (int p = 0; p < PIXELS; p++) {
        const unsigned char *red = record + 1 + p;
        gw_string_printf(text, "%s%d", p > 0 ? " " : "",
                         (int)lround(0.2989 * red[0] + 0.587 * red[PIXELS] + 0.114 * red[2 * PIXELS]));
    }
    return GW_OK;
}
