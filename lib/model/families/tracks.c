// SPDX-License-Identifier: MIT
// Functions that families of track networks share: defaults of configs, BERT's fields that they lack, heads, folders.
#include "model/families/tracks.h"

#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "model/config_reader.h"

#include <stdlib.h>

enum { WIDTH = 4 };

void gw_track_defaults(gw_config *config) {
    config->head = GW_HEAD_TRACKS;
    config->layers = 0;
    config->heads = 1;
    config->width = config->feed_forward = WIDTH;
    config->rotary = 2; // positions have no weights
    config->segments = 1;
    config->one_hot = true;
    config->activation = GW_ACTIVATION_RELU;
    config->dropout = config->classifier_dropout = 0;
    config->labels = 1;
}

const gw_config_field gw_track_fields[] = {
    {"num_hidden_layers", NULL},
    {"num_attention_heads", NULL},
    {"layer_norm_eps", NULL},
    {"hidden_act", NULL},
    {"position_embedding_type", NULL},
    {"type_vocab_size", NULL},
    {"sep_token_id", NULL},
    {"rotary_dim", NULL},
    {"classifier_dropout", NULL},
    {"hidden_size", NULL},
    {"intermediate_size", NULL},
    {"max_position_embeddings", NULL},
    {"tie_word_embeddings", NULL},
    {"hidden_dropout_prob", NULL},
    {"pad_token_id", NULL},
    {"attention_probs_dropout_prob", NULL},
    {0},
};

gw_tensor gw_build_track_heads(gw_builder *b, gw_tensor x, const char *const names[2], const int64_t counts[2]) {
    gw_tensor out = {0};
    for (int i = 0; i < 2; i++) {
        if (counts[i] == 0) continue;
        const gw_tensor own = gw_build_linear(b, x, GW_ROLE_LOGITS, names[i], counts[i], true);
        out = out.width > 0 ? gw_plan_concatenate(b->plan, out, own) : own;
    }
    return out;
}

gw_status gw_name_species(gw_config *config, int64_t human, int64_t mouse) {
    config->labels = human + mouse;
    config->label_names = gw_alloc(config->labels, sizeof *config->label_names);
    for (int64_t i = 0; config->label_names && i < config->labels; i++) {
        const bool first = i < human;
        config->label_names[i] = gw_strprintf("%s_%lld", first ? "human" : "mouse", (long long)(first ? i : i - human));
        if (!config->label_names[i]) return GW_ERR_MEMORY;
    }
    return config->label_names ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_model_from_track_folder(const gw_track_folder_kind *kind, const char *path, gw_model **out) {
    gw_config config = gw_config_defaults(kind->family);
    gw_checkpoint *stored = NULL;
    char *folder, *file;
    *out = NULL;
    GW_TRY(gw_checkpoint_folder(path, &folder));
    gw_status status = (file = gw_join_path(folder, "config.json")) ? kind->read(file, &config) : GW_ERR_MEMORY;
    free(folder);
    free(file);
    if (status == GW_OK) status = gw_checkpoint_open(path, &stored);
    if (status == GW_OK) status = kind->settle(stored, &config);
    if (status == GW_OK) {
        const gw_tracks tracks = gw_family_of(kind->family)->tracks(&config);
        config.positions = config.window = tracks.window;
        config.bin = tracks.bin;
        status = gw_model_from_state_dict(kind->layout(stored), stored, &config, out);
    }
    gw_checkpoint_close(stored);
    gw_config_free(&config);
    return status;
}
