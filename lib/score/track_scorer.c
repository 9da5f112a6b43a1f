// SPDX-License-Identifier: MIT
// Sorts alleles by position. Alleles with overlapping windows share a stretch of REF; each has a window of ALT that
// replaces part of it. A few stretches and windows run at a time and are summed.
#include "score/track_scorer.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "model/family.h"
#include "network/base_network.h"
#include "network/controls.h"
#include "score/start_sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t usual_memory = INT64_C(12000000000); // bytes for what windows share
enum { MOST_FLOATS = 1 << 27, MOST_WINDOWS = 256 };       // of outputs that are held at a time
enum { TRACKS_AT_ONCE = 64 };                             // that a thread sums up

// REF's bases [begin, end) of a contig.
typedef struct {
    int contig;
    int64_t begin, end;
    int64_t bases, rows; // places in the scorer's memory
} stretch;

typedef struct {
    gw_allele *allele;
    float *values;
    int64_t begin; // of its window
    int64_t stretch;
    int64_t bases, rows;
} job;

struct gw_track_scorer {
    gw_model *model;
    gw_genome *genome;
    gw_tracks tracks;
    gw_base_network *network;
    gw_controls *controls;                   // or NULL
    gw_regions starts;                       // of genes: none without
    int64_t most_starts, start_rows, listed; // in a window; rows around one; tracks of one
    float *start_fields;                     // [tracks][GW_TRACK_FIELDS] of one
    int64_t window, flank, rows;             // bases of a window; rows that are asked for in its middle
    int64_t site_first, site_rows;           // of these: those that are summed around a variant
    int64_t most_bases, most_gap;            // of a stretch; between two windows of one
    bool shifts;
    job *jobs;
    int64_t job_count, job_capacity;
    stretch *stretches;
    int64_t stretch_count, stretch_capacity;
    gw_labelling_window *windows;
    int64_t window_capacity;
    char *bases;
    int64_t base_count, base_capacity;
    float *outputs;
    int64_t output_count, output_capacity;
};

static gw_status take_starts(gw_track_scorer *s, const gw_score_options *o) {
    const gw_tracks *t = &s->tracks;
    const int64_t around = o->around_tss > 0 ? o->around_tss : GW_AROUND_TSS, tracks = s->model->config.labels;
    GW_TRY(gw_start_sites_read(o->genes, s->genome, &s->starts));
    s->most_starts = gw_start_sites_most(&s->starts, t->rows * t->bin);
    s->start_rows = gw_min(gw_max((around + t->bin / 2) / t->bin, 1), t->rows);
    s->listed = gw_min(gw_max(o->top, 1), tracks);
    s->start_fields = gw_alloc(tracks * GW_TRACK_FIELDS, sizeof *s->start_fields);
    return s->start_fields ? GW_OK : GW_ERR_MEMORY;
}

static gw_status make(gw_track_scorer *s, const gw_score_options *o) {
    const gw_tracks *t = &s->tracks;
    s->rows = t->rows + 2 * t->margin;
    if (o->around > 0) {
        const int64_t half = (o->around + 2 * t->bin - 1) / (2 * t->bin);
        if (t->profiles)
            return gw_fail(GW_ERR_UNSUPPORTED, "--around is of tracks; the model has counts of a whole window");
        s->site_rows = gw_min(2 * half, t->rows);
    }
    if (o->genes && !t->profiles) GW_TRY(take_starts(s, o));
    else if (s->site_rows > 0) s->rows = s->site_rows;
    if (s->site_rows == 0) s->site_rows = s->rows;
    s->site_first = s->rows / 2 - s->site_rows / 2;
    // The rows that profiles are asked for have, on either side, all the bases that they read.
    s->window = t->profiles ? s->rows + 2 * t->reach : t->window;
    s->flank = (s->window - s->rows * t->bin) / 2;
    // What a window of a hundred thousand bases keeps is gigabytes, and alleles pay without it as much as REF.
    const int64_t memory = t->reach > 0 && o->memory > 0 ? o->memory : gw_max(o->memory, usual_memory);
    const gw_base_network_options options = {.tokens = o->batch_tokens,
                                             .longest = s->window,
                                             .flank = s->flank,
                                             .logits = true,
                                             .memory = o->plain ? 0 : memory};
    GW_TRY(gw_base_network_new(s->model, &options, &s->network));
    s->most_bases = s->window;
    s->most_gap = -1;
    s->shifts = gw_base_network_shifts(s->network);
    if (!s->shifts) return GW_OK;
    s->most_bases = gw_max(s->window, gw_min(gw_base_network_most(s->network), MOST_FLOATS / (4 * t->columns)));
    GW_TRY(gw_base_network_gap(s->network, &s->most_gap));
    s->most_gap = gw_max(s->most_gap - 2 * s->flank, -s->window + 1);
    return GW_OK;
}

// A network of a bias is not a part of scores.
static void leave_scored(gw_model *model) {
    void (*leave)(gw_config * config) = gw_family_of(model->config.family)->leave_scored;
    if (!leave) return;
    leave(&model->config);
    for (int m = 0; m < gw_model_member_count(model); m++) leave(&gw_model_member(model, m)->config);
}

gw_status gw_track_scorer_new(gw_model *model, gw_genome *genome, const gw_score_options *options,
                              gw_track_scorer **out) {
    gw_track_scorer *s = gw_alloc(1, sizeof *s);
    *out = NULL;
    if (!s) return GW_ERR_MEMORY;
    s->model = model;
    s->genome = genome;
    leave_scored(model);
    s->tracks = gw_family_of(model->config.family)->tracks(&model->config);
    gw_status status = make(s, options);
    if (status == GW_OK) status = gw_controls_open(model, genome, &options->controls, &s->controls);
    if (status == GW_OK) *out = s;
    else gw_track_scorer_free(s);
    return status;
}

void gw_track_scorer_free(gw_track_scorer *scorer) {
    if (!scorer) return;
    gw_base_network_free(scorer->network);
    gw_controls_free(scorer->controls);
    gw_regions_free(&scorer->starts);
    free(scorer->start_fields);
    free(scorer->jobs);
    free(scorer->stretches);
    free(scorer->windows);
    free(scorer->bases);
    free(scorer->outputs);
    free(scorer);
}

int64_t gw_track_scorer_window(const gw_track_scorer *scorer) {
    return scorer->window;
}

int64_t gw_track_scorer_tracks(const gw_track_scorer *scorer) {
    return scorer->model->config.labels;
}

int64_t gw_track_scorer_values(const gw_track_scorer *scorer) {
    return GW_TRACK_FIELDS * gw_track_scorer_tracks(scorer) + scorer->most_starts * (1 + 3 * scorer->listed);
}

int64_t gw_track_scorer_listed(const gw_track_scorer *scorer) {
    return scorer->listed;
}

// ---- windows

static int64_t begin_of(const gw_track_scorer *s, int64_t position) {
    const int64_t bin = s->tracks.bin;
    return position - position % bin - s->window / 2;
}

static int by_place(const void *a, const void *b) {
    const job *x = a, *y = b;
    const gw_variant *v = &x->allele->variant, *w = &y->allele->variant;
    if (v->contig != w->contig) return v->contig < w->contig ? -1 : 1;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return x->allele < y->allele ? -1 : x->allele > y->allele;
}

static gw_status find_jobs(gw_track_scorer *s, gw_allele *alleles, int64_t count, float *values) {
    const int64_t each = gw_track_scorer_values(s);
    s->job_count = 0;
    GW_TRY(gw_reserve(&s->jobs, &s->job_capacity, count, sizeof *s->jobs));
    for (int64_t i = 0; i < count * each; i++) values[i] = NAN;
    for (int64_t i = 0; i < count; i++) {
        gw_allele *a = &alleles[i];
        if (a->status != GW_ALLELE_PASS) continue;
        // Both alleles leave half of the rows behind them.
        const int64_t most = s->rows * s->tracks.bin / 4;
        if (a->variant.ref_length > most || a->variant.alt_length > most) a->status = GW_ALLELE_TOOLONG;
        else
            s->jobs[s->job_count++] =
                (job){.allele = a, .values = values + i * each, .begin = begin_of(s, a->variant.position)};
    }
    qsort(s->jobs, (size_t)s->job_count, sizeof *s->jobs, by_place);
    return GW_OK;
}

// ALT's window stands in the place of so many bases of REF.
static int64_t span_of(const gw_track_scorer *s, const job *j) {
    return s->window + (s->shifts ? j->allele->variant.ref_length - j->allele->variant.alt_length : 0);
}

static gw_status take_room(gw_track_scorer *s, int64_t length, int64_t *bases, int64_t *rows) {
    *bases = s->base_count;
    *rows = s->output_count;
    s->base_count += length;
    s->output_count += (length - 2 * s->flank) / s->tracks.bin * s->tracks.columns;
    return gw_reserve(&s->bases, &s->base_capacity, s->base_count, 1);
}

// The first jobs from `from` on that fit, with their stretches; *end: behind the last.
static gw_status find_stretches(gw_track_scorer *s, int64_t from, int64_t *end) {
    const int64_t each = s->rows * s->tracks.columns;
    s->stretch_count = s->base_count = s->output_count = 0;
    for (*end = from; *end < s->job_count && *end - from < MOST_WINDOWS; ++*end) {
        job *j = &s->jobs[*end];
        const int contig = j->allele->variant.contig;
        const int64_t j_end = j->begin + gw_max(span_of(s, j), s->window);
        stretch *last = s->stretch_count > 0 ? &s->stretches[s->stretch_count - 1] : NULL;
        const bool same = last && last->contig == contig && last->begin == j->begin;
        const bool near = last && s->shifts && last->contig == contig && j->begin <= last->end + s->most_gap &&
                          j_end - last->begin <= s->most_bases;
        if (*end > from && (*end - from + s->stretch_count) * each >= MOST_FLOATS) break;
        if (!same && !near) {
            GW_TRY(gw_reserve(&s->stretches, &s->stretch_capacity, s->stretch_count + 1, sizeof *s->stretches));
            last = &s->stretches[s->stretch_count++];
            *last = (stretch){.contig = contig, .begin = j->begin, .end = j->begin + s->window};
        }
        if (s->shifts && j_end > last->end) last->end = j_end;
        j->stretch = s->stretch_count - 1;
    }
    return GW_OK;
}

static gw_status cut_windows(gw_track_scorer *s, int64_t from, int64_t end) {
    for (int64_t i = 0; i < s->stretch_count; i++) {
        stretch *of = &s->stretches[i];
        GW_TRY(take_room(s, of->end - of->begin, &of->bases, &of->rows));
        GW_TRY(gw_base_fetch(s->genome, of->contig, of->begin, of->end, 0, gw_genome_length(s->genome, of->contig),
                             s->bases + of->bases));
    }
    for (int64_t i = from; i < end; i++) {
        job *j = &s->jobs[i];
        const gw_variant *v = &j->allele->variant;
        GW_TRY(take_room(s, s->window, &j->bases, &j->rows));
        const int64_t behind = v->position + v->ref_length, length = gw_genome_length(s->genome, v->contig);
        const int64_t before = v->position - j->begin, rest = s->window - before - v->alt_length;
        char *bases = s->bases + j->bases;
        GW_TRY(gw_base_fetch(s->genome, v->contig, j->begin, v->position, 0, length, bases));
        memcpy(bases + before, v->alt, (size_t)v->alt_length);
        gw_normalise_bases(bases + before, v->alt_length);
        GW_TRY(gw_base_fetch(s->genome, v->contig, behind, behind + rest, 0, length, bases + before + v->alt_length));
    }
    return GW_OK;
}

static gw_status run_windows(gw_track_scorer *s, int64_t from, int64_t end) {
    const int64_t count = s->stretch_count + end - from;
    GW_TRY(gw_reserve(&s->outputs, &s->output_capacity, s->output_count, sizeof *s->outputs));
    GW_TRY(gw_reserve(&s->windows, &s->window_capacity, count, sizeof *s->windows));
    for (int64_t i = 0; i < s->stretch_count; i++) {
        const stretch *of = &s->stretches[i];
        s->windows[i] = (gw_labelling_window){
            .bases = s->bases + of->bases, .length = of->end - of->begin, .rows = s->outputs + of->rows, .ref = -1};
    }
    for (int64_t i = from; i < end; i++) {
        const job *j = &s->jobs[i];
        s->windows[s->stretch_count + i - from] =
            (gw_labelling_window){.bases = s->bases + j->bases,
                                  .length = s->window,
                                  .rows = s->outputs + j->rows,
                                  .ref = j->stretch,
                                  .offset = j->begin - s->stretches[j->stretch].begin,
                                  .span = span_of(s, j)};
    }
    return gw_base_network_run(s->network, s->windows, count);
}

// ---- sums

static double softplus(double x) {
    return x > 30 ? x : log1p(exp(x));
}

// Sums of tracks over rows [first, end) of a window.
typedef struct {
    const gw_track_scorer *of;
    const float *rows;
    int64_t first, end;
    float *sum; // [tracks], `stride` apart
    int64_t stride;
} track_sums;

static void sum_tracks(void *context, int64_t begin, int64_t end, int thread) {
    const track_sums *sums = context;
    const gw_tracks *t = &sums->of->tracks;
    double sum[TRACKS_AT_ONCE] = {0};
    (void)thread;
    for (int64_t r = sums->first; r < sums->end; r++)
        for (int64_t l = begin; l < end; l++) {
            const double x = (double)sums->rows[r * t->columns + l];
            sum[l - begin] += t->softplus ? softplus(x) : x;
        }
    for (int64_t l = begin; l < end; l++) sums->sum[l * sums->stride] = (float)sum[l - begin];
}

// What control tracks add to REF and to ALT of a window.
typedef struct {
    const float *logits; // [rows of the profile][strands], or NULL
    double counts;       // to their logarithm
} added;

static gw_status controls_of(const gw_track_scorer *s, int contig, int64_t begin, added *out) {
    const int64_t own = begin + (s->window - s->tracks.window) / 2; // of the model's own window, in the middle
    *out = (added){NULL, 0};
    return s->controls ? gw_controls_of(s->controls, contig, own, '+', &out->logits, &out->counts) : GW_OK;
}

// The logarithm of 1 + the counts of a window, without controls.
static double counts_of(const gw_track_scorer *s, const float *rows) {
    double sum = 0;
    for (int64_t r = 0; r < s->rows; r++) sum += (double)rows[r * s->tracks.columns + s->tracks.strands];
    return sum / (double)s->rows;
}

// Probabilities of a profile, strand beside strand.
static void profile_of(const gw_track_scorer *s, const float *rows, const float *more, double *out) {
    const gw_tracks *t = &s->tracks;
    double most = -INFINITY, sum = 0;
    for (int pass = 0; pass < 3; pass++)
        for (int64_t r = 0; r < t->rows; r++)
            for (int64_t k = 0; k < t->strands; k++) {
                const double own = (double)rows[(t->margin + r) * t->columns + k];
                const double z = own + (more ? (double)more[r * t->strands + k] : 0);
                double *p = out + r * t->strands + k;
                if (pass == 0) most = fmax(most, z);
                else if (pass == 1) sum += *p = exp(z - most);
                else *p /= sum;
            }
}

static double entropy_part(double p, double mean) {
    return p > 0 ? p * log2(p / mean) : 0;
}

static gw_status distance_of(const gw_track_scorer *s, const float *ref, const float *alt, const float *more,
                             float *out) {
    const int64_t count = s->tracks.rows * s->tracks.strands;
    double *p = gw_alloc(2 * count, sizeof *p), *q = p + count, sum = 0;
    if (!p) return GW_ERR_MEMORY;
    profile_of(s, ref, more, p);
    profile_of(s, alt, more, q);
    for (int64_t i = 0; i < count; i++) {
        const double mean = (p[i] + q[i]) / 2;
        sum += (entropy_part(p[i], mean) + entropy_part(q[i], mean)) / 2;
    }
    free(p);
    *out = (float)sqrt(fmax(sum, 0));
    return GW_OK;
}

static float change_of(const float *fields) {
    return (float)log2((1 + (double)fields[1]) / (1 + (double)fields[0]));
}

// S of each track over rows [first, first + count), `stride` floats apart; more: what is added to the logarithm of
// counts, which are of all rows.
static void sum_up(const gw_track_scorer *s, const float *rows, int64_t first, int64_t count, double more, float *out,
                   int64_t stride) {
    track_sums sums = {s, rows, first, first + count, out, stride};
    if (s->tracks.profiles) *out = (float)expm1(counts_of(s, rows) + more);
    else gw_parallel_for(s->model->config.labels, TRACKS_AT_ONCE, sum_tracks, &sums);
}

// Start sites whose rows are all predicted, each with the tracks that change most around it. Behind an insertion or
// deletion ALT has a start site where its bases have moved to.
static void score_starts(const gw_track_scorer *s, const job *j, const float *const rows[2]) {
    const int64_t tracks = s->model->config.labels, bin = s->tracks.bin, begin = j->begin + s->flank;
    const gw_variant *v = &j->allele->variant;
    float *place = j->values + tracks * GW_TRACK_FIELDS, *const end = j->values + gw_track_scorer_values(s);
    for (int64_t i = gw_start_sites_from(&s->starts, v->contig, begin); i < s->starts.count && place < end; i++) {
        const gw_region *site = &s->starts.items[i];
        if (site->contig != v->contig || site->begin >= begin + s->rows * bin) break;
        bool inside = true;
        for (int side = 0; side < 2; side++) {
            const bool moved = side == 1 && site->begin >= v->position + v->ref_length;
            const int64_t at = site->begin - begin + (moved ? v->alt_length - v->ref_length : 0);
            const int64_t first = at / bin - s->start_rows / 2;
            inside = inside && at >= 0 && first >= 0 && first + s->start_rows <= s->rows;
            if (inside) sum_up(s, rows[side], first, s->start_rows, 0, s->start_fields + side, GW_TRACK_FIELDS);
        }
        if (!inside) continue;
        *place++ = (float)i;
        int64_t track = -1;
        for (int64_t k = 0; k < s->listed; k++, place += 3) {
            if (k == 0 || track >= 0) track = gw_track_next(s->start_fields, tracks, track);
            place[0] = (float)track;
            for (int side = 0; side < 2; side++)
                place[1 + side] = track >= 0 ? s->start_fields[track * GW_TRACK_FIELDS + side] : NAN;
        }
    }
    for (; place < end; place += 1 + 3 * s->listed) *place = -1;
}

// `last` was scored before, or is NULL: alleles of one window of REF share its sums.
static gw_status score(const gw_track_scorer *s, job *j, const job *last) {
    const gw_tracks *t = &s->tracks;
    const stretch *of = &s->stretches[j->stretch];
    const float *const rows[2] = {s->outputs + of->rows + (j->begin - of->begin) / t->bin * t->columns,
                                  s->outputs + j->rows};
    const int64_t tracks = s->model->config.labels, contig_length = gw_genome_length(s->genome, of->contig);
    gw_allele *a = j->allele;
    const bool has_ref = last && last->stretch == j->stretch && last->begin == j->begin && !t->profiles;
    added more;
    GW_TRY(controls_of(s, of->contig, j->begin, &more));
    for (int64_t l = 0; has_ref && l < tracks; l++) j->values[l * GW_TRACK_FIELDS] = last->values[l * GW_TRACK_FIELDS];
    for (int side = has_ref; side < 2; side++)
        sum_up(s, rows[side], s->site_first, s->site_rows, more.counts, j->values + side, GW_TRACK_FIELDS);
    if (t->profiles) GW_TRY(distance_of(s, rows[0], rows[1], more.logits, &j->values[2]));
    if (s->most_starts > 0) score_starts(s, j, rows);
    int64_t top = gw_track_next(j->values, tracks, -1);
    if (top < 0) return gw_fail(GW_ERR_RANGE, "a track is not a finite number");
    const float *fields = j->values + top * GW_TRACK_FIELDS;
    a->top = (int32_t)top;
    a->difference = change_of(fields);
    a->ref_value = fields[0];
    a->alt_value = fields[1];
    a->divergence = fields[2];
    const bool padded = j->begin < 0 || j->begin + s->window > contig_length;
    const bool rich = gw_window_is_n_rich(s->bases + j->bases, s->window);
    a->status = rich ? GW_ALLELE_NRICH : padded ? GW_ALLELE_PADDED : GW_ALLELE_PASS;
    return GW_OK;
}

gw_status gw_track_scorer_run(gw_track_scorer *s, gw_allele *alleles, int64_t count, float *values) {
    GW_TRY(find_jobs(s, alleles, count, values));
    for (int64_t from = 0, end; from < s->job_count; from = end) {
        GW_TRY(find_stretches(s, from, &end));
        GW_TRY(cut_windows(s, from, end));
        GW_TRY(run_windows(s, from, end));
        for (int64_t i = from; i < end; i++) GW_TRY(score(s, &s->jobs[i], i > from ? &s->jobs[i - 1] : NULL));
    }
    return GW_OK;
}

// ---- places

bool gw_track_scorer_fits(const gw_track_scorer *s, int contig, int64_t position) {
    const int64_t begin = begin_of(s, position);
    return begin >= 0 && begin + s->window <= gw_genome_length(s->genome, contig);
}

gw_status gw_track_scorer_signals(gw_track_scorer *s, const gw_region *places, int64_t count, float *signals) {
    const int64_t each = s->rows * s->tracks.columns, most = gw_min(gw_max(MOST_FLOATS / each, 1), MOST_WINDOWS);
    const int64_t tracks = s->model->config.labels;
    for (int64_t from = 0, some; from < count; from += some) {
        some = gw_min(most, count - from);
        s->job_count = s->stretch_count = s->base_count = s->output_count = 0;
        GW_TRY(gw_reserve(&s->jobs, &s->job_capacity, some, sizeof *s->jobs));
        for (int64_t i = 0; i < some; i++) {
            const gw_region *place = &places[from + i];
            job *j = &s->jobs[i];
            *j = (job){.begin = begin_of(s, place->begin)};
            GW_TRY(take_room(s, s->window, &j->bases, &j->rows));
            GW_TRY(gw_base_fetch(s->genome, place->contig, j->begin, j->begin + s->window, 0,
                                 gw_genome_length(s->genome, place->contig), s->bases + j->bases));
        }
        GW_TRY(gw_reserve(&s->outputs, &s->output_capacity, s->output_count, sizeof *s->outputs));
        GW_TRY(gw_reserve(&s->windows, &s->window_capacity, some, sizeof *s->windows));
        for (int64_t i = 0; i < some; i++)
            s->windows[i] = (gw_labelling_window){.bases = s->bases + s->jobs[i].bases,
                                                  .length = s->window,
                                                  .rows = s->outputs + s->jobs[i].rows,
                                                  .ref = -1};
        GW_TRY(gw_base_network_run(s->network, s->windows, some));
        for (int64_t i = 0; i < some; i++) {
            added more;
            GW_TRY(controls_of(s, places[from + i].contig, s->jobs[i].begin, &more));
            sum_up(s, s->outputs + s->jobs[i].rows, s->site_first, s->site_rows, more.counts,
                   signals + (from + i) * tracks, 1);
        }
    }
    return GW_OK;
}

// ---- what is found as text

int64_t gw_track_next(const float *values, int64_t tracks, int64_t last) {
    const float bound = last < 0 ? INFINITY : fabsf(change_of(values + last * GW_TRACK_FIELDS));
    float most = -1;
    int64_t best = -1;
    for (int64_t l = 0; l < tracks; l++) {
        const float size = fabsf(change_of(values + l * GW_TRACK_FIELDS));
        if (!isfinite(size) || size > bound || (size == bound && l <= last) || size <= most) continue;
        most = size;
        best = l;
    }
    return best;
}

void gw_track_entries(const gw_track_scorer *scorer, const gw_vcf_record *record, const gw_allele *alleles,
                      const float *values, int64_t most, gw_string *out) {
    const gw_config *config = &scorer->model->config;
    const int64_t before = out->length, tracks = config->labels;
    for (int alt = 0; alt < record->alts; alt++) {
        const float *of = values + alt * gw_track_scorer_values(scorer);
        if (!gw_allele_is_scored(alleles[alt].status)) continue;
        int64_t track = gw_track_next(of, tracks, -1);
        for (int64_t k = 0; track >= 0 && (most == 0 || k < most); k++, track = gw_track_next(of, tracks, track)) {
            const float *fields = of + track * GW_TRACK_FIELDS;
            if (out->length > before) gw_string_putc(out, ',');
            gw_percent_encode(out, record->alt[alt]);
            gw_string_putc(out, '|');
            gw_label_name(out, config, track);
            gw_string_printf(out, "|%.6g|%.6g|%.6g", (double)fields[0], (double)fields[1], (double)change_of(fields));
            if (!isnan(fields[2])) gw_string_printf(out, "|%.6g", (double)fields[2]);
        }
    }
}

// The numbers of an allele's start sites in the order of their distance from a position.
static int64_t nearest(const gw_track_scorer *s, const float *places, int64_t position, int64_t last) {
    int64_t best = -1, least = INT64_MAX;
    const int64_t each = 1 + 3 * s->listed;
#define DISTANCE(k) llabs((long long)(s->starts.items[(int64_t)places[(k)*each]].begin - position))
    for (int64_t k = 0; k < s->most_starts && places[k * each] >= 0; k++) {
        const int64_t distance = DISTANCE(k);
        if (last >= 0 && (distance < DISTANCE(last) || (distance == DISTANCE(last) && k <= last))) continue;
        if (distance >= least) continue;
        best = k;
        least = distance;
    }
#undef DISTANCE
    return best;
}

void gw_start_entries(const gw_track_scorer *s, const gw_vcf_record *record, const gw_allele *alleles,
                      const float *values, gw_string *out) {
    const gw_config *config = &s->model->config;
    const int64_t before = out->length, each = 1 + 3 * s->listed;
    for (int alt = 0; alt < record->alts; alt++) {
        const float *places = values + alt * gw_track_scorer_values(s) + config->labels * GW_TRACK_FIELDS;
        if (!gw_allele_is_scored(alleles[alt].status)) continue;
        for (int64_t k = -1; (k = nearest(s, places, record->position, k)) >= 0;) {
            const gw_region *site = &s->starts.items[(int64_t)places[k * each]];
            const float *of = places + k * each + 1;
            for (int64_t i = 0; i < s->listed && of[3 * i] >= 0; i++) {
                const float fields[] = {of[3 * i + 1], of[3 * i + 2], NAN};
                if (out->length > before) gw_string_putc(out, ',');
                gw_percent_encode(out, record->alt[alt]);
                gw_string_printf(out, "|%s|%lld|", site->name, (long long)(site->begin - record->position));
                gw_label_name(out, config, (int64_t)of[3 * i]);
                gw_string_printf(out, "|%.6g|%.6g|%.6g", (double)fields[0], (double)fields[1],
                                 (double)change_of(fields));
            }
        }
    }
}
