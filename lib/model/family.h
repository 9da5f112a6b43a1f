// SPDX-License-Identifier: MIT
// What tells one family of encoders from another: the words of its config.json, the names of its tensors, and what is
// computed otherwise. A family is a row of this (families.def).
#ifndef GW_MODEL_FAMILY_H
#define GW_MODEL_FAMILY_H

#include "base/json.h"
#include "model/config.h"

// A tensor or a field of config.json that is not called what BERT calls it; a field that the family does not have:
// NULL.
typedef struct {
    const char *bert, *own;
} gw_tensor_stem;

// A stored tensor that holds several of a layer's, one below the other: "attn.Wqkv" those that are called
// "attn.Wqkv.query", "attn.Wqkv.key" and "attn.Wqkv.value" here. Unused places: NULL.
enum { GW_FUSED_PARTS = 3 };
typedef struct {
    const char *stored, *part[GW_FUSED_PARTS];
} gw_fused_tensor;

// Order of the two steps that follow the sum of embeddings, or a norm alone.
typedef enum { GW_DROPOUT_THEN_NORM, GW_NORM_THEN_DROPOUT, GW_NORM_ALONE } gw_embedding_order; // BigBird, BERT, ESM

typedef struct gw_config_reader gw_config_reader; // model/config_reader.h

typedef struct {
    // config.json
    const char *model_type;                        // "bert"
    const char *prefix;                            // of architectures: "Bert"
    const char *architecture;                      // the name of its one class; NULL: the prefix and a head's suffix
    bool nests;                                    // its fields stand in an object "encoder", beside a "decoder"
    gw_head usual_head;                            // of a config without architectures, and of pretraining
    int64_t vocabulary, positions, pad, separator; // transformers' defaults
    gw_activation activation;
    gw_pattern pattern;
    bool rotary;                 // may have rotary positions
    bool stem;                   // may have a convolutional stem, and then no layers
    bool splices;                // tells of bases whether exons begin or end there, which scores as SpliceAI does
    bool pre_norm;               // norms before the sublayers and a last one, where no field says it
    bool bands;                  // its patterns may have a band
    bool window_ahead;           // `score` of an even window has one base more before the allele than behind it
    bool pools_mean;             // its fields say whether a sequence's first token or its mean stands for it
    bool scales_by_inputs;       // weights of products begin at 1 / sqrt(inputs), not at initializer_range
    bool scales_outputs;         // those whose result is added to others begin smaller, by sqrt(2 layers)
    gw_sequence_pooling pooling; // where "godwit" does not say it
    bool no_questions;           // has no heads that answer questions
    bool names_special_tokens;   // transformers needs them in a file, where no file was read
    // Whether a config is of this family, for those that share another's model_type.
    gw_status (*is)(const gw_config_reader *r, bool *out);
    const gw_tensor_stem *fields;            // ends with zeros; NULL: all are BERT's
    void (*set_defaults)(gw_config *config); // those of transformers that are not BERT's; NULL: none
    // Fields of its own, and the pattern that they say; NULL: none.
    gw_status (*read)(const gw_config_reader *r);
    gw_status (*read_pattern)(const gw_config_reader *r, gw_pattern *pattern);
    void (*write)(json_t *json, const gw_config *config);
    // Whether a pattern of "godwit" may stand beside that of its fields (by_type: of model_type "godwit"), and whether
    // transformers, or the family's own code, computes a pattern, neither causal nor a band. NULL: full ones alone.
    bool (*agrees)(const gw_pattern *own, const gw_pattern *named, bool by_type);
    bool (*computes)(const gw_pattern *pattern);
    // tensors
    const char *encoder;         // what stands before names of the encoder under a head: "bert."
    const gw_tensor_stem *stems; // ends with zeros; with norms before the sublayers pre_norm_stems come first
    const gw_tensor_stem *pre_norm_stems;
    const gw_fused_tensor *fused;        // ends with zeros; NULL: none
    const char *layers, *decoder_layers; // what stands before the number of a layer; NULL: "encoder.layer"; no decoder
    const char *stem_parts;              // the same of a part of its stem; NULL: "stem"
    bool taps_last;                      // convolutions are stored [width][in][taps]
    const gw_tensor_stem *ties;          // names of a file under which a tensor may be stored as well; ends with zeros
    const char *twin;        // what stands before names of a decoder that has the encoder's tensors, which files hold
                             // under both names: "decoder.bert."; NULL: a decoder has tensors of its own
    bool unties;             // logits of masked tokens may have weights of their own (tie_word_embeddings false)
    bool stores_frequencies; // files may hold the frequencies of rotary positions, as they were rounded in training
    bool keeps_contacts;     // files may hold a head of contacts, which is kept as it is
    bool sinusoids;          // positions are sines and cosines, which nothing trains and a file may lack
    bool begins_source;      // the token that begins a target begins a source too
    bool plain_embedding;    // neither segments nor a norm in the embeddings
    bool bias_in_output;     // use_bias says of attention's output layer too whether it has one
    bool no_segments;        // the embeddings have no segments
    bool no_first_norm;      // norms before the sublayers, but for the first one
    bool gated;              // feed-forward layers have a gate
    bool head_transform;     // every head reads LN(act(W h)) of its rows, and there is no pooler
    bool always_pools;       // has a pooler under every head but question answering, read or not
    bool dense_labels;       // the sequence head has a layer of its own before its logits; else it reads the pooler
    bool norm_labels;        // and a norm before that
    bool splits_questions;   // the question head has a feed-forward block of its own, and context is segment 1
    // computation
    gw_embedding_order order;
    bool positions_after_pad; // count from pad_token_id + 1, and padding stays at pad_token_id, but rotary ones
    gw_activation mask_activation, dense_activation; // of the masked head and of dense_labels; NONE: hidden_act
    bool choice_drops_hidden;                        // multiple choice: hidden_dropout_prob, not classifier_dropout
    // convert to BigBird
    const char *tokenizer_class; // of its vocabulary; NULL: cannot become a BigBird
    int64_t end;                 // its separator where a config names none
} gw_family_row;

// Whether the family has a class with that head: only those with a decoder generate, and only they do nothing else.
bool gw_family_has_head(gw_family family, gw_head head);
// What the family's config.json calls a field of BERT's; NULL: it has none.
const char *gw_family_field(gw_family family, const char *field);

int gw_family_count(void);
const gw_family_row *gw_family_of(gw_family family);

// The rows. Another table, which goes on after these, can stand in their place: family.c alone counts them.
#ifndef GW_FAMILIES_DEF
#define GW_FAMILIES_DEF "model/families.def"
#endif
#define GW_FAMILY(NAME, row) extern const gw_family_row gw_family_##row;
#include GW_FAMILIES_DEF
#undef GW_FAMILY

#endif
