// SPDX-License-Identifier: MIT
// Settings of evaluations, whatever they are of: each reads its part, and writes a table to standard output.
#ifndef GW_TASK_EVALUATE_H
#define GW_TASK_EVALUATE_H

#include "data/text_set.h"
#include "run/generate.h"
#include "task/pairs/text_pairs.h"
#include "task/windows/predict.h"

typedef struct {
    gw_string_list data; // a prefix of shards; labelled sets (gw_labelled_set_open()); tables of texts; none: a genome
    const char *fasta;   // that, or the genome of sets of regions; or NULL
    gw_strands strands;  // that windows are read on; both: also those of a genome
    int64_t sample;      // of shards their chunks, of a genome its windows, evenly spaced; 0: all
    uint64_t seed;       // of sentence pairs, and of bootstrap intervals
    // Of genomes and token shards
    const char *regions;      // BED; NULL: every contig
    gw_string_list baselines; // BEDs of the genome, or prefixes, on which Markov chains are counted; none: no chains
    int64_t order;            // of the chains
    // Of labelled sets
    const char *split;        // "train", "valid", "test", "all"; NULL: test where the sets have splits, else all
    gw_string_list negatives; // FASTA without the label; the sets are FASTA with it then
    gw_string_list without;   // sets whose sequences are left out (seen in training)
    const char *per_target;   // file for one row a target; NULL: none
    const char *curves;       // file for the points of each target's ROC and precision-recall curve; NULL: none
    const char *groups;       // groups of targets, each rated too: "deepsea" or a file (target_groups.h); NULL: none
    // Of labelled sets of numbers, whose columns texts.label names
    gw_string_list tracks; // signals whose means over regions are the numbers, in the place of columns
    const char *within;    // column that groups rows, within which metrics are given too; NULL: none
    const char *scatter;   // file for measured beside predicted numbers, a row a line; NULL: none
    bool missing;          // NA and empty fields are numbers that are not known
    // Of texts
    gw_text_options texts;
    // Of texts about texts
    gw_text_pairs_options pairs; // `texts` is set
    gw_generate_options generate;
    int64_t lead;        // sentences of the source that stand beside the model; 0: none do
    const char *written; // what was written, a line each; NULL: nowhere
} gw_eval_options;

#endif
