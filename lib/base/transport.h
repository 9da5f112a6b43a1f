// SPDX-License-Identifier: MIT
// The contract between the program and a library that carries bytes between ranks: libgodwit-mpi-openmpi.so and
// libgodwit-mpi-mpich.so (run/mpi/transport.c), the CUDA plugin (kernels/cuda/nccl.cu), or a stand-in of the tests.
//
// The library exports one function, gw_transport_entry(), which returns its gw_transport. Its first member is a
// checksum of this header, which the Makefile takes: the program refuses another one before it reads anything else. All
// ranks make the same calls in the same order, from one thread at a time, whichever it is; each call returns once its
// memory may be used again.
#ifndef GW_BASE_TRANSPORT_H
#define GW_BASE_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#define GW_TRANSPORT_ENTRY "gw_transport_entry"

typedef struct {
    uint32_t abi;                 // always the first member
    const char *(*version)(void); // of the library that carries, one line; also before join()

    const char *(*join)(int *rank, int *count); // meets the other ranks; NULL, or an error message
    void (*leave)(void);                        // after join(), once, by all
    void (*abort)(int status);                  // ends all ranks at once; does not return

    void (*broadcast)(void *bytes, int64_t count); // of rank 0
    // all [count of ranks][bytes]: the bytes of each rank, in order of ranks
    void (*gather)(const void *mine, int64_t bytes, void *all);
    // Gives rank r the bytes out[out_at[r] .. out_at[r + 1]) and takes in[in_at[r] .. in_at[r + 1]) of it; less than
    // 2 GiB each way.
    void (*trade)(const void *out, const int64_t *out_at, void *in, const int64_t *in_at);
    void (*sum)(float *numbers, int64_t count); // of all ranks, in the library's own order
    // sum() takes memory of the device whose plugin this is, and sees what its ops made before the last mark().
    bool sums_device;
    void (*mark)(void); // NULL where sum() takes the host's
} gw_transport;

typedef const gw_transport *gw_transport_function(void);

#endif
