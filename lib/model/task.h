// SPDX-License-Identifier: MIT
// What a model was trained for, as far as its windows are treated differently. A task is a row of this (tasks.def).
#ifndef GW_MODEL_TASK_H
#define GW_MODEL_TASK_H

#include "model/config.h"

typedef struct {
    const char *name;       // of config.json
    gw_head head;           // that fine-tuning puts on the encoder
    gw_problem problem;     // of its labels
    double positive_weight; // of the training loss, where the user says nothing
    bool both_strands;      // windows have no direction: strands are averaged, unless the user says otherwise
    bool keeps_bin;         // the model records the bin of its training set
    bool texts;             // is trained on texts of named columns, not on windows
    bool bases;             // labels are of single bases; the model is told what lies beside those that it labels
    bool keeps_tss;         // and the bases before the TSS in its windows, which have a direction
} gw_task_row;

const gw_task_row *gw_task_of(gw_task task);
// The task of a head where nothing names one.
gw_task gw_task_usual(gw_head head);
// The task of that name; GW_TASK_PRETRAIN: none that labels are trained for.
gw_task gw_task_by_name(const char *name);

// Another table, which goes on after this one, can stand in its place: rows.c alone counts the rows.
#ifndef GW_TASKS_DEF
#define GW_TASKS_DEF "model/tasks.def"
#endif

#endif
