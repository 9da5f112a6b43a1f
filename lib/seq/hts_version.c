// SPDX-License-Identifier: MIT
#include "seq/hts_version.h"

#include <htslib/hts.h>

const char *gw_htslib_version(void) {
    return hts_version();
}
