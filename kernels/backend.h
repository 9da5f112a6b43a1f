// SPDX-License-Identifier: MIT
// A backend: a device with its own memory, a layout for fixed weights, and launchers of ops.
//
// Pointers in the arguments of ops are device memory, except those that kernel.h declares as host memory. Code above
// kernels/ does not read or write device memory. Ops run in the order of their launch, after earlier copies and
// zeroing. Copying to the host waits for them. If device memory is host memory (`shares_host`), ops take either, and no
// copies are needed.
//
// A backend may lack ops. The planner of a computation checks for the ops that it needs (gw_backend_has()).
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

// A sequence of launches that a backend keeps, to repeat it (gw_backend.repeat).
typedef struct gw_record gw_record;

typedef struct {
    const char *name;
    bool (*supported)(void); // by this machine

    bool shares_host;
    gw_status (*allocate)(int64_t bytes, void **memory); // zeroed, aligned to 64 bytes
    void (*release)(void *memory);                       // NULL is fine
    gw_status (*zero)(void *memory, int64_t bytes);
    gw_status (*to_device)(void *device, const void *host, int64_t bytes);
    gw_status (*to_host)(void *host, const void *device, int64_t bytes);

    bool (*multiplies_bf16)(void); // with its own instructions; emulation would be slower than f32
    // True if a launch of the op with these arguments reads and writes tensors stored as bf16 (kernel.h). The pointers
    // of the arguments are not read. NULL: no op does.
    bool (*takes_bf16)(gw_op op, const void *arguments);
    // Packs the matrix [N][K] of a linear layer, in device memory, for products. Only for fixed weights: later changes
    // have no effect.
    gw_status (*pack)(const float *weight, int64_t n, int64_t k, gw_precision precision, gw_packed **out);
    void (*packed_free)(gw_packed *packed); // NULL is fine
    int64_t (*packed_bytes)(const gw_packed *packed);

    // Floats of scratch memory for a launch of the op with these arguments, or with fewer rows, sequences and tokens.
    // Pointers to numbers are not read. Scratch memory keeps nothing between launches.
    int64_t (*scratch)(gw_op op, const void *arguments);

    // Whether repeat() keeps launches. It then pays to make launches of one size.
    bool repeats;
    // Runs launch(context), which launches ops and zeroes memory. Launches that were the same in an earlier call with
    // this record may be repeated as a whole. launch() may be called more than once: a call that fails is then followed
    // by another one, which decides. *record is NULL at first; the caller frees it with record_free().
    gw_status (*repeat)(gw_record **record, gw_status (*launch)(void *context), void *context);
    void (*record_free)(gw_record *record); // NULL is fine

#define GW_OP(op, arguments) gw_status (*op)(const arguments *);
#include "kernels/ops.def"
#undef GW_OP
} gw_backend;

const char *gw_op_name(gw_op op);
bool gw_backend_has(const gw_backend *backend, gw_op op);

// The current backend: the best supported one, or the one named by GODWIT_BACKEND (baseline, avx2, avx512, amx). NULL
// with a message if this name is unknown or unsupported.
const gw_backend *gw_kernels(void);
// All compiled backends, best first, for tests. Sets *count.
const gw_backend *const *gw_all_backends(int *count);
// Selects a backend by name (NULL: the default).
gw_status gw_use_backend(const char *name) GW_MUST_CHECK;
// Selects a backend that is defined elsewhere and must outlive its use.
void gw_use_device(const gw_backend *backend);
// Whether the current backend multiplies bf16.
bool gw_has_bf16(void);

#endif
