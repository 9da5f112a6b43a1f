// SPDX-License-Identifier: MIT
// Threads of a block as fibers: who runs next, and what there is to say where nobody can.
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

extern "C" void emu_switch(void **save, void *load);

#if defined(__x86_64__)
asm(R"(
.text
.globl emu_switch
.hidden emu_switch
.type emu_switch,@function
emu_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size emu_switch,.-emu_switch
)");
enum { SAVED_REGISTERS = 6 };
#else
#error "the emulator switches fibers on x86-64 alone"
#endif

namespace emu {

thread threads[MOST_THREADS];
warp warps[MOST_WARPS];
thread *self;
static void *host_stack_pointer;
static uint8_t warp_order[MOST_WARPS];

static void switch_to(thread *next) { // NULL: the host
    thread *const from = self;
    if (from == next) return;
    tally.switches++;
    self = next;
    emu_switch(from ? &from->stack_pointer : &host_stack_pointer, next ? next->stack_pointer : host_stack_pointer);
}

// The next ready lane of a warp after the one that runs.
static thread *ready_in(int number) {
    const warp &w = warps[number];
    if (!w.ready) return nullptr;
    const bool is_own = self && self->warp == number;
    if (order != RANDOM) {
        const unsigned above = is_own ? ~1u << self->lane : ~0u, below = is_own ? (1u << self->lane) - 1 : ~0u;
        const unsigned behind = w.ready & (order == FORWARD ? above : below), from = behind ? behind : w.ready;
        return &threads[number * WARP + (order == FORWARD ? __builtin_ctz(from) : WARP - 1 - __builtin_clz(from))];
    }
    int at = -1;
    if (is_own)
        for (at = 0; w.order[at] != self->lane;) at++;
    for (int i = 1; i <= WARP; i++) {
        const int lane = w.order[(at + i) % WARP];
        if (w.ready >> lane & 1) return &threads[number * WARP + lane];
    }
    return nullptr;
}

// Another lane of the same warp where there is one, now and then of any; NULL: nobody is ready.
static thread *next_ready() {
    const bool stays = self && !(order == RANDOM && random_bits() % 16 == 0);
    if (thread *t = stays ? ready_in(self->warp) : nullptr) return t;
    int at = 0;
    if (self)
        while (warp_order[at] != self->warp) at++;
    for (int i = 1; i <= now.warps; i++)
        if (thread *t = ready_in(warp_order[(at + i) % now.warps])) return t;
    return nullptr;
}

static std::string who_waits() {
    std::string text;
    int told = 0;
    for (int i = 0; i < now.threads && told < 4; i++) {
        const thread &t = threads[i];
        if (t.at != AT_WARP && t.at != AT_BLOCK && t.at != AT_PHASE) continue;
        text +=
            "; " + name_of(&t) + " waits in " + t.site.what + " at " + t.site.file + ":" + std::to_string(t.site.line);
        told++;
    }
    return text;
}

void wait() {
    if (now.has_phases && order == RANDOM && random_bits() % 8 == 0) land_boxes();
    thread *next = next_ready();
    while (!next && now.has_phases && barrier.live && land_boxes()) next = next_ready();
    if (!next && barrier.live) {
        if (fresh("deadlock")) tell("DEADLOCK: no thread of the block can go on%s", who_waits().c_str());
        now.aborted = true;
    }
    switch_to(next);
}

void abandon_block() {
    now.aborted = true;
    switch_to(nullptr);
    abort();
}

void make_ready(thread *t) {
    t->at = READY;
    warps[t->warp].ready |= 1u << t->lane;
}

static void finish(thread *t) {
    if (!t->copies.empty() && fresh("copies at the end"))
        tell("ENDS WITH COPIES: %s ends with cp.async on its way", name_of(t).c_str());
    t->copies.clear();
    finish_thread_products();
    t->at = DONE;
    warps[t->warp].ready &= ~(1u << t->lane);
    warps[t->warp].alive &= ~(1u << t->lane);
    leave_barrier_count();
}

static void thread_main() {
    now.run(now.closure);
    finish(self);
    wait();
    abort();
}

static void prepare_stack(thread *t) {
    if (!t->stack)
        t->stack = static_cast<char *>(
            mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    void **top = reinterpret_cast<void **>(t->stack + STACK);
    *--top = nullptr; // what thread_main would return to; leaves the stack aligned as after a call
    *--top = reinterpret_cast<void *>(thread_main);
    for (int i = 0; i < SAVED_REGISTERS; i++) *--top = nullptr;
    t->stack_pointer = top;
}

static void prepare(thread *t, int number) {
    const unsigned x = now.block.x, y = now.block.y, n = unsigned(number);
    prepare_stack(t);
    t->number = uint16_t(number);
    t->warp = uint8_t(number / WARP);
    t->lane = uint8_t(number % WARP);
    t->index = {n % x, n / x % y, n / (x * y)};
    t->group = 0;
    t->copies.clear();
    t->seen.clear();
    t->fences.clear();
    t->taken.clear();
    t->wgmma_fences++;
    t->has_fenced = false;
    make_ready(t);
}

void start_threads() {
    arrange(warp_order, now.warps);
    for (int i = 0; i < now.warps; i++) {
        warp &w = warps[i];
        w.ready = w.alive = 0;
        w.epoch = w.synced = ++now.epoch;
        w.meetings.clear();
        arrange(w.order, WARP);
    }
    for (int i = 0; i < now.threads; i++) {
        prepare(&threads[i], i);
        warps[i / WARP].alive |= 1u << (i % WARP);
    }
    switch_to(next_ready());
}

} // namespace emu
