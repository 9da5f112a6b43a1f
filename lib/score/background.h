// SPDX-License-Identifier: MIT
// The scores of a model for variants of a population, by profile, for comparison with the scores of one variant.
//
// For each profile a background keeps the mean and the standard deviation of the difference p(ALT) - p(REF), and a
// histogram of the effect |difference| x |logit difference|. For all profiles together it keeps a histogram of the
// largest |difference|. A pretrained model counts as one profile: the difference is GW_LLR, and the effect is its size.
// Ratios below zero, of alleles less likely than REF, have a further histogram. Histograms have 16 bins an octave, so a
// background of a whole genome is as small as one of a thousand variants.
//   z          (difference - mean) / standard deviation, of the allele's top profile
//   e-value    (1 + number of effects of this profile in the allele's bin or above) / (1 + number of alleles);
//              lower tail of a pretrained model: ratios in the allele's bin or below
//   percentile 100 x the share of alleles with the largest |difference| in a lower bin
//
// Models of labels of bases, of tracks and of polyadenylation signals have one score for each allele, the largest gain
// or loss. Their backgrounds have only the last histogram.
//
// File: text, BGZF if it ends in .gz. Lines "##key=value", a line of column names, and one row for each profile: index,
// name, mean, sd, counts as "bin:count" joined by commas. The first row, with index -1, is the largest difference.
//
// Keys: godwit_background=1 (2 or 3 for a pretrained model, 4 with places); model: MD5 of the weights; window: bp;
// alleles: their number; name: what the alleles are, if known; temperature of the labels' logits unless 1; distance and
// mask, for models of labels of bases; places, for track models. around, controls (MD5 of the control tracks) and
// tracks (MD5 of the computed tracks) say what signals depend on.
//
// For a pretrained model the last row has the ratios below zero. Files of version 1 lack it, and the lower tail.
// Version 3 has further rows, one for each context: name, mean, sd, and the number of its changes as counts. Version 4
// has the rows of score/activity.h at the end, or, with ##alleles=0, only these.
#ifndef GW_SCORE_BACKGROUND_H
#define GW_SCORE_BACKGROUND_H

#include "base/string.h"
#include "model/config.h"
#include "score/activity.h"
#include "score/allele.h"
#include "seq/vcf/variant.h"

#include <stdint.h>

typedef struct gw_background gw_background;

// Fewest alleles, and fewest changes of a context. With fewer, values are missing.
enum { GW_BACKGROUND_LEAST = 100, GW_CONTEXT_LEAST = 10 };

// Alleles that an e-value counts: effects as large, or ratios as low.
typedef enum { GW_TAIL_TWO, GW_TAIL_LOWER } gw_tail;

// A model. md5: from gw_model_md5(). window: bp. distance, mask: of a model that labels bases (gw_score_options), else
// 0. single: an allele has one score, without profiles. name: of a new background, or NULL.
typedef struct {
    const char *md5;
    int64_t window;
    const gw_config *config;
    int64_t distance, mask;
    bool single;
    const char *name;
    int64_t around;                // of a track model (gw_score_options); else 0, and the next two are ""
    const char *tracks, *controls; // MD5 of the computed tracks, and of their control tracks
} gw_background_model;

// A file with this name in a model's folder is the model's own background.
#define GW_BACKGROUND_FILE "background.tsv"

gw_status gw_background_new(const gw_background_model *model, gw_background **out) GW_MUST_CHECK;
// Also counts single-base changes by context. For pretrained models, before any allele is added.
gw_status gw_background_by_context(gw_background *background) GW_MUST_CHECK;
void gw_background_free(gw_background *background); // NULL is fine
// Adds a scored allele. raw: its probabilities [2][labels], NULL for pretrained models.
void gw_background_add(gw_background *background, const gw_allele *allele, const float *raw);
int64_t gw_background_alleles(const gw_background *background);
// Takes ownership of predictions at places. The background of a track model keeps them beside the alleles, or instead.
void gw_background_take_activity(gw_background *background, gw_activity *activity);
const gw_activity *gw_background_activity(const gw_background *background); // NULL: none
gw_status gw_background_write(const gw_background *background, const char *path) GW_MUST_CHECK;
// Reads a background. A file of another model or window is an error.
gw_status gw_background_read(const char *path, const gw_background_model *model, gw_background **out) GW_MUST_CHECK;

// difference| x |logit difference| of the top profile; for a pretrained model the absolute value of its bits.
double gw_allele_effect(const gw_config *config, const gw_allele *allele);
// The next functions return NaN if the background has too few alleles; z also if the standard deviation is 0.
double gw_background_z(const gw_background *background, const gw_allele *allele);
// The lower tail exists only for pretrained models, and the background must have it.
bool gw_background_has_lower(const gw_background *background);
double gw_background_evalue(const gw_background *background, const gw_allele *allele, gw_tail tail);
double gw_background_percentile(const gw_background *background, const gw_allele *allele);
bool gw_background_has_contexts(const gw_background *background);
// GW_LLR minus the mean of its context; NaN without a context or with too few changes.
double gw_background_in_context(const gw_background *background, const gw_allele *allele);

// A summary of a background as text, for the description of GW_PCT, and its reader: the number of alleles, what they
// are ("": unknown), and the |difference| below which certain percentages of the alleles lie. Empty with too few
// alleles.
enum { GW_BACKGROUND_PERCENTS = 4, GW_BACKGROUND_NAME = 160 };
extern const int gw_background_percents[GW_BACKGROUND_PERCENTS]; // ascending
typedef struct {
    int64_t alleles;
    char name[GW_BACKGROUND_NAME];
    double below[GW_BACKGROUND_PERCENTS];
} gw_background_summary;
void gw_background_describe(const gw_background *background, gw_string *out);
bool gw_background_read_description(const char *text, gw_background_summary *out); // false: none

// The context of a single-base change: two bases on either side, and ALT. A change and its reverse complement have the
// same context, so that REF is A or C.
//
// Mutation rates leave their mark in a genome and in models of it: neighbours alone make a change more or less likely.
// The mean over many changes of a context measures this effect.
//
// *context is a number from 0; -1 if the variant is not a single-base change, or if N or a contig's end is near.
gw_status gw_context_of(gw_genome *genome, const gw_variant *variant, int32_t *context) GW_MUST_CHECK;

#endif
