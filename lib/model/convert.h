// SPDX-License-Identifier: MIT
// Model folders into others: one safetensors file of weights, another type of values, or BigBird from BERT and RoBERTa.
#ifndef GW_MODEL_CONVERT_H
#define GW_MODEL_CONVERT_H

#include "model/model.h"
#include "store/checkpoint.h"

#include <stdbool.h>

typedef struct {
    const char *from, *to; // a folder or a file of weights; a folder, which is made
    bool keep_type;        // the one that all floats have; f32 where they have several
    gw_store_type type;    // else
    bool to_bigbird;
    const char *pattern; // of the BigBird: another than its own, or NULL
    int64_t positions;   // of the BigBird
} gw_convert_options;

// Writes weights, config.json and copies of the tokenizer's files to `to`. Tensors keep their names, and all of them
// are written, but those that are another one under a decoder's name. Within gw_outputs_begin() all files appear
// together.
gw_status gw_convert(const gw_convert_options *options) GW_MUST_CHECK;

// Reads weights of another program's own making, a kind of model/foreign.def, and writes the model's folder, with
// values of that type.
gw_status gw_convert_foreign(const char *kind, const char *from, const char *to, gw_store_type type) GW_MUST_CHECK;

// Sets *kind to the kind of foreign.def that the "model_type" of a folder's config.json names, or NULL.
gw_status gw_foreign_kind(const char *folder, const char **kind) GW_MUST_CHECK;

// A BigBird -> an encoder-decoder that shares its tensors (families/bigbird_shared.c), whose attention to the source is
// fresh, and what of the head for masked tokens the model lacks. Targets begin with the tokenizer's [CLS] and end with
// its [SEP]. The model stays as it is.
gw_status gw_model_with_decoder(const gw_model *model, uint64_t seed, gw_model **out) GW_MUST_CHECK;

// Weights of other programs' own making as models: one function for each of foreign.def.

// Reads a file of weights, or all of a folder whose names are those of the program's files, in order of name, as
// members of one model: model/splice_weights.h.
#define GW_FOREIGN(name, licence) gw_status gw_model_from_##name(const char *path, gw_model **out) GW_MUST_CHECK;
#include "model/foreign.def"
#undef GW_FOREIGN

#endif
