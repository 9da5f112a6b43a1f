// SPDX-License-Identifier: MIT
// A step runs in passes of as many examples as fit into a batch. The scales of the backward passes are those of the
// whole step, and rows are numbered across passes for dropout, so that passes add up to the result of a single one.
#include "run/step.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "file/digest.h"
#include "run/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- whether all ranks read the same data

static void add(gw_md5 *md5, const void *array, int64_t count, int64_t size) {
    if (array && count > 0) gw_md5_add(md5, array, count * size);
}

static void add_batch(gw_md5 *md5, const gw_batch *batch) {
    for (int r = 0; r < GW_BATCH_ROWS; r++) {
        const gw_rows *rows = &batch->of[r];
        add(md5, &rows->count, 1, sizeof rows->count);
        add(md5, rows->start, rows->sequences + 1, sizeof *rows->start);
        add(md5, rows->token, rows->count, sizeof *rows->token);
        add(md5, rows->label, rows->count, sizeof *rows->label);
        add(md5, rows->number, rows->count, sizeof *rows->number);
    }
}

static gw_status digest(const gw_examples *examples, char hex[33]) {
    enum { MOST_STEPS = 1024, MOST_EXAMPLES = 64 };
    gw_md5 *md5;
    GW_TRY(gw_md5_start(&md5));
    gw_status status = GW_OK;
    for (int64_t step = 0; status == GW_OK && step < MOST_STEPS; step = 2 * step + 1) {
        const int64_t end = gw_min(examples->count(examples->self, step), MOST_EXAMPLES);
        for (int64_t next = 0; status == GW_OK && next < end;) {
            status = gw_examples_fill(examples, step, &next, end, 1);
            if (status == GW_OK) add_batch(md5, examples->batch);
        }
    }
    gw_md5_finish_hex(md5, hex);
    return status;
}

// Fails on all ranks where the examples of one are others than rank 0's: by an MD5 of the batches that the first
// examples of some steps make, up to step 1023. A meeting, as gw_ranks_agree() is.
static gw_status compare_examples(const gw_examples *examples) {
    char hex[33] = "";
    GW_TRY(gw_ranks_agree(digest(examples, hex)));
    return gw_ranks_compare("the MD5 of the training data", hex);
}

// --- what ranks add up

// What groups add up beside the gradient, as doubles, which hold these counts exactly: losses of each row set, tokens,
// the mixer's metrics.
enum { OF_ROWS = 3, TOKENS = OF_ROWS * GW_BATCH_ROWS, METRICS };

gw_status gw_steps_make(gw_steps *step, gw_model *model, const gw_examples *examples, gw_network_options options) {
    const gw_network_options *limits = &examples->limits;
    *step = (gw_steps){.examples = examples, .parameters = &model->parameters};
    options.tokens = limits->tokens;
    options.sequences = limits->sequences;
    options.masked = limits->masked;
    options.targets = limits->targets;
    options.globals = limits->globals;
    options.contrasts = limits->contrasts;
    options.step_sequences = examples->sequences;
    return gw_network_new(model, &options, &step->network);
}

void gw_steps_free(gw_steps *step) {
    gw_overlap_free(&step->overlap);
    gw_network_free(step->network);
    gw_group_sum_free(&step->sum);
    free(step->staged);
    free(step->few);
    *step = (gw_steps){0};
}

// The gradient where the host reads it.
static float *host_gradient(const gw_steps *step) {
    return step->staged ? step->staged : gw_network_gradient(step->network);
}

static gw_status read_gradient(const gw_steps *step, int64_t begin, int64_t floats) {
    const float *gradient = gw_network_gradient(step->network);
    if (!step->staged) return GW_OK;
    return step->parameters->mirror.kernels->to_host(step->staged + begin, gradient + begin,
                                                     floats * (int64_t)sizeof *gradient);
}

static void piece_is_ready(void *context, gw_piece piece) {
    gw_steps *step = context;
    if (step->library && gw_ranks_sum_device()) gw_ranks_mark();
    step->ready = gw_first_failure(step->ready, read_gradient(step, piece.begin, piece.floats));
}

static void sum_piece(void *context, gw_piece piece) {
    gw_steps *step = context;
    float *gradient = host_gradient(step);
    if (step->library) gw_ranks_sum(gradient + piece.begin, piece.floats);
    else gw_group_sum_piece(&step->sum, piece.begin, piece.floats, gradient);
}

static gw_status make_sums(gw_steps *step, bool library) {
    const int64_t floats = step->parameters->floats;
    const gw_group_range own = gw_groups_of_rank(step->groups, gw_rank(), gw_rank_count());
    int64_t metrics;
    gw_network_metric_sums(step->network, &metrics);
    step->few_count = METRICS + metrics;
    step->few = gw_alloc((own.end - own.begin) * step->few_count, sizeof *step->few);
    const bool stages = !step->parameters->mirror.kernels->shares_host && !(library && gw_ranks_sum_device());
    if (stages) step->staged = gw_alloc(floats, sizeof *step->staged);
    if (!step->few || (stages && !step->staged)) return GW_ERR_MEMORY;
    step->library = library;
    if (!library) GW_TRY(gw_group_sum_make(&step->sum, step->groups, floats, gw_piece_floats(floats)));
    // GODWIT_OVERLAP=0: sums begin after the backward pass, to compare
    const char *text = getenv("GODWIT_OVERLAP");
    const bool overlaps = gw_rank_count() > 1 && !(text && strcmp(text, "0") == 0);
    return gw_overlap_make(&step->overlap, step->network, floats, (gw_piece_calls){step, piece_is_ready, sum_piece},
                           overlaps);
}

static gw_status choose_groups(gw_steps *step, int64_t groups, bool library) {
    const int ranks = gw_rank_count();
    if (library && groups > 0) return gw_fail(GW_ERR_USAGE, "with --all-reduce each rank is a group: remove --groups");
    if (groups == 0) groups = ranks;
    if (groups < ranks)
        return gw_fail(GW_ERR_USAGE, "--groups %lld: there are %d ranks, and each needs a group", (long long)groups,
                       ranks);
    step->groups = groups > 1 ? groups : 0;
    return step->groups > 0 ? make_sums(step, library) : GW_OK;
}

gw_status gw_steps_share(gw_steps *step, int64_t groups, bool library) {
    GW_TRY(gw_ranks_agree(choose_groups(step, groups, library)));
    return gw_rank_count() > 1 ? compare_examples(step->examples) : GW_OK;
}

void gw_steps_print(const gw_steps *step, gw_string *out) {
    if (step->library) gw_string_puts(out, ", summed by the library");
    else if (step->groups > 0) gw_string_printf(out, ", groups %lld", (long long)step->groups);
}

void gw_steps_add_metrics(const gw_steps *step, json_t *row) {
    if (gw_rank_count() == 1) return;
    json_object_set_new(row, "sum_seconds", json_real(step->overlap.seconds));
    json_object_set_new(row, "sum_wait_seconds", json_real(step->overlap.waited));
}

// --- a step

// What a run computes of a step.
typedef struct {
    gw_steps *step;
    int64_t number;
    int64_t groups, group;
    int64_t done[GW_BATCH_ROWS]; // rows of the streams in earlier passes of the group
    bool backward;
    bool overlapped;            // the sum begins with the group's last pass
    bool is_running;            // a pass whose losses have not been read
    float scale[GW_BATCH_ROWS]; // 1 over the step's labels
    gw_step_sums *sums;
} step_run;

// The draws of a group depend on nothing that other groups hold: its rows are numbered from a place of its own.
enum { GROUP_BITS = 32 };

// Waits for the pass that runs.
static gw_status add_losses(step_run *run) {
    gw_losses losses;
    if (!run->is_running) return GW_OK;
    run->is_running = false;
    GW_TRY(gw_network_losses(run->step->network, &losses));
    gw_losses_add(&run->sums->losses, &losses);
    return GW_OK;
}

// Launches both passes over the batch. A device computes them while the host fills the next batch.
static gw_status run_pass(step_run *run) {
    gw_batch *batch = run->step->examples->batch;
    GW_TRY(gw_check_interrupt());
    GW_TRY(add_losses(run));
    batch->step = (uint32_t)run->number;
    for (int r = 0; r < GW_BATCH_ROWS; r++) {
        gw_rows *rows = &batch->of[r];
        if (!rows->start) continue;
        rows->first = (run->group << GROUP_BITS) + run->done[r];
        run->done[r] += rows->count;
        const bool choices = r == GW_ROWS_CHOICES && rows->number;
        if (!choices && r != GW_ROWS_GLOBALS) run->sums->tokens += rows->count;
    }
    GW_TRY(gw_network_forward(run->step->network, batch, NULL));
    if (run->backward) GW_TRY(gw_network_backward(run->step->network, run->scale));
    run->is_running = true;
    return GW_OK;
}

static int64_t examples_of(const step_run *run) {
    return run->step->examples->count(run->step->examples->self, run->number);
}

// Adds the labels of a group.
static gw_status count_labels(const step_run *run, int64_t group, int64_t *labels) {
    const gw_examples *e = run->step->examples;
    const int64_t end = examples_of(run);
    for (int64_t i = group; i < end; i += run->groups) GW_TRY(e->labels(e->self, run->number, i, labels));
    return GW_OK;
}

// Sets the scales by the labels of the step. Returns whether there are any.
static bool set_scales(step_run *run) {
    const int64_t *labels = run->sums->labels;
    bool any = false;
    for (int r = 0; r < GW_BATCH_ROWS; r++) {
        const float weight = run->step->examples->weight[r];
        run->scale[r] = labels[r] > 0 ? (weight > 0 ? weight : 1) / (float)labels[r] : 0;
        any = any || labels[r] > 0;
    }
    return any;
}

// Fills the batch with examples from *next on.
static gw_status fill(const step_run *run, int64_t *next) {
    return gw_examples_fill(run->step->examples, run->number, next, examples_of(run), run->groups);
}

// The first batch is full: it holds the group's examples before `next`. There are none in an empty group.
static gw_status run_group(step_run *run, int64_t group, int64_t next) {
    const int64_t end = examples_of(run);
    run->group = group;
    memset(run->done, 0, sizeof run->done);
    if (next == group) return GW_OK;
    while (true) {
        if (run->overlapped && next >= end) gw_overlap_begin(&run->step->overlap);
        GW_TRY(run_pass(run));
        if (next >= end) return add_losses(run);
        GW_TRY(fill(run, &next));
    }
}

static gw_status prepare(gw_steps *step, int64_t number) {
    const step_run run = {.step = step, .number = number, .groups = 1};
    memset(&step->prepared, 0, sizeof step->prepared);
    step->prepared.number = number;
    GW_TRY(count_labels(&run, 0, step->prepared.labels));
    return fill(&run, &step->prepared.next);
}

// The step as a whole, by this rank.
static gw_status run_alone(gw_steps *step, int64_t number, bool backward, gw_step_sums *sums) {
    step_run run = {.step = step, .number = number, .groups = 1, .backward = backward, .sums = sums};
    *sums = (gw_step_sums){0};
    gw_network_restart_metrics(step->network);
    if (!step->prepared.is_ready || step->prepared.number != number) GW_TRY(prepare(step, number));
    step->prepared.is_ready = false;
    memcpy(sums->labels, step->prepared.labels, sizeof sums->labels);
    return set_scales(&run) ? run_group(&run, 0, step->prepared.next) : GW_OK;
}

// The labels of all groups. Counts are exact, in whatever order they are added.
static gw_status share_labels(step_run *run, gw_group_range own) {
    int64_t mine[GW_BATCH_ROWS] = {0}, *all = gw_alloc(gw_rank_count(), sizeof mine);
    gw_status status = all ? GW_OK : GW_ERR_MEMORY;
    for (int64_t g = own.begin; status == GW_OK && g < own.end; g++) status = count_labels(run, g, mine);
    status = gw_ranks_agree(status);
    if (status == GW_OK) gw_ranks_gather(mine, sizeof mine, all);
    for (int64_t i = 0; status == GW_OK && i < (int64_t)gw_rank_count() * GW_BATCH_ROWS; i++)
        run->sums->labels[i % GW_BATCH_ROWS] += all[i];
    free(all);
    return status;
}

static void copy_summary(const gw_steps *step, const gw_step_sums *sums, double *few) {
    int64_t count;
    const double *metrics = gw_network_metric_sums(step->network, &count);
    for (int r = 0; r < GW_BATCH_ROWS; r++) {
        few[OF_ROWS * r] = sums->losses.of[r].loss;
        few[OF_ROWS * r + 1] = (double)sums->losses.of[r].count;
        few[OF_ROWS * r + 2] = (double)sums->losses.of[r].right;
    }
    few[TOKENS] = (double)sums->tokens;
    if (count > 0) memcpy(few + METRICS, metrics, (size_t)count * sizeof *few);
}

static void restore_summary(const gw_steps *step, const double *few, gw_step_sums *sums) {
    int64_t count;
    double *metrics = gw_network_metric_sums(step->network, &count);
    for (int r = 0; r < GW_BATCH_ROWS; r++)
        sums->losses.of[r] = (gw_loss_sum){
            .loss = few[OF_ROWS * r], .count = (int64_t)few[OF_ROWS * r + 1], .right = (int64_t)few[OF_ROWS * r + 2]};
    sums->tokens = (int64_t)few[TOKENS];
    if (count > 0) memcpy(metrics, few + METRICS, (size_t)count * sizeof *few);
}

static gw_status run_own_groups(step_run *run, gw_steps *step, gw_group_range own) {
    const gw_parameters *parameters = step->parameters;
    gw_group_sum_restart(&step->sum);
    for (int64_t g = own.begin; g < own.end; g++) {
        run->overlapped = g + 1 == own.end;
        gw_step_sums sums = {0};
        run->sums = &sums;
        GW_TRY(parameters->mirror.kernels->zero(gw_network_gradient(step->network), parameters->mirror.bytes));
        gw_network_restart_metrics(step->network);
        int64_t next = g;
        GW_TRY(fill(run, &next));
        GW_TRY(run_group(run, g, next));
        copy_summary(step, &sums, step->few + (g - own.begin) * step->few_count);
        if (run->overlapped) return GW_OK;
        GW_TRY(read_gradient(step, 0, parameters->floats));
        gw_group_sum_add(&step->sum, host_gradient(step));
    }
    return GW_OK;
}

// Also after a failure: the other ranks are already summing.
static gw_status share_gradient(gw_steps *step) {
    while (!step->library && gw_group_sum_misses(&step->sum)) gw_group_sum_add(&step->sum, host_gradient(step));
    gw_overlap_end(&step->overlap);
    if (!step->staged) return GW_OK;
    return gw_first_failure(step->ready,
                            step->parameters->mirror.kernels->to_device(gw_network_gradient(step->network),
                                                                        step->staged, step->parameters->mirror.bytes));
}

static gw_status run_shared(gw_steps *step, int64_t number, gw_step_sums *sums) {
    step_run run = {.step = step, .number = number, .groups = step->groups, .backward = true, .sums = sums};
    const gw_group_range own = gw_groups_of_rank(step->groups, gw_rank(), gw_rank_count());
    *sums = (gw_step_sums){0};
    GW_TRY(share_labels(&run, own));
    if (!set_scales(&run)) return GW_OK;
    memset(step->few, 0, (size_t)((own.end - own.begin) * step->few_count) * sizeof *step->few);
    const gw_status status = run_own_groups(&run, step, own);
    GW_TRY(gw_ranks_agree(gw_first_failure(status, share_gradient(step))));
    GW_TRY(gw_group_sum_few(step->groups, step->few, step->few_count, step->few));
    restore_summary(step, step->few, sums);
    return GW_OK;
}

gw_status gw_step_gradient(gw_steps *step, int64_t number, gw_step_sums *sums) {
    return step->groups > 0 ? run_shared(step, number, sums) : run_alone(step, number, true, sums);
}

void gw_steps_prepare(gw_steps *step, int64_t number) {
    if (step->groups == 0) step->prepared.is_ready = prepare(step, number) == GW_OK;
}

gw_status gw_step_losses(gw_steps *step, int64_t number, gw_step_sums *sums) {
    return run_alone(step, number, false, sums);
}

double gw_step_mean(const gw_step_sums *sums) {
    double mean = 0;
    for (int r = 0; r < GW_BATCH_ROWS; r++)
        if (sums->labels[r] > 0) mean += sums->losses.of[r].loss / (double)sums->labels[r];
    return mean;
}

// --- lines of metrics

double gw_mean(double sum, int64_t count) {
    return count > 0 ? sum / (double)count : 0;
}

static void set(json_t *row, const char *prefix, const char *name, double value) {
    char full[64] = "";
    strcat(strcpy(full, prefix), name);
    json_object_set_new(row, full, json_real(value));
}

double gw_losses_report(const gw_losses *sum, const char *prefix, json_t *row) {
    const gw_loss_sum *masked = &sum->of[GW_ROWS_MASKED], *pairs = &sum->of[GW_ROWS_FIRST],
                      *contrasts = &sum->of[GW_ROWS_PREDICTED];
    const double mlm = gw_mean(masked->loss, masked->count), pair = gw_mean(pairs->loss, pairs->count);
    set(row, prefix, "mlm_loss", mlm);
    set(row, prefix, "mlm_bits", mlm / M_LN2);
    set(row, prefix, "mlm_accuracy", gw_mean((double)masked->right, masked->count));
    if (contrasts->count > 0) {
        set(row, prefix, "contrast_loss", contrasts->loss / (double)contrasts->count);
        set(row, prefix, "contrast_accuracy", (double)contrasts->right / (double)contrasts->count);
    }
    if (pairs->count == 0) return mlm;
    set(row, prefix, "nsp_loss", pair);
    set(row, prefix, "nsp_accuracy", gw_mean((double)pairs->right, pairs->count));
    return mlm + pair;
}
