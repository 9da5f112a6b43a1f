// SPDX-License-Identifier: MIT
// Every call is: each rank writes what it gives, all wait, each reads what it takes, all wait.
#include "tests/unit/shared_ranks.h"

#include "run/ranks.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8, AREA = 1 << 22 };

typedef struct {
    pthread_barrier_t barrier;
    int64_t at[MOST][MOST + 1];
    char area[MOST][AREA];
} meeting;

static meeting *shared;
static int own_rank, rank_count;

static void wait_for_all(void) {
    pthread_barrier_wait(&shared->barrier);
}

static const char *version(void) {
    return "shared memory";
}

static const char *join(int *rank, int *count) {
    *rank = own_rank;
    *count = rank_count;
    return NULL;
}

static void leave(void) {}

static void end_all(int status) {
    _exit(status);
}

static void put(const void *bytes, int64_t count) {
    cr_assert_leq(count, (int64_t)AREA);
    memcpy(shared->area[own_rank], bytes, (size_t)count);
    wait_for_all();
}

static void broadcast(void *bytes, int64_t count) {
    put(bytes, count);
    memcpy(bytes, shared->area[0], (size_t)count);
    wait_for_all();
}

static void gather(const void *mine, int64_t bytes, void *all) {
    put(mine, bytes);
    for (int r = 0; r < rank_count; r++) memcpy((char *)all + r * bytes, shared->area[r], (size_t)bytes);
    wait_for_all();
}

static void trade(const void *out, const int64_t *out_at, void *in, const int64_t *in_at) {
    memcpy(shared->at[own_rank], out_at, sizeof *out_at * (size_t)(rank_count + 1));
    put(out, out_at[rank_count]);
    for (int r = 0; r < rank_count; r++) {
        const int64_t begin = shared->at[r][own_rank], count = shared->at[r][own_rank + 1] - begin;
        cr_assert_eq(count, in_at[r + 1] - in_at[r], "rank %d gives what rank %d does not expect", r, own_rank);
        memcpy((char *)in + in_at[r], shared->area[r] + begin, (size_t)count);
    }
    wait_for_all();
}

static void sum(float *numbers, int64_t count) {
    put(numbers, count * (int64_t)sizeof *numbers);
    for (int64_t i = 0; i < count; i++) {
        numbers[i] = 0;
        for (int r = rank_count - 1; r >= 0; r--) numbers[i] += ((const float *)(const void *)shared->area[r])[i];
    }
    wait_for_all();
}

static const gw_transport transport = {.version = version,
                                       .join = join,
                                       .leave = leave,
                                       .abort = end_all,
                                       .broadcast = broadcast,
                                       .gather = gather,
                                       .trade = trade,
                                       .sum = sum};

static int run_rank(int (*work)(void *context), void *context) {
    if (gw_ranks_use(&transport) != GW_OK) return 1;
    const int status = work(context);
    gw_ranks_end();
    return status;
}

void run_on_ranks(int count, int (*work)(void *context), void *context) {
    pthread_barrierattr_t attributes;
    pid_t child[MOST];
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(shared != MAP_FAILED && count <= MOST);
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &attributes, (unsigned)count);
    rank_count = count;
    for (int r = 0; r < count; r++) {
        own_rank = r;
        child[r] = fork();
        if (child[r] == 0) _exit(run_rank(work, context));
    }
    for (int r = 0; r < count; r++) {
        int status;
        cr_assert_eq(waitpid(child[r], &status, 0), child[r]);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "rank %d of %d ended with %d", r, count, status);
    }
    pthread_barrierattr_destroy(&attributes);
    munmap(shared, sizeof *shared);
}
