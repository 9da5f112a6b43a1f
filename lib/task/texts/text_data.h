// SPDX-License-Identifier: MIT
// Selects the handling of texts by the kinds of their labels and files.
#ifndef GW_TASK_TEXTS_TEXT_DATA_H
#define GW_TASK_TEXTS_TEXT_DATA_H

#include "model/model.h"
#include "task/input.h"

// Whether the first set is texts for a model, not windows of bases: if options or a preset say so, if the model's head
// has no labels of windows, or if the table has a column `text` or `sentence` or is JSON.
bool gw_reads_texts(const gw_config *config, const gw_task_input *in);

// Whether numbers are learned from texts, not from sequences or regions: if options say so, or if the table has a
// column `text` or `sentence` and no `sequence`. Returns `otherwise` for a pipe, which can be read only once.
bool gw_learns_of_texts(const gw_text_options *options, const char *set, bool otherwise);

#endif
