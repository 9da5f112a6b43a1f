// SPDX-License-Identifier: MIT
// The table of tasks, from tasks.def. Before them stands pretraining, the task of all heads that have none there.
#include "model/task.h"

#include <string.h>

static const gw_task_row task_rows[] = {
    {.name = "pretrain", .head = GW_HEAD_PRETRAINING},
#define GW_TASK(NAME, word, kind, help, ...) {.name = #word, __VA_ARGS__},
#include GW_TASKS_DEF
#undef GW_TASK
};
enum { TASKS = sizeof task_rows / sizeof *task_rows };

const gw_task_row *gw_task_of(gw_task task) {
    return &task_rows[task];
}

gw_task gw_task_usual(gw_head head) {
    for (int task = 1; task < TASKS; task++)
        if (task_rows[task].head == head) return (gw_task)task;
    return GW_TASK_PRETRAIN;
}

gw_task gw_task_by_name(const char *name) {
    for (int task = 1; task < TASKS; task++)
        if (strcmp(task_rows[task].name, name) == 0) return (gw_task)task;
    return GW_TASK_PRETRAIN;
}
