// SPDX-License-Identifier: MIT
// What a backend is: a device with memory of its own, a layout for weights that stay as they are, and launchers of ops.
//
// Pointers in the arguments of ops are to device memory, but for what kernel.h says lies on the host; nothing above
// kernels/ reads or writes there. Ops run in the order in which they were launched, after copies and zeroing that were
// asked for before; copying to the host waits for them. Where device memory is the host's (`shares_host`), what lies in
// either may be given to ops as it is, and nobody need copy.
//
// A backend may lack ops: who plans a computation asks for those that it needs (gw_backend_has()).
#ifndef GW_KERNELS_BACKEND_H
#define GW_KERNELS_BACKEND_H

#include "kernels/kernel.h"

// GW_OP_gemm ... in the order of ops.def.
typedef enum {
#define GW_OP(op, arguments) GW_OP_##op,
#include "kernels/ops.def"
#undef GW_OP
    GW_OPS
} gw_op;

typedef struct {
    const char *name;
    bool (*supported)(void); // by this machine

    bool shares_host;
    gw_status (*allocate)(int64_t bytes, void **memory); // zeroed, aligned to 64 bytes
    void (*release)(void *memory);                       // NULL: nothing
    gw_status (*zero)(void *memory, int64_t bytes);
    gw_status (*to_device)(void *device, const void *host, int64_t bytes);
    gw_status (*to_host)(void *host, const void *device, int64_t bytes);

    bool (*multiplies_bf16)(void); // by instructions of its own; emulated it would be slower than f32
    // Whether a launch of the op with these arguments, whose pointers are not read, takes and makes tensors that are
    // stored as bf16 (kernel.h). NULL: none does.
    bool (*takes_bf16)(gw_op op, const void *arguments);
    // The matrix [N][K] of a linear layer, of device memory, laid out as products want it, for weights that stay as
    // they are: changes are not seen afterwards.
    gw_status (*pack)(const float *weight, int64_t n, int64_t k, gw_precision precision, gw_packed **out);
    void (*packed_free)(gw_packed *packed); // NULL: nothing
    int64_t (*packed_bytes)(const gw_packed *packed);

    // Floats of scratch memory that a launch of the op needs with these arguments, whose pointers to numbers are not
    // read, or with any that have fewer rows, sequences and tokens. Scratch memory keeps nothing between launches.
    int64_t (*scratch)(gw_op op, const void *arguments);

#define GW_OP(op, arguments) gw_status (*op)(const arguments *);
#include "kernels/ops.def"
#undef GW_OP
} gw_backend;

const char *gw_op_name(gw_op op);
bool gw_backend_has(const gw_backend *backend, gw_op op);

// The backend in use: the best supported one, or the one that GODWIT_BACKEND (baseline, avx2, avx512, amx) names. NULL
// with a message where that name is unknown or unsupported here.
const gw_backend *gw_kernels(void);
// All that were compiled in, best first; for tests. *count is set.
const gw_backend *const *gw_all_backends(int *count);
// Makes `name` the one in use from now on (NULL: the default choice again).
gw_status gw_use_backend(const char *name) GW_MUST_CHECK;
// The same with one that stands elsewhere and outlives its use.
void gw_use_device(const gw_backend *backend);
// Whether the backend in use multiplies bf16.
bool gw_has_bf16(void);

#endif
