// SPDX-License-Identifier: MIT
// Finds the numbers of a step's tensors.
#include "nn/token_attention.h"

enum { QUERY, KEY, VALUE };

gw_token_attention_args gw_token_attention_of(const gw_run *run, const gw_step *step, int heads) {
    const gw_tensor *in = step->in;
    return (gw_token_attention_args){.heads = heads,
                                     .head_size = (int)(in[QUERY].width / heads),
                                     .query = gw_value(run, in[QUERY]),
                                     .key = gw_value(run, in[KEY]),
                                     .value = gw_value(run, in[VALUE]),
                                     .stride = in[QUERY].width,
                                     .query_rows = gw_run_rows(run, in[QUERY]),
                                     .out = gw_value(run, step->out[0]),
                                     .log_sum = step->saved,
                                     .out_gradient = gw_gradient(run, step->out[0]),
                                     .query_gradient = gw_gradient(run, in[QUERY]),
                                     .key_gradient = gw_gradient(run, in[KEY]),
                                     .value_gradient = gw_gradient(run, in[VALUE]),
                                     .fixed = -1};
}
