// SPDX-License-Identifier: MIT
// A family of models: the words of its config.json and the description of its network. A family is a row of
// families.def.
#ifndef GW_MODEL_FAMILY_H
#define GW_MODEL_FAMILY_H

#include "base/json.h"
#include "model/config.h"
#include "model/transformer.h"

// A field of config.json with a name different from BERT's. own NULL: the family does not have the field.
typedef struct {
    const char *bert, *own;
} gw_config_field;

typedef struct gw_config_reader gw_config_reader; // model/config_reader.h

// Predictions for the bases around an allele in one gene. The rows of ALT are aligned to those of REF.
typedef struct {
    const gw_config *config;
    const float *ref, *alt; // [rows][labels]
    int64_t rows, at;       // `at`: the row of POS
    // [rows] whether the base is the first or the last of an exon. Gains count only at other bases, losses only at
    // these. NULL: all count.
    const bool *boundary;
} gw_base_rows;

enum { GW_ANSWER_VALUES = 8 };

// A network that reads a window around each signal of six bases, and gives each position a logit. A further position
// behind the window has logit 0. The tensor GW_ROLE_PLACES, [window + 1], is added to the logits. The strength of a
// signal is the log odds of the probability of positions [from, to) in the softmax of all.
typedef struct {
    const char *const *signals; // ends with NULL
    int64_t window, at;         // length in bp; 0-based offset of the signal in the window
    int64_t from, to;
} gw_signal_scoring;

enum { GW_SIGNAL_BASES = 6 };

// An integer of config.json that only this family has.
typedef struct {
    const char *key;
    int64_t usual, least, most;
} gw_family_number;

// A network that predicts tracks, signals along the genome, for the rows of a window.
typedef struct {    // bases read
    int64_t window; // bases that it reads
    int level;      // resolution of the rows
    int64_t bin;    // bases per row
    int64_t rows;   // predicted rows, in the middle of the window
    int64_t columns;
    bool softplus; // a track is ln(1 + exp(column))
    // true: columns are logits of profiles, one for each strand, with a softmax over all rows and strands; and a last
    // column. The mean of the last column over the rows and `margin` more rows on either side is ln(1 + total count).
    // Twice as many columns: those of a bias model follow. false: each column is a track.
    bool profiles;
    int64_t margin;
    int strands;         // number of profile strands
    double count_weight; // weight of the squared error of this logarithm in the loss, beside the profile's likelihood
    int64_t reach;       // for purely convolutional networks on single bases: bases on either side that a row reads
} gw_tracks;

// Scoring of variants as a family's authors do it. NULL fields: as for all other families.
typedef struct {
    // 0-based offset of POS in a window of this length. NULL: (window - 1) / 2.
    int64_t (*place)(int64_t window);
    // Whether the classes of bases are SpliceAI's, so that scores are written in SpliceAI's format.
    bool (*splices)(const gw_config *config);
    const gw_signal_scoring *signals; // variants are scored by signals near them

    // The remaining fields are for families with labels of bases that are answers to one question. NULL: each label of
    // bases except the first, none, has separate gains and losses.
    const char *name; // of the gained or lost feature
    // Sets the largest gain (ALT - REF) and the largest loss (REF - ALT), their rows relative to `at`, and the values
    // of REF and of ALT in these two rows.
    void (*change)(const gw_base_rows *of, float values[GW_ANSWER_VALUES]);
    // The factor of a member's class probabilities in the model's sum. NULL: 1 / members, the mean.
    double (*share)(int64_t members);
    // Sets the part of a contig that windows over a gene [*begin, *end) read. Bases outside are read as N. NULL: the
    // gene.
    void (*read)(int64_t contig_length, int64_t *begin, int64_t *end);
    // The number of compared rows from POS on. NULL: 1 + distance.
    int64_t (*rows_from)(int64_t distance, int64_t ref_length);
} gw_family_scoring;

typedef struct {
    const char *model_type;        // "bert"
    const char *prefix;            // prefix of architectures: "Bert"; if fields are in two nested objects: the whole
                                   // name
    const gw_config_field *fields; // ends with zeros; NULL: BERT's names
    // Whether a config is of this family, if families share a model_type.
    gw_status (*is)(const gw_config_reader *r, bool *out);
    // Sets defaults that differ from BERT's (gw_config_defaults()): sizes, and the head of a config without
    // architectures and of pretraining. NULL: no differences.
    void (*set_defaults)(gw_config *config);
    // Reads positions, the family's own fields, and their pattern. NULL: only absolute positions.
    gw_status (*read)(const gw_config_reader *r);
    void (*write)(json_t *json, const gw_config *config);
    // Whether "godwit" may name this pattern beside that of the family's fields (by_type: with model_type "godwit").
    // NULL: only full patterns.
    bool (*agrees)(const gw_pattern *own, const gw_pattern *named, bool by_type);
    // Whether transformers, or the family's published code, computes the config's pattern and pooling, if nothing is
    // causal. NULL: only full attention, or a layout, with labels of the first token.
    bool (*computes)(const gw_config *config);
    int64_t (*first_position)(const gw_config *config);                 // gw_config_first_position(); NULL: 0
    const gw_family_number *numbers;                                    // ends with zeros; NULL: none
    int (*levels)(const gw_config *config, int factor[GW_STEM_LEVELS]); // gw_config_levels(); NULL: those of a stem, or
                                                                        // none
    gw_tracks (*tracks)(const gw_config *config);                       // NULL: predicts no tracks
    void (*leave_scored)(gw_config *config); // removes parts that scoring does not read; NULL: none
    // Sets the config's numbers when only the first `count` tracks of the last layer's first head remain. NULL: the
    // labels say it.
    void (*keep_tracks)(gw_config *config, int64_t count);
    void (*describe)(gw_builder *b); // describes the network
    gw_family_scoring scoring;
} gw_family_row;

// The family's name of a field of BERT's config.json; NULL: the family has no such field.
const char *gw_family_field(gw_family family, const char *field);

int gw_family_count(void);
const gw_family_row *gw_family_of(gw_family family);
// The parts of a family's networks, by its defaults.
gw_transformer gw_family_network(gw_family family);

// The rows. Another table that continues this one may replace it: only rows.c counts the rows.
#ifndef GW_FAMILIES_DEF
#define GW_FAMILIES_DEF "model/families.def"
#endif
#define GW_FAMILY(NAME, row) extern const gw_family_row gw_family_##row;
#include GW_FAMILIES_DEF
#undef GW_FAMILY

#endif
