// SPDX-License-Identifier: MIT
// Texts for models, by the kind of their labels and of their files.
#ifndef GW_TASK_TEXTS_TEXT_DATA_H
#define GW_TASK_TEXTS_TEXT_DATA_H

#include "model/model.h"
#include "task/input.h"

// Whether a model is to read the first set as texts, not as windows of bases: where options or a preset say so, where
// its head gives no labels of windows, and where the table has a column `text` or `sentence` or is of JSON.
bool gw_reads_texts(const gw_config *config, const gw_task_input *in);

// Whether numbers are to be learnt of texts, not of sequences or regions: where options say so, or where the table has
// a column `text` or `sentence` and no `sequence`; `otherwise` where it comes through a pipe, which is read but once.
bool gw_learns_of_texts(const gw_text_options *options, const char *set, bool otherwise);

#endif
