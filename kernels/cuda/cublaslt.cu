// SPDX-License-Identifier: MIT
// Products by cuBLASLt, which is opened when the first one is asked for: it is half a gigabyte. cuBLASLt counts
// columns first, so that a row-major c = a b is its c^T = b^T a^T.
//
// An algorithm is chosen once for each kind of product and serves any number of rows, without sums that are split
// over blocks: a row's bits do not depend on how many others there are. Where a is transposed, k counts rows, and sums
// are split: each block's share goes to the workspace, which is added in one order. What it has no such algorithm for
// is multiplied by a plain kernel.
#include "kernels/cuda/plain_product.h"

#include <cublasLt.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <vector>

namespace {

enum : int64_t { USUAL_ROWS = 4096 };           // that algorithms are chosen for
enum : size_t { WORKSPACE = size_t(32) << 20 }; // bytes
enum : uint32_t { ALIGNED = 16 };               // bytes: the most that is asked about
enum { CANDIDATES = 8 };                        // algorithms of which the first that takes all rows is chosen

#define LT_FUNCTIONS(X)                                                                                                \
    X(Create)                                                                                                          \
    X(Matmul)                                                                                                          \
    X(MatmulAlgoCheck)                                                                                                 \
    X(MatmulAlgoGetHeuristic)                                                                                          \
    X(MatmulDescCreate)                                                                                                \
    X(MatmulDescDestroy)                                                                                               \
    X(MatmulDescSetAttribute)                                                                                          \
    X(MatmulPreferenceCreate)                                                                                          \
    X(MatmulPreferenceDestroy)                                                                                         \
    X(MatmulPreferenceSetAttribute)                                                                                    \
    X(MatrixLayoutCreate)                                                                                              \
    X(MatrixLayoutDestroy)

struct library {
#define LT_MEMBER(name) decltype(&cublasLt##name) name;
    LT_FUNCTIONS(LT_MEMBER)
#undef LT_MEMBER
    cublasLtHandle_t handle;
    void *workspace;
};
library lt;

// What an algorithm was chosen for.
struct kind {
    int64_t m, n, k; // m: of transpose_a alone
    int64_t a_stride, b_stride, c_stride;
    uint32_t a_alignment, b_alignment, c_alignment;
    int form; // bits of what else there is
};
struct choice {
    kind of;
    bool exists;
    cublasLtMatmulAlgo_t algorithm;
};
std::vector<choice> choices;

gw_status fail(const char *what, const char *why) {
    return gw_cuda_fail(GW_ERR_UNSUPPORTED, what, why);
}

gw_status check(cublasStatus_t status, const char *what) {
    char why[64];
    if (status == CUBLAS_STATUS_SUCCESS) return GW_OK;
    snprintf(why, sizeof why, "cuBLASLt's error %d", int(status));
    return gw_cuda_fail(status == CUBLAS_STATUS_ALLOC_FAILED ? GW_ERR_MEMORY : GW_ERR_IO, what, why);
}

gw_status find_functions(void *opened) {
#define LT_FIND(name)                                                                                                  \
    lt.name = reinterpret_cast<decltype(&cublasLt##name)>(dlsym(opened, "cublasLt" #name));                            \
    if (!lt.name) return fail("opening cuBLASLt", "it has no cublasLt" #name);
    LT_FUNCTIONS(LT_FIND)
#undef LT_FIND
    return GW_OK;
}

#define LT_TEXT(number) #number
#define LT_NAME(major) "libcublasLt.so." LT_TEXT(major)
gw_status open_library() {
    if (lt.handle) return GW_OK;
    void *opened = dlopen(LT_NAME(CUBLAS_VER_MAJOR), RTLD_NOW | RTLD_LOCAL);
    if (!opened) return fail("opening cuBLASLt", dlerror());
    GW_TRY(find_functions(opened));
    return check(lt.Create(&lt.handle), "opening cuBLASLt");
}

uint32_t alignment_of(const void *p) {
    uint32_t alignment = 4;
    while (alignment < ALIGNED && reinterpret_cast<uintptr_t>(p) % (2 * alignment) == 0) alignment *= 2;
    return alignment;
}

kind kind_of(const gw_cuda_product *p) {
    kind of;
    memset(&of, 0, sizeof of); // which is compared whole
    of.m = p->transpose_a ? p->m : 0;
    of.n = p->n;
    of.k = p->k;
    of.a_stride = p->a_stride;
    of.b_stride = p->b_stride;
    of.c_stride = p->c_stride;
    of.a_alignment = alignment_of(p->a);
    of.b_alignment = alignment_of(p->b);
    of.c_alignment = p->c_bf16 ? alignment_of(p->c_bf16) : alignment_of(p->c);
    of.form = p->transpose_a | p->transpose_b << 1 | p->accumulate << 2 | int(p->precision) << 3 |
              (p->bias != nullptr) << 4 | (p->c_bf16 != nullptr) << 5 | int(p->activation) << 6;
    return of;
}

// What a call is made of, and freed again.
struct call {
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t first, second, out; // b, a and c
    cublasLtMatmulPreference_t preference;
};

cublasLtEpilogue_t epilogue_of(const gw_cuda_product *p) {
    switch (p->activation) {
    case GW_ACTIVATION_GELU: return p->bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    case GW_ACTIVATION_RELU: return p->bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    default: return p->bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    }
}

template <typename T> gw_status set(const call *c, cublasLtMatmulDescAttributes_t what, const T &value) {
    return check(lt.MatmulDescSetAttribute(c->product, what, &value, sizeof value), "describing a product");
}

template <typename T> gw_status prefer(const call *c, cublasLtMatmulPreferenceAttributes_t what, const T &value) {
    return check(lt.MatmulPreferenceSetAttribute(c->preference, what, &value, sizeof value), "describing a product");
}

gw_status describe(const gw_cuda_product *p, call *c) {
    const cublasOperation_t as_is = CUBLAS_OP_N, turned = CUBLAS_OP_T;
    GW_TRY(check(lt.MatmulDescCreate(&c->product, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describing a product"));
    GW_TRY(set(c, CUBLASLT_MATMUL_DESC_TRANSA, p->transpose_b ? turned : as_is));
    GW_TRY(set(c, CUBLASLT_MATMUL_DESC_TRANSB, p->transpose_a ? turned : as_is));
    GW_TRY(set(c, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(p)));
    return p->bias ? set(c, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p->bias) : GW_OK;
}

// Of a matrix that is stored row by row: its transpose, column by column.
gw_status lay_out(cublasLtMatrixLayout_t *to, cudaDataType_t type, int64_t rows, int64_t width, int64_t stride) {
    return check(lt.MatrixLayoutCreate(to, type, uint64_t(width), uint64_t(rows), stride), "describing a product");
}

gw_status lay_out_all(const gw_cuda_product *p, int64_t m, call *c) {
    const cudaDataType_t type = p->precision == GW_BF16 ? CUDA_R_16BF : CUDA_R_32F;
    GW_TRY(lay_out(&c->first, type, p->transpose_b ? p->n : p->k, p->transpose_b ? p->k : p->n, p->b_stride));
    GW_TRY(lay_out(&c->second, type, p->transpose_a ? p->k : m, p->transpose_a ? m : p->k, p->a_stride));
    return lay_out(&c->out, p->c_bf16 ? CUDA_R_16BF : CUDA_R_32F, m, p->n, p->c_stride);
}

void free_layouts(call *c) {
    if (c->first) lt.MatrixLayoutDestroy(c->first);
    if (c->second) lt.MatrixLayoutDestroy(c->second);
    if (c->out) lt.MatrixLayoutDestroy(c->out);
    c->first = c->second = c->out = nullptr;
}

gw_status state_preferences(const call *c, const kind *of) {
    GW_TRY(prefer(c, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, size_t(WORKSPACE)));
    const uint32_t splits = of->m > 0 ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE : CUBLASLT_REDUCTION_SCHEME_NONE;
    GW_TRY(prefer(c, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, splits));
    GW_TRY(prefer(c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, of->b_alignment));
    GW_TRY(prefer(c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, of->a_alignment));
    GW_TRY(prefer(c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, of->c_alignment));
    return prefer(c, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, of->c_alignment);
}

// What cuBLASLt thinks fastest for so many rows; *count is set.
gw_status ask(const gw_cuda_product *p, int64_t rows, call *c, cublasLtMatmulHeuristicResult_t *found, int *count) {
    *count = 0;
    GW_TRY(lay_out_all(p, rows, c));
    GW_TRY(check(lt.MatmulPreferenceCreate(&c->preference), "describing a product"));
    const kind of = kind_of(p);
    GW_TRY(state_preferences(c, &of));
    const cublasStatus_t status = lt.MatmulAlgoGetHeuristic(lt.handle, c->product, c->first, c->second, c->out, c->out,
                                                            c->preference, CANDIDATES, found, count);
    return status == CUBLAS_STATUS_NOT_SUPPORTED ? GW_OK : check(status, "choosing a product's algorithm");
}

// Whether the algorithm takes so many rows too.
bool takes(const gw_cuda_product *p, int64_t rows, call *c, const cublasLtMatmulAlgo_t *algorithm) {
    cublasLtMatmulHeuristicResult_t result;
    free_layouts(c);
    return lay_out_all(p, rows, c) == GW_OK &&
           lt.MatmulAlgoCheck(lt.handle, c->product, c->first, c->second, c->out, c->out, algorithm, &result) ==
               CUBLAS_STATUS_SUCCESS &&
           result.workspaceSize <= WORKSPACE;
}

gw_status choose(const gw_cuda_product *p, call *c, choice *made) {
    cublasLtMatmulHeuristicResult_t found[CANDIDATES];
    int count;
    GW_TRY(ask(p, p->transpose_a ? p->m : int64_t(USUAL_ROWS), c, found, &count));
    for (int i = 0; i < count && !made->exists; i++) {
        made->algorithm = found[i].algo;
        made->exists = takes(p, p->m, c, &made->algorithm) && (p->transpose_a || takes(p, 1, c, &made->algorithm));
    }
    return GW_OK;
}

// The choice for such products; NULL before the first of them.
choice *earlier_choice(const kind &of) {
    for (choice &earlier : choices)
        if (memcmp(&earlier.of, &of, sizeof of) == 0) return &earlier;
    return nullptr;
}

gw_status make_choice(const gw_cuda_product *p, const kind &of, call *c, choice **out) {
    choice made = {of, false, {}};
    const gw_status status = choose(p, c, &made);
    free_layouts(c);
    if (status != GW_OK) return status;
    choices.push_back(made);
    *out = &choices.back();
    return GW_OK;
}

// *multiplied: whether it could.
gw_status multiply(const gw_cuda_product *p, call *c, bool *multiplied) {
    const float one = 1.0f, beta = p->accumulate ? 1.0f : 0.0f;
    void *to = p->c_bf16 ? static_cast<void *>(p->c_bf16) : p->c;
    const kind of = kind_of(p);
    choice *made = earlier_choice(of);
    cudaError_t error;
    *multiplied = made && made->exists;
    if (!made && gw_cuda_stops()) return GW_ERR_UNSUPPORTED;
    if (*multiplied && gpu_note_all(&error, *p, made->algorithm)) return gw_cuda_status(error, "a product");
    GW_TRY(describe(p, c));
    if (!made) GW_TRY(make_choice(p, of, c, &made));
    if (!made->exists) return GW_OK;
    GW_TRY(lay_out_all(p, p->m, c));
    const cublasStatus_t status =
        lt.Matmul(lt.handle, c->product, &one, p->b, c->first, p->a, c->second, &beta, to, c->out, to, c->out,
                  &made->algorithm, lt.workspace, WORKSPACE, gw_cuda_stream);
    *multiplied = made->exists = status != CUBLAS_STATUS_NOT_SUPPORTED;
    return *multiplied ? check(status, "a product") : GW_OK;
}

void free_call(call *c) {
    free_layouts(c);
    if (c->preference) lt.MatmulPreferenceDestroy(c->preference);
    if (c->product) lt.MatmulDescDestroy(c->product);
}

} // namespace

void gw_cuda_open_products() {
    if (open_library() != GW_OK) lt.handle = nullptr;
}

gw_status gw_cuda_multiply(const gw_cuda_product *product) {
    call c = {};
    bool multiplied = false;
    if (product->n == 1 && !product->transpose_a) return gw_cuda_plain_product(product); // its bits depend on m
    gw_cuda_wait_for_products();
    GW_TRY(open_library());
    if (!lt.workspace) GW_TRY(gw_cuda_allocate(WORKSPACE, &lt.workspace));
    const gw_status status = multiply(product, &c, &multiplied);
    free_call(&c);
    return status != GW_OK || multiplied ? status : gw_cuda_plain_product(product);
}
