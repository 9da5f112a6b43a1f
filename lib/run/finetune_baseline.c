// SPDX-License-Identifier: MIT
// The k-mer baseline of a run, and the model beside it on the same labels.
#include "base/log.h"
#include "run/finetune_run.h"
#include "run/predict.h"

static const char beside[] = "beside_baseline"; // of the notes: figures of the best epoch

gw_status gw_finetune_make_baseline(gw_finetune_run *run) {
    const gw_baseline asked = run->options->baseline;
    if (!run->valid || asked == GW_BASELINE_NONE) return GW_OK;
    const int64_t labels = run->model->config.labels, rated = gw_kmer_baseline_labels(run->train, run->valid);
    if (asked == GW_BASELINE_OF_SMALL_SETS && rated < labels) return GW_OK;
    const gw_strands strands = run->options->strands;
    const gw_kmer_baseline_options options = {.train = run->train,
                                              .valid = run->valid,
                                              .config = &run->model->config,
                                              .values = run->values,
                                              .both_strands = strands == GW_STRANDS_BY_TASK
                                                                  ? gw_both_strands_by_default(run->model)
                                                                  : strands == GW_STRANDS_BOTH,
                                              .by = run->options->criterion};
    GW_TRY(gw_kmer_baseline_run(&options, &run->baseline));
    if (rated < labels)
        gw_note("the k-mer baseline is of %lld of the %lld labels, evenly spread", (long long)rated, (long long)labels);
    return GW_OK;
}

gw_status gw_finetune_judge_beside_baseline(gw_finetune_run *run, json_t *row, bool better) {
    gw_judgement same;
    if (run->baseline.k == 0) return GW_OK;
    json_object_set_new(row, "baseline_k", json_integer(run->baseline.k));
    gw_judgement_report(&run->baseline.figures, "baseline", row);
    if (!better) return GW_OK;
    GW_TRY(gw_judge(&run->model->config, run->baseline.values, run->probabilities, gw_labelled_set_count(run->valid),
                    run->metrics, &same));
    json_object_set_new(run->notes, beside,
                        json_pack("[f, f, f, f]", same.summary.mean.auroc, same.summary.mean.auprc,
                                  same.summary.mean.f1, gw_judgement_value(&same, run->options->criterion)));
    return GW_OK;
}

void gw_finetune_compare(const gw_finetune_run *run) {
    const json_t *figures = json_object_get(run->notes, beside);
    const gw_metric *baseline = &run->baseline.figures.summary.mean;
    double model[4];
    if (run->baseline.k == 0 || !figures) return;
    for (size_t i = 0; i < 4; i++) model[i] = json_number_value(json_array_get(figures, i));
    gw_note("AUROC, AUPRC and F1 on the validation set: model %.4f %.4f %.4f, logistic regression on %d-mers %.4f %.4f "
            "%.4f",
            model[0], model[1], model[2], run->baseline.k, baseline->auroc, baseline->auprc, baseline->f1);
    if (model[3] <= gw_judgement_value(&run->baseline.figures, run->options->criterion))
        gw_warn("the model is no better than counting %d-mers: more epochs, a pretrained model, or another --lr may "
                "help",
                run->baseline.k);
}
