// SPDX-License-Identifier: MIT
#ifndef GW_KERNELS_CPU_MATMUL_ONEDNN_VERSION_H
#define GW_KERNELS_CPU_MATMUL_ONEDNN_VERSION_H
// The version of oneDNN that this process runs with, "3.7.2"; the text stays. Its products' last bits may differ from
// another version's.
const char *gw_onednn_version(void);
#endif
