// SPDX-License-Identifier: MIT
// A model: its config, tokenizer and parameters; read from and written to a Hugging Face folder.
#ifndef GW_MODEL_MODEL_H
#define GW_MODEL_MODEL_H

#include "base/status.h"
#include "base/string.h"
#include "graph/pattern.h"
#include "model/config.h"
#include "model/parameters.h"
#include "text/tokenizer.h"

#include <stdbool.h>
#include <stdint.h>

// File in a model's folder, if known: contigs of the genomes that the model was trained on (task/trained_on.h).
extern const char gw_model_genomes_file[];

typedef struct gw_model gw_model;
struct gw_model {
    gw_config config;
    gw_tokenizer *tokenizer; // NULL only for a model made or loaded without a tokenizer
    gw_parameters parameters;
    gw_layout *layout;  // for GENA-LM's sparse attention, else NULL
    gw_packed **packed; // [parameters.count] matrices in packed layout (gw_model_freeze()); NULL: weights may change
    gw_precision precision; // of the packed matrices
    int64_t pad_to;         // sparse attention as for inputs padded to this number of tokens; 0: the length of each
                            // input
    gw_model **members;     // [config.members] networks with averaged class probabilities, or NULL
};

// Makes a model with fresh weights: normal(0, initializer_range) for matrices, 1 and 0 for layer norms, 0 for biases.
// Weights depend only on seed and tensor. Takes ownership of the tokenizer (also after a failure; NULL: none) and
// copies config. Labels with a task other than pretraining imply the head of this task.
gw_status gw_model_new(const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed, gw_model **out) GW_MUST_CHECK;
// Reads config.json, the tokenizer (gw_tokenizer_load() lists the files) and the weights (gw_checkpoint_open()).
// Tensors are found by Hugging Face's names with or without the encoder's prefix, by older names (LayerNorm.gamma and
// beta) and by the name of a tied twin. Missing, misshapen and unknown tensors are errors that name them. Tensors of a
// head that the architecture lacks are skipped with a warning. Nothing is allocated before the weights are known to
// hold it. If config.json names no architecture, the tensors decide.
gw_status gw_model_load(const char *folder, gw_model **out) GW_MUST_CHECK;
// The same without a tokenizer, for callers with tokens.
gw_status gw_model_load_weights(const char *folder, gw_model **out) GW_MUST_CHECK;
// Writes the folder: config.json, model.safetensors, the tokenizer and tokenizer_config.json, with the family's names.
// Each file is written whole or not at all, the weights last, in the type of the config's stored_as. Creates the
// folder.
gw_status gw_model_save(const gw_model *model, const char *folder) GW_MUST_CHECK;
// Makes a model with the same encoder and a classifier head of config->labels outputs for config->task. The head is the
// model's if it predicts the same labels, otherwise fresh. Other heads are dropped. A missing pooler is fresh. `model`
// stays unchanged.
gw_status gw_model_with_classifier(const gw_model *model, const gw_config *config, uint64_t seed,
                                   gw_model **out) GW_MUST_CHECK;
// Like gw_model_new(), but with `model`'s layout of sparse attention, and with its weights where it has a tensor of the
// same role that is not larger (the first rows of a larger vocabulary). `fresh` gets the names of all other tensors,
// separated by ", ".
gw_status gw_model_continue(const gw_model *model, const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed,
                            gw_string *fresh, gw_model **out) GW_MUST_CHECK;
void gw_model_free(gw_model *model);
// Fixes the weights; call this once. Matrices of linear layers are packed for products in `precision`, beside the
// weights. Networks made afterwards are faster and cannot train. bf16 is an error if the processor lacks it.
gw_status gw_model_freeze(gw_model *model, gw_precision precision) GW_MUST_CHECK;
// The parameter with this name, or NULL.
const gw_parameter *gw_model_parameter(const gw_model *model, const char *name);
// The weight or bias of a role, or NULL if the model has none.
const gw_parameter *gw_model_role(const gw_model *model, gw_role role, int layer, bool bias);
// The parameter of `model` from which another model's `parameter` is copied: the same role, or the tokens' tensor for
// its role (gw_role_of_tokens()), or NULL.
const gw_parameter *gw_model_source(const gw_model *model, const gw_parameter *parameter);
// The attention as outputs name it: gw_config_provenance(), or layout+block:N if the weights hold a layout. free() it.
char *gw_model_attention(const gw_model *model);
// The largest window in bp that fits the positions: (positions - 2) tokens times the mean bases of a token (mean_bases
// of the config; if unknown, measured on random bases).
int64_t gw_model_longest_window(const gw_model *model);

// A model of several networks of one architecture, its members. Their class probabilities are averaged.
//
// Such a model has a config and a tokenizer, but no tensors. config.json of its folder has the number of members
// ("members" of "godwit"). The tensors of member i are named members.<i>.<name>.

// The name of a member's tensor in a file.
void gw_member_name(int member, const char *name, char out[GW_PARAMETER_NAME]);

// Joins `count` members of the same architecture and takes ownership, also after a failure. One member is returned as
// it is.
gw_status gw_model_join(gw_model **members, int count, gw_model **out) GW_MUST_CHECK;

// Returns member i; for a single model i must be 0. The second function returns the number of members.
gw_model *gw_model_member(gw_model *model, int member);
int gw_model_member_count(const gw_model *model);

#endif
