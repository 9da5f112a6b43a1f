// SPDX-License-Identifier: MIT
// What kinds of tasks do with options: presets fill what was not given, and what does not go together is refused.
#ifndef GW_TASK_USAGE_H
#define GW_TASK_USAGE_H

#include "task/finetune_options.h"

#include <stddef.h>

#define GW_GIVEN(options, field) ((options)->given && (options)->given(offsetof(gw_finetune_options, field)))
#define GW_UNLESS_GIVEN(options, field, value)                                                                         \
    do {                                                                                                               \
        if (!GW_GIVEN(options, field)) (options)->field = (value);                                                     \
    } while (0)

// Fails: --metric is not one of the task.
gw_status gw_refuse_metric(const gw_finetune_options *options) GW_MUST_CHECK;
// Fails where a baseline is asked for that is not `own`, the one of the kind (GW_BASELINE_NONE: it has none), or where
// there is nothing to choose it by.
gw_status gw_check_baseline(const gw_finetune_options *options, gw_baseline own) GW_MUST_CHECK;

// A number of 1e-6 to 1e6 for each of `count` columns or classes, between commas; free(*out). `option` is for messages.
gw_status gw_read_weights(const char *option, const char *text, int64_t count, double **out) GW_MUST_CHECK;

#endif
