// SPDX-License-Identifier: MIT
// Runs the model forward over what validation reads.
#include "run/pretrain_valid.h"

#include "base/log.h"
#include "model/head.h"
#include "run/genome_bits.h"
#include "run/losses.h"

#include <math.h>
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
    gw_pretrain_source_close(&valid->shards);
    gw_genome_tiles_free(&valid->tiles);
    gw_genome_text_free(&valid->text);
}

bool gw_pretrain_validates(const gw_pretrain_valid *valid) {
    return valid->shards.data || valid->text.count > 0;
}

static gw_status run_shards(gw_pretrain_source *shards, gw_model *model, json_t *row, double *value) {
    const gw_pretrain_step *batches;
    gw_network *network;
    gw_losses sum = {0}, losses;
    gw_network_options options = shards->room;
    options.nsp_head = gw_head_of(model->config.head)->pairs;
    GW_TRY(gw_network_new(model, &options, &network));
    gw_status status = shards->step(shards->data, 0, &batches);
    for (int64_t i = 0; status == GW_OK && i < batches->count; i++) {
        status = gw_network_forward(network, &batches->batches[i], &losses);
        if (status == GW_OK) gw_losses_add(&sum, &losses);
    }
    gw_network_free(network);
    GW_TRY(status);
    const gw_loss_sum *masked = &sum.of[GW_ROWS_MASKED], *pairs = &sum.of[GW_ROWS_FIRST];
    *value = gw_losses_report(&sum, "valid_", row);
    const bool dna = gw_tokenizer_is_dna(model->tokenizer);
    gw_note("validation: loss of masked tokens %.4f%s, accuracy %.4f, of pairs %.4f",
            gw_mean(masked->loss, masked->count) / (dna ? M_LN2 : 1), dna ? " bits" : "",
            gw_mean((double)masked->right, masked->count), gw_mean((double)pairs->right, pairs->count));
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
    return valid->shards.data ? run_shards(&valid->shards, model, row, value)
                              : run_genomes(valid, model, precision, row, value);
}
