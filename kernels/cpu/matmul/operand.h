// SPDX-License-Identifier: MIT
// Packing of the operands of a product, by launchers of an instruction set.
#ifndef GW_KERNELS_CPU_MATMUL_OPERAND_H
#define GW_KERNELS_CPU_MATMUL_OPERAND_H

#include "kernels/cpu/isa/isa.h"
#include "kernels/cpu/matmul/gemm_packed.h"

// Packs the operand, or a function of it, as words: pairs of bf16 (kernels/cpu/isa/operand.c). Compiled once for each
// instruction set, because it takes long; amx uses that of avx512.
void GW_PLAIN_KERNEL(operand_pack)(const gw_operand *operand);
#define gw_operand_pack GW_PLAIN_KERNEL(operand_pack)

#endif
