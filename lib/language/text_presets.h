// SPDX-License-Identifier: MIT
// Known sets of texts: how their official files are read, and how models are trained on them.
#ifndef GW_LANGUAGE_TEXT_PRESETS_H
#define GW_LANGUAGE_TEXT_PRESETS_H

#include "language/text_set.h"

enum { GW_PRESET_CLASSES = 3 };

// GLUE's eight tasks (settings: fairseq's, which BigBird's appendix E.4 names) and BigBird's Table 14.
typedef struct {
    const char *name;
    const char *text, *second, *label; // columns (gw_text_options)
    bool headless, ragged;
    gw_text_labels labels;
    const char *classes[GW_PRESET_CLASSES]; // in order; none: as the files have them
    const char *metric;                     // that the paper reports
    double rate, decay;
    int64_t batch, epochs, steps, warmup; // steps 0: epochs; warmup -1: a tenth of the steps
} gw_text_preset;

#define GW_TEXT_PRESETS "cola|sst2|mrpc|stsb|qqp|mnli|qnli|rte|imdb|yelp5|arxiv|patents|hyperpartisan"
const gw_text_preset *gw_text_preset_by_name(const char *name); // NULL, also of NULL: none

// The column of the texts: the one of these that a table has.
#define GW_TEXT_COLUMNS "text|sentence|sequence"
// The options, where they are silent the preset's (NULL: none), where that is silent too the usual ones.
gw_text_options gw_texts_complete(const gw_text_options *options, const gw_text_preset *preset);

#endif
