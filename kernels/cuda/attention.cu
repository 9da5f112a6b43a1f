// SPDX-License-Identifier: MIT
// Block-graph attention, forward: on tensor cores where numbers are bf16 and the graph is one that kernel takes, else
// by the plain kernel. Operands of the former are rounded into scratch memory beforehand.
#include "kernels/cuda/attention_mma.h"
#include "kernels/cuda/attention_plain.h"
#include "kernels/cuda/round_rows.h"
#include "kernels/cuda/scratch.h"

namespace {

struct operands {
    uint16_t *query, *key, *value; // [rows][heads * head_size]
    int64_t width;
};

gw_status round_operand(const float *in, int64_t stride, int64_t rows, int64_t width, uint16_t *out) {
    const gw_cuda_rounding rounding = {in, stride, rows, width, GW_ACTIVATION_NONE, out};
    return gw_cuda_round_rows("attention", &rounding);
}

gw_status round_operands(const gw_attention_args *args, operands *to) {
    const int64_t width = int64_t(args->heads) * args->head_size;
    to->width = width;
    to->query = reinterpret_cast<uint16_t *>(args->scratch);
    to->key = to->query + args->query_rows * width;
    to->value = to->key + args->key_rows * width;
    GW_TRY(round_operand(args->query, args->query_stride, args->query_rows, width, to->query));
    GW_TRY(round_operand(args->key, args->key_stride, args->key_rows, width, to->key));
    return round_operand(args->value, args->value_stride, args->key_rows, width, to->value);
}

gw_status run_mma(const gw_attention_args *args, const gw_attention_sequence *s, const operands *from, int head,
                  int heads) {
    const gw_graph *graph = s->graphs[head * s->graph_step];
    const int64_t query = s->query_begin * from->width, key = s->key_begin * from->width;
    const int64_t at = int64_t(head) * args->head_size;
    gw_mma_attention a = {};
    a.query = from->query + query + at;
    a.key = from->key + key + at;
    a.value = from->value + key + at;
    a.stride = from->width;
    a.queries = int(s->query_count);
    a.keys = int(s->key_count);
    a.row_start = graph->row_start;
    a.column = graph->column;
    a.log_multiplicity = graph->log_multiplicity;
    a.scale = args->scale;
    a.out = args->out + s->query_begin * args->out_stride + at;
    a.out_stride = args->out_stride;
    a.log_sum = args->log_sum + head * args->query_rows + s->query_begin;
    a.log_sum_stride = args->query_rows;
    return gw_mma_attention_launch(&a, heads);
}

// Heads that read the same graph go together.
gw_status run_sequence(const gw_attention_args *args, const gw_attention_sequence *s, const operands *from) {
    const int heads = s->graph_step ? 1 : args->heads;
    const bool on_tensor_cores = gw_mma_attention_takes(args, s);
    for (int head = 0; head < args->heads; head += heads)
        GW_TRY(on_tensor_cores ? run_mma(args, s, from, head, heads)
                               : gw_cuda_attention_plain(args, s, head, heads, nullptr));
    return GW_OK;
}

} // namespace

int64_t gw_cuda_attention_scratch(const gw_attention_args *args) {
    const int64_t width = int64_t(args->heads) * args->head_size;
    return gw_mma_attention_fits(args) ? (args->query_rows + 2 * args->key_rows) * width / 2 : 0;
}

GW_CUDA_OP(attention, gw_attention_args) {
    operands from = {};
    if (gw_mma_attention_fits(args)) GW_TRY(round_operands(args, &from));
    for (int s = 0; s < args->sequences; s++) GW_TRY(run_sequence(args, &args->sequence[s], &from));
    return GW_OK;
}
