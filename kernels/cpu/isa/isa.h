// SPDX-License-Identifier: MIT
// Names of the launchers of one instruction set. Every source of kernels/cpu is compiled once for each set, with GW_ISA
// as its name; GW_KERNEL(gate) is, for example, gw_gate_avx2.
#ifndef GW_KERNELS_CPU_ISA_ISA_H
#define GW_KERNELS_CPU_ISA_ISA_H

#include "kernels/kernel.h"

#define GW_JOIN_NAMES(op, isa) gw_##op##_##isa
#define GW_JOIN(op, isa) GW_JOIN_NAMES(op, isa)
#define GW_KERNEL(op) GW_JOIN(op, GW_ISA)

#define GW_OP(op, arguments) gw_status GW_KERNEL(op)(const arguments *args);
#include "kernels/ops.def"
#undef GW_OP

// An op without a version for tiles: amx uses that of avx512.
#ifdef GW_ISA_amx
#define GW_PLAIN_KERNEL(op) GW_JOIN(op, avx512)
#define GW_OP(op, arguments) gw_status GW_PLAIN_KERNEL(op)(const arguments *args);
#include "kernels/ops.def"
#undef GW_OP
#else
#define GW_PLAIN_KERNEL(op) GW_KERNEL(op)
#endif

#endif
