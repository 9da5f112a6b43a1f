// SPDX-License-Identifier: MIT
// Evaluation of models. Options of all kinds of data; each kind (data_kind.h) reads its part.
#ifndef GW_TASK_EVALUATE_H
#define GW_TASK_EVALUATE_H

#include "language/generate.h"
#include "language/text_pairs.h"
#include "task/input.h"

typedef struct {
    gw_task_input
        in;         // sets: also a prefix of shards; none: the genome `fasta`, on both strands where that is asked for
    int64_t sample; // of shards their chunks, of a genome its windows, evenly spaced; 0: all
    uint64_t seed;  // seed of sentence pairs and of bootstrap intervals
    // For genomes and token shards
    const char *regions;      // BED; NULL: every contig
    gw_string_list baselines; // BEDs of the genome, or prefixes of shards, for counting Markov chains; none: no chains
    int64_t order;            // of the chains
    // For labelled sets
    const char *split;        // "train", "valid", "test", "all"; NULL: test if the sets have splits, else all
    gw_string_list negatives; // FASTA without the label; the sets are then FASTA with the label
    gw_string_list without;   // sets with sequences to skip (seen in training)
    const char *per_target;   // file with one row a target; NULL: none
    const char *curves;       // file with the points of each target's ROC and precision-recall curve; NULL: none
    const char *groups;       // groups of targets with metrics of their own: "deepsea" or a file (evaluate_set.c);
                              // NULL: none
    bool orfs;                // for bases: adds open reading frames as a predictor
    // For labelled sets of numbers, with columns named by in.texts.label. tracks: signals; the numbers are their means
    // over regions, instead of columns. For profiles: the counts of bases, on one strand or on + and -; replicates:
    // those of a replicate.
    gw_string_list tracks, replicates;
    const char *within;  // column that groups rows, for metrics within groups; NULL: none
    const char *scatter; // file for measured and predicted numbers, one row a line; NULL: none
    bool missing;        // NA and empty fields are unknown numbers
    // For unchanged models: a linear probe on their hidden states (frozen/frozen.h)
    gw_string_list frozen; // training sets; none: models predict their own labels
    gw_string_list valid;  // validation sets; none: a tenth of the training rows, drawn with each seed
    int64_t seeds;         // seed, seed + 1 ...
    bool numbers;          // labels are numbers, read as for models of numbers; uses ridge regression
    // For texts about texts
    gw_text_pairs_options pairs; // `texts` is set
    gw_generate_options generate;
    int64_t lead;        // number of first sentences of the source as a baseline; 0: none
    const char *written; // file for the written texts, one a line; NULL: none
    // For answers in a file, without a model. rated_by: the format with the official metrics
    // (language/questions/question_files.h). predictions: the answers. no_answer: the probability of each question that
    // it has no answer (NULL: unknown); it counts above in.no_answer_threshold
    const char *rated_by, *predictions, *no_answer;
} gw_eval_options;

// Writes a table of metrics (in.output). On labelled windows several models are averaged; otherwise there must be one.
gw_status gw_eval(gw_model *const *models, int count, const gw_eval_options *options) GW_MUST_CHECK;
// Computes the official metrics of predictions for question sets.
gw_status gw_eval_predictions(const gw_eval_options *options) GW_MUST_CHECK;

#endif
