// SPDX-License-Identifier: MIT
// Labels of texts as kinds of tasks: classes or numbers of texts, classes of their words, and answers to questions.
#ifndef GW_TASK_TEXTS_TEXTS_H
#define GW_TASK_TEXTS_TEXTS_H

#include "base/option.h"
#include "language/text_presets.h"
#include "task/finetune.h"

// The row for the kind of a text's labels, of a gw_finetune_options at `offset` of a command's struct.
#define GW_OPTION_ROW_LABELS(offset)                                                                                   \
    GW_OPTION_NAMED, 0, "labels", "KIND", (offset) + offsetof(gw_finetune_options, texts.labels),                      \
        "of --task classify: one class a text, many (names between commas, a JSON list, or columns of 0 and 1), or "   \
        "numbers, which is --task regression",                                                                         \
        .min = GW_TEXT_ONE, .choices = "one|many|numbers", .of = GW_OF_CLASSES | GW_OF_NUMBERS

#endif
