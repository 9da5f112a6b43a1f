// SPDX-License-Identifier: MIT
// config.json of a model folder: the architecture's fields with Hugging Face's names, and an object "godwit" for all
// others.
#ifndef GW_MODEL_CONFIG_H
#define GW_MODEL_CONFIG_H

#include "base/status.h"
#include "graph/pattern.h"
#include "kernels/activation.h"
#include "model/numbers.h"
#include "nn/stem.h"

#include <stdbool.h>
#include <stdint.h>

// The task of a model: GW_TASK_PROFILES, GW_TASK_PROMOTER ..., rows of tasks.def.
#define GW_TASK(NAME, name, kind, help, ...) GW_TASK_##NAME,
typedef enum {
    GW_TASK_PRETRAIN,
#include "model/tasks.def"
} gw_task;
#undef GW_TASK

// The family of the encoder, which decides the tensors, their names and the computation. GW_FAMILY_BIGBIRD,
// GW_FAMILY_BERT ..., rows of families.def.
#define GW_FAMILY(NAME, row) GW_FAMILY_##NAME,
typedef enum {
#include "model/families.def"
} gw_family;
#undef GW_FAMILY

// The way in which rows of a sequence read each other: rows of mixers.def.
#define GW_MIXER(NAME, row) GW_MIXER_##NAME,
typedef enum {
#include "model/mixers.def"
} gw_mixer;
#undef GW_MIXER

// The head on the encoder: "architectures" of config.json. GW_HEAD_PRETRAINING, GW_HEAD_MASKED ..., rows of heads.def.
#define GW_HEAD(NAME, row) GW_HEAD_##NAME,
typedef enum {
#include "model/heads.def"
} gw_head;
#undef GW_HEAD

// The kind of sequence labels: "problem_type".
typedef enum { GW_PROBLEM_MULTI_LABEL, GW_PROBLEM_SINGLE_LABEL, GW_PROBLEM_REGRESSION } gw_problem;

// The vector of a sequence for labels: the first token's hidden state, the mean of all states, the mean plus a sum
// weighted by position, an average weighted by learned attention, or a linear layer over all states end to end.
typedef enum {
    GW_SEQUENCE_FIRST,
    GW_SEQUENCE_MEAN,
    GW_SEQUENCE_PLACES,
    GW_SEQUENCE_ATTENTION,
    GW_SEQUENCE_FLATTEN,
    GW_SEQUENCE_POOLINGS // number of poolings
} gw_sequence_pooling;

enum { GW_CONFIG_OPEN = -2, GW_MOST_MEMBERS = 100, GW_MIXER_NUMBERS = 10, GW_FAMILY_NUMBERS = 16 };

typedef struct {
    // Hugging Face's fields
    int64_t vocabulary;    // vocab_size
    int64_t width;         // hidden_size
    int64_t layers, heads; // num_hidden_layers, num_attention_heads
    int64_t feed_forward;  // intermediate_size
    int64_t positions;     // max_position_embeddings
    int64_t segments;      // type_vocab_size
    double epsilon;        // layer_norm_eps, 1e-12
    double dropout;        // hidden_dropout_prob
    double classifier_dropout;
    double initializer_range;               // 0.02
    const char *undropped;                  // key of a dropout that training does not support, a literal; NULL: none
    gw_stem stem;                           // godwit.stem
    gw_sequence_pooling pooling;            // godwit.pooling
    gw_pattern pattern;                     // attention_type, block_size, num_random_blocks; otherwise godwit.pattern
    gw_mixer mixer;                         // godwit.pattern; attention over block graphs: see `pattern`
    int64_t mixer_number[GW_MIXER_NUMBERS]; // numbers of other mixers, in the order of their words
    gw_family family;                       // model_type
    int64_t number[GW_FAMILY_NUMBERS];      // numbers of this family only, in the order of its keys
    gw_head head;                           // architectures[0]
    bool head_open;                         // no architectures: the tensors of the folder decide (gw_model_load())
    gw_problem problem;                     // problem_type
    gw_activation activation;               // hidden_act: gelu_new, gelu_pytorch_tanh ... (GELU), gelu (exact), relu
    bool bias;                              // use_bias: of query, key and value
    bool norm_bias;                         // biases of norms; without a bias norms still subtract the mean
    // biases of the feed-forward layers, of a head's separate layer, of the tokens' logits
    bool feed_forward_bias, head_bias, decoder_bias;
    gw_activation head_activation; // of a head's separate layer; NONE: the family's
    bool tied;                     // tie_word_embeddings: the weight of masked-token logits is the embedding table
    bool one_hot;                  // token embeddings are one-hot rows, which files do not hold (GPN)
    bool embedding_norm;           // emb_layer_norm_before (ESM)
    bool token_dropout;            // masked tokens embed as 0, and the other embeddings are scaled up (ESM)
    int64_t mask;                  // mask_token_id (ESM); -1: none
    bool rescale;                  // rescale_embeddings: word embeddings times sqrt(width)
    bool pre_norm, last_norm;      // pre_layer_norm, last_layer_norm (GENA)
    bool layout;                   // sparse_attention (GENA): the weights hold the blocks to read
    int64_t rotary;                // rotary_dim: rotated leading dimensions of a head; 0: absolute positions
    double rotary_base;            // 10,000
    double local_rotary_base;      // of layers with local attention, in a pattern with `every`
    // pad_token_id, sep_token_id (-1: none): as in the file, for computing like transformers; bos_token_id of a config
    // made by godwit, with the separator as eos_token_id. GW_CONFIG_OPEN: gw_model_begin() takes the tokenizer's.
    int64_t pad, separator, begin;
    // decoder; 0 layers: no decoder
    int64_t decoder_layers, decoder_heads, decoder_feed_forward;
    int64_t decoder_start, end; // decoder_start_token_id: before the first token; eos_token_id: after the last
    // the "godwit" object
    gw_task task;
    int64_t labels;           // of the classifier head; 0: a pretraining model
    char **label_names;       // [labels] or NULL
    double positive_weight;   // w of the training loss; logits are shifted by ln w
    double *positive_weights; // [labels] weight of each label; or NULL
    bool overlap;             // classes of bases may overlap; each is predicted by itself, none among them
    gw_numbers numbers;       // for labels that are numbers
    bool both_strands;        // numbers were learned as means over both strands
    double temperature;       // T, the divisor of the labels' logits after ln w is removed; 0: not fitted
    int64_t members;          // networks with averaged class probabilities (model/model.h); 0: one
    int64_t window;           // length in bp of the classifier's windows; 0: unknown
    int64_t bin;              // bp of a profile's bin; 0: none
    int64_t tss_offset;       // bp before the TSS in a promoter window; -1: none
    int64_t text_length;      // texts are cut to this number of tokens; 0: the positions
    double mean_bases;        // mean bases a token; 0: unknown
    char *reference_md5;      // or NULL
    char *command;            // training command, or NULL
    const char *stored_as;    // "torch_dtype" when saving, a literal; NULL: float32
    char *other;              // JSON object of unknown keys, which saving keeps; or NULL
} gw_config;

// Sizes, as layers x width x heads. Base: tiny 4x128x2 (1,024 positions), small 6x384x6, base 12x768x12, large
// 24x1024x16 (4,096 positions). Single bases with a stem: dna-mini, dna-tiny, dna-small, dna-base. SpliceAI's networks,
// by the bases read around each base: splice-80, splice-400, splice-2000, splice-10000. BigBirdPegasus, with as many
// layers in the decoder: pegasus-mini 2x64x4, pegasus-tiny 2x128x4 (1,024 positions), pegasus-small 4x256x8,
// pegasus-base 12x768x12, pegasus-large 16x1024x16. Feed-forward layers have 4 widths. ModernBERT, with gated
// feed-forward layers of 1.5 widths: modern-tiny 6x128x2 (1,024 positions), modern-base 22x768x12 (8,192 positions).
gw_status gw_config_preset(const char *size, gw_config *out) GW_MUST_CHECK;
#define GW_CONFIG_SIZES "tiny|small|base|large|modern-tiny|modern-base|dna-mini|dna-tiny|dna-small|dna-base"
#define GW_CONFIG_SPLICE_SIZES "splice-80|splice-400|splice-2000|splice-10000"
#define GW_CONFIG_DECODER_SIZES "pegasus-mini|pegasus-tiny|pegasus-small|pegasus-base|pegasus-large"
// The weight w of a label in training.
double gw_config_positive_weight(const gw_config *config, int64_t label);
// The temperature T of the labels' logits: 1 if none was fitted, and for labels that are numbers.
double gw_config_temperature(const gw_config *config);
bool gw_config_has_classes(const gw_config *config); // has labels, and they are not numbers
bool gw_config_has_numbers(const gw_config *config); // labels that are numbers
// Outputs of the label head for a sequence or token: one for each label; for numbers, as many as their loss needs.
int64_t gw_config_logits(const gw_config *config);
// Sets T, 1e-4 to 1e4. A model without classes is an error.
gw_status gw_config_use_temperature(gw_config *config, double temperature) GW_MUST_CHECK;
#define GW_MOST_TEMPERATURE 1e4
enum { GW_MOST_ROTATED = 1 << 20 }; // rotary positions are not limited by a table
// Sets another number of positions than in training. Only rotary positions allow this, as they have no weights. A head
// with weights by position, and positions in the stem, are GW_ERR_UNSUPPORTED.
gw_status gw_config_use_positions(gw_config *config, int64_t positions) GW_MUST_CHECK;
// The name of an activation in config.json: "gelu".
const char *gw_config_activation(gw_activation activation);
// Sets the pooling: "first", "mean", "places", "attention" or "flatten", as in "pooling" of config.json.
gw_status gw_config_use_pooling(gw_config *config, const char *name) GW_MUST_CHECK;
// Sets another pattern: of a block graph (graph/pattern.h), or in the words of a mixer (model/mixer.h).
gw_status gw_config_use_pattern(gw_config *config, const char *spec) GW_MUST_CHECK;
// The text of the pattern; and the same with the random draws named, as in itc/seeded. free() it.
char *gw_config_pattern(const gw_config *config);
char *gw_config_provenance(const gw_config *config);
// Uses the same weights with another attention: a mode of BigBird (gw_pattern_use_mode()), or full attention.
gw_status gw_config_use_mode(gw_config *config, const char *mode) GW_MUST_CHECK;
bool gw_config_has_modes(const gw_config *config); // whether the model has BigBird's attention, and not full attention
// Sets another stem (nn/stem.h) for a model of single bases.
gw_status gw_config_use_stem(gw_config *config, const char *text) GW_MUST_CHECK;
// Reads and checks a config.json (also a user's file for -c). Free the config with gw_config_free(). Missing fields
// take transformers' default for the model_type. A field that requires an unsupported computation is an error that
// names its key.
gw_status gw_config_load(const char *path, gw_config *out) GW_MUST_CHECK;
// The same for a file without architectures. The tensors imply the head, and the number of labels if the file lacks it
// (0: unknown).
gw_status gw_config_load_headed(const char *path, gw_head head, int64_t labels, gw_config *out) GW_MUST_CHECK;
// The same for a text in memory; `path` is for messages.
gw_status gw_config_parse(const char *path, const char *text, int64_t length, gw_config *out) GW_MUST_CHECK;
// Writes a config.json. A pattern that transformers cannot compute gets model_type "godwit".
gw_status gw_config_save(const gw_config *config, const char *path) GW_MUST_CHECK;
gw_status gw_config_copy(const gw_config *config, gw_config *out) GW_MUST_CHECK;
void gw_config_free(gw_config *config);
void gw_config_forget_labels(gw_config *config); // with their weights and temperature
// Whether both configs predict the same labels in the same order, with the same head and kind of problem.
bool gw_config_same_classifier(const gw_config *a, const gw_config *b);
// "BertForMaskedLM": the class of transformers for the family and head.
void gw_architecture_name(gw_family family, gw_head head, char name[64]);
// Whether the head predicts masked tokens.
bool gw_config_predicts_masked(const gw_config *config);
// The position number of a sequence's first token. RoBERTa counts from the number after the padding's.
int64_t gw_config_first_position(const gw_config *config);
// Most tokens of an input, special tokens included.
int64_t gw_config_longest(const gw_config *config);
// The first token of a decoder's sources; -1: none.
int64_t gw_config_source_begin(const gw_config *config);
// The number of resolutions coarser than tokens, from the stem or the family. factor[i] is the number of tokens per
// row; factor[0] is 1.
int gw_config_levels(const gw_config *config, int factor[GW_STEM_LEVELS]);
bool gw_config_has_tracks(const gw_config *config); // predicts signals along the genome (gw_tracks of model/family.h)
// Rows of hidden states for the longest sequence: tokens, or pooled rows of a stem.
int64_t gw_config_pooled_rows(const gw_config *config);

#endif
