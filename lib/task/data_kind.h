// SPDX-License-Identifier: MIT
// Kinds of data for evaluation and prediction. A task with its own kind of data names it (kind.h). Labels of sequences
// may belong to windows or to texts; the options and the files decide.
#ifndef GW_TASK_DATA_KIND_H
#define GW_TASK_DATA_KIND_H

#include "task/evaluate.h"
#include "task/predict.h"

typedef struct {
    gw_status (*evaluate)(gw_model *const *models, int count, const gw_eval_options *options);
    gw_status (*predict)(gw_model *const *models, int count, const gw_predict_options *options);
    const char *refusal; // error message if there is no `predict`
} gw_data_kind;

// masked/evaluate_genome.c: bits per base of a pretrained model on regions of a genome, beside Markov chains on the
// same bases. Writes a TSV with the columns
//   predictor part bases accuracy loss bits_per_base
// For each of model, markov_causal_K and markov_two_sided_K (chains of order K) there are the rows all, repeats and
// rest. repeats are bases in 31-mers that occur twice in the genome, on either strand. loss is in nats. Chains read up
// to the ends of the region, the model up to those of its window.
extern const gw_data_kind gw_data_genome;

// masked/evaluate_shards.c: prediction of masked tokens in token shards by a pretrained model, in bits per base, beside
// Markov chains. Writes a TSV with the columns
//   predictor tokens bases accuracy loss bits_per_base pairs nsp_accuracy
// and the rows model, markov_causal_K and markov_two_sided_K for chains of order K, all on the same bases. loss is in
// nats per token. Missing values are NA.
extern const gw_data_kind gw_data_shards;

extern const gw_data_kind gw_data_windows; // windows/predict_windows.c: labelled sets (evaluate_set.h), regions, tracks
extern const gw_data_kind gw_data_bases;   // bases/predict_bases.c: sets of labelled bases (evaluate_bases.h), regions
extern const gw_data_kind gw_data_counts;  // counts/predict_counts.c: regions with the counts of their bases
extern const gw_data_kind gw_data_texts;   // texts/text_data.c: rows of tables, and question sets

// texts/evaluate_summaries.c: quality of texts that a model writes about texts: ROUGE, beside the first sentences of
// each source. Writes a TSV with the columns
//   predictor metric pairs value low high precision recall
// Metrics are loss (nats a token, with known earlier tokens), next_token (share of tokens that are the most likely),
// exact (share of targets that are reproduced exactly) and the ROUGE kinds (F1 and its interval).
extern const gw_data_kind gw_data_pairs;

#endif
