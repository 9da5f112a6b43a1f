// SPDX-License-Identifier: MIT
// How good models are. What evaluations are told, whatever they are of: each kind of data (data_kind.h) reads its part.
#ifndef GW_TASK_EVALUATE_H
#define GW_TASK_EVALUATE_H

#include "language/generate.h"
#include "language/text_pairs.h"
#include "task/input.h"

typedef struct {
    gw_task_input
        in;         // sets: also a prefix of shards; none: the genome `fasta`, on both strands where that is asked for
    int64_t sample; // of shards their chunks, of a genome its windows, evenly spaced; 0: all
    uint64_t seed;  // of sentence pairs, and of bootstrap intervals
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
    const char *groups;       // groups of targets, each rated too: "deepsea" or a file (evaluate_set.c); NULL: none
    bool orfs;                // of bases: open reading frames stand beside the model
    // Of labelled sets of numbers, whose columns in.texts.label names
    // Signals whose means over regions are the numbers, in the place of columns; of profiles the counts of bases, of
    // one strand or of + and -, and those of a replicate that stands beside the model.
    gw_string_list tracks, replicates;
    const char *within;  // column that groups rows, within which metrics are given too; NULL: none
    const char *scatter; // file for measured beside predicted numbers, a row a line; NULL: none
    bool missing;        // NA and empty fields are numbers that are not known
    // Of models as they are: a linear probe over what they make of the sets (frozen/frozen.h)
    gw_string_list frozen; // training sets; none: models tell their own labels
    gw_string_list valid;  // validation sets; none: a tenth of the training rows, drawn by each seed
    int64_t seeds;         // seed, seed + 1 ...
    bool numbers;          // labels are numbers, read as those of models of numbers are; ridge regressions
    // Of texts about texts
    gw_text_pairs_options pairs; // `texts` is set
    gw_generate_options generate;
    int64_t lead;        // sentences of the source that stand beside the model; 0: none do
    const char *written; // what was written, a line each; NULL: nowhere
    // Of answers that a file has, without a model: whose official metrics they are rated by (qa.h), the answers, and
    // the probability of each question that it has no answer (NULL: none is known), which counts above
    // in.no_answer_threshold
    const char *rated_by, *predictions, *no_answer;
} gw_eval_options;

// Writes a table of how good the models are (in.output): on labelled windows their mean, else the only one.
gw_status gw_eval(gw_model *const *models, int count, const gw_eval_options *options) GW_MUST_CHECK;
// The official metrics of predictions of the question sets.
gw_status gw_eval_predictions(const gw_eval_options *options) GW_MUST_CHECK;

#endif
