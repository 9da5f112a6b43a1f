// SPDX-License-Identifier: MIT
// A fuzz target without a fuzzer: runs it once over each file that is named, whose bytes lie in a block of exactly
// their size, so that a sanitizer sees a read beyond the end. An input that takes 30 seconds of processor time, or
// makes the program grow beyond 2 GB, is named and ends it.
//   replay_<target> FILE...
#include "base/memory.h"
#include "base/output.h"
#include "tests/fuzz/fuzz.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

enum { MOST_SECONDS = 30, MOST_KILOBYTES = 2 << 20 };
static const char *input; // that is run

static void run_out(int signal) {
    static const char words[] = " takes more than 30 seconds\n";
    (void)signal;
    if (write(STDERR_FILENO, input, strlen(input)) > 0 && write(STDERR_FILENO, words, sizeof words - 1) > 0) _exit(1);
    _exit(2);
}

static gw_status check_memory(const char *path) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    if (used.ru_maxrss <= MOST_KILOBYTES) return GW_OK;
    return gw_fail(GW_ERR_MEMORY, "%s takes %ld MB", path, used.ru_maxrss / 1024);
}

static gw_status replay(const char *path) {
    char *text;
    int64_t count;
    GW_TRY(gw_read_file(path, &text, &count));
    uint8_t *exact = gw_alloc(count, 1);
    const gw_status status = exact ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        memcpy(exact, text, (size_t)count);
        input = path;
        setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = MOST_SECONDS}, NULL);
        LLVMFuzzerTestOneInput(exact, (size_t)count);
        setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
    }
    free(exact);
    free(text);
    return status == GW_OK ? check_memory(path) : status;
}

int main(int argc, char **argv) {
    signal(SIGPROF, run_out);
    for (int i = 1; i < argc; i++) {
        if (replay(argv[i]) == GW_OK) continue;
        fprintf(stderr, "%s\n", gw_message());
        return 1;
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
