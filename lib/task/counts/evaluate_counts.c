// SPDX-License-Identifier: MIT
// All predictors are evaluated in the same way: a model, simple baselines, a replicate, or one half of the counts
// against the other.
#include "task/counts/evaluate_counts.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "file/table_writer.h"
#include "label/held_out.h"
#include "measure/agreement.h"
#include "measure/profile.h"
#include "measure/regression.h"
#include "task/trained_on.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KMER = 5 };
static const double never = 1e-6; // share that the mean profile spreads over all bases, so that none has 0

gw_status gw_count_evaluator_make(const gw_count_set *set, double count_weight, gw_count_evaluator *out) {
    const int64_t width = set->rows * set->strands;
    double **const columns[] = {&out->measured, &out->predicted, &out->loss, &out->distance, &out->rated};
    *out = (gw_count_evaluator){.set = set, .count_weight = count_weight};
    out->count = gw_alloc(width, sizeof *out->count);
    out->share = gw_alloc(width, sizeof *out->share);
    bool made = out->count && out->share;
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        made = (*columns[c] = gw_alloc(set->count, sizeof(double))) && made;
    return made ? GW_OK : GW_ERR_MEMORY;
}

void gw_count_evaluator_free(gw_count_evaluator *e) {
    free(e->count);
    free(e->share);
    free(e->measured);
    free(e->predicted);
    free(e->loss);
    free(e->distance);
    free(e->rated);
    *e = (gw_count_evaluator){0};
}

static void read_counts(const gw_base_counts *counts, const gw_region *window, float *out) {
    gw_base_counts_fill(counts, window->contig, window->begin, window->end, window->strand, out);
}

static double total_of(const float *count, int64_t width) {
    double total = 0;
    for (int64_t k = 0; k < width; k++) total += (double)count[k];
    return total;
}

// Rates a profile, whose sum is 1, and ln(1 + counts) beside counts that were measured in window i.
static void rate_window(gw_count_evaluator *e, int64_t i, const float *count, const double *profile, double counts) {
    const int64_t width = e->set->rows * e->set->strands;
    const double total = total_of(count, width), apart = log1p(total) - counts;
    double likely = lgamma(total + 1);
    for (int64_t k = 0; k < width; k++) {
        const double n = (double)count[k];
        e->share[k] = n;
        if (n > 0) likely += n * log(profile[k]) - lgamma(n + 1);
    }
    e->measured[i] = log1p(total);
    e->predicted[i] = counts;
    e->loss[i] = -likely + e->count_weight * apart * apart;
    e->distance[i] = total < GW_PROFILE_COUNTS ? NAN : gw_profile_distance(e->share, profile, width);
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static gw_status summarize(gw_count_evaluator *e, gw_count_metrics *out) {
    const int64_t count = e->set->count;
    double loss = 0, distance = 0;
    int64_t profiles = 0;
    for (int64_t i = 0; i < count; i++) {
        loss += e->loss[i];
        if (isnan(e->distance[i])) continue;
        distance += e->distance[i];
        e->rated[profiles++] = e->distance[i];
    }
    if (profiles > 0) qsort(e->rated, (size_t)profiles, sizeof *e->rated, by_value);
    const double *middle = e->rated + profiles / 2;
    *out = (gw_count_metrics){.loss = loss / (double)count,
                              .pearson = gw_pearson(e->measured, e->predicted, count),
                              .distance = profiles > 0 ? distance / (double)profiles : NAN,
                              .median = profiles == 0       ? NAN
                                        : profiles % 2 == 1 ? *middle
                                                            : (middle[-1] + *middle) / 2,
                              .windows = count,
                              .profiles = profiles};
    return gw_spearman(e->measured, e->predicted, count, &out->spearman);
}

static gw_status take(void *context, int64_t i, const double *profile, double counts) {
    gw_count_evaluator *e = context;
    read_counts(e->set->counts, &e->set->windows[i], e->count);
    rate_window(e, i, e->count, profile, counts);
    return GW_OK;
}

gw_status gw_count_evaluator_run(gw_count_evaluator *e, gw_count_network *network, const char *progress,
                                 gw_count_metrics *out) {
    const gw_count_sink sink = {.take = take, .context = e, .progress = progress};
    GW_TRY(gw_count_network_run(network, e->set->windows, e->set->count, sink));
    return summarize(e, out);
}

// --- plain predictors

// Each training window with counts has the same weight. profile[rows][strands]; logs[windows] of counts.
static void average(const gw_count_set *train, float *count, double *profile, float *logs) {
    const int64_t width = train->rows * train->strands;
    double sum = 0;
    for (int64_t i = 0; i < train->count; i++) {
        read_counts(train->counts, &train->windows[i], count);
        const double total = total_of(count, width);
        logs[i] = (float)log1p(total);
        if (total <= 0) continue;
        sum++;
        for (int64_t k = 0; k < width; k++) profile[k] += (double)count[k] / total;
    }
    for (int64_t k = 0; k < width; k++)
        profile[k] = (sum > 0 ? (1 - never) * profile[k] / sum : 1 - never) + never / (double)width;
}

static gw_status add_kmers(gw_kmer_rows *kmers, const gw_count_set *set) {
    char *scratch = gw_alloc(set->rows, 1), *flipped = gw_alloc(set->rows, 1);
    gw_status status = scratch && flipped ? gw_kmer_rows_make(kmers, KMER, false) : GW_ERR_MEMORY;
    for (int64_t i = 0; status == GW_OK && i < set->count; i++) {
        const char *bases;
        status = gw_count_window_bases(set->genome, &set->windows[i], 0, scratch, &bases, flipped);
        if (status == GW_OK) status = gw_kmer_rows_add(kmers, bases, set->rows);
    }
    free(scratch);
    free(flipped);
    return status;
}

// Rates the mean profile with the counts of one strength after the other, and keeps the best.
static gw_status choose_strength(gw_count_evaluator *e, const gw_ridge_system *system, const gw_sparse_rows *rows,
                                 const double *profile, float *logs, gw_count_metrics *out) {
    static const double strengths[] = {1e-3, 1e-2, 1e-1, 1, 10, 100};
    double *weight = gw_alloc(rows->features + 1, sizeof *weight);
    gw_status status = weight ? GW_OK : GW_ERR_MEMORY;
    out->pearson = -INFINITY;
    for (size_t s = 0; status == GW_OK && s < sizeof strengths / sizeof *strengths; s++) {
        gw_count_metrics one;
        status = gw_ridge_solve(system, strengths[s], weight);
        if (status != GW_OK) break;
        gw_ridge_predict(rows, weight, logs, 1);
        for (int64_t i = 0; status == GW_OK && i < e->set->count; i++) status = take(e, i, profile, (double)logs[i]);
        if (status == GW_OK) status = summarize(e, &one);
        if (status == GW_OK && (s == 0 || one.pearson > out->pearson)) *out = one;
    }
    free(weight);
    return status;
}

gw_status gw_count_evaluator_baseline(gw_count_evaluator *e, const gw_count_set *train, gw_count_metrics *out) {
    const int64_t width = train->rows * train->strands;
    gw_kmer_rows of_train = {0}, own = {0};
    gw_ridge_system system = {0};
    double *profile = gw_alloc(width, sizeof *profile);
    float *count = gw_alloc(width, sizeof *count), *logs = gw_alloc(gw_max(train->count, e->set->count), sizeof *logs);
    gw_status status = profile && count && logs ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) average(train, count, profile, logs);
    if (status == GW_OK) status = add_kmers(&of_train, train);
    if (status == GW_OK) status = add_kmers(&own, e->set);
    if (status == GW_OK) status = gw_ridge_system_make(&of_train.rows, logs, 1, &system);
    if (status == GW_OK) status = choose_strength(e, &system, &own.rows, profile, logs, out);
    gw_ridge_system_free(&system);
    gw_kmer_rows_free(&of_train);
    gw_kmer_rows_free(&own);
    free(profile);
    free(count);
    free(logs);
    return status;
}

// --- the data beside itself

// Of each count the part that a fair coin gives to the first half; the fraction of a count goes to the second.
static void halve(uint64_t seed, int64_t i, float *count, float *other, int64_t width) {
    gw_random random = gw_random_at(seed, GW_SITE_HALVES, (uint64_t)i, 0);
    for (int64_t k = 0; k < width; k++) {
        float first = 0;
        for (float n = 1; n <= count[k]; n++) first += (float)(gw_random_u32(&random) & 1);
        other[k] = count[k] - first;
        count[k] = first;
    }
}

// One half of the counts, or a replicate (`beside`), as the predictor of the other. It has no loss: what it never saw
// is impossible by it.
static gw_status rate_data(gw_count_evaluator *e, const gw_base_counts *beside, uint64_t seed, gw_count_metrics *out) {
    const int64_t width = e->set->rows * e->set->strands;
    float *other = gw_alloc(width, sizeof *other);
    double *profile = gw_alloc(width, sizeof *profile);
    for (int64_t i = 0; other && profile && i < e->set->count; i++) {
        const gw_region *window = &e->set->windows[i];
        read_counts(e->set->counts, window, e->count);
        if (beside) read_counts(beside, window, other);
        else halve(seed, i, e->count, other, width);
        for (int64_t k = 0; k < width; k++) profile[k] = (double)other[k];
        rate_window(e, i, e->count, profile, log1p(total_of(other, width)));
    }
    const gw_status status = other && profile ? summarize(e, out) : GW_ERR_MEMORY;
    out->loss = NAN;
    free(other);
    free(profile);
    return status;
}

// --- the table

static gw_status open_table(const char *path, gw_table_writer **out) {
    static const char *const figures[] = {"loss", "pearson", "spearman", "jsd", "median_jsd"};
    gw_columns columns = {0};
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "predictor");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "windows");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "profiles");
    for (int i = 0; i < 5; i++) gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6f", "%s", figures[i]);
    return gw_table_writer_open(path, &columns, "NA", out);
}

static gw_status write_row(gw_table_writer *out, const char *predictor, const gw_count_metrics *of) {
    const double figures[] = {of->loss, of->pearson, of->spearman, of->distance, of->median};
    gw_cell_text(out, predictor);
    gw_cell_integer(out, of->windows);
    gw_cell_integer(out, of->profiles);
    for (int i = 0; i < 5; i++) gw_cell_real(out, figures[i]);
    return gw_row_end(out);
}

static gw_status write_table(gw_model *model, gw_count_evaluator *e, const gw_tracks *tracks,
                             const gw_eval_options *o) {
    const gw_count_set *set = e->set;
    gw_count_network network = {0};
    gw_count_metrics metrics;
    gw_table_writer *out = NULL;
    gw_status status = gw_count_network_make(&network, model, set->genome, o->in.tokens);
    if (status == GW_OK) status = open_table(o->in.output, &out);
    if (status == GW_OK) status = gw_count_evaluator_run(e, &network, "eval", &metrics);
    if (status == GW_OK) status = write_row(out, "model", &metrics);
    if (status == GW_OK && o->baselines.count > 0) {
        gw_count_set train = {0};
        status =
            gw_count_set_open(&o->baselines, &o->tracks, set->genome, gw_split_names[GW_SPLIT_TRAIN], tracks, &train);
        if (status == GW_OK) status = gw_count_evaluator_baseline(e, &train, &metrics);
        if (status == GW_OK) status = write_row(out, "baseline", &metrics);
        gw_count_set_close(&train);
    }
    if (status == GW_OK) status = rate_data(e, NULL, o->seed, &metrics);
    if (status == GW_OK) status = write_row(out, "halves", &metrics);
    if (status == GW_OK && o->replicates.count > 0) {
        gw_base_counts *replicate = NULL;
        status = gw_count_set_read(set, &o->replicates, &replicate);
        if (status == GW_OK) status = rate_data(e, replicate, o->seed, &metrics);
        if (status == GW_OK) status = write_row(out, "replicate", &metrics);
        gw_base_counts_close(replicate);
    }
    status = gw_table_writer_end(status, out);
    gw_count_network_free(&network);
    return status;
}

gw_status gw_eval_counts(gw_model *model, const gw_eval_options *o) {
    gw_tracks tracks;
    gw_genome *genome = NULL;
    gw_count_set set = {0};
    gw_count_evaluator evaluator = {0};
    if (!o->in.fasta) return gw_fail(GW_ERR_USAGE, "profiles of counts need the genome of their regions: -f ref.fa");
    if (o->tracks.count == 0 || (o->replicates.count > 0 && o->replicates.count != o->tracks.count))
        return gw_fail(GW_ERR_USAGE, "profiles of counts need their tracks: --track once, or for + and for -; "
                                     "--replicate as often");
    GW_TRY(gw_check_profiles(&model->config, o->tracks.count, &tracks));
    gw_status status = gw_genome_open(o->in.fasta, &genome);
    if (status == GW_OK) status = gw_trained_on_check(o->in.models.items[0], model, genome);
    if (status == GW_OK)
        status = gw_count_set_open(&o->in.sets, &o->tracks, genome, o->split ? o->split : gw_split_names[GW_SPLIT_TEST],
                                   &tracks, &set);
    if (status == GW_OK) status = gw_count_evaluator_make(&set, tracks.count_weight, &evaluator);
    if (status == GW_OK) status = write_table(model, &evaluator, &tracks, o);
    gw_count_evaluator_free(&evaluator);
    gw_count_set_close(&set);
    gw_genome_close(genome);
    return status;
}
