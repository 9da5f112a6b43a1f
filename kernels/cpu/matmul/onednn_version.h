// SPDX-License-Identifier: MIT
#ifndef GW_KERNELS_CPU_MATMUL_ONEDNN_VERSION_H
#define GW_KERNELS_CPU_MATMUL_ONEDNN_VERSION_H
// The version of oneDNN in this process, "3.7.2"; a constant text. The last bits of products may differ between
// versions.
const char *gw_onednn_version(void);
#endif
