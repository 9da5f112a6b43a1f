// SPDX-License-Identifier: MIT
// The INFO keys of `score` as a table with a row for each key, and their values for a record. `serve` and the library
// return some of them as fields of an allele.
#ifndef GW_SCORE_SCORE_KEYS_H
#define GW_SCORE_SCORE_KEYS_H

#include "base/string.h"
#include "file/table_writer.h"
#include "score/allele_scorer.h"
#include "score/score_known.h"

typedef struct gw_score_run gw_score_run; // score/score_run.h
typedef struct gw_score_keys gw_score_keys;

// An allele of a record, for which a key's value is computed.
typedef struct {
    gw_score_keys *keys;
    const gw_vcf_record *record;
    const gw_allele *alleles; // of the record
    const float *raw;         // of all alleles
    int index;
    int64_t gene, entry; // for labels of bases: a gene with the allele (-1: none), and its index among the allele's
                         // genes
} gw_key_place;

typedef struct {
    const char *name;
    const char *score; // word in --scores; NULL: none
    const char *field; // field of `serve` and the library: the number at the offset; NULL: none
    unsigned needs;    // bits of required properties of model and options
    gw_info_kind kind;
    const char *description, *of_numbers;                      // the second for models of numbers; NULL: the first
    size_t offset;                                             // of a float, or an int32_t, in gw_allele
    double (*number)(const gw_key_place *at);                  // computes the value; NULL: the field of the allele
    gw_status (*text)(const gw_key_place *at, gw_string *out); // appends the value; appends nothing if there is none
    bool list;                                                 // the text of the first allele holds for the record
    // In a table with a row for each allele, a key is one column with its name and kind. Keys with several values
    // define their columns and cells here.
    void (*columns)(const gw_score_keys *keys, const gw_info_key *key, gw_columns *out);
    gw_status (*cells)(const gw_key_place *at, gw_table_writer *out);
} gw_score_key_row;

enum { GW_SCORE_KEYS = 51 };
extern const gw_score_key_row gw_score_key_rows[]; // [GW_SCORE_KEYS]

// background: NULL without one.
bool gw_score_key_is_used(const gw_score_key_row *row, const gw_model *model, const gw_score_options *options,
                          const gw_background *background);
// Lists the numbers of an allele that files of window models show; none for labels of bases.
void gw_score_keys_fields(const gw_score_run *run, gw_known_fields *out);
// Fails unless each requested score is one that this model has, with this background or without.
gw_status gw_score_key_check(const gw_model *model, const gw_score_options *options,
                             const gw_background *background) GW_MUST_CHECK;

// Lists the rows that are fields of an allele scored this way, real numbers before integers. Returns their number.
int gw_score_fields(const gw_model *model, const gw_score_options *options,
                    const gw_score_key_row *rows[GW_SCORE_KEYS]);
double gw_score_field(const gw_score_key_row *row, const gw_allele *allele);

// The keys of a run with its scorer, background and genes. Borrows the run.
gw_status gw_score_keys_new(const gw_score_run *run, gw_score_keys **out) GW_MUST_CHECK;
void gw_score_keys_free(gw_score_keys *keys);
const gw_info_key *gw_score_keys_list(const gw_score_keys *keys, int *count);
// Values of the record's alleles, valid until the next call. raw: [count][2][labels], needed if profiles are listed;
// for models of splicing as from gw_splice_scorer_run().
gw_status gw_score_keys_values(gw_score_keys *keys, const gw_vcf_record *record, const gw_allele *alleles,
                               const float *raw, const gw_info_values **values) GW_MUST_CHECK;

// The same as a table: CHROM, POS, ID, REF and ALT, and one or several columns for each key. There is a row for each
// allele, or, if scores belong to genes, for each allele and gene. A record without an ALT also has a row.
// gw_score_keys_rows() writes the rows of a record.
void gw_score_keys_columns(const gw_score_keys *keys, gw_columns *out);
gw_status gw_score_keys_rows(gw_score_keys *keys, const gw_vcf_record *record, const gw_allele *alleles,
                             const float *raw, gw_table_writer *out) GW_MUST_CHECK;

#endif
