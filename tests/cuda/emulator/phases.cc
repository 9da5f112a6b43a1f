// SPDX-License-Identifier: MIT
// Barriers in shared memory (mbarrier), boxes of the tensor memory accelerator that they count, and what is in order by
// them: each thread knows of each other, and of each barrier's boxes, the last epoch before which all is in order.
// A release moves a warp's epoch on.
#include "state.h"

#include "kernels/cuda/gpu_sm90.h"

#include <map>

namespace emu {

enum { MOST_PHASES = 64, MADE = 0x6d617021, ADDRESSES = 1024 };

struct box { // on its way
    char *to;
    gpu_map map; // a copy: the thread may end before the box is there
    int column, row;
};
struct phases {
    int slot, count, pending;
    int64_t bytes; // expected and not come
    uint32_t ended;
    std::vector<uint32_t> released, seen; // in this phase, and by those that ended
    std::vector<box> boxes;
};
static std::map<const void *, phases> all;

static void raise(std::vector<uint32_t> &to, const std::vector<uint32_t> &from) {
    if (to.size() < from.size()) to.resize(from.size());
    for (size_t i = 0; i < from.size(); i++)
        if (from[i] > to[i]) to[i] = from[i];
}

static void raise(std::vector<uint32_t> &to, size_t slot, uint32_t epoch) {
    if (to.size() <= slot) to.resize(size_t(now.threads) + MOST_PHASES);
    if (to[slot] < epoch) to[slot] = epoch;
}

// What the thread did, and knows of, is in order before what reads `to` later.
static void release(std::vector<uint32_t> &to) {
    raise(to, self->seen);
    raise(to, self->number, warps[self->warp].epoch);
    warps[self->warp].epoch = ++now.epoch;
}

void forget_phases() {
    all.clear();
    now.has_phases = false;
}

void join_lanes(unsigned mask) {
    std::vector<uint32_t> of_all;
    const size_t first = size_t(self->warp) * WARP;
    for (size_t i = 0; i < WARP; i++)
        if (mask >> i & 1) raise(of_all, threads[first + i].seen), raise(of_all, first + i, warps[self->warp].epoch);
    for (size_t i = 0; i < WARP; i++)
        if (mask >> i & 1) threads[first + i].seen = of_all;
}

static bool sees(size_t slot, uint32_t epoch) {
    return slot < self->seen.size() && self->seen[slot] >= epoch;
}

bool has_seen(const touch &t) {
    if (!t.several) return sees(t.thread, t.epoch);
    const int first = t.thread / WARP * WARP, last = std::min(first + WARP, now.threads);
    for (int i = first; i < last; i++)
        if (i != self->number && !sees(size_t(i), t.epoch)) return false;
    return true;
}

bool is_fenced(const touch &t) {
    for (uint32_t fence : threads[t.thread].fences) {
        if (fence < t.epoch) continue;
        return fence <= now.synced_at || t.thread == self->number || sees(t.thread, fence);
    }
    return false;
}

static void wake() {
    for (int i = 0; i < now.threads; i++)
        if (threads[i].at == AT_PHASE) make_ready(&threads[i]);
}

static void end_phase_if_due(phases &b) {
    if (b.pending || b.bytes) return;
    b.pending = b.count;
    b.ended++;
    raise(b.seen, b.released);
    wake();
}

static phases *find(const emu_site &site, const gpu_barrier *b, const void *pc) {
    access(b, sizeof *b, READ, true, pc);
    auto it = all.find(b);
    if (it != all.end()) return &it->second;
    if (fresh(key_of("no barrier", site)))
        tell("NO BARRIER: %s is in %s at %s:%d of one that was not made", name_of(self).c_str(), site.what, site.file,
             site.line);
    abandon_block();
}

static void land(phases &b, const box &x) {
    const gpu_map &m = x.map;
    const int width = m.box_columns * 2, mask = m.swizzle == GPU_SWIZZLE_NONE ? 0 : (8 >> (m.swizzle - 1)) - 1;
    const touch mine = {++now.epoch, 0, uint16_t(b.slot), 0, 0, 1};
    for (int r = 0; r < m.box_rows; r++)
        for (int c = 0; c < width; c += 16) {
            const uint32_t at = uint32_t(x.to - dynamic_shared) + uint32_t(r * width + c);
            char *const to = dynamic_shared + (at ^ (at >> 7 & uint32_t(mask)) << 4);
            for (int i = 0; i < 16; i += 2) {
                const int64_t row = x.row + r, column = x.column + (c + i) / 2;
                const bool inside = row >= 0 && row < m.rows && column >= 0 && column < m.columns;
                if (inside) memcpy(to + i, m.from + row * m.stride + column * 2, 2);
                else memset(to + i, 0, 2);
                cell *const of = cell_of_shared(to + i);
                of->coming = 0;
                of->write = mine;
                of->read = of->other = touch{};
            }
        }
    raise(b.released, size_t(b.slot), mine.epoch);
    b.bytes -= int64_t(m.box_rows) * width;
}

bool land_boxes() {
    std::vector<phases *> with;
    for (auto &of : all)
        if (!of.second.boxes.empty()) with.push_back(&of.second);
    if (with.empty()) return false;
    phases &b = *with[order == RANDOM ? random_bits() % with.size() : order == REVERSE ? with.size() - 1 : 0];
    const size_t which = order == RANDOM ? random_bits() % b.boxes.size() : order == REVERSE ? b.boxes.size() - 1 : 0;
    const box x = b.boxes[which];
    b.boxes.erase(b.boxes.begin() + long(which));
    land(b, x);
    end_phase_if_due(b);
    return true;
}

void finish_phases() {
    for (auto &of : all)
        if (!of.second.boxes.empty() && fresh("boxes at the end"))
            tell("ENDS WITH COPIES: block (%u,%u,%u) ends with a box on its way", now.block_index.x, now.block_index.y,
                 now.block_index.z);
}

// Where a box will be is nobody's from now on.
static void take_place(const box &x, const void *pc) {
    const size_t bytes = size_t(x.map.box_rows) * size_t(x.map.box_columns) * 2;
    for (size_t i = 0; i < bytes; i += 16) {
        const cell &c = *cell_of_shared(x.to + i);
        if (c.write.epoch > now.began_at && !c.write.box && !is_fenced(c.write) && fresh(key_of("proxy", pc)))
            tell("NO FENCE OF PROXIES: %s sends a box at %s to %s, which thread %d wrote with no "
                 "fence.proxy.async behind it",
                 name_of(self).c_str(), source_line(pc).c_str(), describe(x.to + i).c_str(), c.write.thread);
        access(x.to + i, 16, WRITE, true, pc);
        for (int k = 0; k < 16; k += 2) cell_of_shared(x.to + i + k)->coming = BOX_COMING;
    }
    memset(x.to, 0xff, bytes);
}

static void read_source(const box &x, const void *pc) {
    const gpu_map &m = x.map;
    for (int64_t row = std::max(x.row, 0); row < x.row + m.box_rows && row < m.rows; row++) {
        const int64_t last = std::min<int64_t>(x.column + m.box_columns, m.columns);
        for (int64_t c = x.column; c < last; c += 2) access(m.from + row * m.stride + c * 2, 4, READ, true, pc);
    }
}

} // namespace emu

using namespace emu;

#define CALLER __builtin_return_address(0)

uint32_t gpu_shared_address(const void *p) {
    const char *at = static_cast<const char *>(p);
    if (!within(at, dynamic_shared, MOST_SHARED) && fresh("shared address"))
        tell("NOT SHARED: the address of %s is taken as one of dynamic shared memory", describe(p).c_str());
    return uint32_t(at - dynamic_shared) + ADDRESSES;
}

void emu_barrier_init(emu_site site, gpu_barrier *b, int count) {
    access(b, sizeof *b, WRITE, true, CALLER);
    now.has_phases = true;
    if ((all.count(b) || all.size() == MOST_PHASES) && fresh(key_of("made twice", site)))
        tell("NO BARRIER: that at %s:%d was made before, or is one too many", site.file, site.line);
    phases &made = all[b];
    made = {now.threads + int(all.size()) - 1, count, count, 0, 0, {}, {}, {}};
}

void emu_barrier_arrive(emu_site site, gpu_barrier *barrier_of, int bytes) {
    phases &b = *find(site, barrier_of, CALLER);
    release(b.released);
    if (!b.pending) {
        if (fresh(key_of("too many", site)))
            tell("TOO MANY ARRIVE: %s at %s:%d, where %d are expected", name_of(self).c_str(), site.file, site.line,
                 b.count);
        abandon_block();
    }
    b.bytes += bytes;
    b.pending--;
    end_phase_if_due(b);
}

void emu_barrier_wait(emu_site site, gpu_barrier *barrier_of, int parity) {
    phases &b = *find(site, barrier_of, CALLER);
    while (int(b.ended & 1) == parity) {
        self->at = AT_PHASE;
        self->site = site;
        warps[self->warp].ready &= ~(1u << self->lane);
        wait();
    }
    raise(self->seen, b.seen);
}

void emu_fence_async() {
    self->fences.push_back(warps[self->warp].epoch);
    warps[self->warp].epoch = ++now.epoch;
}

void emu_load_box(emu_site site, void *shared, const gpu_map *map, int column, int row, gpu_barrier *barrier_of) {
    const void *pc = CALLER;
    phases &b = *find(site, barrier_of, pc);
    const int repeats = map->swizzle == GPU_SWIZZLE_NONE ? 128 : 1024 >> (map->swizzle - 1);
    char *const to = static_cast<char *>(shared);
    if (map->made != MADE || !within(to, dynamic_shared, now.dynamic_bytes) || (to - dynamic_shared) % repeats) {
        if (fresh(key_of("box", site)))
            tell("BOX: %s sends one to %s at %s:%d, whose map was not made or whose swizzle begins elsewhere",
                 name_of(self).c_str(), describe(shared).c_str(), site.file, site.line);
        abandon_block();
    }
    check_operand(reinterpret_cast<const char *>(barrier_of), sizeof *barrier_of, pc);
    const box x = {to, *map, column, row};
    read_source(x, pc);
    take_place(x, pc);
    b.boxes.push_back(x);
    tally.copies++;
}

cudaError_t gpu_map_boxes(gpu_map *map, const uint16_t *from, int64_t rows, int64_t columns, int64_t stride,
                          int box_rows, int box_columns, gpu_swizzle how) {
    const int widest = how == GPU_SWIZZLE_NONE ? 512 : 128 >> (how - 1);
    const bool fits = place_of(from) == GLOBAL_MEMORY && uintptr_t(from) % 16 == 0 && stride % 8 == 0 && rows > 0 &&
                      columns > 0 && box_rows > 0 && box_rows <= 256 && box_columns > 0 && box_columns <= 256 &&
                      box_columns % 8 == 0 && (box_columns * 2 == widest || (!how && box_columns * 2 <= widest));
    if (!fits) return cudaErrorInvalidValue;
    *map = {reinterpret_cast<const char *>(from), rows, columns, stride * 2, box_rows, box_columns, how, MADE};
    return cudaSuccess;
}
