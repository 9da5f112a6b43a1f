// SPDX-License-Identifier: MIT
// Contributions of single bases to a model's prediction for regions.
//
// Each position of a region has four numbers, one for each possible base: hypothetical contributions (Shrikumar et al.,
// 2018). The number of the actual base is its contribution.
//   ism       the prediction with the base minus the mean of the four; for pretrained models in bits
//   gradient  the gradient with respect to the base minus the mean of the four
//   shap      DeepLIFT with the rescale rule, averaged over references with shuffled dinucleotides
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
    bool records;       // regions are whole sequences; models with labels read them unchanged
    int64_t window;     // bp, for pretrained models; 0: the smaller of 1000 and what fits
    int64_t references; // for shap: number of shuffled references
    uint64_t seed;      // seed of the shuffling
    gw_genome *given;   // for shap: references of the window's length instead, or NULL
} gw_explain_options;

// A region on the forward strand.
typedef struct {
    gw_region region;    // borrowed name
    char *bases;         // [length]
    float *hypothetical; // [4][length]; NaN: not computed
    float *contribution; // [length] contribution of the actual base
    double value;        // of the target; NaN for pretrained models
} gw_explained;

typedef struct gw_explainer gw_explainer;
// Borrows model and genome. The target's name is NULL for pretrained models.
gw_status gw_explainer_new(gw_model *model, gw_genome *genome, const gw_explain_options *options,
                           gw_explainer **out) GW_MUST_CHECK;
void gw_explainer_free(gw_explainer *explainer); // NULL is fine
const char *gw_explainer_unit(const gw_explainer *explainer);
const char *gw_explainer_target(const gw_explainer *explainer);

// Fills `out`; free it with gw_explained_free(), also after a failure. A region that the model cannot read whole, and a
// region of N only, are errors.
gw_status gw_explain_region(gw_explainer *explainer, const gw_region *region, gw_explained *out) GW_MUST_CHECK;
void gw_explained_free(gw_explained *explained);

// Writes contributions.bedgraph.gz; contributions.bw if the program writes bigWig; and if all regions have the same
// length ohe.npz and shap.npz, [regions][4][length], for tf-modiscolite: bases as 0 and 1, and hypothetical
// contributions, both 0 if missing. If regions overlap, tracks have the first region's value. The folder must exist.
gw_status gw_explained_write(const gw_explained *list, int64_t count, const gw_genome *genome,
                             const char *folder) GW_MUST_CHECK;

#endif
