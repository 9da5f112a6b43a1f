// SPDX-License-Identifier: MIT
// A backend whose device memory the host cannot touch: pages are unprotected only while an op or a copy runs.
#include "apart.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST = 1024, PAGE = 4096 };

static struct {
    char *memory;
    size_t size, asked;
} piece[MOST];
static int pieces;
static const gw_backend *host; // that computes
static bool launched[GW_OPS];

static void protect(int protection) {
    for (int i = 0; i < pieces; i++) cr_assert_eq(mprotect(piece[i].memory, piece[i].size, protection), 0);
}

static void begin(void) {
    protect(PROT_READ | PROT_WRITE);
}

static void end(void) {
    protect(PROT_NONE);
}

static bool is_apart(const void *pointer) {
    for (int i = 0; i < pieces; i++)
        if ((const char *)pointer >= piece[i].memory && (const char *)pointer <= piece[i].memory + piece[i].asked)
            return true;
    return false;
}

static void check_graph(const gw_graph *graph) {
    const void *arrays[] = {graph->row_start,        graph->column, graph->kind,
                            graph->log_multiplicity, graph->bits,   graph->bits_index,
                            graph->column_start,     graph->row,    graph->edge};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cr_assert(!arrays[i] || is_apart(arrays[i]), "a graph's array %zu lies on the host", i);
}

static void check_sequences(const gw_attention_args *args) {
    for (int s = 0; s < args->sequences; s++)
        for (int head = 0; head < args->heads; head++)
            check_graph(args->sequence[s].graphs[(int64_t)head * args->sequence[s].graph_step]);
}

// What is plain to see that it lies apart.
static void check_arguments(gw_op op, const void *arguments) {
    if (op == GW_OP_attention || op == GW_OP_attention_backward) check_sequences(arguments);
    if (op == GW_OP_relative_attention || op == GW_OP_relative_attention_backward)
        check_sequences(&((const gw_relative_attention_args *)arguments)->attention);
    if (op == GW_OP_embedding) {
        const gw_embedding_args *args = arguments;
        cr_assert(is_apart(args->token) && is_apart(args->position) && is_apart(args->segment));
    }
    if (op == GW_OP_gather_rows) cr_assert(is_apart(((const gw_rows_args *)arguments)->index));
    if (op == GW_OP_cross_entropy) cr_assert(is_apart(((const gw_cross_entropy_args *)arguments)->label));
    if (op == GW_OP_question_mask) cr_assert(is_apart(((const gw_question_mask_args *)arguments)->start));
    if (op == GW_OP_loss_sum) cr_assert(is_apart(((const gw_loss_sum_args *)arguments)->out));
    if (op == GW_OP_adamw) cr_assert(is_apart(((const gw_adamw_args *)arguments)->norm));
}

#define GW_OP(op, arguments)                                                                                           \
    static gw_status launch_##op(const arguments *args) {                                                              \
        launched[GW_OP_##op] = true;                                                                                   \
        begin();                                                                                                       \
        check_arguments(GW_OP_##op, args);                                                                             \
        const gw_status status = host->op(args);                                                                       \
        end();                                                                                                         \
        return status;                                                                                                 \
    }
#include "kernels/ops.def"
#undef GW_OP

static gw_status allocate(int64_t bytes, void **memory) {
    cr_assert_lt(pieces, MOST);
    const size_t size = ((size_t)bytes / PAGE + 1) * PAGE;
    *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(*memory, MAP_FAILED);
    piece[pieces].memory = *memory;
    piece[pieces].size = size;
    piece[pieces++].asked = (size_t)bytes;
    return GW_OK;
}

static void release(void *memory) {
    if (!memory) return;
    int i = 0;
    while (i < pieces && piece[i].memory != memory) i++;
    cr_assert_lt(i, pieces, "what is released was not allocated");
    munmap(piece[i].memory, piece[i].size);
    piece[i] = piece[--pieces];
}

static gw_status zero(void *memory, int64_t bytes) {
    cr_assert(is_apart(memory) && is_apart((char *)memory + bytes));
    begin();
    memset(memory, 0, (size_t)bytes);
    end();
    return GW_OK;
}

static gw_status to_device(void *device, const void *from, int64_t bytes) {
    cr_assert(is_apart(device) && is_apart((char *)device + bytes) && !is_apart(from));
    begin();
    memcpy(device, from, (size_t)bytes);
    end();
    return GW_OK;
}

static gw_status to_host(void *to, const void *device, int64_t bytes) {
    cr_assert(is_apart(device) && is_apart((const char *)device + bytes) && !is_apart(to));
    begin();
    memcpy(to, device, (size_t)bytes);
    end();
    return GW_OK;
}

static gw_status pack(const float *weight, int64_t n, int64_t k, gw_precision precision, gw_packed **out) {
    cr_assert(is_apart(weight));
    begin();
    const gw_status status = host->pack(weight, n, k, precision, out);
    end();
    return status;
}

static gw_backend device;

static bool supported(void) {
    return true;
}

const gw_backend *apart_use(void) {
    gw_use_device(NULL);
    host = gw_kernels();
    cr_assert_not_null(host, "%s", gw_message());
    memset(launched, 0, sizeof launched);
#define GW_OP(op, arguments) .op = launch_##op,
    device = (gw_backend){
        .name = "apart",
        .supported = supported,
        .allocate = allocate,
        .release = release,
        .zero = zero,
        .to_device = to_device,
        .to_host = to_host,
        .multiplies_bf16 = host->multiplies_bf16,
        .pack = pack,
        .packed_free = host->packed_free,
        .packed_bytes = host->packed_bytes,
        .scratch = host->scratch,
        .repeat = host->repeat,
        .record_free = host->record_free,
#include "kernels/ops.def"
    };
#undef GW_OP
    gw_use_device(&device);
    return &device;
}

const gw_backend *apart_use_without(gw_op without) {
    apart_use();
    switch (without) {
#define GW_OP(op, arguments)                                                                                           \
    case GW_OP_##op:                                                                                                   \
        device.op = NULL;                                                                                              \
        break;
#include "kernels/ops.def"
#undef GW_OP
    default: break;
    }
    return &device;
}

bool apart_launched(gw_op op) {
    return launched[op];
}

int64_t apart_bytes(void) {
    int64_t bytes = 0;
    for (int i = 0; i < pieces; i++) bytes += (int64_t)piece[i].asked;
    return bytes;
}
