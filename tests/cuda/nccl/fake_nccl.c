// SPDX-License-Identifier: MIT
// A libnccl.so.2 that carries bytes between processes of this machine through a file that all map, refuses what NCCL
// would refuse, and writes down each call: GODWIT_FAKE_NCCL is the folder of both.
#include "device.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4, AREA = 1 << 26, SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4 };

typedef struct {
    char internal[128];
} id_of_ranks;

typedef struct {
    _Atomic int ready;
    pthread_barrier_t barrier;
    size_t begin[MOST][MOST], count[MOST][MOST]; // of what a rank sends to each
    char area[MOST][AREA];
} meeting;

struct ncclComm {
    meeting *shared;
    FILE *calls;
    int rank, count;
};
typedef struct ncclComm comm_of_ranks;
typedef void *stream;

static struct {
    comm_of_ranks *comm;
    void *to[MOST];
    size_t expected[MOST], used;
} group;

static meeting *map_file(const char *path, int flags) {
    const int file = open(path, flags, 0600);
    if (file < 0 || ((flags & O_CREAT) && ftruncate(file, sizeof(meeting)) != 0)) return NULL;
    void *memory = mmap(NULL, sizeof(meeting), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

static void make_barrier(meeting *m, int count) {
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&m->barrier, &attributes, (unsigned)count);
    m->ready = 1;
}

int ncclGetVersion(int *version) {
    *version = 22304;
    return SUCCESS;
}

int ncclGetUniqueId(id_of_ranks *id) {
    const char *address = getenv("NCCL_COMM_ID");
    memset(id, 0, sizeof *id);
    if (!address) return INVALID_ARGUMENT; // the others would wait for another one
    strncpy(id->internal, address, sizeof id->internal - 1);
    return SUCCESS;
}

int ncclCommInitRank(comm_of_ranks **out, int count, id_of_ranks id, int rank) {
    char path[512];
    const char *folder = getenv("GODWIT_FAKE_NCCL");
    comm_of_ranks *comm = calloc(1, sizeof *comm);
    if (!folder || !comm || count > MOST || rank >= count) return INVALID_ARGUMENT;
    *comm = (comm_of_ranks){.rank = rank, .count = count};
    snprintf(path, sizeof path, "%s/%s", folder, id.internal);
    if (rank == 0) comm->shared = map_file(path, O_CREAT | O_EXCL | O_RDWR);
    if (comm->shared) make_barrier(comm->shared, count);
    for (int turn = 0; rank > 0 && turn < 10000 && !(comm->shared && comm->shared->ready); turn++) {
        if (!comm->shared && access(path, F_OK) == 0) usleep(10000), comm->shared = map_file(path, O_RDWR);
        usleep(1000);
    }
    if (!comm->shared) return SYSTEM_ERROR;
    snprintf(path, sizeof path, "%s/calls.%d", folder, rank);
    comm->calls = fopen(path, "w");
    fprintf(comm->calls, "CommInitRank %d %d %s\n", count, rank, id.internal);
    *out = comm;
    return SUCCESS;
}

int ncclCommDestroy(comm_of_ranks *comm) {
    fprintf(comm->calls, "CommDestroy\n");
    fclose(comm->calls);
    free(comm);
    return SUCCESS;
}

int ncclCommAbort(comm_of_ranks *comm) {
    fprintf(comm->calls, "CommAbort\n");
    return SUCCESS;
}

int ncclCommGetAsyncError(comm_of_ranks *comm, int *error) {
    *error = comm ? SUCCESS : INVALID_ARGUMENT;
    return SUCCESS;
}

const char *ncclGetErrorString(int error) {
    return error == INVALID_ARGUMENT ? "invalid argument" : "unhandled system error";
}

static void meet(comm_of_ranks *comm) {
    pthread_barrier_wait(&comm->shared->barrier);
}

static void give(comm_of_ranks *comm, const void *in, size_t bytes) {
    memcpy(comm->shared->area[comm->rank], in, bytes);
    meet(comm);
}

static int refuses(const void *in, const void *out, size_t bytes, stream s) {
    return !s || bytes > AREA || !device_holds(in, bytes) || !device_holds(out, bytes);
}

// Of 32-bit floats alone, in order of ranks.
int ncclAllReduce(const void *in, void *out, size_t count, int type, int op, comm_of_ranks *comm, stream s) {
    fprintf(comm->calls, "AllReduce %zu %d %d\n", count, type, op);
    if (type != 7 || op != 0 || refuses(in, out, 4 * count, s)) return INVALID_ARGUMENT;
    give(comm, in, 4 * count);
    float *sum = out;
    for (size_t i = 0; i < count; i++) {
        sum[i] = 0;
        for (int r = 0; r < comm->count; r++) sum[i] += ((const float *)(const void *)comm->shared->area[r])[i];
    }
    meet(comm);
    return SUCCESS;
}

int ncclBroadcast(const void *in, void *out, size_t count, int type, int root, comm_of_ranks *comm, stream s) {
    fprintf(comm->calls, "Broadcast %zu %d %d\n", count, type, root);
    if (type != 0 || refuses(in, out, count, s)) return INVALID_ARGUMENT;
    give(comm, in, count);
    memcpy(out, comm->shared->area[root], count);
    meet(comm);
    return SUCCESS;
}

int ncclAllGather(const void *in, void *out, size_t count, int type, comm_of_ranks *comm, stream s) {
    fprintf(comm->calls, "AllGather %zu %d\n", count, type);
    if (type != 0 || refuses(in, out, count, s)) return INVALID_ARGUMENT;
    give(comm, in, count);
    for (int r = 0; r < comm->count; r++) memcpy((char *)out + (size_t)r * count, comm->shared->area[r], count);
    meet(comm);
    return SUCCESS;
}

int ncclGroupStart(void) {
    memset(&group, 0, sizeof group);
    return SUCCESS;
}

int ncclSend(const void *in, size_t count, int type, int peer, comm_of_ranks *comm, stream s) {
    fprintf(comm->calls, "Send %zu %d %d\n", count, type, peer);
    if (type != 0 || refuses(in, in, count, s) || group.used + count > AREA) return INVALID_ARGUMENT;
    memcpy(comm->shared->area[comm->rank] + group.used, in, count);
    comm->shared->begin[comm->rank][peer] = group.used;
    comm->shared->count[comm->rank][peer] = count;
    group.used += count;
    group.comm = comm;
    return SUCCESS;
}

int ncclRecv(void *out, size_t count, int type, int peer, comm_of_ranks *comm, stream s) {
    fprintf(comm->calls, "Recv %zu %d %d\n", count, type, peer);
    if (type != 0 || refuses(out, out, count, s)) return INVALID_ARGUMENT;
    group.to[peer] = out;
    group.expected[peer] = count;
    group.comm = comm;
    return SUCCESS;
}

// Every rank sends or receives something in the exchanges of the test: all come here.
int ncclGroupEnd(void) {
    comm_of_ranks *comm = group.comm;
    int fault = 0;
    if (!comm) return INVALID_ARGUMENT;
    meet(comm);
    meeting *m = comm->shared;
    for (int r = 0; r < comm->count; r++) {
        fault |= m->count[r][comm->rank] != group.expected[r];
        if (!fault && group.to[r]) memcpy(group.to[r], m->area[r] + m->begin[r][comm->rank], group.expected[r]);
    }
    meet(comm);
    memset(m->count[comm->rank], 0, sizeof m->count[comm->rank]);
    meet(comm);
    return fault ? INVALID_ARGUMENT : SUCCESS;
}
