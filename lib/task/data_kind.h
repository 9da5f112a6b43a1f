// SPDX-License-Identifier: MIT
// Kinds of data that models are evaluated on and predict for. A task whose data nothing else reads names theirs
// (kind.h); labels of sequences may be of windows or of texts, which the options and the files say.
#ifndef GW_TASK_DATA_KIND_H
#define GW_TASK_DATA_KIND_H

#include "task/evaluate.h"
#include "task/predict.h"

typedef struct {
    gw_status (*evaluate)(gw_model *const *models, int count, const gw_eval_options *options);
    gw_status (*predict)(gw_model *const *models, int count, const gw_predict_options *options);
    const char *refusal; // what is wrong where there is no `predict`
} gw_data_kind;

// masked/evaluate_genome.c: a pretrained model's bits per base on regions of a genome, beside Markov
// chains on the same bases. A TSV with the columns
//   predictor part bases accuracy loss bits_per_base
// and for each of model, markov_causal_K and markov_two_sided_K, chains of order K, the rows all, repeats and rest:
// repeats are bases in 31-mers that occur twice in the genome, on either strand. loss is in nats. Chains read as far as
// the region goes, the model its window.
extern const gw_data_kind gw_data_genome;

// masked/evaluate_shards.c: how well a pretrained model predicts masked tokens of token shards, in bits per base,
// beside Markov chains. A TSV with the columns
//   predictor tokens bases accuracy loss bits_per_base pairs nsp_accuracy
// and the rows model, markov_causal_K and markov_two_sided_K for chains of order K, all on the same spans of bases.
// loss is in nats per token; what a predictor has not is NA.
extern const gw_data_kind gw_data_shards;

extern const gw_data_kind gw_data_windows; // windows/predict_windows.c: labelled sets (evaluate_set.h), regions, tracks
extern const gw_data_kind gw_data_bases;   // bases/predict_bases.c: sets of labelled bases (evaluate_bases.h), regions
extern const gw_data_kind gw_data_counts;  // counts/predict_counts.c: regions with the counts of their bases
extern const gw_data_kind gw_data_texts;   // texts/text_data.c: rows of tables, and question sets

// texts/evaluate_summaries.c: how good the texts are that a model writes about texts: ROUGE, beside the first sentences
// of each source. A TSV with the columns
//   predictor metric pairs value low high precision recall
// Metrics are loss (nats a token, those before it known), next_token (share that the model finds likeliest), exact
// (share of targets written token for token) and the ROUGE kinds (F1 and its interval).
extern const gw_data_kind gw_data_pairs;

#endif
