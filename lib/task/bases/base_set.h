// SPDX-License-Identifier: MIT
// Sets of labelled bases for a task, and a model's probabilities for windows of a genome.
#ifndef GW_TASK_BASES_BASE_SET_H
#define GW_TASK_BASES_BASE_SET_H

#include "base/string.h"
#include "label/base_classes.h"
#include "label/labelled_set.h"
#include "network/base_network.h"
#include "seq/genome/regions.h"

typedef struct {
    gw_genome *genome; // borrowed
    gw_labelled_set *set;
    gw_base_classes *classes;
    int64_t bases; // of all windows
    bool overlap;  // of classes (label/base_classes.h)
} gw_base_set;

// Opens sets that are read as one; rows of `split` (NULL: all). Close `out`, also after a failure.
gw_status gw_base_set_open(const gw_string_list *paths, gw_genome *genome, const char *split,
                           gw_base_set *out) GW_MUST_CHECK;
void gw_base_set_close(gw_base_set *set); // zeros are fine
// Window i, on strand '+' or '-', and class[its bases] in the contig's direction.
gw_region gw_base_set_window(const gw_base_set *set, int64_t i);
void gw_base_set_labels(const gw_base_set *set, int64_t i, int32_t *class);
// The name of class 0, none, or of a label.
const char *gw_base_set_class(const void *set, int64_t class);
// Fails unless the model has the set's classes in the same order, and classes that may overlap if those of the set do.
gw_status gw_base_set_check(const gw_base_set *set, const gw_config *config) GW_MUST_CHECK;

// Windows of a genome in order: rows[bases of window i][classes], in the contig's direction.
typedef gw_region gw_base_window_of(const void *context, int64_t i);
typedef gw_status gw_base_sink(void *context, int64_t i, const gw_region *window, const float *rows);
typedef struct {
    gw_genome *genome;
    int64_t count, longest; // number of windows; bp of the longest
    gw_base_window_of *window;
    gw_base_sink *take;
    void *context;
    const char *progress; // name of the progress display; NULL: none
} gw_base_pass;
// Runs the network over all windows. Bases beyond a contig are N.
gw_status gw_base_pass_run(gw_base_network *network, const gw_base_pass *pass) GW_MUST_CHECK;

#endif
