// SPDX-License-Identifier: MIT
// Carries bytes between the ranks of torchrun by NCCL, which is opened at run time: the plugin loads where it is not.
//
// Gradients are summed where they lie, by ncclAllReduce() on a stream of its own, beside the ops that make the others.
// What ranks of the host tell each other goes through memory of the device and back.
//
// Ranks meet at NCCL_COMM_ID, an address of rank 0's machine. Unless that is set it is MASTER_ADDR with the port after
// MASTER_PORT, which torchrun uses itself. NCCL's own errors end this rank, with NCCL's words; torchrun then ends the
// others.
#include "base/transport.h"

#include <cuda_runtime.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// As nccl.h declares them; numbers are of its stable interface (tests/cuda/test_nccl.sh compares).
typedef struct ncclComm *nccl_comm;
typedef struct {
    char internal[128];
} nccl_id;
enum { NCCL_SUCCESS = 0, NCCL_IN_PROGRESS = 7, NCCL_INT8 = 0, NCCL_FLOAT32 = 7, NCCL_SUM = 0 };

// Every function that is called, by its name without "nccl".
#define NCCL_FUNCTIONS(F)                                                                                              \
    F(GetVersion, (int *version))                                                                                      \
    F(GetUniqueId, (nccl_id * id))                                                                                     \
    F(CommInitRank, (nccl_comm * comm, int count, nccl_id id, int rank))                                               \
    F(CommDestroy, (nccl_comm comm))                                                                                   \
    F(CommAbort, (nccl_comm comm))                                                                                     \
    F(CommGetAsyncError, (nccl_comm comm, int *error))                                                                 \
    F(AllReduce, (const void *in, void *out, size_t count, int type, int op, nccl_comm comm, cudaStream_t stream))     \
    F(Broadcast, (const void *in, void *out, size_t count, int type, int root, nccl_comm comm, cudaStream_t stream))   \
    F(AllGather, (const void *in, void *out, size_t count, int type, nccl_comm comm, cudaStream_t stream))             \
    F(Send, (const void *in, size_t count, int type, int peer, nccl_comm comm, cudaStream_t stream))                   \
    F(Recv, (void *out, size_t count, int type, int peer, nccl_comm comm, cudaStream_t stream))                        \
    F(GroupStart, (void))                                                                                              \
    F(GroupEnd, (void))

static struct {
#define NCCL_MEMBER(name, arguments) int(*name) arguments;
    NCCL_FUNCTIONS(NCCL_MEMBER)
#undef NCCL_MEMBER
    const char *(*GetErrorString)(int error);
} nccl;

static struct {
    nccl_comm comm;
    cudaStream_t stream;
    cudaEvent_t made; // what ops have made for sums
    int rank, count, device;
    char *memory; // of the device, through which the host's bytes go
    int64_t bytes;
} own;

static void end_all(int status) {
    if (own.comm) nccl.CommAbort(own.comm);
    _exit(status);
}

static void fail(const char *what, const char *why) {
    fprintf(stderr, "godwit: rank %d: NCCL fails at %s: %s\n", own.rank, what, why);
    end_all(1);
}

static void check(int error, const char *what) {
    if (error != NCCL_SUCCESS && error != NCCL_IN_PROGRESS) fail(what, nccl.GetErrorString(error));
}

static void check_cuda(cudaError_t error, const char *what) {
    if (error != cudaSuccess) fail(what, cudaGetErrorString(error));
}

// NULL, or what is wrong.
static const char *open_nccl() {
    static char fault[256];
    const char *missing = nullptr;
    if (nccl.AllReduce) return nullptr;
    void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(fault, sizeof fault, "NCCL is not there: %s", dlerror());
        return fault;
    }
#define NCCL_FIND(name, arguments)                                                                                     \
    nccl.name = reinterpret_cast<int(*) arguments>(dlsym(library, "nccl" #name));                                      \
    if (!nccl.name) missing = "nccl" #name;
    NCCL_FUNCTIONS(NCCL_FIND)
#undef NCCL_FIND
    nccl.GetErrorString = reinterpret_cast<const char *(*)(int)>(dlsym(library, "ncclGetErrorString"));
    if (!nccl.GetErrorString) missing = "ncclGetErrorString";
    if (!missing) return nullptr;
    snprintf(fault, sizeof fault, "this NCCL has no %s", missing);
    nccl.AllReduce = nullptr;
    return fault;
}

static const char *version() {
    static char text[64];
    int number = 0;
    const char *fault = open_nccl();
    if (fault) return fault;
    nccl.GetVersion(&number);
    snprintf(text, sizeof text, "NCCL %d.%d.%d", number / 10000, number / 100 % 100, number % 100);
    return text;
}

static int number_of(const char *variable, int otherwise) {
    const char *text = getenv(variable);
    return text ? atoi(text) : otherwise;
}

// Where rank 0 waits for the others.
static void choose_address() {
    char address[300];
    const char *host = getenv("MASTER_ADDR");
    snprintf(address, sizeof address, "%s:%d", host ? host : "127.0.0.1", number_of("MASTER_PORT", 29500) + 1);
    setenv("NCCL_COMM_ID", address, 0);
}

static const char *join(int *rank, int *count) {
    nccl_id id;
    const char *fault = open_nccl();
    if (fault) return fault;
    own.rank = number_of("RANK", 0);
    own.count = number_of("WORLD_SIZE", 1);
    check_cuda(cudaGetDevice(&own.device), "its device");
    check_cuda(cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking), "a stream");
    check_cuda(cudaEventCreateWithFlags(&own.made, cudaEventDisableTiming), "an event");
    choose_address();
    check(nccl.GetUniqueId(&id), "ncclGetUniqueId");
    check(nccl.CommInitRank(&own.comm, own.count, id, own.rank), "ncclCommInitRank");
    *rank = own.rank;
    *count = own.count;
    return nullptr;
}

static void leave() {
    check(nccl.CommDestroy(own.comm), "ncclCommDestroy");
    own.comm = nullptr;
}

// Waits in turns of asking and sleeping, so that a rank that is gone is noticed, and the processor is left to others.
static void wait_for(const char *what) {
    const struct timespec moment = {0, 50000};
    for (cudaError_t state = cudaStreamQuery(own.stream); state != cudaSuccess; state = cudaStreamQuery(own.stream)) {
        int error = NCCL_SUCCESS;
        if (state != cudaErrorNotReady) check_cuda(state, what);
        check(nccl.CommGetAsyncError(own.comm, &error), what);
        check(error, what);
        nanosleep(&moment, nullptr);
    }
}

// Calls may come from another thread than the one that chose the device.
static void enter() {
    check_cuda(cudaSetDevice(own.device), "its device");
}

// Memory of the device for so many bytes.
static char *room_for(int64_t bytes) {
    enter();
    if (bytes <= own.bytes) return own.memory;
    check_cuda(cudaFree(own.memory), "memory");
    check_cuda(cudaMalloc(reinterpret_cast<void **>(&own.memory), size_t(bytes)), "memory");
    own.bytes = bytes;
    return own.memory;
}

static void copy(void *to, const void *from, int64_t bytes, cudaMemcpyKind kind) {
    if (bytes > 0) check_cuda(cudaMemcpyAsync(to, from, size_t(bytes), kind, own.stream), "a copy");
}

static void broadcast(void *bytes, int64_t count) {
    const int64_t most = int64_t(1) << 26;
    for (int64_t at = 0; at < count; at += most) {
        const int64_t piece = count - at < most ? count - at : most;
        char *there = room_for(piece), *here = static_cast<char *>(bytes) + at;
        copy(there, here, piece, cudaMemcpyHostToDevice);
        check(nccl.Broadcast(there, there, size_t(piece), NCCL_INT8, 0, own.comm, own.stream), "ncclBroadcast");
        copy(here, there, piece, cudaMemcpyDeviceToHost);
        wait_for("ncclBroadcast");
    }
}

static void gather(const void *mine, int64_t bytes, void *all) {
    char *there = room_for((own.count + 1) * bytes), *in = there + own.count * bytes;
    copy(in, mine, bytes, cudaMemcpyHostToDevice);
    check(nccl.AllGather(in, there, size_t(bytes), NCCL_INT8, own.comm, own.stream), "ncclAllGather");
    copy(all, there, own.count * bytes, cudaMemcpyDeviceToHost);
    wait_for("ncclAllGather");
}

static void trade(const void *out, const int64_t *out_at, void *in, const int64_t *in_at) {
    const int64_t gives = out_at[own.count], takes = in_at[own.count];
    char *from = room_for(gives + takes), *to = from + gives;
    copy(from, out, gives, cudaMemcpyHostToDevice);
    check(nccl.GroupStart(), "ncclGroupStart");
    for (int r = 0; r < own.count; r++) {
        const size_t give = size_t(out_at[r + 1] - out_at[r]), take = size_t(in_at[r + 1] - in_at[r]);
        if (give) check(nccl.Send(from + out_at[r], give, NCCL_INT8, r, own.comm, own.stream), "ncclSend");
        if (take) check(nccl.Recv(to + in_at[r], take, NCCL_INT8, r, own.comm, own.stream), "ncclRecv");
    }
    check(nccl.GroupEnd(), "ncclGroupEnd");
    copy(in, to, takes, cudaMemcpyDeviceToHost);
    wait_for("a trade");
}

static void mark() {
    check_cuda(cudaEventRecord(own.made, nullptr), "an event"); // of the stream of ops (frame.h)
}

static void sum(float *numbers, int64_t count) {
    enter();
    check_cuda(cudaStreamWaitEvent(own.stream, own.made, 0), "an event");
    check(nccl.AllReduce(numbers, numbers, size_t(count), NCCL_FLOAT32, NCCL_SUM, own.comm, own.stream),
          "ncclAllReduce");
    wait_for("ncclAllReduce");
}

extern "C" __attribute__((visibility("default"))) const gw_transport *gw_transport_entry(void);
const gw_transport *gw_transport_entry(void) {
    static gw_transport transport;
    transport.abi = GW_TRANSPORT_ABI;
    transport.version = version;
    transport.join = join;
    transport.leave = leave;
    transport.abort = end_all;
    transport.broadcast = broadcast;
    transport.gather = gather;
    transport.trade = trade;
    transport.sum = sum;
    transport.sums_device = true;
    transport.mark = mark;
    return &transport;
}
