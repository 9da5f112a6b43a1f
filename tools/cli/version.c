// SPDX-License-Identifier: MIT
// Prints the versions of the program, of HTSlib and of oneDNN.
#include "tools/cli/program.h"

#include "file/input.h"
#include "kernels/cpu/matmul/onednn_version.h"
#include "run/ranks.h"
#include "tools/cli/cli.h"
#include "tools/cli/device.h"

#include <jansson.h>

void gw_print_version(FILE *out) {
    fprintf(out, "godwit %s\nhtslib %s\nonednn %s\njansson %s\n", GW_VERSION, gw_htslib_version(), gw_onednn_version(),
            jansson_version_str());
    gw_print_devices(out);
    gw_print_transports(out);
}
