// SPDX-License-Identifier: MIT
// Barriers of a block, and meetings of a warp's lanes: __syncwarp, shuffles, votes.
#include "state.h"

namespace emu {

block_barrier barrier;

void release_block() {
    barrier.waiting = 0;
    now.synced_at = now.epoch;
    for (int i = 0; i < now.warps; i++) warps[i].epoch = warps[i].synced = ++now.epoch;
    for (int i = 0; i < now.threads; i++) {
        if (threads[i].at != AT_BLOCK) continue;
        threads[i].result = barrier.votes;
        make_ready(&threads[i]);
    }
}

void leave_barrier_count() {
    barrier.live--;
    if (!barrier.waiting || barrier.waiting != barrier.live) return;
    if (fresh("ended before a barrier"))
        tell("DIVERGENCE: %s ended while others wait in %s at %s:%d", name_of(self).c_str(), barrier.site.what,
             barrier.site.file, barrier.site.line);
    release_block();
}

static void enter_barrier(const emu_site &site) {
    if (!barrier.waiting) {
        barrier.site = site;
        barrier.votes = 0;
        return;
    }
    if (barrier.site.line == site.line && barrier.site.file == site.file) return;
    if (fresh(key_of("barrier", site)))
        tell("DIVERGENCE: %s is in %s at %s:%d, others in that at %s:%d", name_of(self).c_str(), site.what, site.file,
             site.line, barrier.site.file, barrier.site.line);
}

static void tell_ended(const emu_site &site) {
    if (fresh(key_of("barrier of some", site)))
        tell("DIVERGENCE: %d threads are in %s at %s:%d, the others have ended", barrier.live, site.what, site.file,
             site.line);
}

// The meeting of these lanes, begun where there is none.
static meeting *find_meeting(warp &w, const emu_site &site, unsigned mask) {
    const unsigned me = 1u << self->lane;
    for (auto &m : w.meetings) {
        if (m.mask == mask) return &m;
        if ((m.mask & me) && fresh(key_of("masks", site)))
            tell("MASK: %s is in %s at %s:%d for lanes %08x, others wait for it at %s:%d for %08x",
                 name_of(self).c_str(), site.what, site.file, site.line, mask, m.site.file, m.site.line, m.mask);
    }
    w.meetings.push_back({mask, 0, site, {}});
    return &w.meetings.back();
}

static void check_mask(const warp &w, const emu_site &site, unsigned mask) {
    if (!(mask >> self->lane & 1) && fresh(key_of("mask", site)))
        tell("MASK: %s calls %s at %s:%d with a mask that leaves it out", name_of(self).c_str(), site.what, site.file,
             site.line);
    if (!(mask & ~w.alive)) return;
    if (fresh(key_of("dead", site)))
        tell("DIVERGENCE: %s is in %s at %s:%d for lanes %08x, of which %08x have ended or never were",
             name_of(self).c_str(), site.what, site.file, site.line, mask, mask & ~w.alive);
    abandon_block();
}

static void check_site(const meeting &m, const emu_site &site) {
    if (m.site.line == site.line && m.site.file == site.file &&
        (m.site.what == site.what || !strcmp(m.site.what, site.what)))
        return;
    if (fresh(key_of("meet", site)))
        tell("DIVERGENCE: %s is in %s at %s:%d, other lanes of its warp in %s at %s:%d", name_of(self).c_str(),
             site.what, site.file, site.line, m.site.what, m.site.file, m.site.line);
    abandon_block();
}

struct shuffled {
    uint64_t in, out;
    int with, width;
    emu_shuffle_kind how;
};

static int source_lane(const shuffled &s, int lane) {
    const int base = lane & ~(s.width - 1), end = base + s.width;
    switch (s.how) {
    case EMU_INDEX: return base + (s.with & (s.width - 1));
    case EMU_UP: return lane - s.with < base ? lane : lane - s.with;
    case EMU_DOWN: return lane + s.with >= end ? lane : lane + s.with;
    default: return (lane ^ s.with) >= end ? lane : lane ^ s.with;
    }
}

static void shuffle_lanes(unsigned mask, void *const *brought) {
    for (int lane = 0; lane < WARP; lane++) {
        if (!(mask >> lane & 1)) continue;
        shuffled *s = static_cast<shuffled *>(brought[lane]);
        const int from = source_lane(*s, lane);
        const bool there = mask >> from & 1;
        if (!there && fresh("shuffle"))
            tell("SHUFFLE: lane %d reads lane %d, which its mask %08x leaves out", lane, from, mask);
        s->out = there ? static_cast<shuffled *>(brought[from])->in : ~uint64_t(0);
    }
}

struct ballot {
    int in;
    unsigned out;
};

static void count_votes(unsigned mask, void *const *brought) {
    unsigned all = 0;
    for (int i = 0; i < WARP; i++)
        if (mask >> i & 1) all |= unsigned(static_cast<ballot *>(brought[i])->in != 0) << i;
    for (int i = 0; i < WARP; i++)
        if (mask >> i & 1) static_cast<ballot *>(brought[i])->out = all;
}

} // namespace emu

using namespace emu;

int emu_sync_block(emu_site site, int value) {
    enter_barrier(site);
    barrier.votes += value != 0;
    barrier.waiting++;
    self->at = AT_BLOCK;
    self->site = site;
    warps[self->warp].ready &= ~(1u << self->lane);
    if (barrier.waiting == now.threads) release_block();
    else if (barrier.waiting == barrier.live) {
        tell_ended(site);
        release_block();
    }
    if (self->at == AT_BLOCK || order == RANDOM) wait(); // the last to come need not be the first to go
    return self->result;
}

void emu_meet(emu_site site, unsigned mask, void *brought, emu_exchange *op, bool orders_memory) {
    warp &w = warps[self->warp];
    const unsigned me = 1u << self->lane;
    check_mask(w, site, mask);
    meeting *m = find_meeting(w, site, mask);
    check_site(*m, site);
    m->brought[self->lane] = brought;
    m->there |= me;
    if (m->there != mask) {
        self->at = AT_WARP;
        self->site = site;
        w.ready &= ~me;
        wait();
        return;
    }
    tally.meetings++;
    const meeting done = *m;
    w.meetings.erase(w.meetings.begin() + (m - w.meetings.data()));
    if (op) op(mask, done.brought);
    if (orders_memory) {
        if (now.has_phases) join_lanes(mask);
        w.epoch = w.synced = ++now.epoch;
    }
    for (unsigned left = mask & ~me; left; left &= left - 1)
        make_ready(&threads[self->warp * WARP + __builtin_ctz(left)]);
}

uint64_t emu_shuffle(emu_site site, unsigned mask, emu_shuffle_kind how, uint64_t bits, int with, int width) {
    shuffled s = {bits, 0, with, width, how};
    emu_meet(site, mask, &s, shuffle_lanes, false);
    return s.out;
}

unsigned emu_ballot(emu_site site, unsigned mask, int value) {
    ballot b = {value, 0};
    emu_meet(site, mask, &b, count_votes, false);
    return b.out;
}

uint3 emu_thread_idx() {
    return self->index;
}
uint3 emu_block_idx() {
    return now.block_index;
}
dim3 emu_block_dim() {
    return now.block;
}
dim3 emu_grid_dim() {
    return now.grid;
}
void *emu_dynamic_shared(size_t bytes) {
    if (bytes > now.dynamic_bytes && fresh("dynamic"))
        tell("SHARED: the kernel lays out %zu bytes, the launch gives %zu", bytes, now.dynamic_bytes);
    return dynamic_shared;
}
