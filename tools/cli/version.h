// SPDX-License-Identifier: MIT
#ifndef GW_TOOLS_CLI_VERSION_H
#define GW_TOOLS_CLI_VERSION_H
#include <stdio.h>
// godwit's own version and those of the libraries it runs with; the backends.
void gw_print_version(FILE *out);
#endif
