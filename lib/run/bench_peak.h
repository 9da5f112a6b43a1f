// SPDX-License-Identifier: MIT
// The machine's limits, measured on all threads of gw_parallel_for(): multiply-adds in registers, and a copy of memory.
#ifndef GW_RUN_BENCH_PEAK_H
#define GW_RUN_BENCH_PEAK_H

#include "kernels/kernel.h"

// FLOPs a second. GW_BF16 requires gw_has_bf16().
gw_status gw_peak_flops(gw_precision precision, double *out) GW_MUST_CHECK;
// Bytes a second, read and written.
gw_status gw_peak_bytes(double *out) GW_MUST_CHECK;

#endif
