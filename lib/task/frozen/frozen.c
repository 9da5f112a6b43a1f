// SPDX-License-Identifier: MIT
// Features of one model after another; each seed's probe of them; a line of the table.
#include "task/frozen/frozen.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/string.h"
#include "file/lines.h"
#include "measure/kmer_rows.h"
#include "task/frozen/frozen_set.h"

#include <math.h>
#include <stdlib.h>

// A ridge regression has the square of its features.
enum { FIRST_K = 3, LAST_K = 6, LAST_K_OF_NUMBERS = 5 };

typedef struct {
    const gw_eval_options *options;
    gw_text_writer *out;
    gw_probe_result *results; // [seeds]
    const char *const *names; // of the metrics
    int metrics;
} evaluation;

typedef struct {
    gw_sparse_rows rows[GW_FROZEN_PARTS];
    const gw_probe_labels *labels; // [parts]
} parts;

static void free_rows(parts *of) {
    for (int part = 0; part < GW_FROZEN_PARTS; part++) gw_sparse_rows_free(&of->rows[part]);
}

static gw_status probe(const parts *of, uint64_t seed, gw_probe_result *out) {
    gw_probe_part part[GW_FROZEN_PARTS];
    for (int i = 0; i < GW_FROZEN_PARTS; i++) part[i] = (gw_probe_part){&of->rows[i], &of->labels[i]};
    return gw_probe(&part[GW_FROZEN_TRAIN], &part[GW_FROZEN_VALID], &part[GW_FROZEN_TEST], seed, out);
}

static int by_strength(const void *a, const void *b) {
    const double x = ((const gw_probe_result *)a)->strength, y = ((const gw_probe_result *)b)->strength;
    return (x > y) - (x < y);
}

// A metric's mean over the seeds, and its standard deviation.
static gw_status write_metric(const evaluation *e, int metric) {
    const int64_t seeds = e->options->seeds;
    double mean = 0, squares = 0;
    for (int64_t s = 0; s < seeds; s++) mean += e->results[s].of[metric] / (double)seeds;
    for (int64_t s = 0; s < seeds; s++)
        squares += (e->results[s].of[metric] - mean) * (e->results[s].of[metric] - mean);
    if (isnan(mean)) return gw_writer_printf(e->out, "\tNA\tNA");
    if (seeds < 2) return gw_writer_printf(e->out, "\t%.6f\tNA", mean);
    return gw_writer_printf(e->out, "\t%.6f\t%.6f", mean, sqrt(squares / (double)(seeds - 1)));
}

static gw_status write_line(const evaluation *e, const char *predictor, int64_t features,
                            const gw_probe_labels *labels) {
    const int64_t seeds = e->options->seeds;
    GW_TRY(gw_writer_printf(e->out, "%s\t%lld\t%lld\t%lld\t%lld\t%lld", predictor, (long long)features,
                            (long long)labels[GW_FROZEN_TRAIN].rows, (long long)labels[GW_FROZEN_VALID].rows,
                            (long long)labels[GW_FROZEN_TEST].rows, (long long)labels[GW_FROZEN_TRAIN].labels));
    qsort(e->results, (size_t)seeds, sizeof *e->results, by_strength);
    GW_TRY(gw_writer_printf(e->out, "\t%g", e->results[seeds / 2].strength));
    for (int m = 0; m < e->metrics; m++) GW_TRY(write_metric(e, m));
    return gw_writer_printf(e->out, "\n");
}

static gw_status rate(const evaluation *e, const char *predictor, const parts *of) {
    for (int64_t s = 0; s < e->options->seeds; s++) GW_TRY(probe(of, e->options->seed + (uint64_t)s, &e->results[s]));
    return write_line(e, predictor, of->rows[GW_FROZEN_TRAIN].features, of->labels);
}

static gw_status write_head(const evaluation *e) {
    GW_TRY(gw_writer_printf(e->out, "predictor\tfeatures\ttrain\tvalid\ttest\tlabels\tstrength"));
    for (int m = 0; m < e->metrics; m++) GW_TRY(gw_writer_printf(e->out, "\t%s\t%s_sd", e->names[m], e->names[m]));
    return gw_writer_printf(e->out, "\n");
}

// --- windows ---------------------------------------------------------------------------------------------------------

static gw_status count_kmers(gw_labelled_set *set, int k, bool both_strands, gw_sparse_rows *out) {
    gw_kmer_rows kmers;
    gw_status status = gw_kmer_rows_make(&kmers, k, both_strands);
    for (int64_t i = 0; status == GW_OK && i < gw_labelled_set_count(set); i++) {
        const char *bases;
        int64_t length;
        status = gw_labelled_set_bases(set, i, &bases, &length);
        if (status == GW_OK) status = gw_kmer_rows_add(&kmers, bases, length);
    }
    *out = kmers.rows;
    kmers.rows = (gw_sparse_rows){0};
    gw_kmer_rows_free(&kmers);
    return status;
}

// The k of the least mean loss on validation rows over the seeds.
static gw_status rate_kmers(const evaluation *e, gw_frozen_windows *w) {
    gw_probe_result *best = gw_alloc(e->options->seeds, sizeof *best);
    double least = INFINITY;
    int64_t features = 0;
    int chosen = 0;
    gw_status status = best ? GW_OK : GW_ERR_MEMORY;
    const int last = e->options->numbers ? LAST_K_OF_NUMBERS : LAST_K;
    for (int k = FIRST_K; status == GW_OK && k <= last; k++) {
        parts of = {.labels = w->labels};
        double loss = 0;
        for (int part = 0; status == GW_OK && part < GW_FROZEN_PARTS; part++)
            if (w->set[part])
                status = count_kmers(w->set[part], k, e->options->in.strands == GW_STRANDS_BOTH, &of.rows[part]);
        for (int64_t s = 0; status == GW_OK && s < e->options->seeds; s++) {
            status = probe(&of, e->options->seed + (uint64_t)s, &e->results[s]);
            loss += e->results[s].valid_loss;
        }
        if (status == GW_OK && loss < least) {
            least = loss;
            chosen = k;
            features = of.rows[GW_FROZEN_TRAIN].features;
            for (int64_t s = 0; s < e->options->seeds; s++) best[s] = e->results[s];
        }
        free_rows(&of);
    }
    for (int64_t s = 0; status == GW_OK && s < e->options->seeds; s++) e->results[s] = best[s];
    char name[16];
    snprintf(name, sizeof name, "%d-mers", chosen);
    if (status == GW_OK) status = write_line(e, name, features, w->labels);
    free(best);
    return status;
}

static gw_status rate_windows(const evaluation *e, gw_model *model, const char *name, gw_frozen_windows *w) {
    parts of = {.labels = w->labels};
    gw_status status = GW_OK;
    for (int part = 0; status == GW_OK && part < GW_FROZEN_PARTS; part++)
        if (w->set[part])
            status = gw_window_features(model, w->set[part], e->options->in.strands == GW_STRANDS_BOTH, &of.rows[part]);
    if (status == GW_OK) status = rate(e, name, &of);
    free_rows(&of);
    return status;
}

static gw_status evaluate_windows(const evaluation *e, gw_model *const *models, int count) {
    gw_frozen_windows windows;
    gw_status status = gw_frozen_windows_open(e->options, &windows);
    if (status == GW_OK) status = write_head(e);
    for (int m = 0; status == GW_OK && m < count; m++)
        status = rate_windows(e, models[m], e->options->in.models.items[m], &windows);
    if (status == GW_OK) status = rate_kmers(e, &windows);
    gw_frozen_windows_close(&windows);
    return status;
}

// --- texts -----------------------------------------------------------------------------------------------------------

static gw_status rate_texts(const evaluation *e, gw_model *model, const char *name) {
    gw_frozen_texts texts;
    gw_status status = gw_frozen_texts_read(model, e->options, &texts);
    parts of = {.labels = texts.labels};
    for (int part = 0; status == GW_OK && part < GW_FROZEN_PARTS; part++)
        if (texts.set[part].rows > 0) status = gw_text_features(model, &texts.set[part], &of.rows[part]);
    if (status == GW_OK) status = rate(e, name, &of);
    free_rows(&of);
    gw_frozen_texts_free(&texts);
    return status;
}

static gw_status evaluate_texts(const evaluation *e, gw_model *const *models, int count) {
    if (e->options->split || e->options->without.count > 0 || e->options->in.strands != GW_STRANDS_BY_TASK)
        return gw_fail(GW_ERR_USAGE, "--split, --without and strands are of windows; the models read texts");
    if (e->options->tracks.count > 0 || e->options->missing)
        return gw_fail(GW_ERR_USAGE, "--track is of windows, and so is --missing: NA and empty fields of texts are not "
                                     "known; the models read texts");
    GW_TRY(write_head(e));
    for (int m = 0; m < count; m++) GW_TRY(rate_texts(e, models[m], e->options->in.models.items[m]));
    return GW_OK;
}

// Whether models read bases: all of them do or none.
static gw_status check_models(gw_model *const *models, int count, bool *dna) {
    *dna = gw_tokenizer_is_dna(models[0]->tokenizer);
    for (int m = 0; m < count; m++) {
        if (models[m]->members)
            return gw_fail(GW_ERR_UNSUPPORTED, "a model of several networks has no hidden states of its own");
        if (gw_tokenizer_is_dna(models[m]->tokenizer) != *dna)
            return gw_fail(GW_ERR_MISMATCH, "some of the models read bases and some texts: one table is of one kind");
    }
    return GW_OK;
}

gw_status gw_eval_frozen(gw_model *const *models, int count, const gw_eval_options *options) {
    bool dna;
    evaluation e = {.options = options};
    GW_TRY(check_models(models, count, &dna));
    e.metrics = gw_probe_metric_names(options->numbers, &e.names);
    e.results = gw_alloc(options->seeds, sizeof *e.results);
    gw_status status = e.results ? gw_writer_open(NULL, &e.out) : GW_ERR_MEMORY;
    if (status == GW_OK) {
        status = dna ? evaluate_windows(&e, models, count) : evaluate_texts(&e, models, count);
        status = gw_writers_close(status, e.out, NULL);
    }
    free(e.results);
    return status;
}
