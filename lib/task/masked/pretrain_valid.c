// SPDX-License-Identifier: MIT
// Runs the model forward over what validation reads.
#include "task/masked/pretrain_valid.h"

#include "base/log.h"
#include "model/head.h"
#include "run/losses.h"
#include "run/step.h"
#include "task/masked/genome_bits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALID_TOKENS = 1 << 16 };

gw_status gw_pretrain_valid_shards(gw_pretrain_valid *valid, const char *prefix, gw_pretrain_data_options data) {
    data.prefixes = &prefix;
    data.count = 1;
    data.tokens_per_step = valid->tokens = VALID_TOKENS;
    GW_TRY(gw_pretrain_data_open(&data, &valid->shards));
    memcpy(valid->digest, valid->shards.digest, sizeof valid->digest);
    return GW_OK;
}

gw_status gw_pretrain_valid_genomes(gw_pretrain_valid *valid, const gw_model *model, int64_t bases) {
    GW_TRY(gw_genome_tiles_make(&valid->tiles, &valid->text, gw_genome_window_length(model)));
    const double share = fmin(1, (double)bases / (double)valid->text.count);
    valid->sample = (int64_t)ceil(share * (double)valid->tiles.count);
    valid->tokens = valid->sample * GW_GENOME_PASSES * gw_config_longest(&model->config);
    return gw_genome_text_digest(&valid->text, valid->digest);
}

void gw_pretrain_valid_close(gw_pretrain_valid *valid) {
    gw_examples_free(&valid->shards.examples);
    gw_genome_tiles_free(&valid->tiles);
    gw_genome_text_free(&valid->text);
}

bool gw_pretrain_validates(const gw_pretrain_valid *valid) {
    return valid->shards.examples.self || valid->text.count > 0;
}

static gw_status run_shards(const gw_examples *shards, gw_model *model, json_t *row, double *value) {
    gw_steps step = {0};
    gw_step_sums sums;
    const gw_network_options options = {.nsp_head = gw_head_of(model->config.head)->pairs};
    gw_status status = gw_steps_make(&step, model, shards, options);
    if (status == GW_OK) status = gw_step_losses(&step, 0, &sums);
    gw_steps_free(&step);
    GW_TRY(status);
    const gw_loss_sum *masked = &sums.losses.of[GW_ROWS_MASKED], *pairs = &sums.losses.of[GW_ROWS_FIRST];
    *value = gw_losses_report(&sums.losses, "valid_", row);
    const bool dna = gw_tokenizer_is_dna(model->tokenizer);
    char of_pairs[32] = "";
    if (pairs->count > 0)
        snprintf(of_pairs, sizeof of_pairs, ", of pairs %.4f", gw_mean((double)pairs->right, pairs->count));
    gw_note("validation: loss of masked tokens %.4f%s, accuracy %.4f%s",
            gw_mean(masked->loss, masked->count) / (dna ? M_LN2 : 1), dna ? " bits" : "",
            gw_mean((double)masked->right, masked->count), of_pairs);
    return GW_OK;
}

static gw_status run_genomes(const gw_pretrain_valid *valid, gw_model *model, gw_precision precision, json_t *row,
                             double *value) {
    gw_base_sums sums;
    GW_TRY(gw_model_freeze(model, precision));
    GW_TRY(gw_genome_bits(model, &valid->tiles, &(gw_genome_bits_options){.sample = valid->sample}, &sums));
    const int64_t bases = sums.bases[0] + sums.bases[1];
    const double accuracy = gw_mean((double)(sums.right[0] + sums.right[1]), bases);
    *value = gw_bits_per_base(&sums);
    json_object_set_new(row, "valid_mlm_loss", json_real(*value * M_LN2));
    json_object_set_new(row, "valid_mlm_accuracy", json_real(accuracy));
    json_object_set_new(row, "valid_bits_per_base", json_real(*value));
    gw_note("validation: %.4f bits per base, accuracy %.4f, on %lld bases", *value, accuracy, (long long)bases);
    return GW_OK;
}

gw_status gw_pretrain_valid_run(gw_pretrain_valid *valid, gw_model *model, gw_precision precision, json_t *row,
                                double *value) {
    gw_progress_end();
    return valid->shards.examples.self ? run_shards(&valid->shards.examples, model, row, value)
                                       : run_genomes(valid, model, precision, row, value);
}
