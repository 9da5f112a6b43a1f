// SPDX-License-Identifier: MIT
// What tells one family of models from another: the words of its config.json, and what describes its network. A family
// is a row of this (families.def).
#ifndef GW_MODEL_FAMILY_H
#define GW_MODEL_FAMILY_H

#include "base/json.h"
#include "model/config.h"
#include "model/transformer.h"

// A field of config.json that is not called what BERT calls it; one that the family does not have: NULL.
typedef struct {
    const char *bert, *own;
} gw_config_field;

typedef struct gw_config_reader gw_config_reader; // model/config_reader.h

// Rows of bases around an allele in one gene, ALT's laid against REF's.
typedef struct {
    const gw_config *config;
    const float *ref, *alt; // [rows][labels]
    int64_t rows, at;       // `at`: the row of POS
    // [rows] whether the base is the first or the last of an exon: there gains do not count, and losses nowhere else.
    // NULL: all count.
    const bool *boundary;
} gw_base_rows;

enum { GW_ANSWER_VALUES = 8 };

// Of a network that reads a window around each signal of six bases, and gives each place of it a logit; a last place,
// whose logit is 0, is behind it. The tensor GW_ROLE_PLACES has what is added to the logits, [window + 1]. A signal's
// strength is the log odds of the share of places [from, to) in the softmax of all.
typedef struct {
    const char *const *signals; // ends with NULL
    int64_t window, at;         // bases; where in it the signal begins
    int64_t from, to;
} gw_signal_scoring;

enum { GW_SIGNAL_BASES = 6 };

// An integer of config.json that one family alone has.
typedef struct {
    const char *key;
    int64_t usual, least, most;
} gw_family_number;

// Of a network that gives the rows of a window tracks: signals along the genome.
typedef struct {
    int64_t window; // bases that it reads
    int level;      // resolution of the rows
    int64_t bin;    // bases to a row
    int64_t rows;   // in the middle of the window: those that are predicted
    int64_t columns;
    bool softplus; // a track is ln(1 + exp(column))
    // Columns are logits of a profile, one for each strand, which is their softmax over all rows and strands, and a
    // last one, whose mean over the rows, and `margin` more on either side, is the logarithm of 1 + all counts. Where
    // there are twice as many, those of a bias model follow. false: each column is a track.
    bool profiles;
    int64_t margin;
    int strands;         // of profiles
    double count_weight; // of the squared error of that logarithm in the loss, beside the profile's likelihood
    int64_t reach; // of networks that are convolutions of single bases alone: bases on either side that a row reads
} gw_tracks;

// How variants are scored by a family whose authors have ways of their own. NULL: as all others are.
typedef struct {
    // Where the base of POS stands in a window of so many. NULL: at (window - 1) / 2.
    int64_t (*place)(int64_t window);
    // Whether the model's classes of bases are SpliceAI's, so that scores are written as SpliceAI writes them.
    bool (*splices)(const gw_config *config);
    const gw_signal_scoring *signals; // whose variants are scored by those near them

    // The rest is of a family whose labels of bases are several answers to one question. NULL: each label of bases has
    // gains and losses of its own, but the first, none.
    const char *name; // of what is gained or lost
    // Sets the largest gain (ALT - REF) and the largest loss (REF - ALT), their rows counted from `at`, what REF has at
    // these two rows, and what ALT has there.
    void (*change)(const gw_base_rows *of, float values[GW_ANSWER_VALUES]);
    // The part of a member's class probabilities that is added to the model's. NULL: 1 / members, their mean.
    double (*share)(int64_t members);
    // Sets the part of a contig that windows over a gene [*begin, *end) read; beyond it they read N. NULL: the gene.
    void (*read)(int64_t contig_length, int64_t *begin, int64_t *end);
    // How many rows from POS on are compared. NULL: 1 + distance, to so many behind POS.
    int64_t (*rows_from)(int64_t distance, int64_t ref_length);
} gw_family_scoring;

typedef struct {
    const char *model_type;        // "bert"
    const char *prefix;            // of architectures: "Bert"; where fields stand in objects of two: the whole name
    const gw_config_field *fields; // ends with zeros; NULL: all are BERT's
    // Whether a config is of this family, for those that share another's model_type.
    gw_status (*is)(const gw_config_reader *r, bool *out);
    // The defaults of its models that are not BERT's (gw_config_defaults()): the head of a config without architectures
    // and of pretraining, sizes. NULL: none.
    void (*set_defaults)(gw_config *config);
    // Positions, fields of its own, and the pattern that they say. NULL: absolute positions alone.
    gw_status (*read)(const gw_config_reader *r);
    void (*write)(json_t *json, const gw_config *config);
    // Whether a pattern of "godwit" may stand beside that of its fields (by_type: of model_type "godwit"). NULL: full
    // ones alone.
    bool (*agrees)(const gw_pattern *own, const gw_pattern *named, bool by_type);
    // Whether transformers, or the family's own code, computes the config's pattern and pooling, where nothing is
    // causal. NULL: full attention, or that of a layout, and labels of the first token.
    bool (*computes)(const gw_config *config);
    int64_t (*first_position)(const gw_config *config);                 // of a sequence's first token; NULL: 0
    const gw_family_number *numbers;                                    // ends with zeros; NULL: none
    int (*levels)(const gw_config *config, int factor[GW_STEM_LEVELS]); // gw_config_levels(); NULL: a stem's, or none
    gw_tracks (*tracks)(const gw_config *config);                       // NULL: it predicts none
    void (*leave_scored)(gw_config *config); // takes out what scores do not read; NULL: they read all
    // Sets the config's numbers where the last layer has but so many tracks of its first head left. NULL: the labels
    // do.
    void (*keep_tracks)(gw_config *config, int64_t count);
    void (*describe)(gw_builder *b); // its network
    gw_family_scoring scoring;
} gw_family_row;

// What the family's config.json calls a field of BERT's; NULL: it has none.
const char *gw_family_field(gw_family family, const char *field);

int gw_family_count(void);
const gw_family_row *gw_family_of(gw_family family);
// What its networks are made of, by its defaults.
gw_transformer gw_family_network(gw_family family);

// The rows. Another table, which goes on after these, can stand in their place: rows.c alone counts them.
#ifndef GW_FAMILIES_DEF
#define GW_FAMILIES_DEF "model/families.def"
#endif
#define GW_FAMILY(NAME, row) extern const gw_family_row gw_family_##row;
#include GW_FAMILIES_DEF
#undef GW_FAMILY

#endif
