// SPDX-License-Identifier: MIT
// Conversion of model folders: to one safetensors file, to another type of values, or from BERT and RoBERTa to BigBird.
#ifndef GW_MODEL_CONVERT_H
#define GW_MODEL_CONVERT_H

#include "model/model.h"
#include "store/checkpoint.h"

#include <stdbool.h>

typedef struct {
    const char *from, *to; // a folder or a file of weights; the folder to make
    bool keep_type;        // keeps the type of all float tensors; f32 if they have several types
    gw_store_type type;    // otherwise
    bool to_bigbird;
    const char *pattern; // pattern of the BigBird, or NULL for the default
    int64_t positions;   // positions of the BigBird
} gw_convert_options;

// Writes weights, config.json and copies of the tokenizer's files to `to`. All tensors are written with the same names,
// except copies of encoder tensors under a decoder's name. Within gw_outputs_begin() all files appear together.
gw_status gw_convert(const gw_convert_options *options) GW_MUST_CHECK;

// Reads weights in another program's format (a kind of model/foreign.def), and writes a model folder with values of
// this type.
gw_status gw_convert_foreign(const char *kind, const char *from, const char *to, gw_store_type type) GW_MUST_CHECK;

// Sets *kind to the kind of foreign.def named by "model_type" in the folder's config.json, or NULL.
gw_status gw_foreign_kind(const char *folder, const char **kind) GW_MUST_CHECK;

// Makes an encoder-decoder with shared tensors (families/bigbird_shared.c) from a BigBird. Attention to the source is
// initialised at random, and so are missing tensors of the head for masked tokens. Targets begin with the tokenizer's
// [CLS] and end with its [SEP]. `model` stays unchanged.
gw_status gw_model_with_decoder(const gw_model *model, uint64_t seed, gw_model **out) GW_MUST_CHECK;

// Readers of weights in other programs' formats: one function for each row of foreign.def.

// Reads a file of weights, or all files of a folder that match the program's names, in order of name, as members of one
// model: model/splice_weights.h.
#define GW_FOREIGN(name, licence) gw_status gw_model_from_##name(const char *path, gw_model **out) GW_MUST_CHECK;
#include "model/foreign.def"
#undef GW_FOREIGN

#endif
