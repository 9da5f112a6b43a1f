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

// What is the same for all models of a family.
typedef struct {
    bool single_bases;        // of single bases, which may have a stem, and no layers behind that
    bool rotary;              // positions may be rotary, where "position_embedding_type" says so
    bool splices;             // tells of bases whether exons begin or end there, which scores as SpliceAI does
    bool positions_after_pad; // count from pad_token_id + 1, and padding stays at pad_token_id, but rotary ones
    bool begins_source;       // the token that begins a target begins a source too
    bool keeps_query;         // files hold the query's layer together with others: a mixer cannot be without it
    bool no_questions;        // has no heads that answer questions
    bool nests;               // fields of config.json stand in an object "encoder", beside a "decoder", of one class,
                              // whose name is the row's prefix
    bool unties;              // logits of masked tokens may have weights of their own (tie_word_embeddings false)
    int window_shift;         // bases that `score` moves an even window by
} gw_family_facts;

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

// How variants are scored by a family whose labels of bases are several answers to one question.
typedef struct {
    const char *name;        // of what is gained or lost
    bool members_apart;      // a member fills labels of its own: members are summed, not averaged
    bool reads_beyond_genes; // windows have the genome's bases beyond the ends of the gene, not N
    bool compares_behind;    // rows are compared up to D behind REF's last base, not behind POS
    // Sets the largest gain (ALT - REF) and the largest loss (REF - ALT), their rows counted from `at`, what REF has at
    // these two rows, and what ALT has there.
    void (*change)(const gw_base_rows *of, float values[GW_ANSWER_VALUES]);
} gw_base_answer;

typedef struct {
    const char *model_type;        // "bert"
    const char *prefix;            // of architectures: "Bert"
    const gw_config_field *fields; // ends with zeros; NULL: all are BERT's
    gw_family_facts facts;
    // Whether a config is of this family, for those that share another's model_type.
    gw_status (*is)(const gw_config_reader *r, bool *out);
    // The defaults of its models that are not BERT's (gw_config_defaults()): the head of a config without architectures
    // and of pretraining, sizes. NULL: none.
    void (*set_defaults)(gw_config *config);
    // Fields of its own, and the pattern that they say; NULL: none.
    gw_status (*read)(const gw_config_reader *r);
    gw_status (*read_pattern)(const gw_config_reader *r, gw_pattern *pattern);
    void (*write)(json_t *json, const gw_config *config);
    // Whether a pattern of "godwit" may stand beside that of its fields (by_type: of model_type "godwit"). NULL: full
    // ones alone.
    bool (*agrees)(const gw_pattern *own, const gw_pattern *named, bool by_type);
    // Whether transformers, or the family's own code, computes the config's pattern and pooling, where nothing is
    // causal. NULL: full attention, or that of a layout, and labels of the first token.
    bool (*computes)(const gw_config *config);
    void (*describe)(gw_builder *b); // its network
    // NULL: each label of bases has gains and losses of its own, but the first, none.
    const gw_base_answer *answer;
} gw_family_row;

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
