// SPDX-License-Identifier: MIT
// What -fsanitize=thread makes the compiler call before each load and store of a kernel; the checker answers.
#include "state.h"

using namespace emu;

#define CALLER __builtin_return_address(0)
#define HOOK(n)                                                                                                        \
    extern "C" void __tsan_read##n(void *p) {                                                                          \
        access(p, n, READ, true, CALLER);                                                                              \
    }                                                                                                                  \
    extern "C" void __tsan_write##n(void *p) {                                                                         \
        access(p, n, WRITE, true, CALLER);                                                                             \
    }                                                                                                                  \
    extern "C" void __tsan_unaligned_read##n(void *p) {                                                                \
        access(p, n, READ, false, CALLER);                                                                             \
    }                                                                                                                  \
    extern "C" void __tsan_unaligned_write##n(void *p) {                                                               \
        access(p, n, WRITE, false, CALLER);                                                                            \
    }                                                                                                                  \
    extern "C" void __tsan_volatile_read##n(void *p) {                                                                 \
        access(p, n, READ, true, CALLER);                                                                              \
    }                                                                                                                  \
    extern "C" void __tsan_volatile_write##n(void *p) {                                                                \
        access(p, n, WRITE, true, CALLER);                                                                             \
    }
HOOK(1)
HOOK(2)
HOOK(4)
HOOK(8)
HOOK(16)

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
