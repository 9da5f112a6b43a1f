// SPDX-License-Identifier: MIT
// Options that several commands share: running a model, selecting variants, held-out regions, and the place of the
// training state.
#include "tools/shared_options.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parse.h"
#include "model/task.h"
#include "network/base_network.h"
#include "network/tracks.h"
#include "task/trained_on.h"

#include <stdlib.h>
#include <string.h>

gw_status gw_check_training_precision(gw_precision dtype) {
    if (dtype == GW_F32 || gw_has_bf16()) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "--dtype: this processor has no bf16 instructions (AVX512_BF16)");
}

gw_status gw_inference_apply(const gw_inference_arguments *arguments, gw_model *model) {
    const int64_t pad_to = arguments->pad_to, positions = gw_config_longest(&model->config);
    if (arguments->mode) GW_TRY(gw_config_use_mode(&model->config, arguments->mode));
    if (pad_to > positions)
        return gw_fail(GW_ERR_RANGE, "--pad-to %lld: the model has %lld positions", (long long)pad_to,
                       (long long)positions);
    model->pad_to = pad_to;
    gw_status status = GW_OK;
    if (arguments->temperature != 0) status = gw_config_use_temperature(&model->config, arguments->temperature);
    if (status != GW_OK) return gw_fail_in(status, "--temperature");
    status = gw_model_freeze(model, arguments->dtype);
    if (status != GW_OK) return gw_fail_in(status, "--dtype");
    char *text = gw_model_attention(model);
    if (!text) return GW_ERR_MEMORY;
    const bool usual = strcmp(text, "full") == 0 && !arguments->mode; // worth no word
    if (pad_to > 0) gw_note("attention: %s, inputs padded to %lld tokens", text, (long long)pad_to);
    else if (!usual) gw_note("attention: %s", text);
    if (arguments->dtype == GW_BF16) gw_note("products are of bf16 numbers");
    free(text);
    return GW_OK;
}

void gw_inference_unload(const gw_string_list *folders, gw_model **models) {
    for (int m = 0; models && m < folders->count; m++) gw_model_free(models[m]);
    free(models);
}

gw_status gw_inference_load(const gw_inference_arguments *arguments, const gw_string_list *folders, gw_model ***out) {
    *out = NULL;
    GW_TRY(gw_device_apply(arguments->device));
    gw_model **models = *out = gw_alloc(folders->count, sizeof *models);
    gw_status status = models ? GW_OK : GW_ERR_MEMORY;
    for (int m = 0; status == GW_OK && m < folders->count; m++) {
        status = gw_model_load(folders->items[m], &models[m]);
        if (status == GW_OK) status = gw_inference_apply(arguments, models[m]);
    }
    if (status == GW_OK) return GW_OK;
    gw_inference_unload(folders, models);
    *out = NULL;
    return status;
}

gw_status gw_model_kinds_of(const char *folder, unsigned *kinds) {
    gw_model *model;
    GW_TRY(gw_model_load(folder, &model));
    const gw_config *config = &model->config;
    if (config->decoder_layers > 0) *kinds = GW_MODEL_WRITES;
    else if (config->head == GW_HEAD_SPAN) *kinds = GW_MODEL_ANSWERS | GW_MODEL_TEXTS;
    else if (gw_config_has_tracks(config)) *kinds = GW_MODEL_TRACKS;
    else if (gw_model_reads_signals(model)) *kinds = GW_MODEL_SIGNALS;
    else if (gw_model_labels_bases(model)) *kinds = gw_model_splices(model) ? GW_MODEL_SPLICING : GW_MODEL_BASES;
    else if (config->labels == 0) *kinds = GW_MODEL_PRETRAINED;
    else if (gw_task_of(config->task)->texts) *kinds = GW_MODEL_TEXTS;
    else if (gw_config_has_numbers(config)) *kinds = GW_MODEL_NUMBERS;
    else *kinds = config->task == GW_TASK_PROMOTER ? GW_MODEL_PROMOTER : GW_MODEL_WINDOWS;
    gw_model_free(model);
    return GW_OK;
}

gw_status gw_variants_model_kinds(const void *arguments, unsigned *kinds) {
    const char *folder = ((const gw_variant_arguments *)arguments)->score.model_folder;
    return folder ? gw_model_kinds_of(folder, kinds) : GW_OK;
}

gw_status gw_variants_open(const gw_variant_arguments *arguments, gw_model **model, gw_genome **genome) {
    *model = NULL;
    *genome = NULL;
    GW_TRY(gw_score_options_check(&arguments->score, NULL));
    gw_device_begin(arguments->inference.device);
    const gw_status loaded = gw_model_load(arguments->score.model_folder, model);
    GW_TRY(gw_device_apply(arguments->inference.device));
    GW_TRY(loaded);
    if (arguments->track_names) GW_TRY(gw_model_name_tracks(*model, arguments->track_names));
    if (arguments->track) GW_TRY(gw_model_choose_tracks(*model, arguments->track));
    GW_TRY(gw_inference_apply(&arguments->inference, *model));
    GW_TRY(gw_genome_open(arguments->fasta, genome));
    if (arguments->chr_map) GW_TRY(gw_genome_read_aliases(*genome, arguments->chr_map));
    return gw_trained_on_check(arguments->score.model_folder, *model, *genome);
}

gw_status gw_held_out_of(const gw_held_out_arguments *a, gw_genome *genome, gw_held_out *out) {
    int64_t fold, folds;
    if (!a->fold) return gw_held_out_read(out, genome, a->valid, a->test, a->exclude);
    if (a->valid || a->test) return gw_fail(GW_ERR_USAGE, "--fold replaces --test and --valid");
    const gw_status status = gw_parse_part(a->fold, &fold, &folds);
    return status == GW_OK ? gw_held_out_fold(out, genome, fold, folds, a->exclude) : gw_fail_in(status, "--fold");
}

char *gw_without_last_slashes(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    return gw_strndup(path, length);
}

gw_status gw_checkpoints_folder(const char *given, const char *output, bool resume, char **out) {
    *out = NULL;
    if (given && strcmp(given, "no") == 0)
        return resume ? gw_fail(GW_ERR_USAGE, "--resume needs a training state, and --checkpoints no saves none")
                      : GW_OK;
    char *beside = gw_without_last_slashes(given ? given : output);
    *out = given || !beside ? beside : gw_strprintf("%s.checkpoints", beside);
    if (!given) free(beside);
    return *out ? GW_OK : GW_ERR_MEMORY;
}
