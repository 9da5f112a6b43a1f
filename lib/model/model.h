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

// In a model's folder, where known: contigs of the genomes that it was trained on (task/trained_on.h).
extern const char gw_model_genomes_file[];

typedef struct gw_model gw_model;
struct gw_model {
    gw_config config;
    gw_tokenizer *tokenizer; // NULL only of a model made or loaded without one
    gw_parameters parameters;
    gw_layout *layout;  // of GENA-LM's sparse attention, else NULL
    gw_packed **packed; // [parameters.count] matrices laid out for products (gw_model_freeze()); NULL: they may change
    gw_precision precision; // of those
    int64_t pad_to;         // sparse attention is that of inputs padded to so many tokens; 0: of each one's own length
    gw_model **members;     // [config.members] networks whose class probabilities are averaged (model/model.h), or NULL
};

// Fresh weights: normal(0, initializer_range) for matrices, 1 and 0 for layer norms, 0 for biases; a function of seed
// and tensor alone. Takes over the tokenizer (also on failure; NULL: none); copies config. labels with a task other
// than pretraining imply the head of that task.
gw_status gw_model_new(const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed, gw_model **out) GW_MUST_CHECK;
// Reads config.json, the tokenizer (gw_tokenizer_load() says which files) and the weights (gw_checkpoint_open()).
// Tensors are found under Hugging Face's names with and without the prefix of the encoder, under older names
// (LayerNorm.gamma and beta) and under the name of a tied twin. Missing, misshapen and unknown tensors are errors that
// name them; those of a head that the architecture does not have are left out with a warning. Nothing is allocated that
// the weights do not hold. Where config.json names no architecture, the tensors tell.
gw_status gw_model_load(const char *folder, gw_model **out) GW_MUST_CHECK;
// The same without a tokenizer, for callers who bring tokens.
gw_status gw_model_load_weights(const char *folder, gw_model **out) GW_MUST_CHECK;
// Writes the folder: config.json, model.safetensors, the tokenizer and tokenizer_config.json, in the family's own
// names; each file whole or not at all, the weights last, in the type that the config's stored_as names. Creates the
// folder.
gw_status gw_model_save(const gw_model *model, const char *folder) GW_MUST_CHECK;
// The same encoder with a classifier head of config->labels outputs for config->task: the model's own where it tells
// the same labels, otherwise a fresh one; the other heads are left behind, and a pooler that the model lacks is fresh.
// `model` stays as it is.
gw_status gw_model_with_classifier(const gw_model *model, const gw_config *config, uint64_t seed,
                                   gw_model **out) GW_MUST_CHECK;
// As gw_model_new(), but with `model`'s layout of sparse attention, and its weights where it has a tensor of the same
// role that is no larger (of a larger vocabulary the first rows); `fresh` gets the names of all others, ", " between.
gw_status gw_model_continue(const gw_model *model, const gw_config *config, gw_tokenizer *tokenizer, uint64_t seed,
                            gw_string *fresh, gw_model **out) GW_MUST_CHECK;
void gw_model_free(gw_model *model);
// Once: from now on the weights stay as they are: matrices of linear layers are laid out for products in `precision`,
// beside the weights, and networks made afterwards are faster and cannot train. bf16 where the processor lacks it is an
// error.
gw_status gw_model_freeze(gw_model *model, gw_precision precision) GW_MUST_CHECK;
// The parameter of that name, or NULL.
const gw_parameter *gw_model_parameter(const gw_model *model, const char *name);
// The weight or bias of a role, or NULL where the model has none.
const gw_parameter *gw_model_role(const gw_model *model, gw_role role, int layer, bool bias);
// What a model that is made of another takes as this parameter: that of the same role, or of the tokens' in its place
// (gw_role_of_tokens()), or NULL.
const gw_parameter *gw_model_source(const gw_model *model, const gw_parameter *parameter);
// What outputs say of its attention: gw_config_provenance(), or, where the weights hold their layout, layout+block:N;
// free() it.
char *gw_model_attention(const gw_model *model);
// Largest window in bp that the positions hold: (positions - 2) tokens times the bases a token covers on average
// (mean_bases of the config; where that is unknown, over random bases).
int64_t gw_model_longest_window(const gw_model *model);

// Several networks of one architecture in one model: their members, whose class probabilities are averaged.
//
// Such a model has a config and a tokenizer, and no tensors of its own. Its folder names their number ("members" of
// "godwit" in config.json), and its weights hold the tensors of the i-th as members.<i>.<name>.

// The name of a member's tensor in a file.
void gw_member_name(int member, const char *name, char out[GW_PARAMETER_NAME]);

// A model of `count` members of the same architecture, which it takes over, also on failure; one is a model as it is.
gw_status gw_model_join(gw_model **members, int count, gw_model **out) GW_MUST_CHECK;

// Member i of a model of members; for a single model i must be 0. And the number of members.
gw_model *gw_model_member(gw_model *model, int member);
int gw_model_member_count(const gw_model *model);

#endif
