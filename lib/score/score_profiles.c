// SPDX-License-Identifier: MIT
// Each allele makes one job (or one for each TSS with a window that covers it): a REF and an ALT window for each phase,
// made and encoded once. Equal neighbouring windows, such as the REF windows of the ALTs at one site, are computed
// once; REF = ALT therefore gives exactly 0.
#include "score/score_profiles.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/softmax.h"
#include "network/label_predictor.h"
#include "seq/genes/tss.h"
#include "text/tokenizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 64 };

typedef struct {
    gw_allele *allele;
    int64_t row;     // of `raw`
    int64_t *window; // [phases][2] indices of the REF and ALT windows
    int site;        // of the scorer's sites, or -1
} job;

struct gw_profile_scorer {
    gw_model *model;
    gw_genome *genome;
    int64_t window;
    const gw_regions *sites; // or NULL
    bool reverse;            // windows are read as their reverse complements
    gw_label_predictor *predictor;
    gw_label_gradient *gradient; // or NULL
    int64_t labels, phases;
    bool numbers; // in the place of probabilities
    job jobs[MOST_JOBS];
    int job_count;
    int64_t most_windows, window_count;
    int64_t *window_of;            // [MOST_JOBS][phases][2]
    int64_t *like;                 // [most_windows] REF's of an ALT's window, else itself
    char *bases;                   // [most_windows + 3][W]; the last three are scratch
    gw_token_strings strands;      // [window_count][strands] tokens
    float *probabilities, *logits; // [most_windows][labels]
    float *mean;                   // [2][labels] probabilities over the phases, then [2][labels] logits of them
    float *raw;
};

gw_status gw_profile_scorer_new(gw_model *model, gw_genome *genome, int64_t window, const gw_regions *sites,
                                const gw_score_options *options, gw_profile_scorer **out) {
    *out = NULL;
    gw_profile_scorer *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    const bool both = !sites && !gw_profile_reads_one_strand(model);
    const gw_label_predictor_options predictor = {.tokens = options->batch_tokens,
                                                  .both_strands = both,
                                                  .share =
                                                      options->plain || options->approximate ? 0 : options->memory};
    s->model = model;
    s->genome = genome;
    s->window = window;
    s->sites = sites;
    s->reverse = options->strand == '-';
    s->labels = model->config.labels;
    s->numbers = gw_config_has_numbers(&model->config);
    s->phases = options->phases > 0 ? options->phases : 1;
    s->most_windows = 2 * MOST_JOBS * s->phases;
    s->window_of = gw_alloc(s->most_windows, sizeof *s->window_of);
    s->like = gw_alloc(s->most_windows, sizeof *s->like);
    s->bases = gw_alloc(s->most_windows + 3, s->window);
    s->probabilities = gw_alloc(s->most_windows * s->labels, sizeof(float));
    s->logits = gw_alloc(s->most_windows * s->labels, sizeof(float));
    s->mean = gw_alloc(4 * s->labels, sizeof(float));
    for (int i = 0; s->window_of && i < MOST_JOBS; i++) s->jobs[i].window = s->window_of + 2 * i * s->phases;
    const bool all = s->window_of && s->like && s->bases && s->probabilities && s->logits && s->mean;
    gw_status status = all ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_label_predictor_new(model, &predictor, &s->predictor);
    if (status == GW_OK && options->approximate) status = gw_label_gradient_new(model, both, &s->gradient);
    if (status == GW_OK) *out = s;
    else gw_profile_scorer_free(s);
    return status;
}

void gw_profile_scorer_free(gw_profile_scorer *scorer) {
    if (!scorer) return;
    gw_label_predictor_free(scorer->predictor);
    gw_label_gradient_free(scorer->gradient);
    gw_token_strings_free(&scorer->strands);
    free(scorer->window_of);
    free(scorer->like);
    free(scorer->bases);
    free(scorer->probabilities);
    free(scorer->logits);
    free(scorer->mean);
    free(scorer);
}

static char *window_at(const gw_profile_scorer *s, int64_t index) {
    return s->bases + index * s->window;
}

// What one side is over the phases: the mean of numbers and of their logits; or the mean probability and its logit,
// where the logits say P and 1 - P exactly, near 0 and 1 too.
static void average(const gw_profile_scorer *s, const job *j, int side, float *mean, float *logits) {
    for (int64_t l = 0; l < s->labels; l++) {
        double value = 0, z = 0, yes = 0, no = 0;
        for (int64_t p = 0; p < s->phases; p++) {
            const int64_t at = j->window[2 * p + side] * s->labels + l;
            value += (double)s->probabilities[at] / (double)s->phases;
            z += (double)s->logits[at] / (double)s->phases;
            yes += gw_logistic((double)s->logits[at]);
            no += gw_logistic(-(double)s->logits[at]);
        }
        mean[l] = (float)(s->numbers ? value : yes / (double)s->phases);
        logits[l] = (float)(s->numbers ? z : log(yes / no));
    }
}

// Standard deviation of the difference in one profile over the phases.
static float spread(const gw_profile_scorer *s, const job *j, int64_t label) {
    double sum = 0, squares = 0;
    if (s->phases == 1) return NAN;
    for (int64_t p = 0; p < s->phases; p++) {
        const double ref = (double)s->probabilities[j->window[2 * p] * s->labels + label];
        const double alt = (double)s->probabilities[j->window[2 * p + 1] * s->labels + label];
        sum += alt - ref;
        squares += (alt - ref) * (alt - ref);
    }
    const double n = (double)s->phases;
    return (float)sqrt(fmax(squares - sum * sum / n, 0) / (n - 1));
}

// The difference of the most different profile; fills the allele where it beats what the allele has.
static void take_difference(gw_profile_scorer *s, const job *j) {
    const float *p[2], *z[2]; // probabilities and logits of both sides, [labels] each
    for (int side = 0; side < 2; side++) {
        p[side] = s->probabilities + j->window[side] * s->labels;
        z[side] = s->logits + j->window[side] * s->labels;
        if (s->phases == 1) continue;
        float *mean = s->mean + side * s->labels, *of_mean = mean + 2 * s->labels;
        average(s, j, side, mean, of_mean);
        p[side] = mean;
        z[side] = of_mean;
    }
    const float *ref = p[0], *alt = p[1];
    int64_t top = 0;
    double sum = 0;
    for (int64_t l = 0; l < s->labels; l++) {
        const float size = fabsf(alt[l] - ref[l]);
        sum += (double)size;
        if (size > fabsf(alt[top] - ref[top])) top = l;
    }
    gw_allele *a = j->allele;
    const bool first = a->status == GW_ALLELE_NOSITE;
    if (!first && fabsf(alt[top] - ref[top]) <= fabsf(a->difference)) return;
    a->status = GW_ALLELE_PASS;
    for (int64_t w = 0; w < 2 * s->phases; w++)
        if (gw_window_is_n_rich(window_at(s, j->window[w]), s->window)) a->status = GW_ALLELE_NRICH;
    a->site = j->site;
    a->top = (int32_t)top;
    a->difference = alt[top] - ref[top];
    a->logit = z[1][top] - z[0][top];
    a->mean = (float)(sum / (double)s->labels);
    a->ref_value = ref[top];
    a->alt_value = alt[top];
    a->spread = spread(s, j, top);
    if (!s->raw) return;
    memcpy(s->raw + 2 * j->row * s->labels, ref, (size_t)s->labels * sizeof(float));
    memcpy(s->raw + (2 * j->row + 1) * s->labels, alt, (size_t)s->labels * sizeof(float));
}

static void clear_jobs(gw_profile_scorer *s) {
    s->job_count = 0;
    s->window_count = 0;
    gw_token_strings_cut(&s->strands, 0);
}

static gw_status run_jobs(gw_profile_scorer *s) {
    if (s->job_count == 0) return GW_OK;
    GW_TRY(s->gradient ? gw_label_gradient_run(s->gradient, &s->strands, s->like, s->probabilities, s->logits)
                       : gw_label_predictor_run_alike(s->predictor, &s->strands, s->like, s->probabilities, s->logits));
    for (int i = 0; i < s->job_count; i++) take_difference(s, &s->jobs[i]);
    clear_jobs(s);
    return GW_OK;
}

static char *scratch_window(const gw_profile_scorer *s, int side) {
    return window_at(s, s->most_windows + side);
}

// A place for an allele's windows, which waits as NOSITE until they are done.
static gw_status begin_job(gw_profile_scorer *s, gw_allele *allele, int64_t row, int site) {
    if (s->job_count == MOST_JOBS) GW_TRY(run_jobs(s));
    job *j = &s->jobs[s->job_count];
    j->allele = allele;
    j->row = row;
    j->site = site;
    return GW_OK;
}

// Takes the windows in the scratch places into the job begun, with their tokens: REF's is the job's before where it is
// equal, ALT's is REF's. TOOLONG where they make too many tokens.
static gw_status keep_phase(gw_profile_scorer *s, int64_t phase, gw_allele_status *status) {
    job *j = &s->jobs[s->job_count];
    int64_t same = s->job_count > 0 ? j[-1].window[2 * phase] : -1;
    for (int side = 0; side < 2 && *status == GW_ALLELE_PASS; side++) {
        int64_t *index = &j->window[2 * phase + side];
        const char *bases = scratch_window(s, side);
        bool fits = true;
        if (s->reverse) {
            gw_reverse_complement(bases, s->window, scratch_window(s, 2));
            bases = scratch_window(s, 2);
        }
        *index = same;
        if (same < 0 || memcmp(window_at(s, same), bases, (size_t)s->window) != 0) {
            *index = s->window_count++;
            s->like[*index] = side > 0 ? same : *index;
            memcpy(window_at(s, *index), bases, (size_t)s->window);
            GW_TRY(gw_label_predictor_encode(s->predictor, bases, s->window, &s->strands, &fits));
        }
        same = j->window[2 * phase];
        if (!fits) *status = GW_ALLELE_TOOLONG;
    }
    return GW_OK;
}

// The job begun is one of those to be run, or its windows, from `windows` on, are dropped.
static void end_job(gw_profile_scorer *s, gw_allele_status status, int64_t windows) {
    const int strands = gw_label_predictor_strands(s->predictor);
    s->job_count += status == GW_ALLELE_PASS;
    if (status == GW_ALLELE_PASS) return;
    s->window_count = windows;
    gw_token_strings_cut(&s->strands, windows * strands);
}

// All windows must do.
static gw_status add_centred(gw_profile_scorer *s, gw_allele *allele, int64_t row) {
    gw_allele_status status = GW_ALLELE_PASS;
    GW_TRY(begin_job(s, allele, row, -1));
    const int64_t windows = s->window_count;
    for (int64_t phase = s->phases - 1; phase >= 0 && status == GW_ALLELE_PASS; phase--) {
        GW_TRY(gw_variant_windows(s->genome, &allele->variant, s->window, gw_phase_shift(phase), scratch_window(s, 0),
                                  scratch_window(s, 1), &status));
        GW_TRY(keep_phase(s, phase, &status));
    }
    allele->status = status == GW_ALLELE_PASS ? GW_ALLELE_NOSITE : status;
    end_job(s, status, windows);
    return GW_OK;
}

static void flip(char *bases, char *scratch, int64_t length) {
    gw_reverse_complement(bases, length, scratch);
    memcpy(bases, scratch, (size_t)length);
}

// The windows of one TSS into the scratch places. The TSS keeps its offset in both: a variant upstream of it changes
// what enters at the upstream end, any other what enters at the downstream end.
static gw_status site_windows(gw_profile_scorer *s, const gw_variant *v, const gw_region *site,
                              gw_allele_status *status) {
    const int64_t window = s->window, upstream = s->model->config.tss_offset, tss = gw_tss_position(site);
    char *ref = scratch_window(s, 0), *alt = scratch_window(s, 1);
    int64_t begin, end;
    gw_tss_window(tss, site->strand, upstream, window - upstream, &begin, &end);
    const bool left_of_tss = v->position + v->ref_length <= tss;
    GW_TRY(gw_variant_windows_at(s->genome, v, begin, window, left_of_tss, ref, alt, status));
    if (*status != GW_ALLELE_PASS || site->strand != '-') return GW_OK;
    char *scratch = gw_alloc(window, 1);
    if (!scratch) return GW_ERR_MEMORY;
    flip(ref, scratch, window);
    flip(alt, scratch, window);
    free(scratch);
    return GW_OK;
}

// The reason given is that of the last covering site where none could be scored.
static gw_status add_sites(gw_profile_scorer *s, gw_allele *allele, int64_t row) {
    const gw_regions *sites = s->sites;
    const gw_variant v = allele->variant;
    const int64_t window = s->window;
    gw_allele_status reason = GW_ALLELE_NOSITE;
    bool scored = false;
    allele->status = GW_ALLELE_NOSITE;
    // From the first site on whose TSS could cover the allele.
    const int64_t first =
        GW_FIRST_NOT(i, sites->count,
                     sites->items[i].contig < v.contig || (sites->items[i].contig == v.contig &&
                                                           gw_tss_position(&sites->items[i]) < v.position - window));
    for (int64_t i = first; i < sites->count; i++) {
        const gw_region *site = &sites->items[i];
        if (site->contig != v.contig || gw_tss_position(site) > v.position + window) break;
        gw_allele_status status;
        GW_TRY(site_windows(s, &v, site, &status));
        if (status == GW_ALLELE_PASS) {
            GW_TRY(begin_job(s, allele, row, (int)i));
            const int64_t windows = s->window_count;
            GW_TRY(keep_phase(s, 0, &status));
            end_job(s, status, windows);
        }
        scored = scored || status == GW_ALLELE_PASS;
        if (status != GW_ALLELE_PASS && status != GW_ALLELE_NOSITE) reason = status;
    }
    if (!scored) allele->status = reason;
    return GW_OK;
}

gw_status gw_profile_scorer_run(gw_profile_scorer *s, gw_allele *alleles, int64_t count, float *raw) {
    s->raw = raw;
    clear_jobs(s);
    for (int64_t i = 0; raw && i < 2 * count * s->labels; i++) raw[i] = NAN;
    for (int64_t i = 0; i < count; i++) {
        const gw_variant *v = &alleles[i].variant;
        if (alleles[i].status != GW_ALLELE_PASS) continue;
        if (s->gradient && (v->ref_length != 1 || v->alt_length != 1)) alleles[i].status = GW_ALLELE_NOTSNV;
        else GW_TRY(s->sites ? add_sites(s, &alleles[i], i) : add_centred(s, &alleles[i], i));
    }
    return run_jobs(s);
}
