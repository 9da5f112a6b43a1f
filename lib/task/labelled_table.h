// SPDX-License-Identifier: MIT
// A table of windows (labelled_set.h) as a part. Private to lib/task.
#ifndef GW_TASK_LABELLED_TABLE_H
#define GW_TASK_LABELLED_TABLE_H

#include "task/labelled_options.h"
#include "task/labelled_part.h"

gw_status gw_labelled_table_read(const char *path, const gw_labelled_options *options,
                                 gw_labelled_part *part) GW_MUST_CHECK;

#endif
