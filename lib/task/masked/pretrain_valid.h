// SPDX-License-Identifier: MIT
// What a pretraining run is validated on: token shards (the same examples with the same masks every time) or regions of
// genomes (genome_bits.h, on evenly spaced windows).
#ifndef GW_TASK_MASKED_PRETRAIN_VALID_H
#define GW_TASK_MASKED_PRETRAIN_VALID_H

#include "base/json.h"
#include "data/genome_tiles.h"
#include "model/model.h"
#include "task/masked/pretrain_data.h"

#include <stdbool.h>

// Zeros: no validation. Free with gw_pretrain_valid_close().
typedef struct {
    gw_pretrain_source shards; // where its examples are of something
    gw_genome_text text;       // where it has bases
    gw_genome_tiles tiles;
    int64_t sample; // of the tiles; 0: all
    char digest[33];
    int64_t tokens; // of the sequences of one validation, roughly
} gw_pretrain_valid;

// Whether the vocabulary of the shards is the model's is the caller's to check; prefixes of `data` are ignored.
gw_status gw_pretrain_valid_shards(gw_pretrain_valid *valid, const char *prefix,
                                   gw_pretrain_data_options data) GW_MUST_CHECK;
// The text has been read; about `bases` of it are predicted in windows of the model's length.
gw_status gw_pretrain_valid_genomes(gw_pretrain_valid *valid, const gw_model *model, int64_t bases) GW_MUST_CHECK;
void gw_pretrain_valid_close(gw_pretrain_valid *valid);
bool gw_pretrain_validates(const gw_pretrain_valid *valid);
// Judges a model whose weights stay as they are, frozen in `precision` for genomes. Adds to row, and notes, what was
// found; *value is less for better ones: the loss of shards, bits per base of genomes.
gw_status gw_pretrain_valid_run(gw_pretrain_valid *valid, gw_model *model, gw_precision precision, json_t *row,
                                double *value) GW_MUST_CHECK;

#endif
