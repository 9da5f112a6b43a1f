// SPDX-License-Identifier: MIT
// Evaluates a model of labels of bases on a set: compares each class's column of probabilities with the class's bases.
// Open reading frames, scored by length, may be added as a predictor.
#include "task/bases/evaluate_bases.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "file/table_writer.h"
#include "label/held_out.h"
#include "measure/metric.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FITTED = 100000 }; // bases by which a temperature is fitted
static const float least_probability = 1e-30F;

gw_status gw_base_evaluator_make(const gw_base_set *set, const gw_config *model, gw_base_evaluator *out) {
    const int64_t classes = model->labels;
    *out = (gw_base_evaluator){.set = set, .classes = classes, .overlap = model->overlap};
    out->probability = gw_alloc(set->bases * classes, sizeof *out->probability);
    out->class = gw_alloc(set->bases, sizeof *out->class);
    out->metrics.of = gw_alloc(classes, sizeof *out->metrics.of);
    for (int i = 0; i < 2; i++) out->column[i] = gw_alloc(set->bases, sizeof *out->column[i]);
    if (!out->probability || !out->class || !out->metrics.of || !out->column[0] || !out->column[1])
        return GW_ERR_MEMORY;
    for (int64_t i = 0, at = 0; i < gw_labelled_set_count(set->set); i++) {
        const gw_region window = gw_base_set_window(set, i);
        gw_base_set_labels(set, i, out->class + at);
        at += window.end - window.begin;
    }
    return GW_OK;
}

void gw_base_evaluator_free(gw_base_evaluator *evaluator) {
    free(evaluator->probability);
    free(evaluator->class);
    free(evaluator->metrics.of);
    for (int i = 0; i < 2; i++) free(evaluator->column[i]);
    free(evaluator->no_shift);
    *evaluator = (gw_base_evaluator){0};
}

static gw_region window_of(const void *context, int64_t i) {
    return gw_base_set_window(((const gw_base_evaluator *)context)->set, i);
}

static gw_status take(void *context, int64_t i, const gw_region *window, const float *rows) {
    gw_base_evaluator *evaluator = context;
    const int64_t bases = window->end - window->begin;
    (void)i; // windows come in order
    memcpy(evaluator->probability + evaluator->taken * evaluator->classes, rows,
           (size_t)(bases * evaluator->classes) * sizeof *rows);
    evaluator->taken += bases;
    return GW_OK;
}

gw_status gw_base_evaluator_run(gw_base_evaluator *evaluator, gw_base_network *network, const char *progress) {
    const gw_base_pass pass = {.genome = evaluator->set->genome,
                               .count = gw_labelled_set_count(evaluator->set->set),
                               .longest = gw_labelled_set_longest(evaluator->set->set),
                               .window = window_of,
                               .take = take,
                               .context = evaluator,
                               .progress = progress};
    evaluator->taken = 0;
    return gw_base_pass_run(network, &pass);
}

static bool has_class(const gw_base_evaluator *evaluator, int64_t base, int64_t class) {
    return gw_base_has_class(evaluator->set->overlap, evaluator->class[base], class);
}

static double cost(float probability) {
    return -log((double)fmaxf(probability, least_probability));
}

// Adds a base's calls, the class that is most probable or each that is probable by itself, and its loss; whether all
// are right.
static bool count_base(gw_base_evaluator *evaluator, int64_t base, int64_t *called, int64_t *right) {
    const float *p = evaluator->probability + base * evaluator->classes;
    const int64_t classes = evaluator->classes;
    int64_t most = 0;
    for (int64_t c = 1; c < classes; c++)
        if (p[c] > p[most]) most = c;
    gw_base_metrics *j = &evaluator->metrics;
    bool all_right = true;
    for (int64_t c = 0; c < classes; c++) {
        const bool is = has_class(evaluator, base, c), call = evaluator->overlap ? p[c] >= 0.5F : c == most;
        j->of[c].sites += is;
        called[c] += call;
        right[c] += call && is;
        all_right = all_right && call == is;
        if (evaluator->overlap) j->loss += cost(is ? p[c] : 1 - p[c]) / (double)classes;
        else if (is) j->loss += cost(p[c]);
    }
    return all_right;
}

static gw_status count_calls(gw_base_evaluator *evaluator) {
    gw_base_metrics *j = &evaluator->metrics;
    const int64_t bases = evaluator->set->bases, classes = evaluator->classes;
    int64_t *count = gw_alloc(2 * classes, sizeof *count), *called = count, *right = count + classes, all = 0;
    if (!count) return GW_ERR_MEMORY;
    memset(j->of, 0, (size_t)classes * sizeof *j->of);
    j->loss = 0;
    for (int64_t i = 0; i < bases; i++) all += count_base(evaluator, i, called, right);
    j->loss /= (double)bases;
    j->accuracy = (double)all / (double)bases;
    for (int64_t c = 0; c < classes; c++) {
        j->of[c].bases = bases;
        j->of[c].precision = (double)right[c] / (double)called[c];
        j->of[c].recall = (double)right[c] / (double)j->of[c].sites;
    }
    free(count);
    return GW_OK;
}

static gw_status rate_class(gw_base_evaluator *evaluator, int64_t class) {
    const int64_t bases = evaluator->set->bases;
    gw_site_metrics *of = &evaluator->metrics.of[class];
    gw_metric metric;
    for (int64_t i = 0; i < bases; i++) {
        evaluator->column[0][i] = evaluator->probability[i * evaluator->classes + class];
        evaluator->column[1][i] = has_class(evaluator, i, class);
    }
    GW_TRY(gw_metric_compute(evaluator->column[0], evaluator->column[1], bases, 1, &metric));
    of->auprc = metric.auprc;
    return gw_top_k(evaluator->column[0], evaluator->column[1], bases, &of->top_k);
}

gw_status gw_base_evaluator_rate(gw_base_evaluator *evaluator) {
    gw_base_metrics *j = &evaluator->metrics;
    int64_t rated = 0;
    GW_TRY(count_calls(evaluator));
    j->auprc = j->top_k = 0;
    for (int64_t c = 0; c < evaluator->classes; c++) {
        GW_TRY(rate_class(evaluator, c));
        if (c == 0 || isnan(j->of[c].auprc)) continue;
        rated++;
        j->auprc += j->of[c].auprc;
        j->top_k += j->of[c].top_k;
    }
    j->auprc = rated > 0 ? j->auprc / (double)rated : NAN;
    j->top_k = rated > 0 ? j->top_k / (double)rated : NAN;
    return GW_OK;
}

gw_status gw_base_evaluator_logits(gw_base_evaluator *evaluator, gw_temperature_rows *out) {
    const int64_t bases = evaluator->set->bases, apart = (bases + MOST_FITTED - 1) / MOST_FITTED,
                  classes = evaluator->classes;
    int64_t rows = 0;
    float *value = NULL;
    if (evaluator->overlap) {
        const int64_t most = (bases + apart - 1) / apart;
        evaluator->no_shift = gw_alloc(classes, sizeof(double));
        free(evaluator->column[0]);
        value = evaluator->column[0] = gw_alloc(most * classes, sizeof *value);
        if (!evaluator->no_shift || !value) return GW_ERR_MEMORY;
    }
    for (int64_t i = 0; i < bases; i += apart, rows++) {
        for (int64_t c = 0; c < classes; c++) {
            // as of a logistic function; or as a softmax has them, but for what all of a base have in common
            const float p = evaluator->probability[i * classes + c], yes = fmaxf(p, least_probability),
                        no = fmaxf(1 - p, least_probability);
            evaluator->probability[rows * classes + c] = evaluator->overlap ? logf(yes) - logf(no) : logf(yes);
            if (value) value[rows * classes + c] = has_class(evaluator, i, c);
        }
        evaluator->class[rows] = evaluator->class[i];
    }
    *out = (gw_temperature_rows){.rows = rows,
                                 .labels = classes,
                                 .strands = 1,
                                 .logit = evaluator->probability,
                                 .shift = evaluator->no_shift,
                                 .value = value,
                                 .label = evaluator->overlap ? NULL : evaluator->class};
    return GW_OK;
}

// --- the table

static const float called_orf = 300; // bp

static gw_status open_table(const char *path, gw_table_writer **out) {
    static const char *const figures[] = {"AUPRC", "top_k", "precision", "recall"};
    gw_columns columns = {0};
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "predictor");
    gw_columns_add(&columns, GW_COLUMN_TEXT, NULL, "class");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "bases");
    gw_columns_add(&columns, GW_COLUMN_INTEGER, NULL, "sites");
    for (int i = 0; i < 4; i++) gw_columns_add(&columns, GW_COLUMN_DOUBLE, "%.6f", "%s", figures[i]);
    return gw_table_writer_open(path, &columns, "NA", out);
}

static gw_status write_row(gw_table_writer *out, const char *predictor, const char *class, const gw_site_metrics *of) {
    gw_cell_text(out, predictor);
    gw_cell_text(out, class);
    gw_cell_integer(out, of->bases);
    gw_cell_integer(out, of->sites);
    gw_cell_real(out, of->auprc);
    gw_cell_real(out, of->top_k);
    gw_cell_real(out, of->precision);
    gw_cell_real(out, of->recall);
    return gw_row_end(out);
}

static gw_status write_model(const gw_base_evaluator *evaluator, gw_table_writer *out) {
    const gw_base_metrics *j = &evaluator->metrics;
    gw_site_metrics mean = {
        .bases = evaluator->set->bases, .auprc = j->auprc, .top_k = j->top_k, .precision = NAN, .recall = NAN};
    for (int64_t c = 1; c < evaluator->classes; c++) mean.sites += j->of[c].sites;
    GW_TRY(write_row(out, "model", "mean", &mean));
    for (int64_t c = 1; c < evaluator->classes; c++)
        GW_TRY(write_row(out, "model", gw_base_set_class(evaluator->set, c), &j->of[c]));
    return GW_OK;
}

// --- open reading frames -------------------------------------------------------------------------------------------

enum { CODON = 3 };

static bool is_codon(const char *bases, const char *codon) {
    return memcmp(bases, codon, CODON) == 0;
}

static void raise_to(float *to, int64_t begin, int64_t end, float length) {
    for (int64_t i = begin; i < end; i++)
        if (to[i] < length) to[i] = length;
}

// For each of `count` bases (A, C, G, T, N) of one strand the length in bp of the longest frame by the standard code,
// from the first ATG behind a stop codon, or behind the sequence's begin, to the next stop codon in its frame, which is
// included: of which it is coding sequence between both codons, a base of the start, or of the stop codon; 0: none.
typedef struct {
    float *coding, *start, *stop; // [count]
} orf_lengths;

// One walk a frame.
static void find_orfs(const char *bases, int64_t count, orf_lengths *out) {
    float *const all[] = {out->coding, out->start, out->stop};
    for (int i = 0; i < 3; i++) memset(all[i], 0, (size_t)count * sizeof(float));
    for (int frame = 0; frame < CODON; frame++) {
        int64_t first = -1; // codon of the frame that is open
        for (int64_t i = frame; i + CODON <= count; i += CODON) {
            if (first < 0 && is_codon(bases + i, "ATG")) first = i;
            if (!is_codon(bases + i, "TAA") && !is_codon(bases + i, "TAG") && !is_codon(bases + i, "TGA")) continue;
            const float length = (float)(i + CODON - first);
            if (first >= 0) {
                raise_to(out->start, first, first + CODON, length);
                raise_to(out->coding, first + CODON, i, length);
                raise_to(out->stop, i, i + CODON, length);
            }
            first = -1;
        }
    }
}

// What an open reading frame says of a class.
static const float *orf_column(const orf_lengths *orfs, const char *class) {
    if (strcmp(class, "CDS") == 0) return orfs->coding;
    if (strcmp(class, "start") == 0) return orfs->start;
    return strcmp(class, "stop") == 0 ? orfs->stop : NULL;
}

typedef struct {
    gw_base_evaluator *evaluator;
    char *bases, *flipped; // [longest contig]
    orf_lengths lengths;
} orf_run;

// A length as a probability: half for one that is just called.
static float by_length(float length) {
    return length / (length + called_orf);
}

// The lengths of a window's bases as its probabilities; `none` is as probable as a frame that is just not called.
static void take_window(orf_run *r, const gw_region *window, int64_t contig_length) {
    gw_base_evaluator *evaluator = r->evaluator;
    for (int64_t i = window->begin; i < window->end; i++) {
        const int64_t at = window->strand == '-' ? contig_length - 1 - i : i;
        float *p = evaluator->probability + evaluator->taken++ * evaluator->classes;
        p[0] = by_length(called_orf - 0.5F);
        for (int64_t c = 1; c < evaluator->classes; c++) {
            const float *lengths = orf_column(&r->lengths, gw_base_set_class(evaluator->set, c));
            p[c] = lengths ? by_length(lengths[at]) : 0;
        }
    }
}

static gw_status find_in_contig(orf_run *r, int contig, char strand) {
    gw_genome *genome = r->evaluator->set->genome;
    const int64_t length = gw_genome_length(genome, contig);
    GW_TRY(gw_genome_fetch(genome, contig, 0, length, r->bases));
    if (strand == '-') gw_reverse_complement(r->bases, length, r->flipped);
    find_orfs(strand == '-' ? r->flipped : r->bases, length, &r->lengths);
    for (int64_t i = 0; r->evaluator->set->overlap && i < length; i++) // coding sequence has both codons, too
        r->lengths.coding[i] = fmaxf(r->lengths.coding[i], fmaxf(r->lengths.start[i], r->lengths.stop[i]));
    return GW_OK;
}

// Windows lie contig by contig and strand by strand, mostly.
static gw_status rate_windows(orf_run *r) {
    const gw_base_set *set = r->evaluator->set;
    gw_region last = {.contig = -1};
    r->evaluator->taken = 0;
    for (int64_t i = 0; i < gw_labelled_set_count(set->set); i++) {
        const gw_region window = gw_base_set_window(set, i);
        if (window.contig != last.contig || window.strand != last.strand)
            GW_TRY(find_in_contig(r, window.contig, window.strand));
        take_window(r, &window, gw_genome_length(set->genome, window.contig));
        last = window;
    }
    return gw_base_evaluator_rate(r->evaluator);
}

static gw_status write_orfs(gw_base_evaluator *evaluator, gw_table_writer *out) {
    int64_t longest = 1;
    const gw_genome *genome = evaluator->set->genome;
    for (int c = 0; c < gw_genome_contigs(genome); c++) longest = gw_max(longest, gw_genome_length(genome, c));
    orf_run r = {.evaluator = evaluator, .bases = gw_alloc(longest, 1), .flipped = gw_alloc(longest, 1)};
    float *lengths = gw_alloc(3 * longest, sizeof *lengths);
    bool any = false;
    gw_status status = r.bases && r.flipped && lengths ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) {
        r.lengths = (orf_lengths){lengths, lengths + longest, lengths + 2 * longest};
        status = rate_windows(&r);
    }
    for (int64_t c = 1; status == GW_OK && c < evaluator->classes; c++) {
        const char *class = gw_base_set_class(evaluator->set, c);
        if (!orf_column(&r.lengths, class)) continue;
        any = true;
        status = write_row(out, "ORF", class, &evaluator->metrics.of[c]);
    }
    if (status == GW_OK && !any)
        status = gw_fail(GW_ERR_UNSUPPORTED, "--orfs: none of the set's classes is CDS, start or stop");
    free(r.bases);
    free(r.flipped);
    free(lengths);
    return status;
}

static gw_status evaluate(gw_model *model, gw_base_evaluator *evaluator, const gw_eval_options *options) {
    const int64_t flank = gw_base_flank(model);
    const gw_base_network_options network_options = {
        .longest = gw_labelled_set_longest(evaluator->set->set) + 2 * flank, .flank = flank};
    gw_base_network *network;
    GW_TRY(gw_base_network_new(model, &network_options, &network));
    gw_status status = gw_base_evaluator_run(evaluator, network, "eval");
    if (status == GW_OK) status = gw_base_evaluator_rate(evaluator);
    if (status == GW_OK)
        gw_note("accuracy %.6f, loss %.6f of %lld bases", evaluator->metrics.accuracy, evaluator->metrics.loss,
                (long long)evaluator->set->bases);
    gw_table_writer *out = NULL;
    if (status == GW_OK) status = open_table(options->in.output, &out);
    if (status == GW_OK) status = write_model(evaluator, out);
    if (status == GW_OK && options->orfs) status = write_orfs(evaluator, out);
    status = gw_table_writer_end(status, out);
    gw_base_network_free(network);
    return status;
}

gw_status gw_eval_bases(gw_model *model, const gw_eval_options *options) {
    const char *split = options->split ? options->split : gw_split_names[GW_SPLIT_TEST];
    gw_genome *genome = NULL;
    gw_base_set set = {0};
    gw_base_evaluator evaluator = {0};
    gw_status status = options->in.fasta ? gw_genome_open(options->in.fasta, &genome)
                                         : gw_fail(GW_ERR_USAGE, "sets of labelled bases need their genome: -f ref.fa");
    if (status == GW_OK) status = gw_base_set_open(&options->in.sets, genome, split, &set);
    if (status == GW_OK) status = gw_base_set_check(&set, &model->config);
    if (status == GW_OK) status = gw_base_evaluator_make(&set, &model->config, &evaluator);
    if (status == GW_OK) status = evaluate(model, &evaluator, options);
    gw_base_evaluator_free(&evaluator);
    gw_base_set_close(&set);
    gw_genome_close(genome);
    return status;
}
