// SPDX-License-Identifier: MIT
// Asks HTSlib which version it is.
#include "file/hts_version.h"

#include <htslib/hts.h>

const char *gw_htslib_version(void) {
    return hts_version();
}
