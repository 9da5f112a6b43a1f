// SPDX-License-Identifier: MIT
#ifndef GW_FILE_HTS_VERSION_H
#define GW_FILE_HTS_VERSION_H
// The version of HTSlib that this process runs with.
const char *gw_htslib_version(void);
#endif
