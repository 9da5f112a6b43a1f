// SPDX-License-Identifier: MIT
// For test_writes.sh: loaded before libc (LD_PRELOAD), it counts the calls by which files are written, finished and put
// in their places, of the program and its libraries, and lets the one of number FAIL_WRITE (1-based) fail as on a full
// disk. Streams that are no files (terminals, pipes) and standard error are left alone. At the end it writes the number
// of calls to the file FAIL_COUNT.
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ERROR_SEEN = 0x20 }; // of glibc's FILE: what ferror() tells

static long wanted;
static atomic_long count;

__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("FAIL_WRITE");
    wanted = number ? strtol(number, NULL, 10) : 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAIL_COUNT");
    const long counted = atomic_load(&count);
    wanted = 0;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", counted);
    fclose(file);
}

static bool fails(void) {
    if (atomic_fetch_add(&count, 1) + 1 != wanted) return false;
    errno = ENOSPC;
    return true;
}

static bool fails_at(int descriptor) {
    struct stat at;
    return descriptor != STDERR_FILENO && fstat(descriptor, &at) == 0 && S_ISREG(at.st_mode) && fails();
}

static bool fails_in(FILE *stream) {
    if (!fails_at(fileno(stream))) return false;
    stream->_flags |= ERROR_SEEN;
    errno = ENOSPC;
    return true;
}

ssize_t write(int descriptor, const void *bytes, size_t size) {
    return fails_at(descriptor) ? -1 : REAL(write)(descriptor, bytes, size);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t at) {
    return fails_at(descriptor) ? -1 : REAL(pwrite)(descriptor, bytes, size, at);
}

ssize_t writev(int descriptor, const struct iovec *parts, int number) {
    return fails_at(descriptor) ? -1 : REAL(writev)(descriptor, parts, number);
}

int ftruncate(int descriptor, off_t size) {
    return fails_at(descriptor) ? -1 : REAL(ftruncate)(descriptor, size);
}

int fsync(int descriptor) {
    return fails_at(descriptor) ? -1 : REAL(fsync)(descriptor);
}

int rename(const char *from, const char *to) {
    return fails() ? -1 : REAL(rename)(from, to);
}

size_t fwrite(const void *items, size_t size, size_t number, FILE *stream) {
    return fails_in(stream) ? 0 : REAL(fwrite)(items, size, number, stream);
}

int fputs(const char *text, FILE *stream) {
    return fails_in(stream) ? EOF : REAL(fputs)(text, stream);
}

int fputc(int letter, FILE *stream) {
    return fails_in(stream) ? EOF : REAL(fputc)(letter, stream);
}

int fprintf(FILE *stream, const char *format, ...) {
    if (fails_in(stream)) return -1;
    va_list values;
    va_start(values, format);
    const int result = vfprintf(stream, format, values);
    va_end(values);
    return result;
}

int fflush(FILE *stream) {
    return stream && fails_in(stream) ? EOF : REAL(fflush)(stream);
}

// The stream is gone all the same.
int fclose(FILE *stream) {
    const bool failed = fails_at(fileno(stream));
    const int result = REAL(fclose)(stream);
    if (failed) errno = ENOSPC;
    return failed ? EOF : result;
}
