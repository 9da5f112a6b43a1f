// SPDX-License-Identifier: MIT
// Windows go through the network in order, as many at a time as fit into a batch.
#include "task/counts/count_set.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "network/base_network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gw_status gw_check_profiles(const gw_config *config, int strands, gw_tracks *out) {
    const gw_family_row *family = gw_family_of(config->family);
    if (!family->tracks) return gw_fail(GW_ERR_UNSUPPORTED, "the model predicts no profiles of counts");
    *out = family->tracks(config);
    if (!out->profiles) return gw_fail(GW_ERR_UNSUPPORTED, "the model predicts no profiles of counts");
    if (strands > 0 && out->strands != strands)
        return gw_fail(GW_ERR_MISMATCH, "the model predicts %d strands (n_outputs), but %d tracks are given (--track)",
                       out->strands, strands);
    return GW_OK;
}

// --- the set

static gw_status place_windows(gw_count_set *set) {
    const int64_t regions = gw_labelled_set_count(set->set), before = set->rows / 2;
    set->windows = gw_alloc(regions, sizeof *set->windows);
    set->region = gw_alloc(regions, sizeof *set->region);
    if (!set->windows || !set->region) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < regions; i++) {
        gw_region window = gw_labelled_set_region(set->set, i);
        const int64_t middle = (window.begin + window.end) / 2;
        if (window.strand != '-') window.strand = '+';
        window.begin = window.strand == '-' ? middle + 1 + before - set->rows : middle - before;
        window.end = window.begin + set->rows;
        if (window.begin < 0 || window.end > gw_genome_length(set->genome, window.contig)) {
            set->left_out++;
            continue;
        }
        set->region[set->count] = i;
        set->windows[set->count++] = window;
    }
    return GW_OK;
}

gw_status gw_count_set_read(const gw_count_set *set, const gw_string_list *tracks, gw_base_counts **out) {
    bool *wanted = gw_alloc(gw_genome_contigs(set->genome), sizeof *wanted);
    if (!wanted) return GW_ERR_MEMORY;
    for (int64_t i = 0; i < set->count; i++) wanted[set->windows[i].contig] = true;
    const gw_status status =
        gw_base_counts_open((const char *const *)tracks->items, tracks->count, set->genome, wanted, out);
    free(wanted);
    return status;
}

gw_status gw_count_set_open(const gw_string_list *sets, const gw_string_list *tracks, gw_genome *genome,
                            const char *split, const gw_tracks *model, gw_count_set *out) {
    *out = (gw_count_set){
        .genome = genome, .strands = model->strands, .rows = model->rows, .flank = (model->window - model->rows) / 2};
    const gw_labelled_options options = {.genome = genome, .split = split, .numbers = true, .unlabelled = true};
    GW_TRY(gw_labelled_set_open((const char *const *)sets->items, sets->count, &options, &out->set));
    if (!gw_labelled_set_has_regions(out->set))
        return gw_fail(GW_ERR_MISMATCH, "%s holds sequences; profiles of counts are of regions of a genome",
                       sets->items[0]);
    GW_TRY(place_windows(out));
    if (out->count == 0)
        return gw_fail(GW_ERR_MISMATCH, "%s has no region whose window of %lld bases lies on its contig",
                       sets->items[0], (long long)out->rows);
    if (out->left_out > 0)
        gw_warn("%lld regions of %s were left out: their windows of %lld bases leave the contig",
                (long long)out->left_out, sets->items[0], (long long)out->rows);
    return tracks->count > 0 ? gw_count_set_read(out, tracks, &out->counts) : GW_OK;
}

void gw_count_set_close(gw_count_set *set) {
    gw_base_counts_close(set->counts);
    gw_labelled_set_close(set->set);
    free(set->windows);
    free(set->region);
    *set = (gw_count_set){0};
}

gw_status gw_count_window_bases(gw_genome *genome, const gw_region *window, int64_t flank, char *scratch,
                                const char **bases, char *flipped) {
    const int64_t begin = window->begin - flank, end = window->end + flank;
    GW_TRY(gw_base_fetch(genome, window->contig, begin, end, 0, gw_genome_length(genome, window->contig), scratch));
    *bases = scratch;
    if (window->strand != '-') return GW_OK;
    gw_reverse_complement(scratch, end - begin, flipped);
    *bases = flipped;
    return GW_OK;
}

// --- the network

static double log_of_sum(double a, double b) {
    return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

// The profile and the counts of a window's rows of outputs; those of a bias model are joined.
static gw_status take_window(gw_count_network *n, int64_t i, const float *out) {
    const gw_tracks *t = &n->tracks;
    const int64_t before = (t->window - t->rows) / 2, strands = t->strands;
    const int64_t first = gw_max(before - t->margin, 0), end = gw_min(before + t->rows + t->margin, t->window);
    double largest = -INFINITY, sum = 0, counts[2] = {0}, more = 0;
    const bool joined = t->columns > strands + 1;
    const gw_region *window = &n->windows[i];
    const float *logits = NULL;
    if (n->controls)
        GW_TRY(gw_controls_of(n->controls, window->contig, window->begin - before, window->strand, &logits, &more));
    for (int64_t row = 0; row < t->rows; row++)
        for (int64_t s = 0; s < strands; s++) {
            const float *z = out + (before + row) * t->columns;
            const double control = logits ? (double)logits[row * strands + s] : 0;
            const double logit = (double)z[s] + (joined ? (double)z[strands + 1 + s] : 0) + control;
            n->profile[row * strands + s] = logit;
            largest = fmax(largest, logit);
        }
    for (int64_t k = 0; k < t->rows * strands; k++) sum += n->profile[k] = exp(n->profile[k] - largest);
    for (int64_t k = 0; k < t->rows * strands; k++) n->profile[k] /= sum;
    for (int64_t row = first; row < end; row++)
        for (int part = 0; part <= joined; part++)
            counts[part] += (double)out[row * t->columns + strands + part * (strands + 1)] / (double)(end - first);
    counts[0] += more;
    if (joined) counts[0] = log_of_sum(counts[0], counts[1]);
    if (!isfinite(sum) || !isfinite(counts[0])) return gw_output_not_finite();
    return n->sink->take(n->sink->context, i, n->profile, counts[0]);
}

static gw_status take_batch(void *network, const gw_losses *losses) {
    gw_count_network *n = network;
    const gw_rows *stream = &n->batch.of[GW_ROWS_TOKENS];
    const float *out = gw_network_output(n->forward.network, GW_ROWS_TOKENS);
    (void)losses;
    if (!out) return GW_ERR_IO;
    for (int64_t s = 0; s < stream->sequences; s++)
        GW_TRY(take_window(n, n->ran++, out + stream->start[s] * n->tracks.columns));
    return GW_OK;
}

gw_status gw_count_network_make(gw_count_network *n, gw_model *model, gw_genome *genome, int64_t tokens) {
    *n = (gw_count_network){.model = model, .genome = genome};
    GW_TRY(gw_check_profiles(&model->config, 0, &n->tracks));
    if (gw_model_member_count(model) > 1)
        return gw_fail(GW_ERR_UNSUPPORTED, "profiles of counts are predicted by one model, and this one has members");
    const int64_t window = n->tracks.window, most = gw_forward_tokens(tokens, window);
    const gw_network_options options = {.tokens = most, .sequences = most / window};
    gw_base_map_letters(model, n->letter);
    n->bases = gw_alloc(window, 1);
    n->flipped = gw_alloc(window, 1);
    n->profile = gw_alloc(n->tracks.rows * n->tracks.strands, sizeof *n->profile);
    if (!n->bases || !n->flipped || !n->profile) return GW_ERR_MEMORY;
    GW_TRY(gw_rows_make(&n->batch.of[GW_ROWS_TOKENS], most, options.sequences, GW_WITH_TOKEN));
    GW_TRY(gw_forward_make(&n->forward, model, &options, &n->batch, n));
    n->forward.ran = take_batch;
    return GW_OK;
}

void gw_count_network_free(gw_count_network *n) {
    gw_forward_free(&n->forward);
    gw_batch_free(&n->batch);
    free(n->bases);
    free(n->flipped);
    free(n->profile);
    gw_controls_free(n->controls);
    *n = (gw_count_network){0};
}

gw_status gw_count_network_run(gw_count_network *n, const gw_region *windows, int64_t count, gw_count_sink sink) {
    const gw_tracks *t = &n->tracks;
    gw_rows *stream = &n->batch.of[GW_ROWS_TOKENS];
    gw_status status = GW_OK;
    n->sink = &sink;
    n->windows = windows;
    n->ran = 0;
    for (int64_t i = 0; status == GW_OK && i < count; i++) {
        const char *bases;
        status = gw_forward_reserve(&n->forward, t->window, 0);
        if (status == GW_OK)
            status =
                gw_count_window_bases(n->genome, &windows[i], (t->window - t->rows) / 2, n->bases, &bases, n->flipped);
        if (status != GW_OK) break;
        for (int64_t k = 0; k < t->window; k++) stream->token[stream->count++] = n->letter[(unsigned char)bases[k]];
        gw_rows_end_sequence(stream);
        if (sink.progress) gw_progress(sink.progress, i + 1, count, "windows", NULL);
    }
    if (status == GW_OK) status = gw_forward_run(&n->forward);
    if (sink.progress) gw_progress_end();
    gw_batch_clear(&n->batch);
    return status;
}
