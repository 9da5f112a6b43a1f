// SPDX-License-Identifier: MIT
// What stands beside a model of texts: a logistic regression on their words, and knowing the labels' frequencies alone.
#include "base/log.h"
#include "task/texts/texts_private.h"

#include <math.h>
#include <stdint.h>

// A sequence of bases is no text of words.
int64_t gw_texts_row_words(const gw_finetune_options *o, const gw_tokenizer *tokenizer) {
    if (o->tuning.valid.count == 0 || !gw_word_baseline_tells(o->texts.labels)) return 0;
    if (o->baseline == GW_BASELINE_WORDS) return INT64_MAX;
    return o->baseline == GW_BASELINE_NONE || gw_tokenizer_is_dna(tokenizer) ? 0 : GW_WORD_BASELINE_SMALL;
}

gw_status gw_texts_make_baseline(gw_finetune_run *run) {
    gw_texts_run *own = run->own;
    const int64_t cost = gw_word_baseline_cost(&own->train, &own->valid);
    if (cost > 0 && (cost <= GW_WORD_BASELINE_SMALL || run->options->baseline == GW_BASELINE_WORDS))
        GW_TRY(gw_word_baseline_run(&own->train, &own->valid, own->metric, &own->baseline));
    if (run->options->baseline == GW_BASELINE_WORDS && own->baseline.words == 0)
        gw_warn("there is no baseline of words: no word stands in two texts of the training set");
    gw_row_words_free(&own->train.row_words);
    gw_row_words_free(&own->valid.row_words);
    return GW_OK;
}

void gw_texts_report_baseline(const gw_finetune_run *run, json_t *row) {
    const gw_texts_run *own = run->own;
    const gw_word_baseline *baseline = &own->baseline;
    if (baseline->words == 0) return;
    json_object_set_new(row, "baseline_words", json_integer(baseline->words));
    gw_text_metrics_report(&baseline->metrics, "baseline", row);
}

// Of questions: that none has an answer; or the loss of any place in the window.
static gw_status guess_answers(const gw_finetune_run *run, double *out) {
    const gw_texts_run *own = run->own;
    const gw_questions *q = &own->valid.questions;
    gw_text_guess guess;
    int64_t without = 0;
    for (int64_t i = 0; i < q->count; i++) without += q->question[i].answers == 0;
    *out = q->unanswerable ? (double)without / (double)q->count : 0;
    if (own->metric != GW_METRIC_LOSS) return GW_OK;
    GW_TRY(gw_text_guess_make(&own->valid, &guess));
    *out = -guess.loss;
    gw_text_guess_free(&guess);
    return GW_OK;
}

// Where it means nothing, 0: correlations with a constant.
static gw_status guessed_value(const gw_finetune_run *run, double *out) {
    const gw_texts_run *own = run->own;
    gw_text_metrics metrics;
    if (own->valid.labels == GW_TEXT_SPANS) return guess_answers(run, out);
    GW_TRY(gw_text_metrics_of_logits(own->guess.logits, 0, &own->valid, &metrics));
    *out = isnan(metrics.of[own->metric]) ? 0 : gw_text_metrics_value(&metrics, own->metric);
    return GW_OK;
}

static void compare_with_words(const gw_finetune_run *run, double model, double sign) {
    const gw_texts_run *own = run->own;
    const gw_word_baseline *baseline = &own->baseline;
    const double words = gw_text_metrics_value(&baseline->metrics, own->metric);
    const double easy = sign < 0 ? INFINITY : 0.95; // above it the set itself is what is learnt
    if (model > words) return;
    gw_warn("the model is no better than counting words: %s",
            sign * words > easy ? "they tell this set by themselves, and leave a model little to learn from it"
                                : "more epochs, a pretrained model, or another --lr may help");
}

gw_status gw_texts_compare(const gw_finetune_run *run) {
    const gw_texts_run *own = run->own;
    const gw_word_baseline *baseline = &own->baseline;
    const gw_training_record *record = &run->training.record;
    const char *metric = gw_metric_names[own->metric];
    const double model = record->best, sign = own->metric == GW_METRIC_LOSS ? -1 : 1;
    double guess;
    if (!gw_training_has_best(record)) return GW_OK;
    if (model <= GW_METRIC_WORST) {
        gw_warn("%s on the validation set means nothing: its labels, or what the model says of them, are all the same",
                metric);
        return GW_OK;
    }
    if (baseline->words > 0)
        gw_note("%s on the validation set: model %.4f, logistic regression on %lld words %.4f", metric, sign * model,
                (long long)baseline->words, baseline->metrics.of[own->metric]);
    GW_TRY(guessed_value(run, &guess));
    if (model <= guess)
        gw_warn("the model is at chance: its validation %s of %.4f is no better than that of knowing nothing but how "
                "frequent each label is, %.4f; try another --lr, a pretrained model, or more epochs",
                metric, sign * model, sign * guess);
    else if (baseline->words > 0) compare_with_words(run, model, sign);
    return GW_OK;
}

void gw_texts_columns(const gw_text_metrics *metrics, gw_epoch_columns *out) {
    for (int f = 0; f < GW_METRICS; f++)
        if (!isnan(metrics->of[f]))
            gw_epoch_column_add(out, f == GW_METRIC_LOSS ? "valid" : gw_metric_names[f], 10, metrics->of[f]);
}

static double accuracy_error(const gw_texts_run *own) {
    const double accuracy = own->baseline.metrics.of[GW_METRIC_ACCURACY];
    return own->valid.labels == GW_TEXT_ONE ? sqrt(accuracy * (1 - accuracy) / (double)own->valid.rows) : 0;
}

bool gw_texts_baseline_line(const gw_finetune_run *run, gw_epoch_baseline *out) {
    const gw_texts_run *own = run->own;
    if (own->baseline.words == 0) return false;
    *out = (gw_epoch_baseline){"words", .metric = "accuracy", .error = accuracy_error(own)};
    gw_texts_columns(&own->baseline.metrics, &out->valid);
    return true;
}
