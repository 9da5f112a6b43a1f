// SPDX-License-Identifier: MIT
// The kinds of the tasks, in the order of tasks.def.
#include "task/kind.h"

#define GW_TASK(NAME, name, kind, help, ...) extern const gw_task_kind gw_task_kind_##kind;
#include GW_TASKS_DEF
#undef GW_TASK

static const gw_task_kind *const kinds[] = {
    NULL, // pretraining
#define GW_TASK(NAME, name, kind, help, ...) &gw_task_kind_##kind,
#include GW_TASKS_DEF
#undef GW_TASK
};

const gw_task_kind *gw_task_kind_of(gw_task task) {
    return kinds[task];
}
