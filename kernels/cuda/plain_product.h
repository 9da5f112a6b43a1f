// SPDX-License-Identifier: MIT
// A product as gw_cuda_multiply() makes it, a thread a number: of shapes that cuBLASLt refuses.
#ifndef GW_KERNELS_CUDA_PLAIN_PRODUCT_H
#define GW_KERNELS_CUDA_PLAIN_PRODUCT_H

#include "kernels/cuda/products.h"

gw_status gw_cuda_plain_product(const gw_cuda_product *product);

#endif
