// SPDX-License-Identifier: MIT
// Opens the sets, reads windows with their flanks, and rates each class of the validation set.
#include "task/bases/bases.h"

#include "base/log.h"
#include "label/held_out.h"
#include "task/bases/base_evaluator.h"
#include "task/bases/base_examples.h"
#include "task/bases/class_weights.h"
#include "task/classifier.h"
#include "task/temperature.h"
#include "task/trained_on.h"
#include "task/usage.h"

#include <stdlib.h>

typedef struct {
    gw_genome *genome;
    gw_base_set train, valid; // valid.set NULL: none
    gw_base_network *network; // of the model in training, for validation
    gw_base_evaluator evaluator;
    double *frequency; // [classes] of the training set's bases
} bases_run;

static gw_base_criterion criterion(const gw_finetune_run *run) {
    return (gw_base_criterion)gw_base_criterion_by_name(run->options->metric);
}

static gw_status complete(gw_finetune_options *o) {
    if (gw_base_criterion_by_name(o->metric) < 0) return gw_refuse_metric(o);
    if (o->class_weights) GW_TRY(gw_check_class_weights(o->class_weights));
    if (!o->fasta) return gw_fail(GW_ERR_USAGE, "--task bases needs the genome of its sets: -f ref.fa");
    return gw_check_baseline(o, GW_BASELINE_NONE);
}

// --- the model -----------------------------------------------------------------------------------------------------

// Labels of a window are those of its bases but for `context` on either side.
static gw_status choose_window(const gw_finetune_run *run, gw_config *config) {
    const bases_run *own = run->own;
    const int64_t longest = gw_labelled_set_longest(own->train.set), reach = gw_base_reach(config);
    int64_t context = run->options->context;
    if (context < 0) context = config->layers > 0 && longest / 8 > reach ? longest / 8 : reach;
    if (config->layers == 0 && context != reach)
        return gw_fail(GW_ERR_USAGE,
                       "--context %lld: the model's convolutions reach %lld bases, which are what is read",
                       (long long)context, (long long)reach);
    config->bin = longest;
    config->window = longest + 2 * context;
    if (config->window + 2 <= gw_config_longest(config)) return GW_OK;
    return gw_fail(
        GW_ERR_MISMATCH,
        "windows of %lld bases with %lld on either side do not fit the model's %lld positions: --length gives "
        "it more, or labels --window smaller ones",
        (long long)longest, (long long)context, (long long)gw_config_longest(config));
}

static gw_status describe(gw_finetune_run *run, const gw_tokenizer *tokenizer, gw_config *config) {
    bases_run *own = run->own;
    const gw_finetune_options *o = run->options;
    config->tss_offset = -1;
    config->pooling = GW_SEQUENCE_FIRST; // there is none
    config->overlap = own->train.overlap;
    if (config->overlap && o->focus > 0)
        return gw_fail(GW_ERR_USAGE, "--focal is of classes that exclude each other, and those of the set overlap");
    GW_TRY(gw_check_labels_bases(config, tokenizer));
    GW_TRY(choose_window(run, config));
    GW_TRY(gw_keep_reference(own->genome, config));
    GW_TRY(
        gw_classifier_name_labels(config, gw_labelled_set_labels(own->train.set) + 1, gw_base_set_class, &own->train));
    GW_TRY(gw_base_frequencies(&own->train, config->labels, &own->frequency));
    return o->class_weights ? gw_weigh_classes(o->class_weights, own->frequency, config) : GW_OK;
}

static gw_status make_model(gw_finetune_run *run) {
    const gw_finetune_options *o = run->options;
    bases_run *own = run->own;
    GW_TRY(gw_genome_open(o->fasta, &own->genome));
    GW_TRY(gw_base_set_open(&o->tuning.sets, own->genome, gw_split_names[GW_SPLIT_TRAIN], &own->train));
    if (o->tuning.valid.count > 0)
        GW_TRY(gw_base_set_open(&o->tuning.valid, own->genome, gw_split_names[GW_SPLIT_VALID], &own->valid));
    GW_TRY(gw_classifier_make(run, true, describe));
    if (!gw_model_labels_bases(run->model)) return gw_fail(GW_ERR_UNSUPPORTED, "the model cannot label single bases");
    return own->valid.set ? gw_base_set_check(&own->valid, &run->model->config) : GW_OK;
}

// --- training ------------------------------------------------------------------------------------------------------

static gw_status make_examples(gw_finetune_run *run, const gw_tuning *tuning) {
    bases_run *own = run->own;
    const gw_base_examples_options examples = {.order = gw_tuning_order(tuning, gw_labelled_set_count(own->train.set)),
                                               .tokens = tuning->tokens,
                                               .flank = gw_base_flank(run->model),
                                               .shift = run->options->shift};
    gw_begin_with_frequencies(run->model, own->frequency);
    run->epoch_steps = gw_epochs_steps(&examples.order);
    return gw_base_examples_open(run->model, &own->train, &examples, &run->examples);
}

static double chance(gw_finetune_run *run, int64_t step) {
    (void)step; // the same in all of them
    return gw_base_chance(&run->model->config, ((const bases_run *)run->own)->frequency, run->options->focus);
}

// --- validation ----------------------------------------------------------------------------------------------------

static bool validates(const gw_finetune_run *run) {
    return ((const bases_run *)run->own)->valid.set != NULL;
}

static gw_status prepare(gw_finetune_run *run) {
    bases_run *own = run->own;
    if (!own->valid.set) return GW_OK;
    const int64_t flank = gw_base_flank(run->model);
    const gw_base_network_options options = {.longest = gw_labelled_set_longest(own->valid.set) + 2 * flank,
                                             .flank = flank};
    GW_TRY(gw_base_evaluator_make(&own->valid, &run->model->config, &own->evaluator));
    return gw_base_network_new(run->model, &options, &own->network);
}

static gw_status validate(gw_finetune_run *run, gw_epoch *epoch, json_t *row, double *value) {
    bases_run *own = run->own;
    const gw_base_metrics *metrics = &own->evaluator.metrics;
    GW_TRY(gw_base_evaluator_run(&own->evaluator, own->network, NULL));
    GW_TRY(gw_base_evaluator_rate(&own->evaluator));
    gw_epoch_column_add(&epoch->valid, "valid loss", 12, metrics->loss);
    gw_epoch_column_add(&epoch->valid, "accuracy", 10, metrics->accuracy);
    gw_epoch_column_add(&epoch->valid, "AUPRC", 8, metrics->auprc);
    gw_epoch_column_add(&epoch->valid, "top-k", 8, metrics->top_k);
    gw_base_metrics_report(metrics, "valid", row);
    *value = gw_base_metrics_value(metrics, criterion(run));
    return GW_OK;
}

static const char *metric(const gw_finetune_run *run) {
    static const char *const names[] = {"mean AUPRC", "mean top-k accuracy", "loss"};
    return names[criterion(run)];
}

static void print(const gw_finetune_run *run, gw_string *out) {
    const bases_run *own = run->own;
    gw_classifier_print(run, gw_labelled_set_count(own->train.set),
                        own->valid.set ? gw_labelled_set_count(own->valid.set) : 0, (int)criterion(run), out);
    gw_string_printf(out, ", windows of %lld in %lld bp", (long long)run->model->config.bin,
                     (long long)run->model->config.window);
    if (run->options->class_weights) gw_string_printf(out, ", classes weigh %s", run->options->class_weights);
    if (run->options->focus > 0) gw_string_printf(out, ", focus %.9g", run->options->focus);
}

// The temperature that the validation set is likeliest under.
static gw_status finish(gw_finetune_run *run) {
    bases_run *own = run->own;
    if (!own->valid.set) return GW_OK;
    GW_TRY(gw_parameters_to_device(&run->model->parameters));
    GW_TRY(gw_base_evaluator_run(&own->evaluator, own->network, NULL));
    gw_temperature_rows rows;
    GW_TRY(gw_base_evaluator_logits(&own->evaluator, &rows));
    return gw_keep_temperature(run->model, &rows);
}

static gw_status save(const gw_finetune_run *run) {
    return gw_trained_on_write_genome(run->options->tuning.output, run->options->tuning.model,
                                      ((const bases_run *)run->own)->genome);
}

static void free_own(void *bases) {
    bases_run *own = bases;
    gw_base_evaluator_free(&own->evaluator);
    gw_base_network_free(own->network);
    gw_base_set_close(&own->valid);
    gw_base_set_close(&own->train);
    gw_genome_close(own->genome);
    free(own->frequency);
}

const gw_task_kind gw_task_kind_bases = {
    .data = &gw_data_bases,
    .of = GW_OF_BASES,
    .size = sizeof(bases_run),
    .complete = complete,
    .make_model = make_model,
    .make_examples = make_examples,
    .validates = validates,
    .prepare = prepare,
    .chance = chance,
    .validate = validate,
    .metric = metric,
    .print = print,
    .finish = finish,
    .save = save,
    .free = free_own,
};
