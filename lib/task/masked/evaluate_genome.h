// SPDX-License-Identifier: MIT
// How well a model of single bases predicts masked bases of a genome, every base once.
//
// Windows as long as the model's sequences overlap by half, and the middle half of each counts (genome_tiles.h). A
// window is run seven times: pass p masks its bases number p, p + 7, p + 14 ..., always by [MASK]. N is neither masked
// nor counted. Probabilities are the softmax over the whole vocabulary, as in training; a base is right where its own
// is the largest of the four. On both strands the same bases are masked in the window's reverse complement too, and a
// base's probability is the mean of both.
#ifndef GW_TASK_MASKED_EVALUATE_GENOME_H
#define GW_TASK_MASKED_EVALUATE_GENOME_H

#include "base/json.h"
#include "data/genome_text.h"
#include "data/genome_tiles.h"
#include "model/model.h"
#include "task/masked/pretrain_data.h"

#include <stdbool.h>
#include <stdint.h>

enum { GW_GENOME_PASSES = 7 };

// Sums over the bases that are repeats (lower case in the text) [1], and over the others [0].
typedef struct {
    double nats[2]; // -ln p of the true base
    int64_t bases[2], right[2];
} gw_base_sums;
void gw_base_sums_add(gw_base_sums *sums, char base, double p, bool right);
double gw_bits_per_base(const gw_base_sums *sums); // of both; NaN where there are none

// Bases of a window of this model: its sequences without [CLS] and [SEP].
int64_t gw_genome_window_length(const gw_model *model);
typedef struct {
    int64_t sample; // tiles, evenly spaced; 0: all
    bool both_strands;
    bool note_metrics; // notes those of the model's mixer (gw_network_note_metrics())
} gw_genome_bits_options;
gw_status gw_genome_bits(gw_model *model, const gw_genome_tiles *tiles, const gw_genome_bits_options *options,
                         gw_base_sums *sums) GW_MUST_CHECK;
// Number i of `wanted` among `count`.
int64_t gw_evenly_spaced(int64_t i, int64_t wanted, int64_t count);

// What a pretraining run is validated on: token shards (the same examples with the same masks every time) or regions of
// genomes (genome_bits.h, on evenly spaced windows).

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
