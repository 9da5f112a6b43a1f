// SPDX-License-Identifier: MIT
// The interface between the program and a library that moves bytes between ranks: libgodwit-mpi-openmpi.so and
// libgodwit-mpi-mpich.so (run/mpi/transport.c), the CUDA plugin (kernels/cuda/nccl.cu), or a substitute of the tests.
//
// The library exports one function, gw_transport_entry(), which returns its gw_transport. The first member is a
// checksum of this header, made by the Makefile. The program refuses a library with another checksum before it reads
// the other members. All ranks make the same calls in the same order. One thread at a time calls; it need not be the
// same thread each time. After a call returns, its memory may be used again.
#ifndef GW_BASE_TRANSPORT_H
#define GW_BASE_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#define GW_TRANSPORT_ENTRY "gw_transport_entry"

typedef struct {
    uint32_t abi;                 // always the first member
    const char *(*version)(void); // of the MPI or NCCL library, one line; may be called before join()

    const char *(*join)(int *rank, int *count); // meets the other ranks; returns NULL, or an error message
    void (*leave)(void);                        // after join(), once, by all ranks
    void (*abort)(int status);                  // ends all ranks at once; does not return

    void (*broadcast)(void *bytes, int64_t count); // sends the bytes of rank 0 to all ranks
    // all [ranks][bytes]: the bytes of each rank, in the order of ranks
    void (*gather)(const void *mine, int64_t bytes, void *all);
    // Sends the bytes out[out_at[r] .. out_at[r + 1]) to rank r, and receives in[in_at[r] .. in_at[r + 1]) from rank r.
    // Less than 2 GiB each way.
    void (*trade)(const void *out, const int64_t *out_at, void *in, const int64_t *in_at);
    void (*sum)(float *numbers, int64_t count); // over all ranks, in an order that the library chooses
    // true: sum() takes memory of the plugin's device, and waits for the ops before the last mark()
    bool sums_device;
    void (*mark)(void); // NULL if sum() takes host memory
} gw_transport;

typedef const gw_transport *gw_transport_function(void);

#endif
