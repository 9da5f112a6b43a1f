// SPDX-License-Identifier: MIT
// Who holds which number: the emulation beside NVIDIA's own tables, CuTe's MMA_Traits and Copy_Traits, compiled for the
// host. Prints what differs; exit status 1 where anything does.
#include "tests/cuda/cute/lanes.h"

#include <cute/atom/copy_traits_sm75.hpp>
#include <cute/atom/mma_traits_sm80.hpp>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 32 };

static uint16_t bf16_of(int small) { // exact
    const float x = float(small);
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return uint16_t(bits >> 16);
}

template <int rows, int columns> static void fill(int (&x)[rows][columns]) {
    for (auto &row : x)
        for (int &number : row) number = rand() % 17 - 8;
}

// Coordinates of a fragment's number as one index, columns after columns.
template <typename Layout> static int index_of(int lane, int number) {
    return Layout{}(lane, number);
}

static int check_products() {
    using traits = cute::MMA_Traits<cute::SM80_16x8x16_F32BF16BF16F32_TN>;
    int a[16][16], b[8][16], c[16][8], wrong = 0; // b is [n][k]
    uint16_t of_a[LANES][8], of_b[LANES][4];
    float d[LANES][4];
    fill(a), fill(b), fill(c);
    for (int lane = 0; lane < LANES; lane++) {
        for (int v = 0; v < 8; v++) {
            const int i = index_of<traits::ALayout>(lane, v);
            of_a[lane][v] = bf16_of(a[i % 16][i / 16]);
        }
        for (int v = 0; v < 4; v++) {
            const int i = index_of<traits::BLayout>(lane, v), j = index_of<traits::CLayout>(lane, v);
            of_b[lane][v] = bf16_of(b[i % 8][i / 8]);
            d[lane][v] = float(c[j % 16][j / 16]);
        }
    }
    if (lanes_multiply(reinterpret_cast<uint32_t *>(of_a), reinterpret_cast<uint32_t *>(of_b), d[0])) return 1;
    for (int lane = 0; lane < LANES; lane++)
        for (int v = 0; v < 4; v++) {
            const int i = index_of<traits::CLayout>(lane, v), m = i % 16, n = i / 16;
            int sum = c[m][n];
            for (int k = 0; k < 16; k++) sum += a[m][k] * b[n][k];
            wrong += d[lane][v] != float(sum);
        }
    printf("mma.sync m16n8k16 bf16: %d of %d numbers differ\n", wrong, 4 * LANES);
    return wrong;
}

// Copy_Traits count bits: of a lane's row in shared memory, 128 of them, and of its registers.
template <typename traits> static int check_loads(const char *name, bool transposed) {
    uint16_t in[LANES][8], out[LANES][8] = {};
    int wrong = 0;
    for (auto &row : in)
        for (uint16_t &number : row) number = uint16_t(rand());
    if (lanes_load(reinterpret_cast<uint32_t *>(in), reinterpret_cast<uint32_t *>(out), transposed)) return 1;
    for (int lane = 0; lane < LANES; lane++)
        for (int v = 0; v < 8; v++) {
            const int bit = typename traits::DstLayout{}(lane, 16 * v);
            wrong += out[lane][v] != in[bit / 128][bit % 128 / 16];
        }
    printf("%s: %d of %d numbers differ\n", name, wrong, 8 * LANES);
    return wrong;
}

int main() {
    const int products = check_products();
    const int plain = check_loads<cute::Copy_Traits<cute::SM75_U32x4_LDSM_N>>("ldmatrix.x4", false);
    const int turned = check_loads<cute::Copy_Traits<cute::SM75_U16x8_LDSM_T>>("ldmatrix.x4.trans", true);
    return products + plain + turned != 0;
}
