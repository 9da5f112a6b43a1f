// SPDX-License-Identifier: MIT
// What a device with memory of its own can do, measured by its ops: the product of two squares, and a function of many
// numbers.
#ifndef GW_RUN_BENCH_DEVICE_PEAK_H
#define GW_RUN_BENCH_DEVICE_PEAK_H

#include "kernels/kernel.h"

// As gw_peak_flops() and gw_peak_bytes().
gw_status gw_device_peak_flops(gw_precision precision, double *out) GW_MUST_CHECK;
gw_status gw_device_peak_bytes(double *out) GW_MUST_CHECK;

#endif
