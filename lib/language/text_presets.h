// SPDX-License-Identifier: MIT
// Known text sets: layout of their official files, and training settings.
#ifndef GW_LANGUAGE_TEXT_PRESETS_H
#define GW_LANGUAGE_TEXT_PRESETS_H

#include "language/text_set.h"

enum { GW_PRESET_CLASSES = 3 };

// GLUE's eight tasks (with fairseq's settings, which BigBird's appendix E.4 names) and BigBird's Table 14.
typedef struct {
    const char *name;
    const char *text, *second, *label; // columns (gw_text_options)
    bool headless, ragged;
    gw_text_labels labels;
    const char *classes[GW_PRESET_CLASSES]; // in order; none: as in the files
    const char *metric;                     // reported in the paper
    double rate, decay;
    int64_t batch, epochs, steps, warmup; // steps 0: epochs; warmup -1: a tenth of the steps
} gw_text_preset;

#define GW_TEXT_PRESETS "cola|sst2|mrpc|stsb|qqp|mnli|qnli|rte|imdb|yelp5|arxiv|patents|hyperpartisan"
const gw_text_preset *gw_text_preset_by_name(const char *name); // NULL, also of NULL: none

// The column of the texts: the first of these that a table has.
#define GW_TEXT_COLUMNS "text|sentence|sequence"
// The options, completed from the preset (NULL: none), then from the defaults.
gw_text_options gw_texts_complete(const gw_text_options *options, const gw_text_preset *preset);

#endif
