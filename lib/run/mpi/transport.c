// SPDX-License-Identifier: MIT
// Sends bytes by MPI. An implementation's mpicc compiles this file into a separate library, so that the program also
// runs without MPI.
//
// MPI's own errors end all ranks (MPI_ERRORS_ARE_FATAL) with MPI's message. Every call waits by testing and sleeping in
// turn, because MPI's own waiting uses a whole processor, for minutes while rank 0 validates. Calls with much data
// sleep from the start, because the processor computes meanwhile.
#include "base/transport.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1 << 30, LITTLE = 1 << 14, BUSY_TESTS = 2000, SHORT_SLEEP = 50000, LONG_SLEEP = 200000 };

static int rank_count;

static const char *version(void) {
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    for (char *at = text; *at; at++)
        if (*at == '\t') *at = ' ';
    text[strcspn(text, "\n,")] = 0;
    return text;
}

static const char *join(int *rank, int *count) {
    int given;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
    if (given < MPI_THREAD_SERIALIZED) return "this MPI bears no threads (MPI_THREAD_SERIALIZED)";
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, count);
    rank_count = *count;
    return NULL;
}

static void leave(void) {
    MPI_Finalize();
}

static void end_all(int status) {
    MPI_Abort(MPI_COMM_WORLD, status);
    abort();
}

static void wait_for(MPI_Request *request, int64_t bytes) {
    const bool little = bytes <= LITTLE;
    const struct timespec moment = {.tv_nsec = little ? SHORT_SLEEP : LONG_SLEEP}; // nanoseconds
    const int busy = little ? BUSY_TESTS : 1;
    int done = 0;
    for (int tests = 0; !done; tests++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && tests >= busy) nanosleep(&moment, NULL);
    }
}

static void broadcast(void *bytes, int64_t count) {
    for (int64_t at = 0; at < count; at += MOST) {
        MPI_Request request;
        const int piece = (int)(count - at < MOST ? count - at : MOST);
        MPI_Ibcast((char *)bytes + at, piece, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
        wait_for(&request, piece);
    }
}

static void gather(const void *mine, int64_t bytes, void *all) {
    MPI_Request request;
    MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
    wait_for(&request, bytes);
}

static void cut(const int64_t *at, int *count, int *begin) {
    for (int r = 0; r < rank_count; r++) {
        begin[r] = (int)at[r];
        count[r] = (int)(at[r + 1] - at[r]);
    }
}

static void trade(const void *out, const int64_t *out_at, void *in, const int64_t *in_at) {
    MPI_Request request;
    int *numbers = malloc((size_t)rank_count * 4 * sizeof *numbers);
    if (!numbers) end_all(1);
    int *out_count = numbers, *out_begin = numbers + rank_count, *in_count = out_begin + rank_count,
        *in_begin = in_count + rank_count;
    cut(out_at, out_count, out_begin);
    cut(in_at, in_count, in_begin);
    MPI_Ialltoallv(out, out_count, out_begin, MPI_BYTE, in, in_count, in_begin, MPI_BYTE, MPI_COMM_WORLD, &request);
    wait_for(&request, out_at[rank_count]);
    free(numbers);
}

static void sum(float *numbers, int64_t count) {
    for (int64_t at = 0; at < count; at += MOST) {
        MPI_Request request;
        const int piece = (int)(count - at < MOST ? count - at : MOST);
        MPI_Iallreduce(MPI_IN_PLACE, numbers + at, piece, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
        wait_for(&request, piece * (int64_t)sizeof *numbers);
    }
}

__attribute__((visibility("default"))) const gw_transport *gw_transport_entry(void);
const gw_transport *gw_transport_entry(void) {
    static const gw_transport transport = {.abi = GW_TRANSPORT_ABI,
                                           .version = version,
                                           .join = join,
                                           .leave = leave,
                                           .abort = end_all,
                                           .broadcast = broadcast,
                                           .gather = gather,
                                           .trade = trade,
                                           .sum = sum};
    return &transport;
}
