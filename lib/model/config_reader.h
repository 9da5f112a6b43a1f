// SPDX-License-Identifier: MIT
// Declarations that the sources for reading config.json share.
#ifndef GW_MODEL_CONFIG_READER_H
#define GW_MODEL_CONFIG_READER_H

#include "base/json.h"
#include "model/config.h"

// A file while it is read: the object with the encoder's fields, the "godwit" object, and the whole file, if the fields
// are in a nested object; and the resulting config.
typedef struct gw_config_reader {
    const char *path;
    const json_t *json, *own, *whole;
    gw_config *config;
    int head;       // head implied by the tensors if "architectures" is missing; -1: none
    int64_t labels; // number of labels if the file has none: from the tensors, else transformers' default 2
} gw_config_reader;

bool gw_config_has(const gw_config_reader *r, const char *key); // and is not null
// Reads a field by BERT's name. A field that the family does not have is left unchanged.
gw_status gw_config_int(const gw_config_reader *r, const char *field, int64_t min, int64_t max,
                        int64_t *out) GW_MUST_CHECK;
// Reads an activation that godwit supports. The key is optional. key NULL: the family has no such field.
gw_status gw_config_read_activation(const gw_config_reader *r, const char *key, gw_activation *out) GW_MUST_CHECK;
// absolute: fails unless positions are absolute. rotary: positions may also be rotary ("position_embedding_type").
gw_status gw_config_read_absolute(const gw_config_reader *r) GW_MUST_CHECK;
gw_status gw_config_read_rotary(const gw_config_reader *r) GW_MUST_CHECK;
// Reads fields of godwit's own models of single bases: positions that may be rotary, and the stem in the "godwit"
// object, if present.
gw_status gw_config_read_bases(const gw_config_reader *r) GW_MUST_CHECK;

// config_write.c: writes the ids of special tokens that transformers needs, for a config that was not read from a file.
void gw_config_write_special_tokens(json_t *json, const gw_config *config);

// Words of config.json, for reading and writing.

// Indexed by gw_problem and gw_activation.
extern const char *const gw_problem_names[3];                    // "multi_label_classification" ...
extern const char *const gw_pooling_names[GW_SEQUENCE_POOLINGS]; // by gw_sequence_pooling
extern const char *const gw_activation_names[6];                 // "gelu_new" ...

// transformers' defaults for a family, and the defaults of the "godwit" object.
gw_config gw_config_defaults(gw_family family);
// Whether the family has a class with this head. Families with a decoder have only the generating head, and others
// never have it.
bool gw_family_has_head(gw_family family, gw_head head);
// Whether the fields are in an object "encoder", beside a "decoder" that shares its tensors. The class has one fixed
// name.
bool gw_family_nests(gw_family family);

// first_position for families that number positions after the padding's, unless they are rotary.
int64_t gw_position_after_pad(const gw_config *config);

// The kind of labels if "problem_type" is missing. transformers then decides in training: one label is a number,
// integer labels are classes.
gw_problem gw_problem_by_labels(int64_t labels);

#endif
