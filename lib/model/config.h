// SPDX-License-Identifier: MIT
// config.json of a model folder: the architecture's own fields in Hugging Face's names, and one object "godwit" for
// what those have no place for.
#ifndef GW_MODEL_CONFIG_H
#define GW_MODEL_CONFIG_H

#include "base/status.h"
#include "graph/pattern.h"
#include "kernels/activation.h"
#include "model/numbers.h"
#include "nn/stem.h"

#include <stdbool.h>
#include <stdint.h>

// What a model folder was trained for. GW_TASK_PROFILES, GW_TASK_PROMOTER ..., rows of tasks.def.
#define GW_TASK(NAME, name, kind, help, ...) GW_TASK_##NAME,
typedef enum {
    GW_TASK_PRETRAIN,
#include "model/tasks.def"
} gw_task;
#undef GW_TASK

// Whose encoder it is: which tensors there are, under which names, and what is computed with them.
// GW_FAMILY_BIGBIRD, GW_FAMILY_BERT ..., rows of families.def.
#define GW_FAMILY(NAME, row) GW_FAMILY_##NAME,
typedef enum {
#include "model/families.def"
} gw_family;
#undef GW_FAMILY

// How the rows of a sequence read each other, rows of mixers.def.
#define GW_MIXER(NAME, row) GW_MIXER_##NAME,
typedef enum {
#include "model/mixers.def"
} gw_mixer;
#undef GW_MIXER

// What stands on the encoder: "architectures" of config.json.
// GW_HEAD_PRETRAINING, GW_HEAD_MASKED ..., rows of heads.def.
#define GW_HEAD(NAME, row) GW_HEAD_##NAME,
typedef enum {
#include "model/heads.def"
} gw_head;
#undef GW_HEAD

// What the labels of sequences are: "problem_type".
typedef enum { GW_PROBLEM_MULTI_LABEL, GW_PROBLEM_SINGLE_LABEL, GW_PROBLEM_REGRESSION } gw_problem;

// What stands for a sequence where a head gives it labels: its first token's hidden state, the mean of all, that with a
// sum that weighs each by its place, an average by learned attention, or a linear layer over all end to end.
typedef enum {
    GW_SEQUENCE_FIRST,
    GW_SEQUENCE_MEAN,
    GW_SEQUENCE_PLACES,
    GW_SEQUENCE_ATTENTION,
    GW_SEQUENCE_FLATTEN,
    GW_SEQUENCE_POOLINGS // how many there are
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
    double initializer_range;    // 0.02
    const char *undropped;       // key of a dropout that training here would leave out, a literal; NULL: none
    gw_stem stem;                // godwit.stem
    gw_sequence_pooling pooling; // godwit.pooling
    gw_pattern pattern;          // attention_type, block_size, num_random_blocks; else godwit.pattern
    gw_mixer mixer;              // godwit.pattern; of attention over block graphs `pattern` says which
    int64_t mixer_number[GW_MIXER_NUMBERS]; // of other mixers, by the words of their rows
    gw_family family;                       // model_type
    int64_t number[GW_FAMILY_NUMBERS];      // what its family alone has, by the keys of its row
    gw_head head;                           // architectures[0]
    bool head_open;                         // architectures is absent: the tensors of a folder decide (gw_model_load())
    gw_problem problem;                     // problem_type
    gw_activation activation; // hidden_act: gelu_new, gelu_pytorch_tanh ... (GELU), gelu (its exact form), relu
    bool bias;                // use_bias: of query, key and value
    bool norm_bias;           // of norms: without, they still take the mean off
    bool feed_forward_bias, head_bias,
        decoder_bias;              // of the feed-forward layers, a head's own layer, the tokens' logits
    gw_activation head_activation; // of a head's own layer; NONE: the family's
    bool tied;                     // tie_word_embeddings: logits of masked tokens are products with the embeddings
    bool one_hot;                  // tokens embed as one-hot rows, which no file holds (GPN)
    bool embedding_norm;           // emb_layer_norm_before (ESM)
    bool token_dropout;            // masked tokens embed as 0, and the others make up for them (ESM)
    int64_t mask;                  // mask_token_id (ESM); -1: none
    bool rescale;                  // rescale_embeddings: word embeddings times sqrt(width)
    bool pre_norm, last_norm;      // pre_layer_norm, last_layer_norm (GENA)
    bool layout;                   // sparse_attention (GENA): the weights hold which blocks are read
    int64_t rotary;                // rotary_dim: leading dimensions of a head that are rotated; 0: absolute positions
    double rotary_base;            // 10,000
    double local_rotary_base;      // of layers that a pattern with `every` lets read its parts alone
    // pad_token_id, sep_token_id (-1: none): of the files, for what transformers computes; bos_token_id of a config
    // made here, whose eos_token_id is the separator. GW_CONFIG_OPEN: gw_model_begin() takes the tokenizer's.
    int64_t pad, separator, begin;
    // of a decoder; 0 layers: none
    int64_t decoder_layers, decoder_heads, decoder_feed_forward;
    int64_t decoder_start, end; // decoder_start_token_id: before the first token; eos_token_id: after the last
    // the "godwit" object
    gw_task task;
    int64_t labels;           // of the classifier head; 0: a pretraining model
    char **label_names;       // [labels] or NULL
    double positive_weight;   // w of the training loss; logits are shifted by ln w
    double *positive_weights; // [labels] each label's, in its place; or NULL
    bool overlap;             // of classes of bases: one may have several, each by itself, none among them
    gw_numbers numbers;       // of labels that are numbers
    bool both_strands;        // that numbers were learned on: they are means over both
    double temperature;       // T that the labels' logits are divided by, once ln w is off; 0: none was fitted
    int64_t members;          // networks whose class probabilities are averaged (model/model.h); 0: one
    int64_t window;           // bp of a window that the classifier reads; 0: unknown
    int64_t bin;              // bp of a profile's bin; 0: none
    int64_t tss_offset;       // bp before the TSS in a promoter window; -1: none
    int64_t text_length;      // tokens that texts are cut to; 0: the positions
    double mean_bases;        // mean bases a token; 0: unknown
    char *reference_md5;      // or NULL
    char *command;            // training command, or NULL
    const char *stored_as;    // "torch_dtype" that saving writes, a literal; NULL: float32
    char *other;              // JSON object of keys that are not read here, which saving keeps; or NULL
} gw_config;

// tiny 4x128x2 (1,024 positions), small 6x384x6, base 12x768x12, large 24x1024x16 (4,096 positions); of single bases
// with a stem dna-mini, dna-tiny, dna-small, dna-base; SpliceAI's networks splice-80, splice-400, splice-2000,
// splice-10000, by the bases that they read around each; BigBirdPegasus pegasus-mini 2x64x4, pegasus-tiny 2x128x4
// (1,024 positions), pegasus-small 4x256x8, pegasus-base 12x768x12, pegasus-large 16x1024x16, and as much in the
// decoder; feed-forward is 4 widths; ModernBERTs modern-tiny 6x128x2 (1,024 positions), modern-base 22x768x12 (8,192
// positions), whose gated feed-forward layers are 1.5 widths.
gw_status gw_config_preset(const char *size, gw_config *out) GW_MUST_CHECK;
#define GW_CONFIG_SIZES "tiny|small|base|large|modern-tiny|modern-base|dna-mini|dna-tiny|dna-small|dna-base"
#define GW_CONFIG_SPLICE_SIZES "splice-80|splice-400|splice-2000|splice-10000"
#define GW_CONFIG_DECODER_SIZES "pegasus-mini|pegasus-tiny|pegasus-small|pegasus-base|pegasus-large"
// w of a label.
double gw_config_positive_weight(const gw_config *config, int64_t label);
// T of the labels' logits: 1 where none was fitted, and of labels that are numbers.
double gw_config_temperature(const gw_config *config);
bool gw_config_has_classes(const gw_config *config); // labels, and they are no numbers
bool gw_config_has_numbers(const gw_config *config); // labels that are numbers
// Outputs of the head of labels for a sequence or token: one for each label, of numbers as many as their loss reads.
int64_t gw_config_logits(const gw_config *config);
// Another T, 1e-4 to 1e4; of a model without classes an error.
gw_status gw_config_use_temperature(gw_config *config, double temperature) GW_MUST_CHECK;
#define GW_MOST_TEMPERATURE 1e4
enum { GW_MOST_ROTATED = 1 << 20 }; // rotary positions, which no table of weights bounds
// Another number of positions than the model was trained with, which rotary ones can have: they have no weights. A head
// that weighs places, and positions in the stem, do: GW_ERR_UNSUPPORTED.
gw_status gw_config_use_positions(gw_config *config, int64_t positions) GW_MUST_CHECK;
// What config.json calls an activation: "gelu".
const char *gw_config_activation(gw_activation activation);
// "first", "mean", "places", "attention" or "flatten", as "pooling" says it.
gw_status gw_config_use_pooling(gw_config *config, const char *name) GW_MUST_CHECK;
// Another pattern: that of a block graph (graph/pattern.h), or the words of a mixer (model/mixer.h).
gw_status gw_config_use_pattern(gw_config *config, const char *spec) GW_MUST_CHECK;
// The text that says it, and that with what draws named, as in itc/seeded; free() it.
char *gw_config_pattern(const gw_config *config);
char *gw_config_provenance(const gw_config *config);
// What the weights were trained with in another way: a mode of BigBird's (gw_pattern_use_mode()), or full attention.
gw_status gw_config_use_mode(gw_config *config, const char *mode) GW_MUST_CHECK;
bool gw_config_has_modes(const gw_config *config); // whether the attention is BigBird's, and not full
// Another stem for a model of single bases; the text is nn/stem.h's.
gw_status gw_config_use_stem(gw_config *config, const char *text) GW_MUST_CHECK;
// Reads and checks a config.json (also a user's own for -c); free with gw_config_free(). What is missing takes
// transformers' default of the model_type; what would be another computation is refused by its key.
gw_status gw_config_load(const char *path, gw_config *out) GW_MUST_CHECK;
// The same of a file that names no architecture, once the tensors imply the head, and how many labels it has where
// the file does not say (0: nor do they).
gw_status gw_config_load_headed(const char *path, gw_head head, int64_t labels, gw_config *out) GW_MUST_CHECK;
// The same of a text in memory; `path` is for messages.
gw_status gw_config_parse(const char *path, const char *text, int64_t length, gw_config *out) GW_MUST_CHECK;
// A pattern that transformers cannot compute gets model_type "godwit".
gw_status gw_config_save(const gw_config *config, const char *path) GW_MUST_CHECK;
gw_status gw_config_copy(const gw_config *config, gw_config *out) GW_MUST_CHECK;
void gw_config_free(gw_config *config);
void gw_config_forget_labels(gw_config *config); // and their weights and temperature
// Do both tell the same labels, by name and in one order, in the same way (head and kind of problem)?
bool gw_config_same_classifier(const gw_config *a, const gw_config *b);
// "BertForMaskedLM": the family's class of transformers with that head.
void gw_architecture_name(gw_family family, gw_head head, char name[64]);
// Whether the head guesses masked tokens.
bool gw_config_predicts_masked(const gw_config *config);
// The position of a sequence's first token: RoBERTa's begin after that of the padding.
int64_t gw_config_first_position(const gw_config *config);
// Tokens of the longest input, special tokens included.
int64_t gw_config_longest(const gw_config *config);
// The token that a decoder's sources begin with; -1: none.
int64_t gw_config_source_begin(const gw_config *config);
// How many resolutions coarser than single tokens the model has, by a stem or its family, and tokens to a row of each;
// factor[0] is 1.
int gw_config_levels(const gw_config *config, int factor[GW_STEM_LEVELS]);
bool gw_config_has_tracks(const gw_config *config); // predicts signals along the genome (gw_tracks of model/family.h)
// Rows of the longest sequence where its hidden states stand: tokens, or what a stem pools.
int64_t gw_config_pooled_rows(const gw_config *config);

#endif
