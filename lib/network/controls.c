// SPDX-License-Identifier: MIT
// The values of one contig are in memory while its windows are requested.
#include "network/controls.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/number.h"
#include "model/family.h"
#include "seq/track/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gw_controls {
    gw_genome *genome;
    const gw_string_list *paths;
    gw_tracks tracks;
    int64_t taps;
    const float *weight; // [taps][strands][paths]
    float share;         // of the logarithm of all counts
    int contig;          // whose values these are, or -1
    gw_track_values *values;
    int *sign;     // of each track: that of its counts so far, or 0
    float *counts; // [rows + 2 margin][paths] of the window
    float *logits; // [rows][strands]
};

gw_status gw_controls_open(const gw_model *model, gw_genome *genome, const gw_string_list *paths, gw_controls **out) {
    const gw_parameter *profile = gw_model_parameter(model, "fconv_control.weight"),
                       *counts = gw_model_parameter(model, "linear_control.weight");
    *out = NULL;
    if (paths->count == 0) return GW_OK;
    if (!profile || !counts) return gw_fail(GW_ERR_UNSUPPORTED, "--control: the model has no control tracks");
    if (profile->shape[2] != paths->count)
        return gw_fail(GW_ERR_MISMATCH,
                       "--control: the model has %lld control tracks (n_control_tracks), and %d are given",
                       (long long)profile->shape[2], paths->count);
    gw_controls *c = *out = gw_alloc(1, sizeof *c);
    if (!c) return GW_ERR_MEMORY;
    *c = (gw_controls){.genome = genome,
                       .paths = paths,
                       .tracks = gw_family_of(model->config.family)->tracks(&model->config),
                       .taps = profile->shape[0],
                       .weight = model->parameters.weight + profile->offset,
                       .share = model->parameters.weight[counts->offset],
                       .contig = -1};
    c->values = gw_alloc(paths->count, sizeof *c->values);
    c->sign = gw_alloc(paths->count, sizeof *c->sign);
    c->counts = gw_alloc((c->tracks.rows + 2 * c->tracks.margin) * paths->count, sizeof *c->counts);
    c->logits = gw_alloc(c->tracks.rows * c->tracks.strands, sizeof *c->logits);
    gw_status status = c->values && c->sign && c->counts && c->logits ? GW_OK : GW_ERR_MEMORY;
    for (int k = 0; status == GW_OK && k < paths->count; k++) { // a file that cannot be read shows before long work
        status = gw_track_read(paths->items[k], genome, &(gw_region){.end = 1}, &c->values[0]);
        gw_track_values_free(&c->values[0]);
    }
    if (status == GW_OK) return GW_OK;
    gw_controls_free(c);
    *out = NULL;
    return status;
}

void gw_controls_free(gw_controls *controls) {
    if (!controls) return;
    for (int k = 0; controls->values && k < controls->paths->count; k++) gw_track_values_free(&controls->values[k]);
    free(controls->values);
    free(controls->sign);
    free(controls->counts);
    free(controls->logits);
    free(controls);
}

static gw_status read_contig(gw_controls *c, int contig) {
    const gw_region whole = {.contig = contig, .end = gw_genome_length(c->genome, contig)};
    c->contig = -1;
    for (int k = 0; k < c->paths->count; k++) {
        const char *path = c->paths->items[k];
        gw_track_values_free(&c->values[k]);
        GW_TRY(gw_check_interrupt());
        GW_TRY(gw_track_read(path, c->genome, &whole, &c->values[k]));
        GW_TRY(gw_track_make_positive(path, c->genome, contig, &c->values[k], &c->sign[k]));
        if (c->values[k].count == 0)
            gw_warn("--control: %s has no value on %s: zeros are read there", path, gw_genome_name(c->genome, contig));
    }
    c->contig = contig;
    return GW_OK;
}

gw_status gw_controls_of(gw_controls *c, int contig, int64_t begin, char strand, const float **logits, double *counts) {
    const gw_tracks *t = &c->tracks;
    const int64_t before = (t->window - t->rows) / 2 - t->margin, tracks = c->paths->count;
    const int64_t length = t->rows + 2 * t->margin, first = t->margin - (c->taps - 1) / 2;
    double sum = 0;
    if (contig != c->contig) GW_TRY(read_contig(c, contig));
    memset(c->counts, 0, (size_t)(length * tracks) * sizeof *c->counts);
    for (int64_t k = 0; k < tracks; k++)
        gw_track_values_add(&c->values[k], begin + before, begin + before + length, strand == '-',
                            c->counts + (strand == '-' ? tracks - 1 - k : k), tracks);
    for (int64_t i = 0; i < length * tracks; i++) sum += (double)c->counts[i];
    *counts = (double)c->share * log1p(sum);
    for (int64_t row = 0; row < t->rows; row++)
        for (int64_t s = 0; s < t->strands; s++) {
            double logit = 0;
            for (int64_t tap = 0; tap < c->taps; tap++)
                for (int64_t k = 0; k < tracks; k++)
                    logit += (double)c->weight[(tap * t->strands + s) * tracks + k] *
                             (double)c->counts[(first + row + tap) * tracks + k];
            c->logits[row * t->strands + s] = (float)logit;
        }
    *logits = c->logits;
    return GW_OK;
}
