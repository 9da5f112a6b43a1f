// SPDX-License-Identifier: MIT
// Shared by the parts of the emulator: threads and warps of the running block, the launch, memory, faults.
// One host thread, one device, one block at a time.
#ifndef GW_EMULATOR_STATE_H
#define GW_EMULATOR_STATE_H

#include "emulator.h"

#include <deque>
#include <functional>
#include <string>
#include <vector>

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

extern "C" char __start_emu_shared[], __stop_emu_shared[];

namespace emu {

enum { MOST_THREADS = 1024, WARP = 32, MOST_WARPS = MOST_THREADS / WARP, MOST_SHARED = 227 * 1024 };

// ---- threads (fibers.cc)
enum state : uint8_t { READY, AT_WARP, AT_BLOCK, AT_PHASE, DONE };
struct copy { // a cp.async that nobody has waited for yet
    char *to;
    const char *from;
    int valid, group;
};
enum { COPY_BYTES = 16 };
struct registers { // of wgmmas that nobody has waited for yet
    char *at;
    size_t bytes;
    int products;            // products that read these registers
    std::vector<float> sums; // of an accumulator: its future values
};
struct thread {
    void *stack_pointer;
    char *stack;
    uint16_t number;
    uint8_t lane, warp;
    state at;
    uint3 index;
    emu_site site; // where it waits
    int result;    // of the barrier that the thread left
    int group;     // of cp.async: the group that is being filled
    std::deque<copy> copies;
    // Of gpu_sm90.h: by slot the last epoch that is in order before what the thread does; those of its fences.
    std::vector<uint32_t> seen;
    std::vector<uint32_t> fences;
    std::vector<registers> taken;
    uint32_t *touched; // for each 4 bytes of the stack the fences before the last access
    uint32_t wgmma_fences;
    bool has_fenced;
};
struct meeting { // of lanes
    unsigned mask, there;
    emu_site site;
    void *brought[WARP];
};
struct warp {
    unsigned ready, alive;
    uint8_t order[WARP];
    uint32_t epoch;  // a new number at each __syncwarp and barrier, and where a thread releases its writes
    uint32_t synced; // the epoch of the last __syncwarp or barrier
    std::vector<meeting> meetings;
};
extern thread threads[MOST_THREADS];
extern warp warps[MOST_WARPS];
extern thread *self; // the running thread; NULL: the host runs
enum : size_t { STACK = 256 * 1024 };

inline bool within(const void *p, const void *begin, size_t bytes) {
    return uintptr_t(p) - uintptr_t(begin) < bytes;
}
inline bool on_own_stack(const void *p) {
    return within(p, self->stack, STACK);
}
void start_threads();              // runs a block until all threads have ended or none can go on
void wait();                       // stops the running thread until another makes it ready
[[noreturn]] void abandon_block(); // after a fault that stops the block
void make_ready(thread *t);

// ---- the launch that runs (launch.cc)
struct launch {
    dim3 grid, block;
    uint3 block_index;
    int threads, warps;
    size_t dynamic_bytes;
    void (*run)(void *);
    void *closure;
    size_t closure_bytes;
    bool aborted;
    // The last epoch of a warp, which never goes back, and what it was before the launch, the block and the block's
    // last barrier.
    uint32_t epoch, launched_at, began_at, synced_at;
    bool has_phases; // the block has barriers in shared memory or products of warpgroups; then threads use `seen`
};
extern launch now;
extern emu_tally tally;

enum order_kind { FORWARD, REVERSE, RANDOM };
extern order_kind order;
uint64_t random_bits();
void arrange(uint8_t *list, int count); // 0 .. count - 1 in the order of EMU_ORDER

// ---- recorded launches (record.cc)
void record(const emu_call &call, const std::function<void()> &run);

// ---- barriers of the block (meetings.cc)
struct block_barrier {
    int live, waiting, votes;
    emu_site site;
};
extern block_barrier barrier;
void release_block();
void leave_barrier_count(); // a thread ended; perhaps all others wait

// ---- barriers in shared memory, and the order that they make (phases.cc)
void forget_phases();           // of the block before
bool land_boxes();              // lands some boxes that are on their way; false if there are none
void finish_phases();           // at the block's end
void join_lanes(unsigned mask); // a __syncwarp
bool has_seen(const struct touch &t);
bool is_fenced(const struct touch &t); // whether a fence follows a store that the asynchronous proxy reads

// ---- products of a warp (tensor.cc)
float of_bf16(uint32_t bits);
void add_product(float *d, const float *a, const float *b, int n); // d [16][n] += a [16][16] b [16][n]

// ---- products of warpgroups (warpgroups.cc)
void forget_products();
void finish_products();
void finish_thread_products();
void note_register(const char *p, size_t bytes, const void *pc);
// A store to rows of shared memory (16 bytes each) that products read.
void check_readers(const char *p, size_t bytes, const void *pc);

// ---- memory (memory.cc)
extern char dynamic_shared[];
enum place { NOWHERE, SHARED_MEMORY, GLOBAL_MEMORY };
std::string describe(const void *p); // "byte 5 of an allocation of 8"
enum byte_state : uint8_t { ABSENT, UNWRITTEN, WRITTEN };
struct cell;
// Device memory and behind it managed memory, the state of each of their bytes, and who touched two bytes of memory
// last.
extern struct memory_map {
    char *const arena;
    byte_state *const states;
    cell *const global_cells, *const shared_cells;
} const memory;
enum part { DEVICE, MANAGED, PARTS };
constexpr size_t PART_BYTES = size_t(1) << 32;
void open_device_memory(bool open);
std::vector<std::pair<char *, size_t>> live_allocations();
void forget_shared();
void forget_copies();            // that were on their way to shared memory
bool is_constant(const void *p); // whether p is constant data of this library

// ---- the checker (checker.cc)
// The last access of two bytes. The checker waits for these most of its time, so that they are small.
struct __attribute__((packed)) touch {
    uint32_t epoch, pc; // of the warp
    uint16_t thread : 13;
    uint16_t atomic : 1;
    uint16_t several : 1; // other lanes of that warp too, in the same epoch
    uint16_t box : 1;     // an access by the tensor memory accelerator; `thread` is then a slot of a barrier
};
struct alignas(32) cell {
    touch write, read, other; // other: a read by another warp or block than `read`
    uint16_t coming;          // a cp.async that nobody has waited for: 1 + its thread; or BOX_COMING
};
enum { BOX_COMING = 0xffff };
inline place place_of(const void *p) {
    if (within(p, __start_emu_shared, size_t(__stop_emu_shared - __start_emu_shared))) return SHARED_MEMORY;
    return within(p, memory.arena, PARTS * PART_BYTES) ? GLOBAL_MEMORY : NOWHERE;
}
inline byte_state *state_of(const void *p) { // of a byte of global memory
    return memory.states + (static_cast<const char *>(p) - memory.arena);
}
inline cell *cell_of_shared(const void *p) {
    return memory.shared_cells + (static_cast<const char *>(p) - __start_emu_shared) / 2;
}
inline cell *cell_of_global(const void *p) {
    return memory.global_cells + (static_cast<const char *>(p) - memory.arena) / 2;
}
enum access_kind { READ, WRITE, ATOMIC };
bool in_order(const touch &t, bool is_global);
void check_operand(const char *p, size_t bytes, const void *pc); // reads by the asynchronous proxy, in shared memory
void access(const void *p, size_t bytes, access_kind kind, bool aligned, const void *pc);
extern bool checking, instrumented; // checking: false with EMU_CHECK=0; instrumented: the compiler inserted calls

// ---- the stream (launch.cc), and what of it is captured (graphs.cc)
enum work_kind { KERNEL, PRODUCT, FILL, COPY };
cudaError_t enqueue(cudaStream_t stream, work_kind kind, std::function<void()> what);
void add_work(std::function<void()> what);
// Whether the call may be made: calls on the default stream, and those that CUDA forbids during a capture, end it as
// invalid and are faults.
cudaError_t allow(cudaStream_t stream, const char *call);
void do_opened(const std::function<void()> &change); // lets the host touch device memory meanwhile
// Whether a range of device memory may be used so; reports what is wrong with it.
bool usable(const void *p, size_t bytes, access_kind kind, const char *what);

// ---- faults (faults.cc)
// Counts a fault. True if it is the first of its kind at its place.
bool fresh(const std::string &key);
__attribute__((format(printf, 1, 2))) void tell(const char *format, ...);
std::string source_line(const void *pc);
std::string name_of(const thread *t);
std::string key_of(const char *kind, const void *pc);
std::string key_of(const char *kind, const emu_site &site);

} // namespace emu

#endif
