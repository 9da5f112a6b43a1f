// SPDX-License-Identifier: MIT
// Rates the model's probabilities, and then lengths of open reading frames in their place.
#include "task/bases/evaluate_bases.h"

#include "base/log.h"
#include "base/memory.h"
#include "file/lines.h"
#include "label/held_out.h"
#include "task/bases/base_evaluator.h"
#include "task/bases/orfs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float called_orf = 300; // bp

static gw_status write_figure(gw_text_writer *out, double value) {
    return isnan(value) ? gw_writer_printf(out, "\tNA") : gw_writer_printf(out, "\t%.6f", value);
}

static gw_status write_row(gw_text_writer *out, const char *predictor, const char *class, const gw_site_metrics *of) {
    const double figures[] = {of->auprc, of->top_k, of->precision, of->recall};
    GW_TRY(gw_writer_printf(out, "%s\t%s\t%lld\t%lld", predictor, class, (long long)of->bases, (long long)of->sites));
    for (int i = 0; i < 4; i++) GW_TRY(write_figure(out, figures[i]));
    return gw_writer_printf(out, "\n");
}

// What an open reading frame says of a class.
static const float *orf_column(const gw_orf_lengths *orfs, const char *class) {
    if (strcmp(class, "CDS") == 0) return orfs->coding;
    if (strcmp(class, "start") == 0) return orfs->start;
    return strcmp(class, "stop") == 0 ? orfs->stop : NULL;
}

static gw_status write_model(const gw_base_evaluator *evaluator, gw_text_writer *out) {
    const gw_base_metrics *j = &evaluator->metrics;
    gw_site_metrics mean = {
        .bases = evaluator->set->bases, .auprc = j->auprc, .top_k = j->top_k, .precision = NAN, .recall = NAN};
    for (int64_t c = 1; c < evaluator->classes; c++) mean.sites += j->of[c].sites;
    GW_TRY(gw_writer_printf(out, "predictor\tclass\tbases\tsites\tAUPRC\ttop_k\tprecision\trecall\n"));
    GW_TRY(write_row(out, "model", "mean", &mean));
    for (int64_t c = 1; c < evaluator->classes; c++)
        GW_TRY(write_row(out, "model", gw_base_set_class(evaluator->set, c), &j->of[c]));
    return GW_OK;
}

// --- open reading frames -------------------------------------------------------------------------------------------

typedef struct {
    gw_base_evaluator *evaluator;
    char *bases, *flipped; // [longest contig]
    gw_orf_lengths lengths;
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
    gw_find_orfs(strand == '-' ? r->flipped : r->bases, length, &r->lengths);
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

static gw_status make_orfs(orf_run *r) {
    int64_t longest = 1;
    const gw_genome *genome = r->evaluator->set->genome;
    for (int c = 0; c < gw_genome_contigs(genome); c++)
        if (gw_genome_length(genome, c) > longest) longest = gw_genome_length(genome, c);
    r->bases = gw_alloc(longest, 1);
    r->flipped = gw_alloc(longest, 1);
    r->lengths.coding = gw_alloc(longest, sizeof(float));
    r->lengths.start = gw_alloc(longest, sizeof(float));
    r->lengths.stop = gw_alloc(longest, sizeof(float));
    const bool made = r->bases && r->flipped && r->lengths.coding && r->lengths.start && r->lengths.stop;
    return made ? GW_OK : GW_ERR_MEMORY;
}

static void free_orfs(orf_run *r) {
    free(r->bases);
    free(r->flipped);
    free(r->lengths.coding);
    free(r->lengths.start);
    free(r->lengths.stop);
}

static gw_status write_orfs(gw_base_evaluator *evaluator, gw_text_writer *out) {
    orf_run r = {.evaluator = evaluator};
    bool any = false;
    gw_status status = make_orfs(&r);
    if (status == GW_OK) status = rate_windows(&r);
    for (int64_t c = 1; status == GW_OK && c < evaluator->classes; c++) {
        const char *class = gw_base_set_class(evaluator->set, c);
        if (!orf_column(&r.lengths, class)) continue;
        any = true;
        status = write_row(out, "ORF", class, &evaluator->metrics.of[c]);
    }
    if (status == GW_OK && !any)
        status = gw_fail(GW_ERR_UNSUPPORTED, "--orfs: none of the set's classes is CDS, start or stop");
    free_orfs(&r);
    return status;
}

// --- the table -----------------------------------------------------------------------------------------------------

static gw_status write_table(gw_base_evaluator *evaluator, const gw_eval_options *options) {
    gw_text_writer *out;
    GW_TRY(gw_writer_open(NULL, &out));
    gw_status status = write_model(evaluator, out);
    if (status == GW_OK && options->orfs) status = write_orfs(evaluator, out);
    return gw_writers_close(status, out, NULL);
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
    if (status == GW_OK) status = write_table(evaluator, options);
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
