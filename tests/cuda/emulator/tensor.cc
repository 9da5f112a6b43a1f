// SPDX-License-Identifier: MIT
// mma.sync and ldmatrix, whose numbers lie in lanes as the PTX ISA's figures show, and cp.async, which copies when it
// is waited for: as late as the instruction allows.
#include "state.h"

#include <stdlib.h>

namespace emu {

float of_bf16(uint32_t bits) {
    bits <<= 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bf16_of(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
    return (u + 0x7fffu + (u >> 16 & 1)) >> 16;
}

struct product {
    float *d;
    const uint32_t *a, *b;
};
struct tiles {
    float a[16][16], b[16][8], d[16][8];
};

// m16n8k16 with .bf16: g = lane / 4, t = lane % 4.
static void take_fragments(tiles &x, void *const *brought) {
    for (int lane = 0; lane < WARP; lane++) {
        const product *p = static_cast<product *>(brought[lane]);
        const int g = lane >> 2, t = 2 * (lane & 3);
        for (int h = 0; h < 2; h++) {
            for (int i = 0; i < 4; i++)
                x.a[g + 8 * (i & 1)][t + h + 8 * (i >> 1)] = of_bf16(p->a[i] >> (16 * h) & 0xffff);
            for (int i = 0; i < 2; i++) x.b[t + h + 8 * i][g] = of_bf16(p->b[i] >> (16 * h) & 0xffff);
        }
        for (int i = 0; i < 4; i++) x.d[g + 8 * (i >> 1)][t + (i & 1)] = p->d[i];
    }
}

static void give_fragments(const tiles &x, void *const *brought) {
    for (int lane = 0; lane < WARP; lane++) {
        const product *p = static_cast<product *>(brought[lane]);
        const int g = lane >> 2, t = 2 * (lane & 3);
        for (int i = 0; i < 4; i++) p->d[i] = x.d[g + 8 * (i >> 1)][t + (i & 1)];
    }
}

static float toward_zero(double x) {
    const float y = float(x);
    return fabs(double(y)) > fabs(x) ? nextafterf(y, 0) : y;
}

// `part` products are added exactly, then the sum is rounded.
static float sum_parts(float d, const float *a, const float *b, int n, int part, float (*round)(double)) {
    for (int k = 0; k < 16; k += part) {
        double sum = d;
        for (int l = k; l < k + part; l++) sum += double(a[l]) * b[l * n];
        d = round(sum);
    }
    return d;
}

static void add_in_f32(float *d, const float *a, const float *b, int n) {
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 16; k++)
            for (int j = 0; j < n; j++) d[i * n + j] += a[i * 16 + k] * b[k * n + j];
}

// EMU_MMA: f32 rounds every sum; exact each result once; rz cuts off after 8 products, roughly as tensor cores do.
void add_product(float *d, const float *a, const float *b, int n) {
    static const char *const how = getenv("EMU_MMA") ? getenv("EMU_MMA") : "f32";
    if (!strcmp(how, "f32")) return add_in_f32(d, a, b, n);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < n; j++) {
            float *const to = d + i * n + j;
            *to = !strcmp(how, "rz") ? sum_parts(*to, a + i * 16, b + j, n, 8, toward_zero)
                                     : sum_parts(*to, a + i * 16, b + j, n, 16, [](double s) { return float(s); });
        }
}

static void multiply(unsigned, void *const *brought) {
    tiles x;
    take_fragments(x, brought);
    add_product(x.d[0], x.a[0], x.b[0], 8);
    give_fragments(x, brought);
    tally.mma++;
}

enum { MATRICES = 4 };
struct matrix_rows {
    uint32_t *r;
    const char *row;
    bool transposed;
};

// Rows that start in the same 16 bytes of 128 come one after the other.
static int cycles(void *const *brought, int matrix) {
    int in_bank[8] = {}, most = 0;
    for (int r = 0; r < 8; r++) {
        const char *row = static_cast<matrix_rows *>(brought[8 * matrix + r])->row;
        const int count = ++in_bank[uintptr_t(row) >> 4 & 7];
        if (count > most) most = count;
    }
    return most;
}

static void load_matrices(unsigned, void *const *brought) {
    for (int m = 0; m < MATRICES; m++) {
        uint16_t x[8][8];
        for (int r = 0; r < 8; r++) memcpy(x[r], static_cast<matrix_rows *>(brought[8 * m + r])->row, sizeof x[r]);
        for (int lane = 0; lane < WARP; lane++) {
            const matrix_rows *to = static_cast<matrix_rows *>(brought[lane]);
            const int g = lane >> 2, t = 2 * (lane & 3);
            to->r[m] = to->transposed ? x[t][g] | uint32_t(x[t + 1][g]) << 16 : x[g][t] | uint32_t(x[g][t + 1]) << 16;
        }
        tally.ldmatrix_cycles += cycles(brought, m);
        tally.ldmatrix++;
    }
}

static void mark_coming(char *to, uint16_t mark) {
    for (int i = 0; i < COPY_BYTES; i += 2) cell_of_shared(to + i)->coming = mark;
}

static bool copyable(const void *shared, const void *from, int valid) {
    return place_of(shared) == SHARED_MEMORY && (!valid || place_of(from) == GLOBAL_MEMORY) &&
           uintptr_t(from) % COPY_BYTES == 0 && uintptr_t(shared) % COPY_BYTES == 0;
}

// A unit in the last place or two, either way.
static float off(float x) {
    static const int most = getenv("EMU_ULP") ? atoi(getenv("EMU_ULP")) : 0;
    if (!most || x == 0 || !isfinite(x)) return x;
    const int n = int(random_bits() % uint64_t(2 * most + 1)) - most;
    for (int i = 0; i < abs(n); i++) x = nextafterf(x, n > 0 ? INFINITY : -INFINITY);
    return x;
}

} // namespace emu

using namespace emu;

void emu_mma_bf16(emu_site site, float *d, const uint32_t *a, const uint32_t *b) {
    product p = {d, a, b};
    emu_meet(site, 0xffffffffu, &p, multiply, false);
}

void emu_ldmatrix(emu_site site, uint32_t *r, const void *row, bool transposed) {
    if (place_of(row) != SHARED_MEMORY && fresh(key_of("ldmatrix", site)))
        tell("NOT SHARED: ldmatrix of %s at %s:%d", describe(row).c_str(), site.file, site.line);
    access(row, 16, READ, true, __builtin_return_address(0));
    matrix_rows x = {r, static_cast<const char *>(row), transposed};
    emu_meet(site, 0xffffffffu, &x, load_matrices, false);
}

void emu_cp_async(emu_site site, void *shared, const void *from, int valid) {
    const void *pc = __builtin_return_address(0);
    if (!copyable(shared, from, valid)) {
        if (fresh(key_of("cp", site)))
            tell("CP.ASYNC: %s copies %s to %s at %s:%d", name_of(self).c_str(), describe(from).c_str(),
                 describe(shared).c_str(), site.file, site.line);
        return;
    }
    const long before = tally.faults;
    for (int i = 0; i < valid; i += 4) access(static_cast<const char *>(from) + i, 4, READ, true, pc);
    const bool readable = tally.faults == before;
    access(shared, COPY_BYTES, WRITE, true, pc);
    char *to = static_cast<char *>(shared);
    mark_coming(to, uint16_t(self->number + 1));
    self->copies.push_back({to, static_cast<const char *>(from), readable ? valid : 0, self->group});
    tally.copies++;
}

void emu_cp_async_commit() {
    self->group++;
}

void emu_cp_async_wait(int left) {
    while (!self->copies.empty() && self->copies.front().group < self->group - left) {
        const copy c = self->copies.front();
        self->copies.pop_front();
        mark_coming(c.to, 0);
        memcpy(c.to, c.from, size_t(c.valid));
        memset(c.to + c.valid, 0, size_t(COPY_BYTES - c.valid));
        access(c.to, COPY_BYTES, WRITE, true, __builtin_return_address(0));
    }
}

uint32_t gpu_pack_bf16(float low, float high) {
    return bf16_of(low) | bf16_of(high) << 16;
}

float gpu_exp2(float x) {
    const float y = exp2f(x);
    return off(fabsf(y) < 1.17549435e-38f ? 0 : y); // denormals are flushed
}

float gpu_log2(float x) {
    return off(log2f(x));
}
