// SPDX-License-Identifier: MIT
// --attention and --pad-to: options of the commands that run a model.
#ifndef GW_TOOLS_ATTENTION_H
#define GW_TOOLS_ATTENTION_H

#include "model/model.h"
#include "tools/cli.h"

typedef struct {
    const char *mode;
    int64_t pad_to;
} gw_attention_arguments;

// The row of --attention; offset: of its const char * field.
#define GW_OPTION_ROW_ATTENTION(offset)                                                                                \
    {                                                                                                                  \
        GW_OPTION_CHOICE, 0, "attention", "MODE", offset,                                                              \
            "how BigBird's attention is computed (as the model was trained; seeded for models made elsewhere)",        \
            .choices = "seeded|hf-eval|google|set|full"                                                                \
    }

// Both rows of a gw_attention_arguments at `offset` of the command's struct.
#define GW_OPTION_ROWS_ATTENTION(offset)                                                                               \
    GW_OPTION_ROW_ATTENTION((offset) + offsetof(gw_attention_arguments, mode)), {                                      \
        GW_OPTION_INT, 0, "pad-to", "N", (offset) + offsetof(gw_attention_arguments, pad_to),                          \
            "sparse attention as of inputs padded to N tokens, for equality with padded batches elsewhere (0: no "     \
            "padding)",                                                                                                \
            .min = 0, .max = 1e9                                                                                       \
    }

// Paragraph of the help of such commands.
#define GW_ATTENTION_HELP                                                                                              \
    "--attention: BigBird's weights are run in several ways. seeded draws random blocks from fixed seeds, as "         \
    "transformers does in training and did in evaluation before 4.30; published BigBird and GENA-LM weights were "     \
    "trained so. hf-eval reads the first block in their place, as transformers' models do in evaluation since then; "  \
    "google follows google-research/bigbird, set counts every block once, full reads everything. What a folder's "     \
    "weights were trained with is the default."

// Puts the model in the mode that was asked for, checks the padding, and notes both. Models without BigBird's attention
// have their own and full only.
gw_status gw_attention_apply(const gw_attention_arguments *arguments, gw_model *model) GW_MUST_CHECK;

#endif
