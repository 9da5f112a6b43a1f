// SPDX-License-Identifier: MIT
// Shared functions of the CPU's backends, the compiled backends, and the choice among them. The tables are made from
// ops.def.
#include "kernels/backend.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/cpu/amx.h"
#include "kernels/cpu/attention_work.h"
#include "kernels/cpu/convolution_cut.h"
#include "kernels/cpu/distance_work.h"
#include "kernels/cpu/matmul/gemm_onednn.h"
#include "kernels/cpu/matmul/gemm_packed.h"
#include "kernels/cpu/matmul/linear_onednn.h"
#include "kernels/cpu/matmul/packed.h"
#include "kernels/cpu/matmul/packed_squares.h"
#include "kernels/cpu/scratch.h"
#include "kernels/host_kernels.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Device memory where the device is the host.

static gw_status host_zero(void *memory, int64_t bytes) {
    const int64_t floats = bytes / (int64_t)sizeof(float);
    gw_parallel_zero(memory, floats);
    memset((float *)memory + floats, 0, (size_t)bytes % sizeof(float));
    return GW_OK;
}

static gw_status host_allocate(int64_t bytes, void **memory) {
    *memory = gw_alloc_aligned(bytes);
    return *memory ? host_zero(*memory, bytes) : GW_ERR_MEMORY;
}

static void host_release(void *memory) {
    free(memory);
}

static gw_status host_copy(void *to, const void *from, int64_t bytes) {
    if (to != from && bytes > 0) memcpy(to, from, (size_t)bytes);
    return GW_OK;
}

static gw_status host_repeat(gw_record **record, gw_status (*launch)(void *context), void *context) {
    (void)record;
    return launch(context);
}

static void host_record_free(gw_record *record) {
    (void)record;
}

// Scratch memory that the CPU's launchers ask for, whatever their instruction set.

static int64_t relative_scratch(const gw_relative_attention_args *args, bool backward) {
    return gw_attention_workspace_size(&args->attention, args, backward);
}

static int64_t cpu_scratch(gw_op op, const void *arguments) {
    switch (op) {
    case GW_OP_gemm:
        return ((const gw_gemm_args *)arguments)->precision == GW_BF16 ? gw_gemm_packed_scratch(arguments)
                                                                       : gw_gemm_onednn_scratch(arguments);
    case GW_OP_convolution: return gw_convolution_scratch(arguments);
    case GW_OP_convolution_backward: return gw_convolution_backward_scratch(arguments);
    case GW_OP_linear: return gw_linear_scratch(arguments);
    case GW_OP_affine_backward: return GW_ROW_PARTS * 2 * ((const gw_affine_args *)arguments)->width;
    case GW_OP_layer_norm_backward: return GW_ROW_PARTS * 2 * ((const gw_layer_norm_args *)arguments)->width;
    case GW_OP_attention: return gw_attention_workspace_size(arguments, NULL, false);
    case GW_OP_attention_backward: return gw_attention_workspace_size(arguments, NULL, true);
    case GW_OP_relative_attention: return relative_scratch(arguments, false);
    case GW_OP_relative_attention_backward: return relative_scratch(arguments, true);
    case GW_OP_distance_attention: return gw_distance_scratch(arguments, false);
    case GW_OP_distance_attention_backward: return gw_distance_scratch(arguments, true);
    case GW_OP_draw_edges: return 2 * GW_DRAW_BLOCK * (int64_t)((const gw_draw_edges_args *)arguments)->clusters;
    case GW_OP_linear_attention:
    case GW_OP_linear_attention_backward: return gw_threads() * gw_linear_attention_state(arguments);
    case GW_OP_landmark_product:
    case GW_OP_landmark_product_backward: return gw_threads() * gw_landmark_memory(arguments);
    case GW_OP_pair_softmax_backward: {
        const gw_pair_softmax_args *args = arguments;
        return (int64_t)args->heads * args->count * args->count;
    }
    case GW_OP_span_loss: return GW_SPAN_ENDS * ((const gw_span_loss_args *)arguments)->tokens;
    default: return 0;
    }
}

#define DECLARE(op, arguments, isa) gw_status gw_##op##_##isa(const arguments *);

// What all instruction sets share: memory, weights laid out by oneDNN, scratch memory.
#define HOST                                                                                                           \
    .shares_host = true, .allocate = host_allocate, .release = host_release, .zero = host_zero,                        \
    .to_device = host_copy, .to_host = host_copy, .multiplies_bf16 = gw_cpu_has_bf16, .pack = gw_packed_new,           \
    .packed_free = gw_packed_free, .packed_bytes = gw_packed_bytes, .scratch = cpu_scratch, .repeat = host_repeat,     \
    .record_free = host_record_free

// The instruction sets that this program was compiled for (the Makefile's ISAS).

#ifdef GW_HAVE_baseline
#define GW_OP(op, arguments) DECLARE(op, arguments, baseline)
#include "kernels/ops.def"
#undef GW_OP

static bool supports_baseline(void) {
    return true;
}

#define GW_OP(op, arguments) .op = gw_##op##_baseline,
static const gw_backend baseline_backend = {
    .name = "baseline",
    .supported = supports_baseline,
    HOST,
#include "kernels/ops.def"
};
#undef GW_OP
#endif

#if defined GW_HAVE_avx2 || defined GW_HAVE_avx512
static bool supports_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#ifdef GW_HAVE_avx2
#define GW_OP(op, arguments) DECLARE(op, arguments, avx2)
#include "kernels/ops.def"
#undef GW_OP

#define GW_OP(op, arguments) .op = gw_##op##_avx2,
static const gw_backend avx2_backend = {
    .name = "avx2",
    .supported = supports_avx2,
    HOST,
#include "kernels/ops.def"
};
#undef GW_OP
#endif

#ifdef GW_HAVE_avx512
#define GW_OP(op, arguments) DECLARE(op, arguments, avx512)
#include "kernels/ops.def"
#undef GW_OP

static bool supports_avx512(void) {
    return supports_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

#define GW_OP(op, arguments) .op = gw_##op##_avx512,
static const gw_backend avx512_backend = {
    .name = "avx512",
    .supported = supports_avx512,
    HOST,
#include "kernels/ops.def"
};

#ifdef GW_HAVE_amx
DECLARE(attention, gw_attention_args, amx)
DECLARE(attention_backward, gw_attention_args, amx)
DECLARE(convolution, gw_convolution_args, amx)
DECLARE(convolution_backward, gw_convolution_args, amx)
DECLARE(distance_attention, gw_distance_attention_args, amx)
DECLARE(distance_attention_backward, gw_distance_attention_args, amx)
DECLARE(gemm, gw_gemm_args, amx)
DECLARE(linear, gw_linear_args, amx)

static bool supports_amx(void) {
    return supports_avx512() && gw_amx_ask() == GW_AMX_READY;
}

// The launchers of avx512, but for the ops that have a form in tiles.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const gw_backend amx_backend = {
    .name = "amx",
    .supported = supports_amx,
    HOST,
#include "kernels/ops.def"
    .attention = gw_attention_amx,
    .attention_backward = gw_attention_backward_amx,
    .convolution = gw_convolution_amx,
    .convolution_backward = gw_convolution_backward_amx,
    .distance_attention = gw_distance_attention_amx,
    .distance_attention_backward = gw_distance_attention_backward_amx,
    .gemm = gw_gemm_amx,
    .linear = gw_linear_amx,
    .pack = gw_pack_amx,
};
#pragma GCC diagnostic pop
#endif // GW_HAVE_amx
#undef GW_OP
#endif // GW_HAVE_avx512

static const gw_backend *const backends[] = {
#ifdef GW_HAVE_amx
    &amx_backend,
#endif
#ifdef GW_HAVE_avx512
    &avx512_backend,
#endif
#ifdef GW_HAVE_avx2
    &avx2_backend,
#endif
#ifdef GW_HAVE_baseline
    &baseline_backend,
#endif
};
enum { BACKENDS = sizeof backends / sizeof backends[0] };

static const gw_backend *_Atomic in_use;

const gw_backend *const *gw_all_backends(int *count) {
    *count = BACKENDS;
    return backends;
}

// The named backend or, for NULL, the best supported one; NULL with a message. The baseline, where it was compiled, is
// always supported.
static const gw_backend *choose(const char *name) {
    for (int i = 0; i < BACKENDS; i++) {
        const gw_backend *backend = backends[i];
        if (name && strcmp(name, backend->name) != 0) continue;
        if (backend->supported()) return backend;
        const bool refused = strcmp(backend->name, "amx") == 0 && gw_amx_ask() == GW_AMX_REFUSED;
        if (!name && refused) gw_note("the system refuses the tiles of AMX: bf16 attention is computed in vectors");
        if (!name) continue;
        gw_fail(GW_ERR_UNSUPPORTED, "backend '%s' needs %s", name,
                refused ? "the tiles of AMX, which the system refuses"
                        : "instructions that this machine does not have");
        return NULL;
    }
    char known[64] = "";
    for (int i = 0; i < BACKENDS; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i > 0 ? ", " : "", backends[i]->name);
    if (name) gw_fail(GW_ERR_UNSUPPORTED, "unknown backend '%s' (known: %s)", name, known);
    else gw_fail(GW_ERR_UNSUPPORTED, "this program was compiled for %s, which this machine does not have", known);
    return NULL;
}

// *of, once it is the processor's default or what GODWIT_BACKEND names.
static const gw_backend *load_or_choose(const gw_backend *_Atomic *of) {
    const gw_backend *backend = atomic_load(of);
    if (backend) return backend;
    const char *name = getenv("GODWIT_BACKEND");
    backend = choose(name && *name ? name : NULL);
    if (backend) atomic_store(of, backend);
    else gw_fail_in(GW_ERR_UNSUPPORTED, "GODWIT_BACKEND");
    return backend;
}

const gw_backend *gw_kernels(void) {
    return load_or_choose(&in_use);
}

const gw_backend *gw_host_kernels(void) {
    static const gw_backend *_Atomic host;
    const gw_backend *used = gw_kernels();
    return used && !used->shares_host ? load_or_choose(&host) : used;
}

bool gw_has_bf16(void) {
    const gw_backend *kernels = gw_kernels();
    return kernels && kernels->multiplies_bf16();
}

void gw_use_device(const gw_backend *backend) {
    atomic_store(&in_use, backend);
}

gw_status gw_use_backend(const char *name) {
    if (!name) {
        atomic_store(&in_use, NULL);
        return gw_kernels() ? GW_OK : GW_ERR_UNSUPPORTED;
    }
    const gw_backend *backend = choose(name);
    if (!backend) return GW_ERR_UNSUPPORTED;
    atomic_store(&in_use, backend);
    return GW_OK;
}

const char *gw_op_name(gw_op op) {
    static const char *const names[] = {
#define GW_OP(op, arguments) #op,
#include "kernels/ops.def"
#undef GW_OP
    };
    return names[op];
}

bool gw_backend_has(const gw_backend *backend, gw_op op) {
    switch (op) {
#define GW_OP(op, arguments)                                                                                           \
    case GW_OP_##op:                                                                                                   \
        return backend->op != NULL;
#include "kernels/ops.def"
#undef GW_OP
    default: return false;
    }
}
