// SPDX-License-Identifier: MIT
// What a model says of the variants of a population, profile by profile, to set one variant's scores against.
//
// Of each profile it keeps mean and standard deviation of the difference p(ALT) - p(REF), and how often the effect
// |difference| x |logit difference| had which size; of all profiles together how often the largest |difference| had
// which size. A pretrained model counts as one profile: difference and effect are GW_LLR and its size; the ratios below
// zero, of alleles that are less likely than REF, are counted apart too. Sizes are counted in bins, 16 an octave, so
// that a background is as small for a whole genome as for a thousand variants.
//   z          (difference - mean) / standard deviation, of the allele's top profile
//   e-value    (1 + number of effects in that profile that are in the allele's bin or above) / (1 + number of alleles);
//              of a pretrained model's lower tail: of ratios that are in the allele's bin or below
//   percentile 100 x the share of alleles whose largest |difference| is in a bin below the allele's
//
// A model of labels of bases, and one of tracks, has one score an allele, its largest gain or loss, as has one of
// polyadenylation signals, and so the last of these alone.
//
// File: text, BGZF where it ends in .gz. Lines "##key=value" (godwit_background=1, of a pretrained model 2 or 3; model:
// MD5 of the weights, window: bp, temperature of the labels' logits where it is not 1, of models of labels of bases
// distance and mask, name: what the alleles are, where that was said, alleles), a line of column names, and a row a
// profile, the first for the largest difference: index (-1 there), name, mean, sd, counts as "bin:count" joined by
// commas. Of a pretrained model a last row has the ratios below zero; files of version 1 lack it, and with it the lower
// tail. One that was made by context (version 3) has behind that a row for each context that occurs: its name, mean, sd
// and, as counts, the number of its changes. One with places (version 4: ##places=, of models of tracks) has the rows
// of score/activity.h behind that, and where it has no alleles (##alleles=0) these alone. ##around= and ##controls=
// (MD5 of the control tracks) and ##tracks= (MD5 of what tracks are computed) say what its signals depend on.
#ifndef GW_SCORE_BACKGROUND_H
#define GW_SCORE_BACKGROUND_H

#include "base/string.h"
#include "model/config.h"
#include "score/activity.h"
#include "score/allele.h"
#include "seq/vcf/variant.h"

#include <stdint.h>

typedef struct gw_background gw_background;

// Of fewer alleles than the first, or changes of a context than the second, nothing can be said: values are missing.
enum { GW_BACKGROUND_LEAST = 100, GW_CONTEXT_LEAST = 10 };

// Which alleles of the background an e-value counts: of effects as large, or of ratios as low.
typedef enum { GW_TAIL_TWO, GW_TAIL_LOWER } gw_tail;

// Of a model: MD5 as gw_model_md5() gives it, window in bp; of one that labels bases distance and mask
// (gw_score_options), which are 0 of others. single: an allele has one score, and no profiles. name: of a new
// background, or NULL.
typedef struct {
    const char *md5;
    int64_t window;
    const gw_config *config;
    int64_t distance, mask;
    bool single;
    const char *name;
    int64_t around;                // of models of tracks (gw_score_options); 0 of others, as the next two are ""
    const char *tracks, *controls; // MD5 of what tracks are computed, and of their control tracks
} gw_background_model;

// A file of this name in a model's folder is that model's own background.
#define GW_BACKGROUND_FILE "background.tsv"

gw_status gw_background_new(const gw_background_model *model, gw_background **out) GW_MUST_CHECK;
// Counts single-base changes by their context too; of pretrained models, before anything is added.
gw_status gw_background_by_context(gw_background *background) GW_MUST_CHECK;
void gw_background_free(gw_background *background); // NULL is fine
// Takes a scored allele; raw: its probabilities [2][labels], NULL for pretrained models.
void gw_background_add(gw_background *background, const gw_allele *allele, const float *raw);
int64_t gw_background_alleles(const gw_background *background);
// Takes over what is predicted at places, which a background of a model of tracks keeps beside the alleles, or instead.
void gw_background_take_activity(gw_background *background, gw_activity *activity);
const gw_activity *gw_background_activity(const gw_background *background); // NULL: it has none
gw_status gw_background_write(const gw_background *background, const char *path) GW_MUST_CHECK;
// A file of another model or window is an error.
gw_status gw_background_read(const char *path, const gw_background_model *model, gw_background **out) GW_MUST_CHECK;

// |difference| x |logit difference| of the top profile; of a pretrained model the size of its bits.
double gw_allele_effect(const gw_config *config, const gw_allele *allele);
// These are NaN where the background has too few alleles, the first also where nothing varied.
double gw_background_z(const gw_background *background, const gw_allele *allele);
// The lower tail is of pretrained models, whose background must have it.
bool gw_background_has_lower(const gw_background *background);
double gw_background_evalue(const gw_background *background, const gw_allele *allele, gw_tail tail);
double gw_background_percentile(const gw_background *background, const gw_allele *allele);
bool gw_background_has_contexts(const gw_background *background);
// GW_LLR less the mean of its context; NaN where there is none, or too few changes.
double gw_background_in_context(const gw_background *background, const gw_allele *allele);

// What a background says of itself, as text that stands in the description of GW_PCT, and what reads that back: how
// many alleles, what they are ("": not said), and below which size at least so many per cent of them have their largest
// |difference|. Of too few alleles it says nothing.
enum { GW_BACKGROUND_PERCENTS = 4, GW_BACKGROUND_NAME = 160 };
extern const int gw_background_percents[GW_BACKGROUND_PERCENTS]; // ascending
typedef struct {
    int64_t alleles;
    char name[GW_BACKGROUND_NAME];
    double below[GW_BACKGROUND_PERCENTS];
} gw_background_summary;
void gw_background_describe(const gw_background *background, gw_string *out);
bool gw_background_read_description(const char *text, gw_background_summary *out); // false: there is none

// What stands around a single-base change: the two bases on either side of it, and ALT. A change and its reverse
// complement are the same, so that REF is A or C.
//
// Mutational habits stand in a genome and so in a model of it: a change is likelier or less likely for its neighbours'
// sake alone, which the mean of many such changes tells.
//
// *context is a number from 0 on; -1 of what is no single-base change, or where N or a contig's end is near.
gw_status gw_context_of(gw_genome *genome, const gw_variant *variant, int32_t *context) GW_MUST_CHECK;

#endif
