// SPDX-License-Identifier: MIT
// Contributions of single bases to what a model says of regions.
//
// Each base of a region has four numbers, one for each base that could stand there: hypothetical contributions
// (Shrikumar et al., 2018). That of the base which stands there is its contribution.
//   ism       what the model has with the base, less the mean of the four; of pretrained models in bits
//   gradient  the gradient with respect to the base, less the mean of the four
//   shap      DeepLIFT with the rescale rule, the mean over references with shuffled dinucleotides
#ifndef GW_SCORE_EXPLAIN_H
#define GW_SCORE_EXPLAIN_H

#include "model/model.h"
#include "score/target.h"
#include "seq/genome/regions.h"

typedef enum { GW_EXPLAIN_ISM, GW_EXPLAIN_GRADIENT, GW_EXPLAIN_SHAP } gw_explain_method;
#define GW_EXPLAIN_METHODS "ism|gradient|shap"

typedef struct {
    gw_target_options target;
    gw_explain_method method;
    bool records;       // regions are whole sequences, which models of labels read as they are
    int64_t window;     // bp, of pretrained models; 0: the smaller of 1000 and what fits
    int64_t references; // of shap: shuffled sequences ...
    uint64_t seed;      // ... that this draws
    gw_genome *given;   // of shap: references of the window's length in their place, or NULL
} gw_explain_options;

// A region on the forward strand.
typedef struct {
    gw_region region;    // borrowed name
    char *bases;         // [length]
    float *hypothetical; // [4][length]; NaN: there is none
    float *contribution; // [length] that of the base
    double value;        // of the target; NaN of pretrained models
} gw_explained;

typedef struct gw_explainer gw_explainer;
// Borrows model and genome. NULL stands for the name of a target that pretrained models do not have.
gw_status gw_explainer_new(gw_model *model, gw_genome *genome, const gw_explain_options *options,
                           gw_explainer **out) GW_MUST_CHECK;
void gw_explainer_free(gw_explainer *explainer); // NULL is fine
const char *gw_explainer_unit(const gw_explainer *explainer);
const char *gw_explainer_target(const gw_explainer *explainer);

// Fills `out`; free it with gw_explained_free(), also on failure. A region that the model does not read whole, and one
// of N alone, are errors.
gw_status gw_explain_region(gw_explainer *explainer, const gw_region *region, gw_explained *out) GW_MUST_CHECK;
void gw_explained_free(gw_explained *explained);

// contributions.bedgraph.gz, contributions.bw where the program writes bigWig, and where all regions are equally long
// ohe.npz and shap.npz, [regions][4][length], as tf-modiscolite reads them: bases as 0 and 1, and hypothetical
// contributions, both 0 where there is none. Of bases in several regions tracks have the first one's. The folder is
// there.
gw_status gw_explained_write(const gw_explained *list, int64_t count, const gw_genome *genome,
                             const char *folder) GW_MUST_CHECK;

#endif
