// SPDX-License-Identifier: MIT
// Writes the header with space for the number of rows, which is filled in at the end.
#include "file/npy.h"

#include <errno.h>
#include <string.h>

enum { HEAD = 128, PREFIX = 10 };

static gw_status write_head(gw_npy *npy) {
    char head[HEAD];
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = (char)(HEAD - PREFIX);
    head[9] = 0;
    char text[HEAD], depth[32] = "";
    if (npy->depth > 0) snprintf(depth, sizeof depth, ", %lld", (long long)npy->depth);
    const int length =
        snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%lld, %lld%s), }",
                 (long long)npy->rows, (long long)npy->columns, depth);
    memcpy(head + PREFIX, text, (size_t)length);
    head[HEAD - 1] = '\n';
    return gw_output_write(&npy->output, head, HEAD);
}

gw_status gw_npy_open(gw_npy *npy, const char *path, int64_t columns, int64_t depth) {
    *npy = (gw_npy){.columns = columns, .depth = depth};
    if (strcmp(path, "-") == 0) return gw_fail(GW_ERR_UNSUPPORTED, "a .npy file cannot go to standard output");
    GW_TRY(gw_output_open(&npy->output, path));
    const gw_status status = write_head(npy);
    if (status != GW_OK) gw_npy_abandon(npy);
    return status;
}

gw_status gw_npy_add(gw_npy *npy, const float *row) {
    const int64_t values = npy->columns * (npy->depth > 0 ? npy->depth : 1);
    npy->rows++;
    return gw_output_write(&npy->output, row, values * (int64_t)sizeof *row);
}

gw_status gw_npy_close(gw_npy *npy) {
    if (!npy->output.stream) return GW_OK;
    gw_status status = GW_OK;
    if (fseek(npy->output.stream, 0, SEEK_SET) != 0)
        status = gw_fail(GW_ERR_IO, "cannot write %s: %s", npy->output.name.path, strerror(errno));
    if (status == GW_OK) status = write_head(npy);
    if (status == GW_OK) return gw_output_close(&npy->output);
    gw_npy_abandon(npy);
    return status;
}

void gw_npy_abandon(gw_npy *npy) {
    gw_output_abandon(&npy->output);
}
