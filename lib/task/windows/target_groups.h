// SPDX-License-Identifier: MIT
// Targets of a profile set that belong together, such as transcription factors and histone marks.
#ifndef GW_TASK_WINDOWS_TARGET_GROUPS_H
#define GW_TASK_WINDOWS_TARGET_GROUPS_H

#include "label/labelled_set.h"

// Zero-initialise; free with gw_target_groups_free().
typedef struct {
    char **names; // [count]
    int64_t count, capacity;
    int64_t *group; // [targets of the set]; -1: none
} gw_target_groups;

// "deepsea": the 919 targets of DeepSEA in their order, 125 DHS (DNase), 690 TF, 104 HM (histone marks); they are known
// by their order alone, since names recur. Otherwise a file, two columns joined by a tab: target, group; a line for
// each target in the set's order, or, where no name recurs, of any of them in any order. A target that the set lacks is
// an error.
gw_status gw_target_groups_read(const char *what, const gw_labelled_set *set, gw_target_groups *out) GW_MUST_CHECK;
void gw_target_groups_free(gw_target_groups *groups);

#endif
