// SPDX-License-Identifier: MIT
// Names of the launchers of one instruction set: every source of kernels/cpu is compiled once per set, with GW_ISA its
// name, and GW_KERNEL(gate) is gw_gate_avx2 there.
#ifndef GW_KERNELS_CPU_ISA_ISA_H
#define GW_KERNELS_CPU_ISA_ISA_H

#include "kernels/kernel.h"

#define GW_JOIN_NAMES(op, isa) gw_##op##_##isa
#define GW_JOIN(op, isa) GW_JOIN_NAMES(op, isa)
#define GW_KERNEL(op) GW_JOIN(op, GW_ISA)

#define GW_OP(op, arguments) gw_status GW_KERNEL(op)(const arguments *args);
#include "kernels/ops.def"
#undef GW_OP

// An op that has no form in tiles: for amx that of avx512.
#ifdef GW_ISA_amx
#define GW_PLAIN_KERNEL(op) GW_JOIN(op, avx512)
#define GW_OP(op, arguments) gw_status GW_PLAIN_KERNEL(op)(const arguments *args);
#include "kernels/ops.def"
#undef GW_OP
#else
#define GW_PLAIN_KERNEL(op) GW_KERNEL(op)
#endif

#endif
