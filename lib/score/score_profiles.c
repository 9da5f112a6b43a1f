// SPDX-License-Identifier: MIT
// Each allele makes one job (or one per TSS that covers it): a REF and an ALT window. Windows that are equal to their
// neighbour's, as the REF windows of the ALTs of one site, run once; so REF = ALT gives exactly 0.
#include "score/score_profiles.h"

#include "base/log.h"
#include "base/memory.h"
#include "score/label_predictor.h"
#include "seq/tss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JOBS = 64 };

typedef struct {
    gw_allele *allele;
    int64_t row;      // of `raw`
    int64_t ref, alt; // indices of the windows
    int site;         // of the scorer's sites, or -1
} job;

struct gw_profile_scorer {
    gw_model *model;
    gw_genome *genome;
    gw_profile_options options;
    gw_label_predictor *predictor;
    gw_encoder *encoder;
    int64_t labels;
    job jobs[MOST_JOBS];
    int job_count;
    int64_t window_count;
    char *bases; // [2 * MOST_JOBS + 2][W]; the last two are scratch
    const char *pointers[2 * MOST_JOBS];
    int64_t lengths[2 * MOST_JOBS];
    float *probabilities, *logits; // [2 * MOST_JOBS][labels]
    float *raw;
};

gw_status gw_profile_scorer_new(gw_model *model, gw_genome *genome, const gw_profile_options *options,
                                gw_profile_scorer **out) {
    *out = NULL;
    gw_profile_scorer *s = gw_alloc(1, sizeof *s);
    if (!s) return GW_ERR_MEMORY;
    const gw_label_predictor_options predictor = {
        .tokens = options->batch_tokens, .pad_to = options->pad_to, .both_strands = !options->sites};
    s->model = model;
    s->genome = genome;
    s->options = *options;
    s->labels = model->config.labels;
    s->bases = gw_alloc(2 * MOST_JOBS + 2, options->window);
    s->probabilities = gw_alloc(2 * MOST_JOBS * s->labels, sizeof(float));
    s->logits = gw_alloc(2 * MOST_JOBS * s->labels, sizeof(float));
    gw_status status = s->bases && s->probabilities && s->logits ? GW_OK : GW_ERR_MEMORY;
    if (status == GW_OK) status = gw_label_predictor_new(model, &predictor, &s->predictor);
    if (status == GW_OK) status = gw_encoder_new(model->tokenizer, &s->encoder);
    if (status == GW_OK) *out = s;
    else gw_profile_scorer_free(s);
    return status;
}

void gw_profile_scorer_free(gw_profile_scorer *scorer) {
    if (!scorer) return;
    gw_label_predictor_free(scorer->predictor);
    gw_encoder_free(scorer->encoder);
    free(scorer->bases);
    free(scorer->probabilities);
    free(scorer->logits);
    free(scorer);
}

static char *window_at(const gw_profile_scorer *s, int64_t index) {
    return s->bases + index * s->options.window;
}

// The difference of the most different profile; fills the allele where it beats what the allele has.
static void take_difference(const gw_profile_scorer *s, const job *j) {
    const float *ref = s->probabilities + j->ref * s->labels, *alt = s->probabilities + j->alt * s->labels;
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
    const bool n_rich = gw_window_is_n_rich(window_at(s, j->ref), s->options.window) ||
                        gw_window_is_n_rich(window_at(s, j->alt), s->options.window);
    a->status = n_rich ? GW_ALLELE_NRICH : GW_ALLELE_PASS;
    a->site = j->site;
    a->top = (int32_t)top;
    a->difference = alt[top] - ref[top];
    a->logit = s->logits[j->alt * s->labels + top] - s->logits[j->ref * s->labels + top];
    a->mean = (float)(sum / (double)s->labels);
    a->ref_value = ref[top];
    a->alt_value = alt[top];
    if (!s->raw) return;
    memcpy(s->raw + 2 * j->row * s->labels, ref, (size_t)s->labels * sizeof(float));
    memcpy(s->raw + (2 * j->row + 1) * s->labels, alt, (size_t)s->labels * sizeof(float));
}

static gw_status run_jobs(gw_profile_scorer *s) {
    if (s->job_count == 0) return GW_OK;
    GW_TRY(gw_check_interrupt());
    GW_TRY(gw_label_predictor_run(s->predictor, s->pointers, s->lengths, s->window_count, s->probabilities, s->logits));
    for (int i = 0; i < s->job_count; i++) take_difference(s, &s->jobs[i]);
    s->job_count = 0;
    s->window_count = 0;
    return GW_OK;
}

// Whether the tokens of a window, and of its reverse complement where that is read too, fit the positions.
static gw_status fits(gw_profile_scorer *s, const char *bases, char *scratch, bool *fit) {
    const int64_t window = s->options.window;
    for (int strand = 0; strand < (s->options.sites ? 1 : 2) && *fit; strand++) {
        const int32_t *tokens;
        int64_t count;
        if (strand) gw_reverse_complement(bases, window, scratch);
        GW_TRY(gw_encode(s->encoder, strand ? scratch : bases, window, &tokens, &count));
        *fit = count + 2 <= gw_config_longest(&s->model->config);
    }
    return GW_OK;
}

// Keeps a window, unless it equals the window `same` (-1: none); returns its index.
static int64_t keep_window(gw_profile_scorer *s, const char *bases, int64_t same) {
    const size_t window = (size_t)s->options.window;
    if (same >= 0 && memcmp(window_at(s, same), bases, window) == 0) return same;
    const int64_t index = s->window_count++;
    memcpy(window_at(s, index), bases, window);
    s->pointers[index] = window_at(s, index);
    s->lengths[index] = s->options.window;
    return index;
}

// Adds the two windows in the scratch places as a job. An allele waits as NOSITE until a job of it is done.
static gw_status add_job(gw_profile_scorer *s, gw_allele *allele, int64_t row, int site) {
    char *ref = window_at(s, 2 * MOST_JOBS), *alt = window_at(s, 2 * MOST_JOBS + 1);
    if (s->job_count == MOST_JOBS) GW_TRY(run_jobs(s));
    const int64_t before = s->job_count > 0 ? s->jobs[s->job_count - 1].ref : -1;
    job *j = &s->jobs[s->job_count++];
    j->allele = allele;
    j->row = row;
    j->site = site;
    j->ref = keep_window(s, ref, before);
    j->alt = keep_window(s, alt, j->ref);
    return GW_OK;
}

// Checks the windows in the scratch places and adds them; TOOLONG where they make too many tokens.
static gw_status add_windows(gw_profile_scorer *s, gw_allele *allele, int64_t row, int site, gw_allele_status *status) {
    char *ref = window_at(s, 2 * MOST_JOBS), *alt = window_at(s, 2 * MOST_JOBS + 1);
    char *scratch = gw_alloc(s->options.window, 1);
    if (!scratch) return GW_ERR_MEMORY;
    bool fit = true;
    gw_status done = fits(s, ref, scratch, &fit);
    if (done == GW_OK) done = fits(s, alt, scratch, &fit);
    free(scratch);
    GW_TRY(done);
    *status = fit ? GW_ALLELE_PASS : GW_ALLELE_TOOLONG;
    return fit ? add_job(s, allele, row, site) : GW_OK;
}

static gw_status add_centred(gw_profile_scorer *s, gw_allele *allele, int64_t row) {
    gw_allele_status status;
    GW_TRY(gw_variant_windows(s->genome, &allele->variant, s->options.window, window_at(s, 2 * MOST_JOBS),
                              window_at(s, 2 * MOST_JOBS + 1), &status));
    if (status == GW_ALLELE_PASS) GW_TRY(add_windows(s, allele, row, -1, &status));
    allele->status = status == GW_ALLELE_PASS ? GW_ALLELE_NOSITE : status;
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
    const int64_t window = s->options.window, upstream = s->model->config.tss_offset, tss = gw_tss_position(site);
    char *ref = window_at(s, 2 * MOST_JOBS), *alt = window_at(s, 2 * MOST_JOBS + 1);
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

// First site whose TSS could cover `position`: TSS at least position - W on its contig.
static int64_t first_site(const gw_regions *sites, int contig, int64_t position) {
    int64_t low = 0, high = sites->count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        const gw_region *site = &sites->items[middle];
        if (site->contig < contig || (site->contig == contig && gw_tss_position(site) < position)) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The reason given is that of the last covering site where none could be scored.
static gw_status add_sites(gw_profile_scorer *s, gw_allele *allele, int64_t row) {
    const gw_regions *sites = s->options.sites;
    const gw_variant v = allele->variant;
    const int64_t window = s->options.window;
    gw_allele_status reason = GW_ALLELE_NOSITE;
    bool scored = false;
    allele->status = GW_ALLELE_NOSITE;
    for (int64_t i = first_site(sites, v.contig, v.position - window); i < sites->count; i++) {
        const gw_region *site = &sites->items[i];
        if (site->contig != v.contig || gw_tss_position(site) > v.position + window) break;
        gw_allele_status status;
        GW_TRY(site_windows(s, &v, site, &status));
        if (status == GW_ALLELE_PASS) GW_TRY(add_windows(s, allele, row, (int)i, &status));
        scored = scored || status == GW_ALLELE_PASS;
        if (status != GW_ALLELE_PASS && status != GW_ALLELE_NOSITE) reason = status;
    }
    if (!scored) allele->status = reason;
    return GW_OK;
}

gw_status gw_profile_scorer_run(gw_profile_scorer *s, gw_allele *alleles, int64_t count, float *raw) {
    s->raw = raw;
    s->job_count = 0;
    s->window_count = 0;
    for (int64_t i = 0; raw && i < 2 * count * s->labels; i++) raw[i] = NAN;
    for (int64_t i = 0; i < count; i++) {
        if (alleles[i].status != GW_ALLELE_PASS) continue;
        GW_TRY(s->options.sites ? add_sites(s, &alleles[i], i) : add_centred(s, &alleles[i], i));
    }
    return run_jobs(s);
}
