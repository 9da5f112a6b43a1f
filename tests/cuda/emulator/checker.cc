// SPDX-License-Identifier: MIT
// The checker: each load and store of a kernel against what the block, and the launch, did before.
//
// Two accesses of the same two bytes, one of them a write, are in order where they are one thread's, where a barrier of
// the block lies between them, or a __syncwarp where both are of one warp. Blocks of one launch are never in order.
// Shuffles and votes order nothing, as in CUDA. At the end: what -fsanitize=thread makes the compiler call before each
// load and store, for each size and kind a function of its own.
#include "state.h"

#include <dlfcn.h>

namespace emu {

#define COLD __attribute__((cold, noinline))
#define PART_OF_HOOK __attribute__((always_inline)) static inline

bool checking = true, instrumented;

// Where this library is loaded: pcs are kept as distances from there.
static const char *find_library() {
    Dl_info info;
    dladdr(reinterpret_cast<void *>(access), &info);
    return static_cast<const char *>(info.dli_fbase);
}
static const char *const library = find_library();

static bool is_own_warp(const touch &t) {
    return t.thread / WARP == self->warp && !t.box;
}

bool in_order(const touch &t, bool is_global) {
    if (t.epoch <= now.began_at) return !is_global || t.epoch <= now.launched_at;
    if (t.thread == self->number && !t.several && !t.box) return true;
    if (t.epoch <= now.synced_at) return true;
    if (is_own_warp(t) && t.epoch < warps[self->warp].synced) return true;
    return now.has_phases && has_seen(t);
}

static const char *verb(access_kind kind) {
    return kind == READ ? "reads" : "writes";
}

COLD static void tell_race(const char *p, const touch &t, const char *then, access_kind kind, const void *pc) {
    if (!fresh(key_of("race", pc) + then + std::to_string(t.pc))) return;
    const bool other_block = t.epoch <= now.began_at;
    if (t.box) {
        tell("RACE: %s %s %s at %s, which a box %s that it did not wait for", name_of(self).c_str(), verb(kind),
             describe(p).c_str(), source_line(pc).c_str(), then);
        return;
    }
    tell("RACE: %s %s %s at %s, which %s %d%s %s at %s with no barrier between", name_of(self).c_str(), verb(kind),
         describe(p).c_str(), source_line(pc).c_str(), other_block ? "another block's thread" : "thread", t.thread,
         other_block ? "" : (is_own_warp(t) ? " of the same warp" : " of another warp"), then,
         source_line(library + t.pc).c_str());
}

PART_OF_HOOK void note_read(cell &c, const touch &mine, bool is_global) {
    const bool same = c.read.epoch > now.synced_at && is_own_warp(c.read);
    if (!same && !in_order(c.read, is_global)) c.other = c.read;
    const bool several = same && c.read.epoch == mine.epoch && (c.read.several || c.read.thread != mine.thread);
    c.read = {mine.epoch, mine.pc, mine.thread, 0, several, 0};
}

PART_OF_HOOK void note_write(cell &c, const char *p, const touch &mine, access_kind kind, const void *pc,
                             bool is_global) {
    if (!in_order(c.read, is_global)) tell_race(p, c.read, "read", kind, pc);
    else if (!in_order(c.other, is_global)) tell_race(p, c.other, "read", kind, pc);
    c.write = mine;
    c.read = c.other = touch{};
}

COLD static void tell_coming(const cell &c, const char *p, access_kind kind, const void *pc) {
    if (!fresh(key_of(kind == READ ? "read early" : "written early", pc))) return;
    const std::string whose =
        c.coming == BOX_COMING ? "a box" : "thread " + std::to_string(c.coming - 1) + "'s cp.async";
    tell("NOT WAITED FOR: %s %s %s at %s, where %s is still on its way", name_of(self).c_str(), verb(kind),
         describe(p).c_str(), source_line(pc).c_str(), whose.c_str());
}

// Whether the thread, or several of its warp, have read it since the last barrier: one more tells nothing new.
PART_OF_HOOK bool read_before(const cell &c) {
    return c.read.epoch == warps[self->warp].epoch && (c.read.several || c.read.thread == self->number) && !c.coming;
}

PART_OF_HOOK void check_order(cell &c, const char *p, access_kind kind, const void *pc, bool is_global) {
    if (kind == READ && read_before(c)) return;
    if (c.coming) tell_coming(c, p, kind, pc);
    if (!in_order(c.write, is_global) && !(kind == ATOMIC && c.write.atomic)) tell_race(p, c.write, "wrote", kind, pc);
    const uint32_t short_pc = uint32_t(static_cast<const char *>(pc) - library);
    const touch mine = {warps[self->warp].epoch, short_pc, self->number, kind == ATOMIC, 0, 0};
    if (kind == READ) note_read(c, mine, is_global);
    else note_write(c, p, mine, kind, pc, is_global);
}

COLD static void tell_place(const char *fault, const char *p, access_kind kind, const void *pc) {
    if (!fresh(key_of(fault, pc))) return;
    tell("%s: %s %s %s at %s", fault, name_of(self).c_str(), verb(kind), describe(p).c_str(), source_line(pc).c_str());
}

PART_OF_HOOK void access_shared(const char *p, size_t bytes, access_kind kind, const void *pc) {
    if (within(p, dynamic_shared, MOST_SHARED) && size_t(p - dynamic_shared) + bytes > now.dynamic_bytes) {
        tell_place("OUT OF BOUNDS", p, kind, pc);
        return;
    }
    cell *cells = cell_of_shared(p);
    if (kind != READ && now.has_phases) check_readers(p, bytes, pc);
    for (size_t i = 0; i < bytes; i += 2) {
        cell &c = cells[i / 2];
        if (kind != WRITE && c.write.epoch <= now.began_at && !c.coming) tell_place("NEVER WRITTEN", p + i, kind, pc);
        check_order(c, p + i, kind, pc, false);
    }
}

PART_OF_HOOK bool all_written(const byte_state *state, size_t bytes) {
    static const byte_state written[16] = {WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN,
                                           WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN, WRITTEN};
    return bytes <= sizeof written && memcmp(state, written, bytes) == 0;
}

static bool check_bytes(const char *p, size_t bytes, access_kind kind, const void *pc) {
    byte_state *state = state_of(p);
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

PART_OF_HOOK void access_global(const char *p, size_t bytes, access_kind kind, const void *pc) {
    if (!all_written(state_of(p), bytes) && !check_bytes(p, bytes, kind, pc)) return;
    cell *c = cell_of_global(p);
    for (size_t i = 0; i < bytes; i += 2) check_order(c[i / 2], p + i, kind, pc, true);
}

// What a product or a box reads: no read is noted, since it is not a thread's.
void check_operand(const char *p, size_t bytes, const void *pc) {
    if (!checking) return;
    const cell *cells = cell_of_shared(p);
    for (size_t i = 0; i < bytes / 2; i++) {
        const touch &t = cells[i].write;
        const char *const at = p + 2 * i;
        if (cells[i].coming && fresh(key_of("read early", pc)))
            tell("NOT WAITED FOR: %s has %s read at %s, where a copy is still on its way", name_of(self).c_str(),
                 describe(at).c_str(), source_line(pc).c_str());
        if (cells[i].coming) return;
        if (t.epoch <= now.began_at) return tell_place("NEVER WRITTEN", at, READ, pc);
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

PART_OF_HOOK void check(const void *pointer, size_t bytes, access_kind kind, bool aligned, const void *pc) {
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

void access(const void *p, size_t bytes, access_kind kind, bool aligned, const void *pc) {
    check(p, bytes, kind, aligned, pc);
}

} // namespace emu

using namespace emu;

#define CALLER __builtin_return_address(0)
#define HOOK(name, n, kind, aligned)                                                                                   \
    extern "C" void __tsan_##name##n(void *p) {                                                                        \
        check(p, n, kind, aligned, CALLER);                                                                            \
    }
#define HOOKS(n)                                                                                                       \
    HOOK(read, n, READ, true)                                                                                          \
    HOOK(write, n, WRITE, true)                                                                                        \
    HOOK(unaligned_read, n, READ, false)                                                                               \
    HOOK(unaligned_write, n, WRITE, false)                                                                             \
    HOOK(volatile_read, n, READ, true)                                                                                 \
    HOOK(volatile_write, n, WRITE, true)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

extern "C" void __tsan_read_range(void *p, size_t bytes) {
    access(p, bytes, READ, false, CALLER);
}
extern "C" void __tsan_write_range(void *p, size_t bytes) {
    access(p, bytes, WRITE, false, CALLER);
}
extern "C" void *__tsan_memcpy(void *to, const void *from, size_t bytes) {
    access(from, bytes, READ, false, CALLER);
    access(to, bytes, WRITE, false, CALLER);
    return memcpy(to, from, bytes);
}
extern "C" void *__tsan_memset(void *to, int byte, size_t bytes) {
    access(to, bytes, WRITE, false, CALLER);
    return memset(to, byte, bytes);
}
extern "C" void __tsan_init() {
    instrumented = true;
}
extern "C" void __tsan_func_entry(void *) {}
extern "C" void __tsan_func_exit() {}
