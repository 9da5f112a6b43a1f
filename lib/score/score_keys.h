// SPDX-License-Identifier: MIT
// The INFO keys of `score` as a table, a row a key, and their values for a record. Some of them are fields of what
// `serve` and the library give of an allele.
#ifndef GW_SCORE_SCORE_KEYS_H
#define GW_SCORE_SCORE_KEYS_H

#include "base/string.h"
#include "file/table_writer.h"
#include "score/allele_scorer.h"
#include "score/score_known.h"

typedef struct gw_score_run gw_score_run; // score/score_run.h
typedef struct gw_score_keys gw_score_keys;

// An allele of a record that a key's value is asked of.
typedef struct {
    gw_score_keys *keys;
    const gw_vcf_record *record;
    const gw_allele *alleles; // of the record
    const float *raw;         // of all of them
    int index;
    int64_t gene, entry; // of models of labels of bases: a gene that holds the allele (-1: none), and which of them
} gw_key_place;

typedef struct {
    const char *name;
    const char *score; // by which --scores asks for it; NULL: it is not asked for so
    const char *field; // of `serve` and the library: a number, what lies at the offset; NULL: none
    unsigned needs;    // bits of what the model and the options have, each of them
    gw_info_kind kind;
    const char *description, *of_numbers;     // the second of models whose labels are numbers; NULL: the first
    size_t offset;                            // of a float, or an int32_t, of gw_allele
    double (*number)(const gw_key_place *at); // in its place; NULL: the field of the allele
    gw_status (*text)(const gw_key_place *at, gw_string *out); // appends; nothing: there is no value
    bool list;                                                 // the text of the first allele is the record's
    // In a table that has a row for each allele a key is a column of its name and kind, but for those that have several
    // values: their columns, and the cells of these.
    void (*columns)(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out);
    gw_status (*cells)(const gw_key_place *at, gw_table_writer *out);
} gw_score_key_row;

enum { GW_SCORE_KEYS = 51 };
extern const gw_score_key_row gw_score_key_rows[]; // [GW_SCORE_KEYS]

// background: NULL where there is none.
bool gw_score_key_is_used(const gw_score_key_row *row, const gw_model *model, const gw_score_options *options,
                          const gw_background *background);
// The numbers of an allele that files of a model of windows show; none of labels of bases.
void gw_score_keys_fields(const gw_score_run *run, gw_known_fields *out);
// Each word of the scores that are asked for must be one that this model, with or without a background, has.
gw_status gw_score_key_check(const gw_model *model, const gw_score_options *options,
                             const gw_background *background) GW_MUST_CHECK;

// The rows that are fields of an allele scored so, real numbers before whole ones; how many there are.
int gw_score_fields(const gw_model *model, const gw_score_options *options,
                    const gw_score_key_row *rows[GW_SCORE_KEYS]);
double gw_score_field(const gw_score_key_row *row, const gw_allele *allele);

// The keys of a run whose scorer, background and genes are there; borrows it.
gw_status gw_score_keys_new(const gw_score_run *run, gw_score_keys **out) GW_MUST_CHECK;
void gw_score_keys_free(gw_score_keys *keys);
const gw_info_key *gw_score_keys_list(const gw_score_keys *keys, int *count);
// Values of the record's alleles, valid until the next call. raw: [count][2][labels], needed where profiles are listed,
// or of models of splicing as gw_splice_scorer_run() gives it.
gw_status gw_score_keys_values(gw_score_keys *keys, const gw_vcf_record *record, const gw_allele *alleles,
                               const float *raw, const gw_info_values **values) GW_MUST_CHECK;

// The same as a table: CHROM, POS, ID, REF and ALT, and a column or several for each key. A row is an allele, and where
// scores are of genes an allele in a gene; a record without an ALT has one, too. gw_score_keys_rows() writes a
// record's.
void gw_score_keys_columns(const gw_score_keys *keys, gw_columns *out);
gw_status gw_score_keys_rows(gw_score_keys *keys, const gw_vcf_record *record, const gw_allele *alleles,
                             const float *raw, gw_table_writer *out) GW_MUST_CHECK;

#endif
