// SPDX-License-Identifier: MIT
// What the sources that read config.json share.
#ifndef GW_MODEL_CONFIG_READER_H
#define GW_MODEL_CONFIG_READER_H

#include "base/json.h"
#include "model/config.h"

// The file that is read: the object with the encoder's fields, the "godwit" object, the whole file where the fields
// stand in an object of it (families that nest), and what is made of them.
typedef struct gw_config_reader {
    const char *path;
    const json_t *json, *own, *whole;
    gw_config *config;
    int head;       // that the tensors imply where "architectures" does not; -1: none is implied
    int64_t labels; // of a head with labels where the file has none: the tensors', else transformers' 2
} gw_config_reader;

bool gw_config_has(const gw_config_reader *r, const char *key); // and it is not null
// A field by BERT's name; one that the family does not have is left alone.
gw_status gw_config_int(const gw_config_reader *r, const char *field, int64_t min, int64_t max,
                        int64_t *out) GW_MUST_CHECK;
// An activation that networks compute, under its key of the file, which may lack it. key NULL: the family has no field.
gw_status gw_config_read_activation(const gw_config_reader *r, const char *key, gw_activation *out) GW_MUST_CHECK;
// Refuses positions that are not absolute; reads positions that may be rotary ("position_embedding_type").
gw_status gw_config_read_absolute(const gw_config_reader *r) GW_MUST_CHECK;
gw_status gw_config_read_rotary(const gw_config_reader *r) GW_MUST_CHECK;
// What models of single bases have that godwit alone computes: positions that may be rotary, and the stem of the
// "godwit" object, where it has one.
gw_status gw_config_read_bases(const gw_config_reader *r) GW_MUST_CHECK;

// config_write.c: transformers needs these in a file, where no file was read.
void gw_config_write_special_tokens(json_t *json, const gw_config *config);

// The words of config.json, for its reader and its writer.

// Indexed by gw_problem, gw_activation.
extern const char *const gw_problem_names[3];                    // "multi_label_classification" ...
extern const char *const gw_pooling_names[GW_SEQUENCE_POOLINGS]; // by gw_sequence_pooling
extern const char *const gw_activation_names[6];                 // "gelu_new" ...

// transformers' own defaults of a family, with what "godwit" says where nothing is said.
gw_config gw_config_defaults(gw_family family);
// Whether the family has a class with that head: only those with a decoder generate, and only they do nothing else.
bool gw_family_has_head(gw_family family, gw_head head);
// Whether its fields stand in an object "encoder", beside a "decoder" that shares its tensors; its class has one name.
bool gw_family_nests(gw_family family);

// The row's first_position of families whose positions begin after that of the padding, unless they are rotary.
int64_t gw_position_after_pad(const gw_config *config);

// What labels are where "problem_type" is absent. transformers then decides in training: one label is a number, labels
// that are whole numbers are classes.
gw_problem gw_problem_by_labels(int64_t labels);

#endif
