// SPDX-License-Identifier: MIT
// The gemm slot of a CPU backend: oneDNN, which chooses its own instruction set.
#include "kernels/cpu/isa.h"
#include "kernels/gemm_onednn.h"

gw_status GW_KERNEL(gemm)(const gw_gemm_args *args) {
    return gw_gemm_onednn(args);
}
