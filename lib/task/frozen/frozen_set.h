// SPDX-License-Identifier: MIT
// The training, validation and test rows of a frozen evaluation, of windows or of texts, with their labels.
#ifndef GW_TASK_FROZEN_FROZEN_SET_H
#define GW_TASK_FROZEN_FROZEN_SET_H

#include "label/labelled_set.h"
#include "task/evaluate.h"
#include "task/frozen/probe.h"

enum { GW_FROZEN_TRAIN, GW_FROZEN_VALID, GW_FROZEN_TEST, GW_FROZEN_PARTS };

// Of windows, whose sets are the same for all models; without validation windows that part is NULL.
typedef struct {
    gw_genome *genome;
    gw_labelled_set *set[GW_FROZEN_PARTS];
    gw_probe_labels labels[GW_FROZEN_PARTS];
} gw_frozen_windows;
// Training windows are options->frozen, those of their split "train" where they have splits; validation windows
// options->valid, or the split "valid" of the same files; test windows options->in.sets. Free it, also on failure.
gw_status gw_frozen_windows_open(const gw_eval_options *options, gw_frozen_windows *out) GW_MUST_CHECK;
void gw_frozen_windows_close(gw_frozen_windows *windows);

// Of texts, as a model's tokenizer cuts them.
typedef struct {
    gw_label_names names;
    gw_text_set set[GW_FROZEN_PARTS];
    gw_probe_labels labels[GW_FROZEN_PARTS];
} gw_frozen_texts;
gw_status gw_frozen_texts_read(const gw_model *model, const gw_eval_options *options,
                               gw_frozen_texts *out) GW_MUST_CHECK;
void gw_frozen_texts_free(gw_frozen_texts *texts);

#endif
