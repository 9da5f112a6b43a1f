// SPDX-License-Identifier: MIT
// Who holds which number: the emulation beside NVIDIA's own tables, CuTe's MMA_Traits and Copy_Traits, its layouts of
// shared memory and its matrix descriptors, compiled for the host. Prints what differs; exit status 1 where anything
// does.
#include "tests/cuda/cute/lanes.h"

// Descriptors count from the image's begin.
#define CUTE_NVVM_GET_SMEM_POINTER_ACTIVATED 1
static uint32_t __nvvm_get_smem_pointer(const void *p);

#include <cute/atom/copy_traits_sm75.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>

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

// ---- wgmma
using cute::_16;
using cute::_64;
using cute::Int;
namespace gmma = cute::SM90::GMMA;
typedef cute::bfloat16_t number;

alignas(1024) static uint16_t image[LANES_IMAGE];

static uint32_t __nvvm_get_smem_pointer(const void *p) {
    return uint32_t(static_cast<const char *>(p) - reinterpret_cast<const char *>(image));
}

template <typename Layout> static auto matrix_at(int place, Layout layout) {
    return cute::make_tensor(cute::make_smem_ptr(reinterpret_cast<number *>(image + place)), layout);
}

template <int rows, int columns, typename Tensor> static void place(Tensor to, const int (&x)[rows][columns]) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) to(i, k) = number(float(x[i][k]));
}

// Thread after thread the sums of a b^T of columns from `first` on, that were `before`, and how many are others.
template <int n>
static int count_wrong(const float *d, const int (&a)[64][64], const int (&b)[n][64], int first, int before) {
    int wrong = 0;
    for (int t = 0; t < LANES_GROUP; t++)
        for (int v = 0; v < n / 2; v++) {
            const int i = index_of<gmma::CLayout_64xN<n>>(t, v);
            int sum = before;
            for (int k = first; k < first + 16; k++) sum += a[i % 64][k] * b[i / 64][k];
            wrong += d[t * (n / 2) + v] != float(sum);
        }
    return wrong;
}

template <typename Atom> static int check_matrices(const char *name) {
    int a[64][64], b[64][64], wrong = 0;
    static float d[LANES_GROUP * 32];
    fill(a), fill(b);
    const auto layout = cute::tile_to_shape(Atom{}, cute::Shape<_64, _64>{});
    const auto of_a = matrix_at(0, layout), of_b = matrix_at(64 * 64, layout);
    place(of_a, a), place(of_b, b);
    cute::for_each(cute::make_seq<4>{}, [&](auto q) {
        const auto part = cute::make_coord(cute::_0{}, q);
        const uint64_t at_a =
            gmma::make_gmma_desc<gmma::Major::K>(cute::local_tile(of_a, cute::Shape<_64, _16>{}, part));
        const uint64_t at_b =
            gmma::make_gmma_desc<gmma::Major::K>(cute::local_tile(of_b, cute::Shape<_64, _16>{}, part));
        wrong += lanes_wgmma(image, at_a, at_b, d) || count_wrong(d, a, b, 16 * q, 0);
    });
    printf("wgmma m64n64k16, K-major, %s: %d of 4 products differ\n", name, wrong);
    return wrong;
}

template <int n, typename Atom> static int check_registers(const char *name) {
    int a[64][64], b[n][64], wrong = 0;
    static float d[LANES_GROUP * n / 2];
    uint16_t of_a[LANES_GROUP][8];
    fill(a), fill(b);
    const auto of_b =
        matrix_at(0, cute::tile_to_shape(Atom{}, cute::Shape<Int<n>, _64>{}, cute::Step<cute::_2, cute::_1>{}));
    place(of_b, b);
    cute::for_each(cute::make_seq<4>{}, [&](auto q) {
        const auto part = cute::make_coord(cute::_0{}, q);
        const uint64_t at =
            gmma::make_gmma_desc<gmma::Major::MN>(cute::local_tile(of_b, cute::Shape<Int<n>, _16>{}, part));
        for (int t = 0; t < LANES_GROUP; t++)
            for (int v = 0; v < 8; v++) {
                const int i = index_of<gmma::ALayout_64x16>(t, v);
                of_a[t][v] = bf16_of(a[i % 64][16 * q + i / 64]);
            }
        for (float &sum : d) sum = 3.0f;
        wrong +=
            lanes_wgmma_add(n, image, reinterpret_cast<uint32_t *>(of_a), at, d) || count_wrong(d, a, b, 16 * q, 3);
    });
    printf("wgmma m64n%dk16, MN-major, %s: %d of 4 products differ\n", n, name, wrong);
    return wrong;
}

template <int columns, typename Atom> static int check_box(const char *name, int swizzle) {
    uint16_t in[64][columns];
    int wrong = 0;
    for (auto &row : in)
        for (uint16_t &x : row) x = uint16_t(rand());
    if (lanes_load_box(in[0], columns, swizzle, image)) return 1;
    const auto of = matrix_at(0, cute::tile_to_shape(Atom{}, cute::Shape<_64, Int<columns>>{}));
    for (int r = 0; r < 64; r++)
        for (int c = 0; c < columns; c++) wrong += of(r, c).raw() != in[r][c];
    printf("cp.async.bulk.tensor, %s: %d of %d numbers differ\n", name, wrong, 64 * columns);
    return wrong;
}

static int check_warpgroups() {
    return check_matrices<gmma::Layout_K_INTER_Atom<number>>("no swizzle") +
           check_matrices<gmma::Layout_K_SW32_Atom<number>>("32 bytes") +
           check_matrices<gmma::Layout_K_SW64_Atom<number>>("64 bytes") +
           check_matrices<gmma::Layout_K_SW128_Atom<number>>("128 bytes") +
           check_registers<64, gmma::Layout_MN_INTER_Atom<number>>("no swizzle") +
           check_registers<64, gmma::Layout_MN_SW32_Atom<number>>("32 bytes") +
           check_registers<32, gmma::Layout_MN_SW64_Atom<number>>("64 bytes") +
           check_registers<128, gmma::Layout_MN_SW64_Atom<number>>("64 bytes") +
           check_registers<64, gmma::Layout_MN_SW128_Atom<number>>("128 bytes") +
           check_registers<128, gmma::Layout_MN_SW128_Atom<number>>("128 bytes") +
           check_box<16, gmma::Layout_K_SW32_Atom<number>>("32 bytes", 3) +
           check_box<32, gmma::Layout_K_SW64_Atom<number>>("64 bytes", 2) +
           check_box<64, gmma::Layout_K_SW128_Atom<number>>("128 bytes", 1);
}

int main() {
    const int products = check_products() + check_warpgroups();
    const int plain = check_loads<cute::Copy_Traits<cute::SM75_U32x4_LDSM_N>>("ldmatrix.x4", false);
    const int turned = check_loads<cute::Copy_Traits<cute::SM75_U16x8_LDSM_T>>("ldmatrix.x4.trans", true);
    return products + plain + turned != 0;
}
