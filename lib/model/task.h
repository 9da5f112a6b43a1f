// SPDX-License-Identifier: MIT
// The task of a model and its treatment of windows. A task is a row of tasks.def.
#ifndef GW_MODEL_TASK_H
#define GW_MODEL_TASK_H

#include "model/config.h"

typedef struct {
    const char *name;       // of config.json
    gw_head head;           // head that fine-tuning uses
    gw_problem problem;     // of its labels
    double positive_weight; // default of the training loss
    bool both_strands;      // windows have no direction: strands are averaged by default
    bool keeps_bin;         // the model records the bin of its training set
    bool texts;             // is trained on texts in table columns, not on windows
    bool bases;             // labels single bases; the model also reads bases beside the labelled ones
    bool keeps_tss;         // the model records the bases before the TSS in its windows, which have a direction
} gw_task_row;

const gw_task_row *gw_task_of(gw_task task);
// The default task of a head.
gw_task gw_task_usual(gw_head head);
// The task with this name; GW_TASK_PRETRAIN: no task with labels has this name.
gw_task gw_task_by_name(const char *name);

// Another table that continues this one may replace it: only rows.c counts the rows.
#ifndef GW_TASKS_DEF
#define GW_TASKS_DEF "model/tasks.def"
#endif

#endif
