// SPDX-License-Identifier: MIT
// For test_allocations.sh: loaded before libc (LD_PRELOAD), it counts the allocations that the program itself makes,
// not those of its libraries, and lets the one of number FAIL_ALLOCATION (1-based) fail. At the end it writes their
// number to the file FAIL_COUNT.
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static uintptr_t program_begin, program_end;
static long wanted;
static atomic_long count;

static int take_program(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const uintptr_t end = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && end > program_end) program_end = end;
    }
    program_begin = info->dlpi_addr;
    return 1; // the program is the first one
}

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("FAIL_ALLOCATION");
    wanted = number ? strtol(number, NULL, 10) : 0;
    dl_iterate_phdr(take_program, NULL);
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAIL_COUNT");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", atomic_load(&count));
    fclose(file);
}

static bool fails(const void *caller) {
    const uintptr_t at = (uintptr_t)caller;
    if (at < program_begin || at >= program_end || atomic_fetch_add(&count, 1) + 1 != wanted) return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}
