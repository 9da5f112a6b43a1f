// SPDX-License-Identifier: MIT
// Products of a warpgroup (wgmma): operands in shared memory as matrix descriptors name them, sums that are there where
// the warp waits, and what a thread must not touch until then. Each warp makes its 16 of the 64 rows by itself.
#include "state.h"

#include "kernels/cuda/gpu_sm90.h"

#include <algorithm>
#include <sys/mman.h>

namespace emu {

enum {
    ROW = 16,
    ROWS = MOST_SHARED / ROW,
    GROUP = 4,
    MOST_N = 256,
    START = 1024
}; // of shared memory; a warpgroup's warps

struct product { // of a warp, that is not waited for
    emu_wgmma_call call;
    float *d[WARP];
    const uint32_t *a_at[WARP];
    uint32_t a[WARP][4];
    int group;
};
struct order_of { // of a warpgroup: what its first warp asked for, which the others must ask for too
    std::vector<emu_wgmma_call> calls;
};
static std::deque<product> on_way[MOST_WARPS];
static int group_of[MOST_WARPS];
static size_t asked[MOST_WARPS];
static order_of orders[MOST_WARPS / GROUP];
static long made;                       // by warps, so far
static uint16_t readers[ROWS];          // products on their way
static uint32_t (*read_at)[MOST_WARPS]; // epochs of the last product that is done, by warp

void forget_products() {
    if (!read_at)
        read_at = static_cast<uint32_t(*)[MOST_WARPS]>(mmap(nullptr, sizeof *read_at * ROWS, PROT_READ | PROT_WRITE,
                                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (int w = 0; w < MOST_WARPS; w++) {
        if (!on_way[w].empty()) memset(readers, 0, sizeof readers);
        on_way[w].clear();
        group_of[w] = 0, asked[w] = 0;
        orders[w / GROUP].calls.clear();
    }
}

void finish_products() {
    for (int w = 0; w < now.warps; w++)
        if (asked[w] != orders[w / GROUP].calls.size() && fresh("products of some"))
            tell("DIVERGENCE: warp %d asked for %zu wgmmas, another of its warpgroup for %zu", w, asked[w],
                 orders[w / GROUP].calls.size());
}

void finish_thread_products() {
    if (!self->taken.empty() && fresh("products at the end"))
        tell("ENDS WITH PRODUCTS: %s ends with wgmmas that it did not wait for", name_of(self).c_str());
    self->taken.clear();
}

// ---- registers
void note_register(const char *p, size_t bytes, const void *pc) {
    for (const registers &r : self->taken)
        if (p + bytes > r.at && p < r.at + r.bytes && fresh(key_of("taken", pc)))
            tell("REGISTERS OF A WGMMA: %s touches some at %s that it has not waited for", name_of(self).c_str(),
                 source_line(pc).c_str());
    const size_t first = size_t(p - self->stack) / 4, last = (size_t(p - self->stack) + bytes + 3) / 4;
    for (size_t i = first; i < last; i++) self->touched[i] = self->wgmma_fences;
}

static void check_fenced(const emu_site &site, const void *from, size_t bytes) {
    const size_t first = size_t(static_cast<const char *>(from) - self->stack) / 4;
    bool touched = !self->has_fenced;
    for (size_t i = first; !touched && i < first + bytes / 4; i++) touched = self->touched[i] == self->wgmma_fences;
    if (touched && fresh(key_of("fenced", site)))
        tell("NO FENCE: %s has touched registers of the wgmma at %s:%d behind its last wgmma.fence",
             name_of(self).c_str(), site.file, site.line);
}

static registers *find_taken(thread &t, const void *at) {
    for (registers &r : t.taken)
        if (r.at == at) return &r;
    return nullptr;
}

// Sums go where nobody sees them.
static void take_sums(const emu_site &site, const emu_wgmma_call &call) {
    const size_t bytes = size_t(call.n) / 2 * sizeof(float);
    if (registers *r = find_taken(*self, call.d)) {
        r->products++;
        if (r->bytes != bytes && fresh(key_of("shape", site)))
            tell("NO FENCE: the wgmma at %s:%d takes sums of one of another shape", site.file, site.line);
        return;
    }
    self->taken.push_back(
        {reinterpret_cast<char *>(call.d), bytes, 1, std::vector<float>(call.d, call.d + call.n / 2)});
    memset(call.d, 0xff, bytes);
}

static void take_operand(const uint32_t *a) {
    if (registers *r = find_taken(*self, a)) r->products++;
    else self->taken.push_back({reinterpret_cast<char *>(const_cast<uint32_t *>(a)), 4 * sizeof *a, 1, {}});
}

static void give_back(thread &t, const void *at) {
    registers *r = find_taken(t, at);
    if (!r || --r->products) return;
    if (!r->sums.empty()) memcpy(r->at, r->sums.data(), r->bytes);
    t.taken.erase(t.taken.begin() + (r - t.taken.data()));
}

// ---- matrices in shared memory, in parts of 16 bytes
struct matrix {
    uint32_t start, leading, stride, swizzle;
};

static matrix matrix_of(uint64_t bits) {
    return {uint32_t(bits & 0x3fff) << 4, uint32_t(bits >> 16 & 0x3fff) << 4, uint32_t(bits >> 32 & 0x3fff) << 4,
            uint32_t(bits >> 62)};
}

// CuTe's canonical layouts: `row` of those that are contiguous, `part` the 16 bytes of it.
static char *part_of(const matrix &m, int row, int part, bool turned) {
    const uint32_t width = m.swizzle == GPU_SWIZZLE_NONE ? 16 : 256u >> m.swizzle, parts = width / 16;
    const uint32_t r = uint32_t(row), c = uint32_t(part);
    uint32_t at = m.start + r % 8 * width;
    if (turned && m.swizzle != GPU_SWIZZLE_NONE) at += r / 8 * m.stride + c / parts * m.leading + c % parts * 16;
    else if (turned) at += r / 8 * m.leading + c * m.stride;
    else at += r / 8 * m.stride + (m.swizzle == GPU_SWIZZLE_NONE ? c * m.leading : c * 16);
    at ^= (at >> 7 & (parts - 1)) << 4;
    return dynamic_shared + (at - START);
}

// A warp's 16 rows of a from registers or memory, and b as [k][n].
static int rows_of_b(const emu_wgmma_call &call) {
    return call.turned ? 16 : call.n;
}
static int parts_of_b(const emu_wgmma_call &call) {
    return call.turned ? call.n / 8 : 2;
}

template <typename F> static void for_each_part(const emu_wgmma_call &call, int warp, F f) {
    if (!call.a) {
        const matrix a = matrix_of(call.a_matrix);
        for (int r = 0; r < 16; r++)
            for (int c = 0; c < 2; c++) f(part_of(a, warp % GROUP * 16 + r, c, false));
    }
    const matrix b = matrix_of(call.b_matrix);
    for (int r = 0; r < rows_of_b(call); r++)
        for (int c = 0; c < parts_of_b(call); c++) f(part_of(b, r, c, call.turned));
}

static bool lies_in_shared(const char *p) {
    return within(p, dynamic_shared, now.dynamic_bytes) && within(p + ROW - 1, dynamic_shared, now.dynamic_bytes);
}

static void check_operands(const emu_site &site, const emu_wgmma_call &call, const void *pc) {
    for_each_part(call, self->warp, [&](char *p) {
        if (!lies_in_shared(p)) {
            if (fresh(key_of("matrix", site)))
                tell("OUT OF BOUNDS: a matrix of the wgmma at %s:%d reaches out of shared memory", site.file,
                     site.line);
            abandon_block();
        }
        check_operand(p, ROW, pc);
        readers[(p - dynamic_shared) / ROW]++;
    });
}

static void read_numbers(const char *p, float *to, int step) {
    for (int i = 0; i < 8; i++) {
        uint16_t bits;
        memcpy(&bits, p + 2 * i, 2);
        to[i * step] = of_bf16(bits);
    }
}

static void read_a(const product &x, int warp, float (&a)[16][16]) {
    if (!x.call.a) {
        const matrix m = matrix_of(x.call.a_matrix);
        for (int r = 0; r < 16; r++)
            for (int c = 0; c < 2; c++) read_numbers(part_of(m, warp % GROUP * 16 + r, c, false), &a[r][8 * c], 1);
        return;
    }
    for (int lane = 0; lane < WARP; lane++)
        for (int i = 0; i < 4; i++)
            for (int h = 0; h < 2; h++)
                a[(lane >> 2) + 8 * (i & 1)][2 * (lane & 3) + h + 8 * (i >> 1)] =
                    of_bf16(x.a[lane][i] >> (16 * h) & 0xffff);
}

static void read_b(const emu_wgmma_call &call, float *b) {
    const matrix m = matrix_of(call.b_matrix);
    for (int r = 0; r < rows_of_b(call); r++)
        for (int c = 0; c < parts_of_b(call); c++)
            if (call.turned) read_numbers(part_of(m, r, c, true), b + r * call.n + 8 * c, 1);
            else read_numbers(part_of(m, r, c, false), b + 8 * c * call.n + r, call.n);
}

// As late as it may be: with what is in shared memory now.
static void make(const product &x, int warp) {
    static float a[16][16], b[16 * MOST_N], d[16 * MOST_N];
    const int n = x.call.n;
    read_a(x, warp, a);
    read_b(x.call, b);
    registers *of[WARP];
    auto place = [n](int lane, int i) {
        return ((lane >> 2) + (i >> 1 & 1) * 8) * n + i / 4 * 8 + 2 * (lane & 3) + (i & 1);
    };
    for (int lane = 0; lane < WARP; lane++) {
        of[lane] = find_taken(threads[warp * WARP + lane], x.d[lane]);
        for (int i = 0; i < n / 2; i++) d[place(lane, i)] = x.call.adds ? of[lane]->sums[size_t(i)] : 0.0f;
    }
    add_product(d, a[0], b, n);
    for (int lane = 0; lane < WARP; lane++) {
        thread &t = threads[warp * WARP + lane];
        for (int i = 0; i < n / 2; i++) of[lane]->sums[size_t(i)] = d[place(lane, i)];
        give_back(t, x.d[lane]);
    }
    tally.mma += n / 8;
    made++;
}

static void end_product(const product &x, int warp) {
    make(x, warp);
    for (int lane = 0; lane < WARP && x.call.a; lane++) give_back(threads[warp * WARP + lane], x.a_at[lane]);
    for_each_part(x.call, warp, [warp](char *p) {
        const long row = (p - dynamic_shared) / ROW;
        readers[row]--;
        read_at[row][warp] = warps[warp].epoch;
    });
}

void check_readers(const char *p, size_t bytes, const void *pc) {
    if (!within(p, dynamic_shared, MOST_SHARED)) return;
    for (long row = (p - dynamic_shared) / ROW; row <= (p + bytes - 1 - dynamic_shared) / ROW; row++) {
        if (readers[row] && fresh(key_of("operand", pc)))
            tell("OPERAND OF A WGMMA: %s overwrites %s at %s, which a product reads that was not waited for",
                 name_of(self).c_str(), describe(p).c_str(), source_line(pc).c_str());
        for (int w = 0; w < now.warps; w++) {
            touch t = {read_at[row][w], 0, uint16_t(w * WARP), 0, 0, 0};
            bool known = t.epoch <= now.synced_at || w == self->warp;
            for (int lane = 0; lane < WARP && !known; lane++, t.thread++) known = has_seen(t);
            if (!known && fresh(key_of("reader", pc)))
                tell("RACE: %s overwrites %s at %s, which a wgmma of warp %d has read with no barrier between",
                     name_of(self).c_str(), describe(p).c_str(), source_line(pc).c_str(), w);
        }
    }
}

// ---- a warp's lanes meet
struct brought_call {
    emu_site site;
    emu_wgmma_call call;
    const void *pc;
};

static bool same(const emu_wgmma_call &x, const emu_wgmma_call &y) {
    return x.a_matrix == y.a_matrix && x.b_matrix == y.b_matrix && x.n == y.n && !x.a == !y.a && x.turned == y.turned &&
           x.adds == y.adds;
}

static void ask(unsigned, void *const *brought) {
    const int warp = self->warp;
    const brought_call &first = *static_cast<brought_call *>(brought[0]);
    product x = {first.call, {}, {}, {}, group_of[warp]};
    bool agree = true;
    for (int lane = 0; lane < WARP; lane++) {
        const emu_wgmma_call &c = static_cast<brought_call *>(brought[lane])->call;
        agree &= same(c, first.call);
        x.d[lane] = c.d;
        x.a_at[lane] = c.a;
        if (c.a) memcpy(x.a[lane], c.a, sizeof x.a[lane]);
    }
    std::vector<emu_wgmma_call> &calls = orders[warp / GROUP].calls;
    if (asked[warp] == calls.size()) calls.push_back(first.call);
    agree &= same(calls[asked[warp]++], first.call);
    if (!agree && fresh(key_of("agree", first.site)))
        tell("DIVERGENCE: threads of a warpgroup ask for different products at %s:%d", first.site.file,
             first.site.line);
    check_operands(first.site, first.call, first.pc);
    on_way[warp].push_back(x);
}

} // namespace emu

using namespace emu;

long emu_warpgroup_products(void) {
    return made;
}

void emu_wgmma(emu_site site, const emu_wgmma_call &call) {
    brought_call mine = {site, call, __builtin_return_address(0)};
    if ((self->warp / GROUP + 1) * GROUP > now.warps || !on_own_stack(call.d)) {
        if (fresh(key_of("warpgroup", site)))
            tell("WARPGROUP: %s is in wgmma at %s:%d, but its warpgroup is not whole or its sums no registers",
                 name_of(self).c_str(), site.file, site.line);
        abandon_block();
    }
    check_fenced(site, call.d, size_t(call.n) / 2 * sizeof(float));
    if (call.a) check_fenced(site, call.a, 4 * sizeof *call.a);
    take_sums(site, call);
    if (call.a) take_operand(call.a);
    // each lane has waited for what it can see of the operands; the last one checks all
    const char *const begin = part_of(matrix_of(call.b_matrix), 0, 0, call.turned);
    if (lies_in_shared(begin)) check_operand(begin, ROW, mine.pc);
    emu_meet(site, 0xffffffffu, &mine, ask, false);
}

void emu_wgmma_fence(emu_site site) {
    if (!self->touched)
        self->touched = static_cast<uint32_t *>(
            mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    self->wgmma_fences++;
    self->has_fenced = now.has_phases = true;
    emu_meet(site, 0xffffffffu, nullptr, nullptr, false);
}

void emu_wgmma_commit(emu_site site) {
    emu_meet(
        site, 0xffffffffu, nullptr, [](unsigned, void *const *) { group_of[self->warp]++; }, false);
}

void emu_wgmma_wait(emu_site site, int left) {
    emu_meet(
        site, 0xffffffffu, &left,
        [](unsigned, void *const *brought) {
            const int warp = self->warp, last = group_of[warp] - *static_cast<int *>(brought[0]);
            while (!on_way[warp].empty() && on_way[warp].front().group < last) {
                const product x = on_way[warp].front();
                on_way[warp].pop_front();
                end_product(x, warp);
            }
        },
        false);
}
