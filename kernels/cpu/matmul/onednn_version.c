// SPDX-License-Identifier: MIT
// Asks oneDNN which version it is.
#include "kernels/cpu/matmul/onednn_version.h"

#include <dnnl.h>
#include <stdio.h>

const char *gw_onednn_version(void) {
    static char text[48];
    const dnnl_version_t *version = dnnl_version();
    snprintf(text, sizeof text, "%d.%d.%d", version->major, version->minor, version->patch);
    return text;
}
