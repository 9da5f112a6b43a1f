// SPDX-License-Identifier: MIT
// What a model's folder says of generating: transformers' generation_config.json; before it was a file of its own, the
// same fields of config.json.
#include "base/json.h"
#include "base/output.h"
#include "language/generate.h"

#include <stdlib.h>
#include <unistd.h>

enum { MOST_BEAMS = 1024, MOST_TOKENS = 1 << 20 };

static gw_status read_fields(const json_t *json, const char *path, gw_beam_options *o) {
    int64_t forced = -1, start = o->start, end = o->end;
    GW_TRY(gw_json_int(json, path, "num_beams", false, 1, MOST_BEAMS, &o->beams));
    GW_TRY(gw_json_double(json, path, "length_penalty", false, &o->length_penalty));
    GW_TRY(gw_json_int(json, path, "max_length", false, 2, MOST_TOKENS, &o->max_length));
    GW_TRY(gw_json_int(json, path, "min_length", false, 0, MOST_TOKENS, &o->min_length));
    GW_TRY(gw_json_int(json, path, "no_repeat_ngram_size", false, 0, MOST_TOKENS, &o->no_repeat_ngram));
    GW_TRY(gw_json_int(json, path, "decoder_start_token_id", false, 0, INT32_MAX, &start));
    GW_TRY(gw_json_int(json, path, "eos_token_id", false, 0, INT32_MAX, &end));
    GW_TRY(gw_json_int(json, path, "forced_eos_token_id", false, 0, INT32_MAX, &forced));
    o->start = (int32_t)start;
    o->end = (int32_t)end;
    o->forced_end = (int32_t)forced;
    return GW_OK;
}

static gw_status read_file(const char *path, gw_beam_options *o) {
    json_t *json;
    GW_TRY(gw_json_load(path, &json));
    const gw_status status = read_fields(json, path, o);
    json_decref(json);
    return status;
}

// Sets what `o` leaves open to the folder's.
static void take_defaults(const gw_beam_options *folder, gw_beam_options *o) {
    if (o->beams <= 0) o->beams = folder->beams;
    if (o->length_penalty < 0) o->length_penalty = folder->length_penalty;
    if (o->max_length < 0) o->max_length = folder->max_length;
    if (o->min_length < 0) o->min_length = folder->min_length;
    if (o->no_repeat_ngram < 0) o->no_repeat_ngram = folder->no_repeat_ngram;
    o->start = folder->start;
    o->end = folder->end;
    o->forced_end = folder->forced_end;
}

gw_status gw_generate_complete(const char *folder, const gw_model *model, gw_generate_options *options) {
    const gw_config *config = &model->config;
    if (config->decoder_layers == 0)
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: the model has no decoder, it cannot write texts", folder);
    gw_beam_options o = {.beams = 5,
                         .length_penalty = 1,
                         .max_length = config->positions < 256 ? config->positions : 256,
                         .start = (int32_t)config->decoder_start,
                         .end = (int32_t)config->end,
                         .forced_end = -1};
    char *own = gw_join_path(folder, "generation_config.json"), *config_path = gw_join_path(folder, "config.json");
    gw_status status = own && config_path ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = read_file(access(own, F_OK) == 0 ? own : config_path, &o);
    if (status == GW_OK && (o.start >= config->vocabulary || o.end >= config->vocabulary))
        status = gw_fail(GW_ERR_RANGE, "%s: tokens %d and %d begin and end a text, the model's vocabulary has %lld",
                         own, o.start, o.end, (long long)config->vocabulary);
    if (status == GW_OK) take_defaults(&o, &options->search);
    free(own);
    free(config_path);
    return status;
}
