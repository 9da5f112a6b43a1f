// SPDX-License-Identifier: MIT
// A product like that of gw_cuda_multiply(), with one thread a number, for shapes that cuBLASLt refuses.
#ifndef GW_KERNELS_CUDA_PLAIN_PRODUCT_H
#define GW_KERNELS_CUDA_PLAIN_PRODUCT_H

#include "kernels/cuda/products.h"

gw_status gw_cuda_plain_product(const gw_cuda_product *product);

#endif
