// SPDX-License-Identifier: MIT
// The checker: each load and store of a kernel against what the block, and the launch, did before.
//
// Two accesses of the same two bytes, one of them a write, are in order where they are one thread's, where a barrier of
// the block lies between them, or a __syncwarp where both are of one warp. Blocks of one launch are never in order.
// Shuffles and votes order nothing, as in CUDA.
#include "state.h"

#include <dlfcn.h>

namespace emu {

bool checking = true, instrumented;

// Where this library is loaded: pcs are kept as distances from there.
static const char *find_library() {
    Dl_info info;
    dladdr(reinterpret_cast<void *>(access), &info);
    return static_cast<const char *>(info.dli_fbase);
}
static const char *const library = find_library();

bool in_order(const touch &t, bool is_global) {
    if (t.block != now.block_number) return !is_global || t.block < now.first_block;
    if (t.thread == self->number && !t.several && !t.box) return true;
    if (t.epoch < now.epoch) return true;
    if (t.warp == self->warp && !t.box && t.warp_epoch < warps[t.warp].synced) return true;
    return now.has_phases && has_seen(t);
}

static const char *verb(access_kind kind) {
    return kind == READ ? "reads" : "writes";
}

static void tell_race(const char *p, const touch &t, const char *then, access_kind kind, const void *pc) {
    if (!fresh(key_of("race", pc) + then + std::to_string(t.pc))) return;
    const bool other_block = t.block != now.block_number;
    if (t.box) {
        tell("RACE: %s %s %s at %s, which a box %s that it did not wait for", name_of(self).c_str(), verb(kind),
             describe(p).c_str(), source_line(pc).c_str(), then);
        return;
    }
    tell("RACE: %s %s %s at %s, which %s %d%s %s at %s with no barrier between", name_of(self).c_str(), verb(kind),
         describe(p).c_str(), source_line(pc).c_str(), other_block ? "another block's thread" : "thread", t.thread,
         other_block ? "" : (t.warp == self->warp ? " of the same warp" : " of another warp"), then,
         source_line(library + t.pc).c_str());
}

static void note_read(cell &c, const touch &mine, bool is_global) {
    const bool same = c.read.block == mine.block && c.read.epoch == mine.epoch && c.read.warp == mine.warp;
    if (!same && !in_order(c.read, is_global)) c.other = c.read;
    const bool several =
        same && c.read.warp_epoch == mine.warp_epoch && (c.read.several || c.read.thread != mine.thread);
    c.read = mine;
    c.read.several = several;
}

static void note_write(cell &c, const char *p, const touch &mine, access_kind kind, const void *pc, bool is_global) {
    if (!in_order(c.read, is_global)) tell_race(p, c.read, "read", kind, pc);
    else if (!in_order(c.other, is_global)) tell_race(p, c.other, "read", kind, pc);
    c.write = mine;
    c.read = c.other = touch{};
}

// Whether the thread, or several of its warp, have read it since the last barrier: one more tells nothing new.
static bool read_before(const cell &c) {
    return c.read.block == now.block_number && c.read.epoch == now.epoch && c.read.warp == self->warp &&
           c.read.warp_epoch == warps[self->warp].epoch && (c.read.several || c.read.thread == self->number) &&
           !c.coming;
}

static void check_order(cell &c, const char *p, access_kind kind, const void *pc, bool is_global) {
    if (kind == READ && read_before(c)) return;
    if (c.coming == BOX_COMING && fresh(key_of(kind == READ ? "read early" : "written early", pc)))
        tell("NOT WAITED FOR: %s %s %s at %s, where a box is still on its way", name_of(self).c_str(), verb(kind),
             describe(p).c_str(), source_line(pc).c_str());
    else if (c.coming && fresh(key_of(kind == READ ? "read early" : "written early", pc)))
        tell("NOT WAITED FOR: %s %s %s at %s, where thread %d's cp.async is still on its way", name_of(self).c_str(),
             verb(kind), describe(p).c_str(), source_line(pc).c_str(), c.coming - 1);
    if (!in_order(c.write, is_global) && !(kind == ATOMIC && c.write.atomic)) tell_race(p, c.write, "wrote", kind, pc);
    const uint32_t short_pc = uint32_t(static_cast<const char *>(pc) - library);
    const touch mine = {
        now.block_number, now.epoch, warps[self->warp].epoch, short_pc, self->number, self->warp, kind == ATOMIC, 0, 0};
    if (kind == READ) note_read(c, mine, is_global);
    else note_write(c, p, mine, kind, pc, is_global);
}

static void tell_place(const char *fault, const char *p, access_kind kind, const void *pc) {
    if (!fresh(key_of(fault, pc))) return;
    tell("%s: %s %s %s at %s", fault, name_of(self).c_str(), verb(kind), describe(p).c_str(), source_line(pc).c_str());
}

static void access_shared(const char *p, size_t bytes, access_kind kind, const void *pc) {
    if (within(p, dynamic_shared, MOST_SHARED) && size_t(p - dynamic_shared) + bytes > now.dynamic_bytes) {
        tell_place("OUT OF BOUNDS", p, kind, pc);
        return;
    }
    cell *cells = cell_of(p);
    if (kind != READ && now.has_phases) check_readers(p, bytes, pc);
    for (size_t i = 0; i < bytes; i += 2) {
        cell &c = cells[i / 2];
        if (kind != WRITE && c.write.block != now.block_number && !c.coming)
            tell_place("NEVER WRITTEN", p + i, kind, pc);
        check_order(c, p + i, kind, pc, false);
    }
}

static bool all_written(const byte_state *state, size_t bytes) {
    static const byte_state written[16] = {WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN,
                                           WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN};
    if (bytes == 4) return memcmp(state, written, 4) == 0;
    return bytes <= sizeof written && memcmp(state, written, bytes) == 0;
}

static bool check_bytes(const char *p, size_t bytes, access_kind kind, const void *pc) {
    byte_state *state = state_of(p);
    if (all_written(state, bytes)) return true;
    for (size_t i = 0; i < bytes; i++) {
        if (state[i] == ABSENT) {
            tell_place("OUT OF BOUNDS", p + i, kind, pc);
            return false;
        }
        if (state[i] == UNWRITTEN && kind != WRITE) {
            tell_place("NEVER WRITTEN", p + i, kind, pc);
            return true;
        }
        state[i] = WRITTEN;
    }
    return true;
}

static void access_global(const char *p, size_t bytes, access_kind kind, const void *pc) {
    if (!check_bytes(p, bytes, kind, pc)) return;
    cell *c = cell_of(p);
    for (size_t i = 0; i < bytes; i += 2) check_order(c[i / 2], p + i, kind, pc, true);
}

// What a product or a box reads: no read is noted, since it is not a thread's.
void check_operand(const char *p, size_t bytes, const void *pc) {
    if (!checking) return;
    const cell *cells = cell_of(p);
    for (size_t i = 0; i < bytes / 2; i++) {
        const touch &t = cells[i].write;
        const char *const at = p + 2 * i;
        if (cells[i].coming && fresh(key_of("read early", pc)))
            tell("NOT WAITED FOR: %s has %s read at %s, where a copy is still on its way", name_of(self).c_str(),
                 describe(at).c_str(), source_line(pc).c_str());
        if (cells[i].coming) return;
        if (t.block != now.block_number) return tell_place("NEVER WRITTEN", at, READ, pc);
        if (!in_order(t, false)) return tell_race(at, t, "wrote", READ, pc);
        if (t.box || is_fenced(t)) continue;
        if (fresh(key_of("proxy", pc) + std::to_string(t.pc)))
            tell("NO FENCE OF PROXIES: %s has %s read at %s, which thread %d wrote at %s with no "
                 "fence.proxy.async behind it",
                 name_of(self).c_str(), describe(at).c_str(), source_line(pc).c_str(), t.thread,
                 source_line(library + t.pc).c_str());
        return;
    }
}

void access(const void *pointer, size_t bytes, access_kind kind, bool aligned, const void *pc) {
    if (!self || !checking) return;
    const char *p = static_cast<const char *>(pointer);
    if (on_own_stack(p)) {
        if (self->touched) note_register(p, bytes, pc);
        return;
    }
    tally.accesses++;
    if (aligned && (uintptr_t(p) & (bytes - 1)) != 0) tell_place("MISALIGNED", p, kind, pc);
    const place where = place_of(p);
    if (where == SHARED_MEMORY) access_shared(p, bytes, kind, pc);
    else if (where == GLOBAL_MEMORY) access_global(p, bytes, kind, pc);
    else if (kind == READ && (within(p, now.closure, now.closure_bytes) || is_constant(p))) return;
    else tell_place("NOT THE DEVICE'S", p, kind, pc);
}

} // namespace emu
